/* SPDX-License-Identifier: Apache-2.0 */
/*
 * simplified_layer_normalization.c: y = x / sqrt(mean of x^2 + epsilon) * scale over the dimensions
 * from axis on. ONNX Runtime's operator in the domain ai.onnx, from before RMSNormalization. Output
 * 1 is the inverse root.
 */
#include <math.h>

#include "kernels/reduce/reduce.h"
#include "ops/op.h"

enum { IN_X, IN_SCALE };
enum { OUT_Y, OUT_INVERSE };

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *scale = c->in[IN_SCALE];
    ig_dim dims[IG_MAX_RANK];
    int axis = 0;
    IG_TRY(ig_infer_same(c));
    if (!(IG_T(scale->type.dtype) & IG_T_FLOATS))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "scale is %s", ingot_dtype_name(scale->type.dtype));
    c->out[OUT_Y].type.dtype = scale->type.dtype;
    if (c->n_out > OUT_INVERSE)
        c->out[OUT_INVERSE].type.dtype = INGOT_FLOAT; /* whatever x is: as ONNX Runtime has it */
    if (x->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), x->rank, &axis, c->err));
    ig_dim n = 1, n_scale = 1;
    for (int d = axis; d < x->rank; d++) n = ig_dim_mul(c->dims, n, x->dims[d]);
    for (int d = 0; d < scale->rank; d++) n_scale = ig_dim_mul(c->dims, n_scale, scale->dims[d]);
    if (scale->rank >= 0 && n != n_scale && ig_dim_is_const(n) && ig_dim_is_const(n_scale))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "scale has %lld elements, a row %lld",
                       (long long)n_scale, (long long)n);
    for (int d = 0; d < x->rank; d++) dims[d] = d < axis ? x->dims[d] : 1;
    if (c->n_out > OUT_INVERSE)
        ig_info_set_shape(&c->out[OUT_INVERSE], c->out[OUT_INVERSE].type.dtype, x->rank, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *scale = c->in[IN_SCALE];
    ig_tensor *y = c->out[OUT_Y], *out = c->n_out > OUT_INVERSE ? c->out[OUT_INVERSE] : NULL;
    const double epsilon = (double)ig_attr_float(c->node, "epsilon", 1e-5f);
    int axis = 0;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), x->rank, &axis, c->err));
    const int64_t n = ig_count(x->rank - axis, x->dims + axis);
    const int64_t n_rows = n || out ? ig_count(axis, x->dims) : 0;
    for (int64_t r = 0; r < n_rows; r++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            const double v = ig_get_f64(x->dtype, x->data, r * n + i);
            sum += v * v;
        }
        const double inverse = 1 / sqrt(sum / (double)n + epsilon);
        for (int64_t i = 0; i < n && y; i++)
            ig_set_f64(y->dtype, y->data, r * n + i,
                       ig_get_f64(x->dtype, x->data, r * n + i) * inverse *
                           ig_get_f64(scale->dtype, scale->data, i));
        if (out) ig_set_f64(out->dtype, out->data, r, inverse);
    }
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    static const int8_t order[] = { IN_X, IN_SCALE, -1, -1 };
    int64_t dims[IG_MAX_RANK], scale[IG_MAX_RANK];
    int axis = 0;
    if (l->in[IN_X]->type.dtype != INGOT_FLOAT || l->in[IN_SCALE]->type.dtype != INGOT_FLOAT ||
        !ig_info_is_static(l->in[IN_X], dims) || !ig_info_is_static(l->in[IN_SCALE], scale) ||
        ig_count(l->in[IN_X]->rank, dims) < 1)
        return INGOT_OK;
    /* the kernel's second output is the mean, which this operator lacks */
    if (l->n_out > OUT_INVERSE && l->out[OUT_INVERSE].rank >= 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(l->node, "axis", -1), l->in[IN_X]->rank, &axis, l->err));
    const ig_layer_norm_shape s = { .n_rows = ig_count(axis, dims),
                                    .n = ig_count(l->in[IN_X]->rank - axis, dims + axis),
                                    .epsilon = ig_attr_float(l->node, "epsilon", 1e-5f),
                                    .is_rms = true };
    ig_layer_norm_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_layer_norm_plan(&s, l->isa, p, &l->kernel, l->err));
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_layer_norm_f32__%s", ig_isa_name(l->isa));
    l->params = p;
    l->operand_inputs = order;
    l->n_operand_in = 3;
    l->n_operand_out = 3;
    l->n_work = p->n_work;
    l->grain = p->grain;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,2]{3,4} f32[2]{1,2} @17 epsilon=0.0 -> 2 = f32[1,2]{0.8485281,2.262742} "
    "f32[1,1]{0.2828427}",
    "f32[2,1,2]{3,4,1,-1} f32[1,2]{1,2} @17 axis=1 = "
    "f32[2,1,2]{0.8485278,2.262741,0.999995,-1.99999}",
    "f16[2,2]{3,4,1,-1} f16[2]{1,2} @17 = f16[2,2]{0.8486328,2.263672,1,-2}",
    "f16[2,2]{3,4,1,-1} f32[2]{1,2} @17 = f32[2,2]{0.8485278,2.262741,0.999995,-1.99999}",
    "f32[2,3,19] c:f32[19] epsilon=0.01",
    "f64[2,7] f64[7] -> 2",
    "f32[3,0] f32[0] -> 2",
    "f32[1000000000000,0] f32[0]",
    "f32[2,3] f32[2] ! scale has 2 elements, a row 3",
    "f32[2,3] f32[3] axis=2 ! axis 2 is out of range",
    NULL,
};

const ig_op ig_op_simplified_layer_normalization = {
    .onnx = "SimplifiedLayerNormalization",
    .since = { 1 },
    .n_in = { 2, 2 },
    .n_out = { 1, 2 },
    .types = IG_T_FLOATS,
    .flags = IG_OWN_HALF, /* scale may be of another type */
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
