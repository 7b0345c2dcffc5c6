/* SPDX-License-Identifier: Apache-2.0 */
/* reshape.c: the same bytes under another shape. 0 copies a dimension (unless allowzero), -1 is
 * what is left over. */
#include <string.h>

#include "ops/strided.h"

#define MAX_FACTORS 32

/* A product: coef * sym[0] * sym[1] … */
typedef struct product {
    int64_t coef;
    int n;
    ig_dim sym[MAX_FACTORS];
    bool is_too_big;
} product;

static void multiply(const ig_dims *t, product *p, ig_dim d)
{
    ig_dim stack[MAX_FACTORS];
    int n = 0;
    stack[n++] = d;
    while (n > 0) {
        const ig_dim top = stack[--n];
        const ig_dim_expr *e = ig_dim_expr_of(t, top);
        if (!e) {
            if (__builtin_mul_overflow(p->coef, top, &p->coef)) p->is_too_big = true;
        } else if (e->op == IG_DIM_MUL && n + 2 <= MAX_FACTORS) {
            stack[n++] = e->a;
            stack[n++] = e->b;
        } else if (p->n < MAX_FACTORS) {
            p->sym[p->n++] = top;
        } else {
            p->is_too_big = true;
        }
    }
}

static bool take(product *p, ig_dim d)
{
    for (int i = 0; i < p->n; i++)
        if (p->sym[i] == d) {
            p->sym[i] = p->sym[--p->n];
            return true;
        }
    return false;
}

static ig_dim product_dim(ig_dims *t, const product *p)
{
    ig_dim d = p->coef;
    for (int i = 0; i < p->n; i++) d = ig_dim_mul(t, d, p->sym[i]);
    return d;
}

/* num / den, after common factors are gone: what the -1 stands for. */
static ig_status left_over(ig_infer *c, product *num, product *den, ig_dim *out)
{
    if (num->is_too_big || den->is_too_big)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "number of elements overflows");
    for (int i = den->n - 1; i >= 0; i--)
        if (take(num, den->sym[i])) den->sym[i] = den->sym[--den->n];
    if (den->coef == 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "-1 cannot be found out: the other dimensions have no elements");
    if (num->coef % den->coef == 0) {
        num->coef /= den->coef;
        den->coef = 1;
    } else if (num->n == 0 && den->n == 0) {
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "-1 cannot be found out: %lld elements are not a multiple of %lld",
                       (long long)num->coef, (long long)den->coef);
    }
    const ig_dim all = product_dim(c->dims, num), rest = product_dim(c->dims, den);
    *out = rest == 1 ? all : ig_dim_floor_div(c->dims, all, rest);
    return INGOT_OK;
}

/* The wanted dimensions as written; *n = -1: not even their number is known; *known: contents. */
static ig_status read_target(ig_infer *c, ig_dim *t, int *n, bool *known)
{
    *n = -1;
    *known = false;
    if (c->opset < 5) {
        size_t count;
        const int64_t *v = ig_attr_ints(c->node, "shape", &count);
        if (!ig_node_attr(c->node, "shape"))
            return ig_fail(c->err, INGOT_ERR_INVALID, "attribute shape is missing");
        if (count > IG_MAX_RANK)
            return ig_fail(c->err, INGOT_ERR_LIMIT, "shape has %zu dimensions, at most %d", count,
                           IG_MAX_RANK);
        for (size_t i = 0; i < count; i++)
            t[i] = v[i] > IG_DIM_MAX ? IG_DIM_MAX : v[i] < -1 ? -2 : v[i];
        *n = (int)count;
        *known = true;
        return INGOT_OK;
    }
    const ig_info *shape = c->n_in > 1 ? c->in[1] : NULL;
    if (!shape) return ig_fail(c->err, INGOT_ERR_INVALID, "input 1 (shape) is missing");
    if (shape->rank >= 0 && shape->rank != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "shape must have rank 1, not %d", shape->rank);
    if (shape->rank == 1 && ig_dim_is_const(shape->dims[0])) {
        if (shape->dims[0] > IG_MAX_RANK)
            return ig_fail(c->err, INGOT_ERR_LIMIT, "shape has %lld dimensions, at most %d",
                           (long long)shape->dims[0], IG_MAX_RANK);
        *n = (int)shape->dims[0];
    }
    int n_known;
    *known = ig_infer_ints(c, 1, t, IG_MAX_RANK, &n_known);
    if (*known) *n = n_known;
    if (*n == 0) *known = true; /* no numbers are all known */
    return INGOT_OK;
}

/* Resolve zeros, and find the -1. copied: bit i: dimension i is the input's. */
static ig_status resolve_zeros(ig_infer *c, ig_dim *t, int n, int *i_rest, unsigned *copied)
{
    const ig_info *in = c->in[0];
    const bool allow_zero = c->opset >= 14 && ig_attr_int(c->node, "allowzero", 0) != 0;
    bool has_zero = false;
    for (int i = 0; i < n; i++) {
        if (!ig_dim_is_const(t[i]) || t[i] > 0) continue;
        if (t[i] == -1) {
            if (*i_rest >= 0)
                return ig_fail(c->err, INGOT_ERR_INVALID, "shape holds more than one -1");
            *i_rest = i;
        } else if (t[i] < 0) {
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "shape holds a negative number other than -1 at index %d", i);
        } else if (allow_zero) {
            has_zero = true;
        } else if (in->rank < 0) {
            t[i] = ig_dim_born(c->dims);
        } else if (i >= in->rank) {
            return ig_fail(c->err, INGOT_ERR_SHAPE,
                           "shape holds 0 at index %d, but the input has rank %d", i, in->rank);
        } else {
            t[i] = in->dims[i];
            *copied |= 1u << i;
        }
    }
    if (has_zero && *i_rest >= 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "shape holds both 0 (with allowzero) and -1");
    return INGOT_OK;
}

static ig_status check_counts(ig_infer *c)
{
    const ig_dim from = ig_info_count(c->dims, c->in[0]), to = ig_info_count(c->dims, &c->out[0]);
    char a[96], b[96];
    if (c->dims->has_failed) return INGOT_OK; /* overflow: the caller says so */
    if (from == to || !ig_dim_is_const(from) || !ig_dim_is_const(to)) return INGOT_OK;
    return ig_fail(
        c->err, INGOT_ERR_SHAPE, "cannot reshape %s (%lld elements) to %s (%lld elements)",
        ig_shape_format(c->in[0]->type.dtype, c->in[0]->rank, c->in[0]->dims, a, sizeof a),
        (long long)from,
        ig_shape_format(c->out[0].type.dtype, c->out[0].rank, c->out[0].dims, b, sizeof b),
        (long long)to);
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(ig_infer_is_int(c, 1, "shape"));
    const ig_info *in = c->in[0];
    ig_dim t[IG_MAX_RANK];
    int n, i_rest = -1;
    unsigned copied = 0;
    bool known;
    IG_TRY(read_target(c, t, &n, &known));
    if (n < 0) return INGOT_OK;
    if (!known) {
        for (int i = 0; i < n; i++) t[i] = ig_dim_born(c->dims);
        ig_info_set_shape(&c->out[0], in->type.dtype, n, t);
        return INGOT_OK;
    }
    IG_TRY(resolve_zeros(c, t, n, &i_rest, &copied));
    if (i_rest >= 0 && in->rank < 0) {
        t[i_rest] = ig_dim_born(c->dims);
    } else if (i_rest >= 0) {
        product num = { .coef = 1 }, den = { .coef = 1 };
        for (int d = 0; d < in->rank; d++)
            if (!(copied >> d & 1)) multiply(c->dims, &num, in->dims[d]);
        for (int i = 0; i < n; i++)
            if (i != i_rest && !(copied >> i & 1)) multiply(c->dims, &den, t[i]);
        IG_TRY(left_over(c, &num, &den, &t[i_rest]));
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, n, t);
    if (in->rank >= 0) IG_TRY(check_counts(c));
    return ig_infer_keep_elems(c);
}

static const char *const cases[] = {
    "f32[2,3,4] i64{0,-1}",
    "f32[2,3,4] c:i64{4,6}",
    "f32[2,3,4] c:i64{-1}",
    "f32[6]{1,2,3,4,5,6} i64{2,3} = f32[2,3]{1,2,3,4,5,6}",
    "f32[1] i64{}",
    "f32[] i64{1,1}",
    "f32[0,3] i64{0,-1}",
    "f32[0,3] i64{3,0} allowzero=1",
    "f32[2,3] @1 shape=[3,-1]",
    "i64[2,2] i64{4}",
    "str[2,1]{\"a\",\"b\"} i64{1,2}",
    "f16[2,3] i64{3,2}",
    "f32[2,3] i64{4,2} ! cannot reshape float32[2,3] (6 elements)",
    "f32[0] i64[0] ! cannot reshape float32[0] (0 elements)",
    "f32[2] i64[0] ! cannot reshape float32[2] (2 elements)",
    "f32[2,3] i64{-1,-1} ! more than one -1",
    "f32[2,3] i64{4,-1} ! not a multiple of 4",
    "f32[2,3] i64{-2,3} ! negative number other than -1 at index 0",
    "f32[2,3] i64{2,3,0} ! holds 0 at index 2",
    "f32[2,3] i64{4611686018427387904,4} !",
    NULL,
};

const ig_op ig_op_reshape = {
    .onnx = "Reshape",
    .since = { 1, 5, 13, 14, 19, 21, 23, 24, 25 },
    .n_in = { 1, 2 },
    .n_out = { 1, 1 },
    .flags = IG_VIEW | IG_OWN_HALF,
    .infer = infer,
    .ref = ig_ref_copy,
    .lower = ig_lower_view,
    .is_identity = ig_same_shape,
    .cases = cases,
};
