/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c: cases of passes. A case is a file:
 *
 *     # what it shows
 *     passes: fold_constants, remove_dead_code          (or "all")
 *     --- in
 *     graph …
 *     --- out
 *     graph …                                           (or "error: TEXT")
 *
 * Each runs the passes on the first graph and compares the text, checks that the result parses back
 * to the same text, and, where all shapes are constant and there is no control flow, that both
 * graphs compute the same from the same inputs (references, float32). With --update first, the
 * second part of each file is written anew.
 */
#include <math.h>
#include <stdlib.h>

#include "../unit/check.h"
#include "passes/rewrite.h"

static ig_alloc alloc;
static ig_arena arena;
static ig_error err;

typedef struct test_case {
    char *text;
    const char *path, *passes, *in;
    char *out;
} test_case;

static bool read_case(const char *path, test_case *t)
{
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    t->text = ig_arena_get(&arena, 1 << 20);
    const size_t n = t->text ? fread(t->text, 1, (1 << 20) - 1, file) : 0;
    fclose(file);
    t->path = path;
    char *passes = n ? strstr(t->text, "passes:") : NULL;
    char *in = passes ? strstr(passes, "--- in\n") : NULL;
    char *out = in ? strstr(in, "--- out\n") : NULL;
    if (!out) return false;
    *strchr(passes, '\n') = 0;
    *out = 0;
    t->passes = passes + strlen("passes:");
    t->in = in + strlen("--- in\n");
    t->out = out + strlen("--- out\n");
    return true;
}

static ig_graph *parse(const char *text)
{
    ig_graph *g = NULL;
    ig_dims *dims = ig_arena_get(&arena, sizeof *dims);
    if (!dims) return NULL;
    ig_dims_init(dims, &arena);
    ig_error_clear(&err);
    if (ig_graph_parse(&arena, dims, text, strlen(text), &g, &err) != INGOT_OK ||
        ig_ops_resolve(g, &err) != INGOT_OK || ig_graph_infer(g, &err) != INGOT_OK)
        return NULL;
    return g;
}

static ig_status run_passes(ig_graph *g, const char *list)
{
    char word[64];
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    if (ig_list_has(list, "all")) return ig_passes_run(g, IG_ISA_PORTABLE, &options, NULL, &err);
    while (*list) {
        list += strspn(list, ", ");
        size_t n = strcspn(list, ", ");
        if (n == 0 || n >= sizeof word) break;
        memcpy(word, list, n);
        word[n] = 0;
        list += n;
        IG_TRY(ig_pass_run_named(g, IG_ISA_PORTABLE, word, NULL, &err));
    }
    return INGOT_OK;
}

/* ---- the same numbers ---- */

static bool can_evaluate(const ig_graph *g)
{
    int64_t dims[IG_MAX_RANK];
    for (size_t i = 0; i < g->n_inputs; i++) {
        const ig_info *info = &g->values[g->inputs[i]]->info;
        if (info->type.kind != INGOT_KIND_TENSOR || info->type.dtype == INGOT_STRING ||
            !ig_info_is_static(info, dims))
            return false;
    }
    for (size_t i = 0; i < g->n_nodes; i++)
        if (g->nodes[i]->op->flags & (IG_CONTROL_FLOW | IG_RANDOM)) return false;
    return true;
}

static const ig_tensor *random_tensor(const ig_info *info, uint32_t seed)
{
    ig_tensor *t;
    int64_t dims[IG_MAX_RANK];
    if (!ig_info_is_static(info, dims) ||
        ig_tensor_in_arena(&arena, info->type.dtype, info->rank, dims, NULL, &t, &err))
        return NULL;
    for (int64_t i = 0; i < ig_tensor_count(t); i++) {
        seed = seed * 1664525u + 1013904223u;
        ig_set_f64(t->dtype, t->data, i, (double)(seed >> 8) / (1 << 24) * 6 - 3);
    }
    return t;
}

static const ig_tensor **evaluate(ig_graph *g)
{
    ig_arena scratch;
    ig_arena_init(&scratch, &alloc, INGOT_MEM_OTHER);
    ig_pass_ctx ctx = { .err = &err, .scratch = &scratch };
    const ig_tensor **values = ig_arena_array(&arena, g->n_values + 1, sizeof *values);
    for (size_t i = 0; i < g->n_values; i++) values[i] = g->values[i]->info.data;
    for (size_t i = 0; i < g->n_inputs; i++)
        values[g->inputs[i]] = random_tensor(&g->values[g->inputs[i]]->info, (uint32_t)i + 1);
    for (size_t i = 0; i < g->n_nodes; i++) {
        const ig_node *node = g->nodes[i];
        const ig_tensor *in[32] = { 0 }, *out[32] = { 0 };
        for (uint32_t k = 0; k < node->n_inputs && k < 32; k++)
            if (node->inputs[k] != IG_NONE) in[k] = values[node->inputs[k]];
        if (ig_evaluate(&ctx, g, node, in, &arena, out) != INGOT_OK) values = NULL;
        for (uint32_t k = 0; values && k < node->n_outputs && k < 32; k++)
            if (node->outputs[k] != IG_NONE) values[node->outputs[k]] = out[k];
        if (!values) break;
    }
    ig_arena_deinit(&scratch);
    return values;
}

static bool is_close(const ig_tensor *a, const ig_tensor *b)
{
    if (!a || !b || a->dtype != b->dtype || a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->dims[d] != b->dims[d]) return false;
    for (int64_t i = 0; i < ig_tensor_count(a); i++) {
        const double x = ig_get_f64(a->dtype, a->data, i), y = ig_get_f64(b->dtype, b->data, i);
        if (!(fabs(x - y) <= 1e-4 + 1e-4 * fabs(x)) && !(isnan(x) && isnan(y)) && x != y) {
            printf("  element %lld: %g before, %g after\n", (long long)i, x, y);
            return false;
        }
    }
    return true;
}

static void check_numbers(ig_graph *before, ig_graph *after)
{
    if (!can_evaluate(before) || !can_evaluate(after)) return;
    const ig_tensor **a = evaluate(before), **b = evaluate(after);
    if (!CHECK(a && b)) return;
    for (size_t i = 0; i < before->n_outputs; i++)
        CHECK(is_close(a[before->outputs[i]], b[after->outputs[i]]));
}

/* ---- cases ---- */

static void update(const test_case *t, const char *passes, const char *out)
{
    FILE *file = fopen(t->path, "wb");
    if (!file) return;
    /* The first line break after the passes was cut. */
    fprintf(file, "%s\n%s--- out\n%s", t->text, passes + strlen(passes) + 1, out);
    fclose(file);
}

static void run_case(const char *path, bool is_update)
{
    test_case t;
    ig_str out;
    ig_str_init(&out, &alloc);
    const int n_failed = check_counts.n_failed;
    ig_graph *before = NULL, *after = NULL;
    if (CHECK(read_case(path, &t)) && CHECK((before = parse(t.in)) && (after = parse(t.in)))) {
        ig_error_clear(&err);
        const ig_status status = run_passes(after, t.passes);
        if (status == INGOT_OK)
            ig_graph_print(after, true, &out);
        else
            ig_str_printf(&out, "error: %s\n", err.message);
        if (is_update)
            update(&t, t.passes, ig_str_cstr(&out));
        else
            CHECK_STRING(ig_str_cstr(&out), t.out);
        if (status == INGOT_OK) {
            check_numbers(before, after);
            ig_graph *back = parse(ig_str_cstr(&out));
            ig_str again;
            ig_str_init(&again, &alloc);
            if (CHECK(back != NULL)) ig_graph_print(back, true, &again);
            CHECK_STRING(ig_str_cstr(&again), ig_str_cstr(&out));
            ig_str_deinit(&again);
        }
    }
    if (check_counts.n_failed != n_failed) printf("  in %s %s\n", path, err.message);
    ig_str_deinit(&out);
    ig_arena_reset(&arena);
}

static void check_options(void)
{
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    const char *text = "graph \"\" (opset ai.onnx 13) (%x: float32[2]) -> (%y) {\n"
                       "    %u = Relu \"\" (%x)\n    %y = Relu \"\" (%x)\n}\n";
    ig_graph *g = parse(text);
    if (!CHECK(g != NULL)) return;
    options.disable_passes = "fold_constants, nonsense";
    ig_error_clear(&err);
    CHECK(ig_passes_run(g, IG_ISA_REF, &options, NULL, &err) == INGOT_ERR_INVALID);
    CHECK(strstr(err.message, "nonsense") && strstr(err.message, "remove_identities"));
    options.disable_passes = "remove_dead_code,merge_duplicates";
    ig_error_clear(&err);
    CHECK(!ig_passes_run(g, IG_ISA_REF, &options, NULL, &err) && g->n_nodes == 2);
    options.opt_level = INGOT_OPT_NONE;
    options.disable_passes = NULL;
    CHECK(!ig_passes_run(g, IG_ISA_REF, &options, NULL, &err) && g->n_nodes == 2);
    options.opt_level = INGOT_OPT_BASIC;
    CHECK(!ig_passes_run(g, IG_ISA_REF, &options, NULL, &err) && g->n_nodes == 1);
    CHECK_STRING(ingot_pass_name(0), "infer_shapes");
    size_t n = 0;
    while (ingot_pass_name(n)) n++;
    CHECK(n >= 12);
}

/* Every allocation of a case fails once; nothing may leak or crash. */
static void check_memory(const char *path)
{
    for (int k = 1; k < 100000; k += 1 + k / 8) {
        test_case t;
        if (!read_case(path, &t)) return;
        atomic_store(&alloc.is_failing, false);
        atomic_store(&alloc.fail_countdown, k);
        ig_graph *g = parse(t.in);
        ig_status status = g ? INGOT_OK : err.status;
        if (g) status = run_passes(g, "all");
        const bool has_failed = atomic_load(&alloc.is_failing);
        atomic_store(&alloc.fail_countdown, 0);
        atomic_store(&alloc.is_failing, false);
        ig_arena_deinit(&arena);
        ig_arena_init(&arena, &alloc, INGOT_MEM_GRAPH);
        if (!has_failed) return;
        CHECK(status != INGOT_OK || atomic_load(&alloc.total) == 0);
    }
}

/* Cases with other digits and letters: refused or rewritten, never a crash, and never an internal
 * error. */
static int check_mutants(const char *path, int n_mutants)
{
    int n_run = 0;
    uint32_t u = 7;
    for (int i = 0; i < n_mutants; i++) {
        test_case t;
        if (!read_case(path, &t)) return n_run;
        char *text = (char *)t.in;
        const size_t n = strlen(text);
        for (int k = 0; k <= i % 3; k++) {
            u = u * 1664525u + 1013904223u;
            size_t at = (u >> 8) % n;
            while (at + 1 < n && !strchr("0123456789abcdwxy", text[at])) at++;
            u = u * 1664525u + 1013904223u;
            if (text[at] >= '0' && text[at] <= '9') text[at] = (char)('0' + (u >> 8) % 10);
            if (strchr("abcdwxy", text[at])) text[at] = "abcdwxy"[(u >> 8) % 7];
        }
        ig_graph *g = parse(text);
        ig_error_clear(&err);
        if (g) {
            n_run++;
            if (run_passes(g, "all") == INGOT_ERR_INTERNAL)
                CHECK_STRING(err.message, "no internal error");
        }
        ig_arena_reset(&arena);
    }
    return n_run;
}

int main(int argc, char **argv)
{
    const bool is_update = argc > 1 && !strcmp(argv[1], "--update");
    ig_alloc_init(&alloc, NULL, 0);
    ig_arena_init(&arena, &alloc, INGOT_MEM_GRAPH);
    for (int i = 1 + is_update; i < argc; i++) run_case(argv[i], is_update);
    check_options();
    if (!is_update && argc > 1) {
        int n_run = 0;
        check_memory(argv[argc - 1]);
        for (int i = 1; i < argc; i++) n_run += check_mutants(argv[i], 100);
        CHECK(n_run > 10 * (argc - 1));
    }
    ig_arena_deinit(&arena);
    CHECK(atomic_load(&alloc.total) == 0);
    return check_report();
}
