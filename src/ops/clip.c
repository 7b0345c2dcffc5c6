/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clip.c: y = min(max(x, lo), hi); NaN stays, and hi wins where lo > hi. The bounds are attributes
 * before opset 11 (default: the range of float since opset 6), inputs from then on; an absent one
 * is no bound.
 */
#include "ops/broadcast.h"

#include <float.h>
#include <math.h>

IG_PRIM1(clip, vf_min(p1, vf_max(p0, a)))

#ifdef IG_BASE

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    for (int i = 1; i < c->n_in; i++) {
        if (!c->in[i] || c->in[i]->rank < 0) continue;
        for (int d = 0; d < c->in[i]->rank; d++)
            if (ig_dim_is_const(c->in[i]->dims[d]) && c->in[i]->dims[d] != 1)
                return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "the bound (input %d) is not a scalar", i);
    }
    return INGOT_OK;
}

/* Bounds before opset 11. The schema's defaults, the range of float, came with opset 6. */
static void old_bounds(const ig_node *node, int opset, float *min, float *max)
{
    const float none = opset < 6 ? INFINITY : FLT_MAX;
    *min = ig_attr_float(node, "min", -none);
    *max = ig_attr_float(node, "max", none);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const ig_tensor *lo = c->n_in > 1 ? c->in[1] : NULL, *hi = c->n_in > 2 ? c->in[2] : NULL;
    const bool is_old = c->opset < 11;
    float min, max;
    old_bounds(c->node, c->opset, &min, &max);
    const int64_t n = ig_tensor_count(in);
    if ((lo && ig_tensor_count(lo) != 1) || (hi && ig_tensor_count(hi) != 1))
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "a bound is not a scalar");
    IG_TRY(ig_call_output(c, 0, in->dtype, in->rank, in->dims));
    if (!c->out[0]) return INGOT_OK;
    IG_SWITCH_NUMERIC(c, in->dtype, {
        const T *x = in->data;
        T *y = c->out[0]->data;
        const bool has_lo = is_old || lo;
        const bool has_hi = is_old || hi;
        T l = lo ? *(const T *)lo->data : (T)0;
        T h = hi ? *(const T *)hi->data : (T)0;
        if (is_old)
            ig_set_f64(in->dtype, &l, 0, (double)min), ig_set_f64(in->dtype, &h, 0, (double)max);
        for (int64_t i = 0; i < n; i++) {
            T v = x[i];
            if (has_lo && v < l) v = l;
            if (has_hi && v > h) v = h;
            y[i] = v;
        }
    })
    return INGOT_OK;
}

/* The value of a constant bound; absent: no_bound. */
static bool bound(const ig_node *node, const ig_info *const *in, uint32_t i, float no_bound,
                  float *out)
{
    *out = no_bound;
    if (i >= node->n_inputs || node->inputs[i] == IG_NONE) return true;
    const ig_tensor *t = in && in[i] ? in[i]->data : NULL;
    if (!t || ig_tensor_count(t) != 1) return false;
    *out = (float)ig_get_f64(t->dtype, t->data, 0);
    return true;
}

static bool bounds(const ig_node *node, const ig_info *const *in, float *lo, float *hi)
{
    if (node->opset < 11) {
        old_bounds(node, node->opset, lo, hi);
        return true;
    }
    return bound(node, in, 1, -INFINITY, lo) && bound(node, in, 2, INFINITY, hi);
}

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    return bounds(node, in, &p[0], &p[1]);
}

static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    *ep = (ig_epilogue){ .act = IG_ACT_CLIP };
    return bounds(node, in, &ep->alpha, &ep->beta);
}

static const char *const cases[] = {
    "f32[5]{-3,-1,0,nan,4} c:f32[]{-1} c:f32[]{1} = f32[5]{-1,-1,0,nan,1}",
    "f32[3]{-3,0,4} f32[]{-1} f32[]{1} = f32[3]{-1,0,1}",
    "f32[3]{-3,0,4} f32[]{2} f32[]{1} = f32[3]{1,1,1}",
    "f32[3]{-3,0,inf} c:f32[]{-1} = f32[3]{-1,0,inf}",
    "f32[3]{-3,0,4} _ c:f32[]{1} = f32[3]{-3,0,1}",
    "f32[3]{-3,0,4} = f32[3]{-3,0,4}",
    "i8[3]{-3,0,4} i8[]{-1} i8[]{1} @12 = i8[3]{-1,0,1}",
    "u64[3]{0,1,18446744073709551615} u64[]{1} u64[]{9} = u64[3]{1,1,9}",
    "f64[2]{-3,5} _ f64[]{4} = f64[2]{-3,4}",
    "f16[5] f16[]{-0.5} f16[]{0.5}",
    "f32[3]{-3,0,4} @6 min=-1.0 max=2.0 = f32[3]{-1,0,2}",
    "f32[3]{-3,0,4} @10 min=-1.0 = f32[3]{-1,0,4}",
    "f32[3]{-inf,0,inf} @1 = f32[3]{-inf,0,inf}",
    "f32[3]{-inf,0,inf} @5 max=1.0 = f32[3]{-inf,0,1}",
    "f64[2]{-inf,inf} @1 = f64[2]{-inf,inf}",
    "f32[3]{-inf,0,inf} @6 = f32[3]{-3.4028235e38,0,3.4028235e38}",
    "f32[3,19] c:f32[]{-1} c:f32[]{1}",
    "f32[0] c:f32[]{-1}",
    "f32[2] f32[2] ! not a scalar",
    "f32[2] i32[]{1} ! element types",
    NULL
};

IG_PRIM_DECLARE(clip)
static const ig_prim prim = IG_PRIM_TABLE(clip, 1);
const ig_op ig_op_clip = { .onnx = "Clip",
                           .since = { 1, 6, 11, 12, 13 },
                           .n_in = { 1, 3 },
                           .same_type = 0x6,
                           .n_out = { 1, 1 },
                           .types = IG_T_NUMERIC,
                           .flags = IG_ELEMENTWISE | IG_INPLACE,
                           .infer = infer,
                           .ref = ref,
                           .prim = &prim,
                           .prim_params = prim_params,
                           .activation = activation,
                           .cases = cases };
#endif
