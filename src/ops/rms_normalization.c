/* SPDX-License-Identifier: Apache-2.0 */
/* rms_normalization.c: y = x / sqrt(mean of x^2 + epsilon) * scale over the dimensions from axis
 * on; scale broadcasts to them. */
#include <math.h>

#include "kernels/reduce/reduce.h"
#include "ops/op.h"

enum { IN_X, IN_SCALE };

static ig_status infer(ig_infer *c)
{
    int axis = 0;
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = c->in[IN_SCALE]->type.dtype; /* V; x alone is T */
    if (c->in[IN_X]->rank < 0) return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), c->in[IN_X]->rank, &axis, c->err));
    if (c->in[IN_SCALE]->rank > c->in[IN_X]->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "scale has rank %d, the input %d",
                       c->in[IN_SCALE]->rank, c->in[IN_X]->rank);
    for (int d = 1; d <= c->in[IN_SCALE]->rank; d++) {
        const ig_dim x = c->in[IN_X]->dims[c->in[IN_X]->rank - d];
        const ig_dim s = c->in[IN_SCALE]->dims[c->in[IN_SCALE]->rank - d];
        if (s != 1 && s != x && ig_dim_is_const(s) && ig_dim_is_const(x))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "scale does not broadcast to the input");
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *both[2] = { c->in[IN_X], c->in[IN_SCALE] };
    const double epsilon = (double)ig_attr_float(c->node, "epsilon", 1e-5f);
    int axis = 0;
    int64_t i = 0;
    double inverse = 0;
    ig_walk w;
    IG_TRY(ig_axis(ig_attr_int(c->node, "axis", -1), x->rank, &axis, c->err));
    const int64_t n = ig_count(x->rank - axis, x->dims + axis);
    ig_walk_begin(&w, c->out[0], both, 2);
    for (bool more = w.left > 0; more; more = ig_walk_next(&w), i++) {
        if (i % n == 0) {
            double sum = 0;
            for (int64_t k = 0; k < n; k++) {
                const double v = ig_get_f64(x->dtype, x->data, i + k);
                sum += v * v;
            }
            inverse = 1 / sqrt(sum / (double)n + epsilon);
        }
        ig_set_f64(c->out[0]->dtype, c->out[0]->data, i,
                   ig_get_f64(x->dtype, x->data, i) * inverse *
                       ig_get_f64(both[1]->dtype, both[1]->data, w.at[1]));
    }
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    int64_t dims[IG_MAX_RANK], scale[IG_MAX_RANK];
    const ig_info *x = l->in[IN_X], *s = l->in[IN_SCALE];
    int axis = 0;
    if (x->type.dtype != INGOT_FLOAT || s->type.dtype != INGOT_FLOAT ||
        !ig_info_is_static(x, dims) || !ig_info_is_static(s, scale) || ig_count(x->rank, dims) <= 0)
        return INGOT_OK;
    IG_TRY(ig_axis(ig_attr_int(l->node, "axis", -1), x->rank, &axis, l->err));
    const ig_layer_norm_shape shape = { .n_rows = ig_count(axis, dims),
                                        .n = ig_count(x->rank - axis, dims + axis),
                                        .epsilon = ig_attr_float(l->node, "epsilon", 1e-5f),
                                        .is_rms = true };
    /* the kernel takes one scale an element of a row */
    int64_t n_scale = 1;
    for (int d = 0; d < s->rank; d++) n_scale *= scale[d];
    if (n_scale != shape.n || s->rank < x->rank - axis) return INGOT_OK;
    ig_layer_norm_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_layer_norm_plan(&shape, l->isa, p, &l->kernel, l->err));
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_layer_norm_f32__%s", ig_isa_name(l->isa));
    l->params = p;
    l->n_operand_in = 3;
    l->n_operand_out = 3;
    l->n_work = p->n_work;
    l->grain = p->grain;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,2]{3,4} f32[2]{1,2} epsilon=0.0 = f32[1,2]{0.8485281,2.2627417}",
    "f32[2,3,19] c:f32[19] epsilon=0.01",
    "f32[2,3,4] f32[3,4] axis=1",
    "f32[2,3,4] f32[4] axis=1",
    "f32[2,3,4] f32[3,1] axis=-2",
    "f16[2,8] f16[8]",
    "f32[1,2]{3,4} f16[2]{1,2} epsilon=0.0 = f16[1,2]{0.8485281,2.2627417}",
    "f16[1,2]{3,4} f32[2]{1,2} epsilon=0.0 = f32[1,2]{0.8485281,2.2627417}",
    "f32[2,3] f32[2] ! does not broadcast",
    NULL,
};

const ig_op ig_op_rms_normalization = {
    .onnx = "RMSNormalization",
    .since = { 23 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
