/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer_normalization.c: y = (x - mean) / sqrt(variance + epsilon) * scale + bias over the
 * dimensions from axis on; outputs 1 and 2 are the mean and the inverse standard deviation, with
 * those dimensions 1.
 */
#include <math.h>

#include "kernels/reduce/reduce.h"
#include "ops/op.h"

enum { IN_X, IN_SCALE, IN_BIAS };

/* Scale and bias broadcast to x; the usual case is one value an element of a row. */
static ig_status check_broadcast(const ig_infer *c, int i, const char *name)
{
    const ig_info *x = c->in[IN_X], *t = c->n_in > i ? c->in[i] : NULL;
    if (!t || t->rank < 0) return INGOT_OK;
    if (t->rank > x->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has rank %d, the input %d", name, t->rank,
                       x->rank);
    for (int d = 1; d <= t->rank; d++) {
        const ig_dim from = t->dims[t->rank - d], to = x->dims[x->rank - d];
        if (from != 1 && from != to && ig_dim_is_const(from) && ig_dim_is_const(to))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%s does not broadcast to the input", name);
    }
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    int axis = 0;
    IG_TRY(ig_infer_same(c));
    int64_t stash = ig_attr_int(c->node, "stash_type", INGOT_FLOAT);
    if (c->in[IN_X]->type.dtype == INGOT_DOUBLE) stash = INGOT_DOUBLE;
    if (c->n_out > 1 && (stash <= 0 || stash >= INGOT_N_DTYPES))
        return IG_OP_FAIL(c, INGOT_ERR_INVALID, "stash_type %lld is no element type",
                          (long long)stash);
    for (int o = 1; o < c->n_out; o++) c->out[o].type.dtype = (ingot_dtype)stash;
    if (c->in[IN_X]->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), c->in[IN_X]->rank, &axis, c->err));
    IG_TRY(check_broadcast(c, IN_SCALE, "scale"));
    IG_TRY(check_broadcast(c, IN_BIAS, "bias"));
    for (int o = 1; o < c->n_out; o++) {
        ig_dim dims[IG_MAX_RANK];
        for (int d = 0; d < c->in[IN_X]->rank; d++) dims[d] = d < axis ? c->in[IN_X]->dims[d] : 1;
        ig_info_set_shape(&c->out[o], c->out[o].type.dtype, c->in[IN_X]->rank, dims);
    }
    return INGOT_OK;
}

static void rows_of(int rank, const int64_t *dims, int axis, int64_t *n_rows, int64_t *n)
{
    *n_rows = ig_count(axis, dims);
    *n = ig_count(rank - axis, dims + axis);
}

static void put(ig_call *c, int i, int64_t at, double v)
{
    if (i < c->n_out && c->out[i]) ig_set_f64(c->out[i]->dtype, c->out[i]->data, at, v);
}

typedef struct row_stats {
    double mean, inverse;
} row_stats;

static row_stats stats_of(const ig_tensor *x, int64_t first, int64_t n, double epsilon)
{
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < n; i++) mean += ig_get_f64(x->dtype, x->data, first + i);
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double d = ig_get_f64(x->dtype, x->data, first + i) - mean;
        variance += d * d;
    }
    return (row_stats){ mean, 1 / sqrt(variance / (double)n + epsilon) };
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *scale = c->in[IN_SCALE],
                    *bias = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL;
    const ig_tensor *const operands[] = { x, scale, bias ? bias : scale };
    const double epsilon = (double)ig_attr_float(c->node, "epsilon", 1e-5f);
    int axis = 0;
    int64_t n_rows, n;
    ig_walk w;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), x->rank, &axis, c->err));
    rows_of(x->rank, x->dims, axis, &n_rows, &n);
    ig_walk_begin(&w, x, operands, 3);
    for (int64_t r = 0; r < n_rows; r++) {
        const row_stats s = stats_of(x, r * n, n, epsilon);
        for (int64_t i = 0; i < n; i++, ig_walk_next(&w)) {
            const double v = ig_get_f64(x->dtype, x->data, r * n + i);
            const double offset = bias ? ig_get_f64(bias->dtype, bias->data, w.at[2]) : 0;
            put(c, 0, r * n + i,
                (v - s.mean) * s.inverse * ig_get_f64(scale->dtype, scale->data, w.at[1]) + offset);
        }
        put(c, 1, r, s.mean);
        put(c, 2, r, s.inverse);
    }
    return INGOT_OK;
}

/* One value for each element of a row: the dimensions of x from axis on. */
static bool is_per_element(const ig_info *info, int rank, const int64_t *x, int axis)
{
    int64_t dims[IG_MAX_RANK];
    if (!info) return true;
    if (info->type.dtype != INGOT_FLOAT || !ig_info_is_static(info, dims)) return false;
    if (info->rank < rank - axis) return false;
    for (int d = 0; d < info->rank; d++) {
        const int at = d + rank - info->rank;
        if (dims[d] != (at < axis ? 1 : x[at])) return false;
    }
    return true;
}

/* The kernel has three outputs; where the node has fewer, scratch-free NULL operands stand for the
 * others. */
static ig_status lower(ig_lower *l)
{
    int64_t dims[IG_MAX_RANK];
    int axis = 0;
    ig_layer_norm_shape s = { .epsilon = ig_attr_float(l->node, "epsilon", 1e-5f) };
    if (l->in[IN_X]->type.dtype != INGOT_FLOAT || !ig_info_is_static(l->in[IN_X], dims))
        return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(l->node, "axis", -1), l->in[IN_X]->rank, &axis, l->err));
    rows_of(l->in[IN_X]->rank, dims, axis, &s.n_rows, &s.n);
    const int rank = l->in[IN_X]->rank;
    if (s.n < 1 || !is_per_element(l->in[IN_SCALE], rank, dims, axis) ||
        (l->n_in > IN_BIAS && !is_per_element(l->in[IN_BIAS], rank, dims, axis)))
        return INGOT_OK;
    ig_layer_norm_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_layer_norm_plan(&s, l->isa, p, &l->kernel, l->err));
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_layer_norm_f32__%s", ig_isa_name(l->isa));
    l->params = p;
    l->n_operand_in = 3;
    l->n_operand_out = 3;
    l->n_work = p->n_work;
    l->grain = p->grain;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,4]{1,2,3,4} f32[4]{1} = f32[1,4]{-1.3416355,-0.4472118,0.4472118,1.3416355}",
    "f32[2,3,8] c:f32[8] c:f32[8]",
    "f32[2,3,8] f32[3,8] f32[3,8] axis=1",
    "f32[5,33] f32[33] f32[33] epsilon=0.001 -> 3",
    "f64[2,7] f64[7]",
    "f16[1,2]{1,3} f16[2]{1} epsilon=0.5 -> 3 = f16[1,2]{-0.8164,0.8164} f32[1,1]{2} "
    "f32[1,1]{0.8164966}",
    "f32[1,2,2]{1,3,1,3} f32[2,1]{1,10} axis=1 epsilon=0.0 = f32[1,2,2]{-1,1,-10,10}",
    "f32[2,2]{1,3,1,3} f32[2,1]{1,10} f32[1]{1} epsilon=0.0 = f32[2,2]{0,2,-9,11}",
    "f32[2,0] f32[0] -> 1 = f32[2,0]{}",
    "f32[2,3,4] f32[2] ! scale does not broadcast",
    "f32[2,4] f32[4] f32[3,2,4] ! bias has rank 3",
    "f32[2,3] f32[3] axis=2 ! axis 2 is out of range",
    NULL,
};

const ig_op ig_op_layer_normalization = {
    .onnx = "LayerNormalization",
    .since = { 1, 17 }, /* 1: the form of com.microsoft's and early exporters */
    .n_in = { 2, 3 },
    .n_out = { 1, 3 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
