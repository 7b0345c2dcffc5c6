/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.c: the passes, in the order in which they run. */
#include <string.h>

#include "passes/pass.h"

#define MAX_DEPTH 32

#define ROW(name_, level_)                                                                         \
    {                                                                                              \
        .name = #name_, .level = (level_), .run = ig_pass_##name_                                  \
    }
static const ig_pass pipeline[] = {
    { .name = "infer_shapes",
      .level = INGOT_OPT_NONE,
      .is_whole = true,
      .run = ig_pass_infer_shapes },
    ROW(fold_constants, INGOT_OPT_BASIC),
    ROW(remove_identities, INGOT_OPT_BASIC),
    ROW(merge_duplicates, INGOT_OPT_BASIC),
    ROW(remove_dead_code, INGOT_OPT_BASIC),
    /* Idioms of exporters, while the graph still looks as they wrote it. */
    ROW(fuse_patterns, INGOT_OPT_ALL),
    /* Into convolutions and matrix products: scale and shift, bias, residual, activation. */
    ROW(fold_affine, INGOT_OPT_BASIC),
    ROW(fuse_bias, INGOT_OPT_ALL),
    ROW(fuse_residual, INGOT_OPT_ALL),
    ROW(fuse_activation, INGOT_OPT_ALL),
    ROW(assign_layout, INGOT_OPT_ALL),
    ROW(merge_transposes, INGOT_OPT_ALL),
    /* Transposed weights, and what the fusions left behind. */
    ROW(fold_constants, INGOT_OPT_BASIC),
    ROW(merge_duplicates, INGOT_OPT_BASIC),
    ROW(remove_dead_code, INGOT_OPT_BASIC),
    ROW(fuse_elementwise, INGOT_OPT_ALL),
};

/* Does an earlier row have the same name? */
static bool is_repeated(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!strcmp(pipeline[k].name, pipeline[i].name)) return true;
    return false;
}

const char *ingot_pass_name(size_t i)
{
    for (size_t k = 0; k < IG_COUNT(pipeline); k++)
        if (!is_repeated(k) && i-- == 0) return pipeline[k].name;
    return NULL;
}

/* ---- names in options ---- */

static bool is_known_name(const char *word, size_t n, bool is_dump)
{
    for (size_t k = 0; k < IG_COUNT(pipeline); k++)
        if (strlen(pipeline[k].name) == n && !memcmp(pipeline[k].name, word, n)) return true;
    return is_dump &&
           ((n == 6 && !memcmp(word, "import", 6)) || (n == 3 && !memcmp(word, "all", 3)));
}

static void list_names(char *buf, size_t bytes, bool is_dump)
{
    size_t at = 0;
    buf[0] = 0;
    for (size_t i = 0; ingot_pass_name(i); i++) {
        const char *name = ingot_pass_name(i);
        const size_t n = strlen(name);
        if (at + n + 16 > bytes) return;
        if (at) memcpy(buf + at, ", ", 2), at += 2;
        memcpy(buf + at, name, n + 1);
        at += n;
    }
    if (is_dump && at + 16 < bytes) memcpy(buf + at, ", import, all", 14);
}

/* Every word of a comma-separated list names a pass. */
static ig_status check_names(const char *list, const char *what, bool is_dump, ig_error *err)
{
    char known[600];
    while (list && *list) {
        list += strspn(list, ", ");
        size_t n = strcspn(list, ",");
        const char *next = list + n;
        while (n && list[n - 1] == ' ') n--;
        if (n && !is_known_name(list, n, is_dump)) {
            list_names(known, sizeof known, is_dump);
            return ig_fail(err, INGOT_ERR_INVALID, "%s: there is no pass '%.*s'; there are %s",
                           what, (int)(n < 60 ? n : 60), list, known);
        }
        list = next;
    }
    return INGOT_OK;
}

/* ---- running ---- */

static ig_status run_pass(const ig_pass *pass, ig_pass_ctx *ctx, ig_graph *g, int depth)
{
    if (depth > MAX_DEPTH)
        return ig_fail(ctx->err, INGOT_ERR_LIMIT, "subgraphs are nested deeper than %d", MAX_DEPTH);
    ctx->is_subgraph = depth > 0;
    ig_graph_index(g);
    IG_TRY(pass->run(ctx, g));
    ig_arena_reset(ctx->scratch);
    if (pass->is_whole) return INGOT_OK;
    for (size_t i = 0; i < g->n_nodes; i++) {
        const ig_node *node = g->nodes[i];
        if (!node->op || !(node->op->flags & IG_CONTROL_FLOW)) continue;
        for (uint32_t k = 0; k < node->n_attrs; k++)
            if (node->attrs[k].kind == IG_ATTR_GRAPH)
                IG_TRY(run_pass(pass, ctx, node->attrs[k].g, depth + 1));
    }
    return INGOT_OK;
}

static void dump(const char *after, const ig_graph *g, const ingot_log *log)
{
    ig_str text;
    ig_str_init(&text, g->arena->alloc);
    ig_graph_print(g, false, &text);
    ig_log(log, INGOT_LOG_INFO, "# after %s", after);
    if (ig_str_ok(&text)) ig_log_text(log, INGOT_LOG_INFO, ig_str_cstr(&text), text.n);
    ig_str_deinit(&text);
}

static ig_status run_and_verify(const ig_pass *pass, ig_graph *g, ig_isa isa, const ingot_log *log,
                                const ig_limits *limits, ig_error *err)
{
    ig_arena scratch;
    ig_arena_init(&scratch, g->arena->alloc, g->arena->tag);
    ig_pass_ctx ctx = {
        .isa = isa, .log = log, .limits = *limits, .err = err, .scratch = &scratch
    };
    ig_status status = run_pass(pass, &ctx, g, 0);
    if (status == INGOT_OK) status = ig_graph_verify(g, err);
    if (status != INGOT_OK && !pass->is_whole) ig_error_prepend(err, "pass %s", pass->name);
    if (status == INGOT_OK && ctx.n_changes)
        ig_log(log, INGOT_LOG_DEBUG, "pass %s: %lld changes", pass->name, (long long)ctx.n_changes);
    ig_arena_deinit(&scratch);
    return status;
}

static bool is_dumped(const char *list, const char *name)
{
    return ig_list_has(list, name) || ig_list_has(list, "all");
}

ig_status ig_passes_run(ig_graph *g, ig_isa isa, const ingot_model_options *options,
                        const ingot_log *log, ig_error *err)
{
    ig_limits limits;
    IG_TRY(ig_limits_of(options, &limits, err));
    IG_TRY(check_names(options->disable_passes, "passes to disable", false, err));
    IG_TRY(check_names(options->dump_after, "passes to dump after", true, err));
    if (is_dumped(options->dump_after, "import")) dump("import", g, log);
    for (size_t i = 0; i < IG_COUNT(pipeline); i++) {
        const ig_pass *pass = &pipeline[i];
        if (options->opt_level > pass->level) continue;
        if (ig_list_has(options->disable_passes, pass->name)) continue;
        IG_TRY(run_and_verify(pass, g, isa, log, &limits, err));
        if (is_dumped(options->dump_after, pass->name)) dump(pass->name, g, log);
    }
    return INGOT_OK;
}

ig_status ig_pass_run_named(ig_graph *g, ig_isa isa, const char *name, const ingot_log *log,
                            ig_error *err)
{
    const ig_limits none = { 0 };
    for (size_t i = 0; i < IG_COUNT(pipeline); i++)
        if (!strcmp(pipeline[i].name, name))
            return run_and_verify(&pipeline[i], g, isa, log, &none, err);
    return check_names(name, "pass to run", false, err);
}
