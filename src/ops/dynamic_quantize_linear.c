/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dynamic_quantize_linear.c: over the range of x widened to hold 0, scale = (max - min) / 255 (1
 * where that is 0), zero = saturate(round(-min / scale)), y = saturate(round(x / scale) + zero) as
 * uint8. NaN takes no part in the range and becomes 0.
 */
#include <math.h>

#include "ops/quantize.h"

/* Scale and zero point from the range. */
static inline float scale_of(float min, float max, float *zero)
{
    float scale = (max - min) / 255.0f;
    if (!(scale > 0)) scale = 1.0f;
    const float z = rintf(-min / scale);
    *zero = z > 255.0f ? 255.0f : z > 0 ? z : 0;
    return scale;
}

typedef ig_dynamic_quantize_params params;

#ifndef IG_BASE

void IG_KERNEL(ig_k_dynamic_quantize_f32)(const void *params_, void *const *operands, ig_part part);
void IG_KERNEL(ig_k_dynamic_quantize_f32)(const void *params_, void *const *operands, ig_part part)
{
    const float *x = operands[0];
    uint8_t *y = operands[1];
    const int64_t n = ((const params *)params_)->n;
    vf lo = vf_zero(), hi = vf_zero();
    int64_t i = 0;
    (void)part; /* one work item: the range is of the whole */
    for (; i + IG_VF <= n; i += IG_VF) {
        lo = vf_min(vf_load(x + i), lo);
        hi = vf_max(vf_load(x + i), hi);
    }
    if (i < n) {
        lo = vf_min(vf_load_n(x + i, (int)(n - i)), lo);
        hi = vf_max(vf_load_n(x + i, (int)(n - i)), hi);
    }
    float zero;
    const float scale = scale_of(vf_hmin(lo), vf_hmax(hi), &zero);
    *(float *)operands[2] = scale;
    *(uint8_t *)operands[3] = (uint8_t)zero;
    const vf s = vf_set1(scale), z = vf_set1(zero), top = vf_set1(255.0f);
    for (i = 0; i < n; i += IG_VF) {
        const int rest = n - i < IG_VF ? (int)(n - i) : IG_VF;
        const vf v = rest == IG_VF ? vf_load(x + i) : vf_load_n(x + i, rest);
        /* NaN: the second operand, 0 */
        const vi q = vi_from_vf(vf_min(top, vf_max(vf_round_even(v / s) + z, vf_zero())));
        if (rest == IG_VF) {
            vi_store_8(y + i, q);
        } else {
            for (int k = 0; k < rest; k++) y[i + k] = (uint8_t)q[k];
        }
    }
}

#else

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = INGOT_UINT8;
    ig_info_set_shape(&c->out[1], INGOT_FLOAT, 0, NULL);
    ig_info_set_shape(&c->out[2], INGOT_UINT8, 0, NULL);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const float *x = c->in[0]->data;
    const int64_t n = ig_tensor_count(c->in[0]);
    float min = 0, max = 0, zero;
    for (int64_t i = 0; i < n; i++) {
        if (x[i] < min) min = x[i];
        if (x[i] > max) max = x[i];
    }
    const float scale = scale_of(min, max, &zero);
    IG_TRY(ig_call_output(c, 0, INGOT_UINT8, c->in[0]->rank, c->in[0]->dims));
    IG_TRY(ig_call_output(c, 1, INGOT_FLOAT, 0, NULL));
    IG_TRY(ig_call_output(c, 2, INGOT_UINT8, 0, NULL));
    for (int64_t i = 0; c->out[0] && i < n; i++)
        ig_set_f64(INGOT_UINT8, c->out[0]->data, i, (double)(rintf(x[i] / scale) + zero));
    if (c->out[1]) *(float *)c->out[1]->data = scale;
    if (c->out[2]) *(uint8_t *)c->out[2]->data = (uint8_t)zero;
    return INGOT_OK;
}

#define DECLARE(isa)                                                                               \
    void ig_k_dynamic_quantize_f32__##isa(const void *params, void *const *operands, ig_part part);
DECLARE(portable)
#if defined(__x86_64__)
DECLARE(avx2)
DECLARE(avx512)
#endif

static const struct {
    const char *name;
    ig_kernel_fn fn;
} kernels[IG_N_ISAS] = {
    [IG_ISA_PORTABLE] = { "ig_k_dynamic_quantize_f32__portable",
                          ig_k_dynamic_quantize_f32__portable },
#if defined(__x86_64__)
    [IG_ISA_AVX2] = { "ig_k_dynamic_quantize_f32__avx2", ig_k_dynamic_quantize_f32__avx2 },
    [IG_ISA_AVX512] = { "ig_k_dynamic_quantize_f32__avx512", ig_k_dynamic_quantize_f32__avx512 },
#endif
};

ig_kernel_fn ig_dynamic_quantize_kernel(ig_isa isa) { return kernels[isa].fn; }

static ig_status lower(ig_lower *l)
{
    int64_t dims[IG_MAX_RANK];
    if (!kernels[l->isa].fn || !ig_info_is_static(l->in[0], dims)) return INGOT_OK;
    for (uint32_t i = 0; i < 3; i++) /* the kernel writes all three */
        if (i >= l->node->n_outputs || l->node->outputs[i] == IG_NONE) return INGOT_OK;
    params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    p->n = ig_count(l->in[0]->rank, dims);
    l->params = p;
    l->kernel = kernels[l->isa].fn;
    l->kernel_name = kernels[l->isa].name;
    l->n_work = l->grain = 1;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[6]{0,2,-3,-2.5,1.34,0.5} -> 3 = u8[6]{153,255,0,26,221,179} f32[]{0.019607844} "
    "u8[]{153}",
    "f32[3]{1,2,4} -> 3 = u8[3]{64,127,255} f32[]{0.015686275} u8[]{0}",
    "f32[3]{-1,-2,-4} -> 3 = u8[3]{191,128,0} f32[]{0.015686275} u8[]{255}",
    "f32[2]{0,0} -> 3 = u8[2]{0,0} f32[]{1} u8[]{0}",
    "f32[4]{nan,0,1.5,2.55} -> 3 = u8[4]{0,0,150,255} f32[]{0.01} u8[]{0}",
    "f32[3]{-1.02,nan,1.53} -> 3 = u8[3]{0,0,255} f32[]{0.01} u8[]{102}",
    "f32[2]{nan,nan} -> 3 = u8[2]{0,0} f32[]{1} u8[]{0}",
    "f32[19]{nan,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,255,nan,nan} -> 3 = "
    "u8[19]{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,255,0,0} f32[]{1} u8[]{0}",
    "f32[3,19] -> 3",
    "f32[0] -> 3 = u8[0]{} f32[]{1} u8[]{0}",
    NULL
};

const ig_op ig_op_dynamic_quantize_linear = { .onnx = "DynamicQuantizeLinear",
                                              .since = { 11 },
                                              .n_in = { 1, 1 },
                                              .n_out = { 3, 3 },
                                              .types = IG_T(INGOT_FLOAT),
                                              .infer = infer,
                                              .ref = ref,
                                              .lower = lower,
                                              .cases = cases };
#endif
