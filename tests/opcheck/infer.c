/* SPDX-License-Identifier: Apache-2.0 */
/* infer.c: what shape inference says, with and without numbers, against what the reference made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcheck.h"

/* The number that a symbol of ours stands for is the last part of its name. */
static bool evaluate(const ig_dims *dims, ig_dim d, int64_t *out)
{
    const ig_dim_expr *e = ig_dim_expr_of(dims, d);
    int64_t a = 0, b = 0;
    if (!e) {
        *out = d;
        return true;
    }
    if (e->op == IG_DIM_BORN) return false;
    if (e->op == IG_DIM_INPUT) {
        const char *number = strrchr(e->name, '_');
        *out = number ? strtoll(number + 1, NULL, 10) : 0;
        return number != NULL;
    }
    if (!evaluate(dims, e->a, &a) || !evaluate(dims, e->b, &b)) return false;
    switch (e->op) {
    case IG_DIM_ADD: return !__builtin_add_overflow(a, b, out);
    case IG_DIM_MUL: return !__builtin_mul_overflow(a, b, out);
    case IG_DIM_FLOOR_DIV:
        if (b == 0) return false;
        *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
        return true;
    case IG_DIM_MAX_OP: *out = a > b ? a : b; return true;
    default: *out = a < b ? a : b; return true;
    }
}

static void compare_elems(oc_env *env, const ig_info *info, const ig_tensor *want, int i)
{
    char why[200];
    if (info->data && !oc_same(info->data, want, &oc_exact, why, sizeof why))
        oc_failure(env, "inferred contents of output %d: %s", i, why);
    if (!info->elems) return;
    if (info->n_elems != ig_tensor_count(want)) {
        oc_failure(env, "%d elements inferred for output %d", info->n_elems, i);
        return;
    }
    for (int k = 0; k < info->n_elems; k++) {
        int64_t x;
        const int64_t w = ig_get_i64(want->dtype, want->data, k);
        if (evaluate(&env->dims, info->elems[k], &x) && x != w)
            oc_failure(env, "element %d of output %d inferred as %lld, it is %lld", k, i,
                       (long long)x, (long long)w);
    }
}

/* Contradictions between info and the output; *is_exact: nothing was left open. */
static void compare(oc_env *env, const ig_info *info, const ig_tensor *want, int i, bool *is_exact)
{
    *is_exact = true;
    if (info->type.kind != want->kind) {
        oc_failure(env, "output %d inferred as kind %d, it is %d", i, (int)info->type.kind,
                   (int)want->kind);
        return;
    }
    if (info->type.dtype != want->dtype &&
        (want->kind == INGOT_KIND_TENSOR || want->dtype != INGOT_UNDEFINED)) {
        oc_failure(env, "output %d inferred as %s, it is %s", i, ingot_dtype_name(info->type.dtype),
                   ingot_dtype_name(want->dtype));
        return;
    }
    if (want->kind != INGOT_KIND_TENSOR) return;
    if (info->rank < 0) {
        *is_exact = false;
        return;
    }
    if (info->rank != want->rank) {
        oc_failure(env, "output %d inferred with rank %d, it has %d", i, info->rank, want->rank);
        return;
    }
    for (int d = 0; d < info->rank; d++) {
        int64_t x;
        if (!evaluate(&env->dims, info->dims[d], &x))
            *is_exact = false;
        else if (x != want->dims[d])
            oc_failure(env, "dimension %d of output %d inferred as %lld, it is %lld", d, i,
                       (long long)x, (long long)want->dims[d]);
    }
    compare_elems(env, info, want, i);
}

/* Infer with these inputs and compare; false when inference failed or left something open. */
static bool infer_and_compare(oc_env *env, const ig_node *node, const ig_info *const *in)
{
    ig_info out[OC_MAX_OPERANDS];
    ig_error err = { 0 };
    bool all_exact = true;
    const ig_status status = ig_op_infer(node, in, out, &env->dims, &env->arena, &err);
    if (status) {
        oc_failure(env, "fails: %s", err.message);
        env->dims.has_failed = false;
        return false;
    }
    for (int i = 0; i < env->c->n_out; i++) {
        bool is_exact;
        compare(env, &out[i], env->reference[i], i, &is_exact);
        all_exact = all_exact && is_exact;
    }
    return all_exact;
}

/* ---- does a shape depend on contents? ---- */

static bool same_shapes(const oc_env *env, ig_tensor *const *out)
{
    for (int i = 0; i < env->c->n_out; i++) {
        const ig_tensor *a = env->reference[i], *b = out[i];
        if (a->rank != b->rank || a->kind != b->kind) return false;
        for (int d = 0; d < a->rank; d++)
            if (a->dims[d] != b->dims[d]) return false;
    }
    return true;
}

/* Run the reference on other contents of the same shapes and look for another output shape. */
static bool depends_on_contents(oc_env *env, const ig_node *node)
{
    const oc_case *original = env->c;
    bool depends = false;
    for (int variant = 0; variant < 6 && !depends; variant++) {
        oc_case *c = ig_arena_copy(&env->arena, original, sizeof *original);
        ig_tensor *out[OC_MAX_OPERANDS];
        oc_guard guard = { 0 };
        ig_error err = { 0 };
        for (int i = 0; c && i < c->n_in; i++) {
            ig_tensor *t = c->in[i].value, *other;
            if (!t || t->kind != INGOT_KIND_TENSOR || c->in[i].is_const) continue;
            if (ig_tensor_in_arena(&env->arena, t->dtype, t->rank, t->dims, NULL, &other, &err) ||
                (variant && oc_fill_random(other, (uint64_t)variant, &env->arena, &err)))
                return false;
            if (variant >= 3 && i > 0) continue; /* the first input alone */
            c->in[i].value = other;
        }
        if (!c) return false;
        env->c = c;
        depends = oc_run_reference(env, node, &guard, -1, out, &err) == INGOT_OK &&
                  !same_shapes(env, out);
        oc_guard_free(&guard);
        env->c = original;
    }
    return depends;
}

void oc_check_inference(oc_env *env, const ig_node *node)
{
    ig_info infos[OC_MAX_OPERANDS];
    const ig_info *in[OC_MAX_OPERANDS];
    oc_phase(env, "inference from shapes");
    oc_infos(env->c, OC_AS_GIVEN, false, infos, in);
    (void)infer_and_compare(env, node, in);
    oc_phase(env, "inference from contents");
    oc_infos(env->c, OC_AS_GIVEN, true, infos, in);
    const int n_failures = env->n_failures;
    const bool is_exact = infer_and_compare(env, node, in);
    if (is_exact || env->n_failures > n_failures || (env->c->op->flags & IG_CONTROL_FLOW)) return;
    /* Sequences are not looked into before a run; of no elements there are no other contents. */
    for (int i = 0; i < env->c->n_in; i++) {
        const ig_tensor *t = env->c->in[i].value;
        if (t && (t->kind != INGOT_KIND_TENSOR || ig_tensor_count(t) == 0)) return;
    }
    if (!depends_on_contents(env, node))
        oc_failure(env, "the shape is left open, and no other contents change it");
}

/* ---- symbols ---- */

enum { EACH_ITS_OWN, SAME_SIZE_SAME_NAME, N_WHOLE_VARIANTS };

/* Dimensions of size 0 stay numbers: a symbol may stand for anything from 1 on in a broadcast. */
static ig_dim symbol(oc_env *env, int variant, int i, int d, int64_t size)
{
    char name[64];
    if (size == 0) return 0;
    if (variant == SAME_SIZE_SAME_NAME)
        snprintf(name, sizeof name, "s_%lld", (long long)size);
    else
        snprintf(name, sizeof name, "i%dd%d_%lld", i, d, (long long)size);
    return ig_dim_input(&env->dims, name, strlen(name));
}

static void check_whole_variants(oc_env *env, const ig_node *node)
{
    ig_info infos[OC_MAX_OPERANDS];
    const ig_info *in[OC_MAX_OPERANDS];
    for (int variant = 0; variant < N_WHOLE_VARIANTS; variant++) {
        oc_phase(env, "inference with %s",
                 variant == EACH_ITS_OWN ? "a symbol a dimension" : "a symbol a size");
        oc_infos(env->c, OC_AS_GIVEN, false, infos, in);
        for (int i = 0; i < env->c->n_in; i++)
            for (int d = 0; in[i] && !infos[i].data && d < infos[i].rank; d++)
                infos[i].dims[d] = symbol(env, variant, i, d, infos[i].dims[d]);
        (void)infer_and_compare(env, node, in);
    }
}

static void check_single_symbols(oc_env *env, const ig_node *node)
{
    ig_info infos[OC_MAX_OPERANDS];
    const ig_info *in[OC_MAX_OPERANDS];
    oc_infos(env->c, OC_AS_GIVEN, false, infos, in);
    for (int i = 0; i < env->c->n_in; i++) {
        if (!in[i] || infos[i].data || infos[i].rank < 0) continue;
        const ig_info whole = infos[i];
        for (int d = 0; d < whole.rank; d++) {
            oc_phase(env, "inference with a symbol for dimension %d of input %d", d, i);
            infos[i].dims[d] = symbol(env, EACH_ITS_OWN, i, d, whole.dims[d]);
            (void)infer_and_compare(env, node, in);
            infos[i] = whole;
        }
        oc_phase(env, "inference with unknown rank of input %d", i);
        infos[i].rank = -1;
        (void)infer_and_compare(env, node, in);
        infos[i] = whole;
    }
}

#define MAX_SYMBOLIC_ELEMENT 1000000

/* Elements stand for sizes and positions: their sums do not wrap. */
static bool are_small(const int64_t *x, int n)
{
    for (int k = 0; k < n; k++)
        if (x[k] > MAX_SYMBOLIC_ELEMENT || x[k] < -MAX_SYMBOLIC_ELEMENT) return false;
    return true;
}

/* Give small integer inputs elements in place of contents; which: the only one that becomes a
 * symbol, -1 for all. Returns the most elements that an input has. */
static int set_elems(oc_env *env, ig_info *infos, const ig_info *const *in, int which,
                     ig_dim elems[][IG_MAX_ELEMS])
{
    int most = 0;
    for (int i = 0; i < env->c->n_in; i++) {
        int64_t x[IG_MAX_ELEMS];
        int n;
        char name[64];
        if (!in[i] || infos[i].rank < 0 || infos[i].rank > 1 ||
            !ig_tensor_ints(env->c->in[i].value, x, IG_MAX_ELEMS, &n) || n == 0 || !are_small(x, n))
            continue;
        infos[i].data = NULL;
        infos[i].elems = elems[i];
        infos[i].n_elems = (int16_t)n;
        if (n > most) most = n;
        for (int k = 0; k < n; k++) { /* symbols are never negative */
            snprintf(name, sizeof name, "e%dk%d_%lld", i, k, (long long)x[k]);
            const bool is_symbol = (which < 0 || which == k) && x[k] > 0;
            elems[i][k] = is_symbol ? ig_dim_input(&env->dims, name, strlen(name)) : x[k];
        }
    }
    return most;
}

static void check_symbolic_elems(oc_env *env, const ig_node *node)
{
    ig_info infos[OC_MAX_OPERANDS];
    const ig_info *in[OC_MAX_OPERANDS];
    ig_dim elems[OC_MAX_OPERANDS][IG_MAX_ELEMS];
    for (int which = -1; which < IG_MAX_ELEMS; which++) {
        oc_infos(env->c, OC_AS_GIVEN, false, infos, in);
        const int most = set_elems(env, infos, in, which, elems);
        if (most == 0 || most <= which) return;
        oc_phase(env, "inference with symbols in contents");
        (void)infer_and_compare(env, node, in);
    }
}

void oc_check_symbolic(oc_env *env, const ig_node *node)
{
    check_whole_variants(env, node);
    check_single_symbols(env, node);
    check_symbolic_elems(env, node);
}
