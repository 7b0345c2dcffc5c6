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

static ig_status infer(ig_infer *c)
{
    int axis = 0;
    IG_TRY(ig_infer_same(c));
    const ingot_dtype stash = (ingot_dtype)ig_attr_int(c->node, "stash_type", INGOT_FLOAT);
    for (int o = 1; o < c->n_out; o++)
        c->out[o].type.dtype = c->in[IN_X]->type.dtype == INGOT_DOUBLE ? INGOT_DOUBLE : stash;
    if (c->in[IN_X]->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), c->in[IN_X]->rank, &axis, c->err));
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

/* Scale and bias broadcast to the normalised dimensions; the usual case is one value an element. */
static double affine(const ig_tensor *t, int64_t i, double fallback)
{
    if (!t) return fallback;
    const int64_t n = ig_tensor_count(t);
    return n ? ig_get_f64(t->dtype, t->data, i % n) : fallback;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *scale = c->in[IN_SCALE],
                    *bias = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL;
    const double epsilon = (double)ig_attr_float(c->node, "epsilon", 1e-5f);
    int axis = 0;
    int64_t n_rows, n;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), x->rank, &axis, c->err));
    rows_of(x->rank, x->dims, axis, &n_rows, &n);
    for (int64_t r = 0; r < n_rows; r++) {
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < n; i++) mean += ig_get_f64(x->dtype, x->data, r * n + i);
        mean /= (double)n;
        for (int64_t i = 0; i < n; i++) {
            const double d = ig_get_f64(x->dtype, x->data, r * n + i) - mean;
            variance += d * d;
        }
        const double inverse = 1 / sqrt(variance / (double)n + epsilon);
        for (int64_t i = 0; i < n; i++)
            put(c, 0, r * n + i,
                (ig_get_f64(x->dtype, x->data, r * n + i) - mean) * inverse * affine(scale, i, 1) +
                    affine(bias, i, 0));
        put(c, 1, r, mean);
        put(c, 2, r, inverse);
    }
    return INGOT_OK;
}

static bool has_n_elements(const ig_info *info, int64_t n)
{
    int64_t dims[IG_MAX_RANK];
    return !info || (info->type.dtype == INGOT_FLOAT && ig_info_is_static(info, dims) &&
                     ig_count(info->rank, dims) == n);
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
    if (!has_n_elements(l->in[IN_SCALE], s.n) ||
        (l->n_in > IN_BIAS && !has_n_elements(l->in[IN_BIAS], s.n)))
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
