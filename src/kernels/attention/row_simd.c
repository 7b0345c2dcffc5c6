/* SPDX-License-Identifier: Apache-2.0 */
/* row_simd.c: the pass over a row of scores, compiled once per instruction set. */
#include "base/simd_math.h"
#include "kernels/attention/attention.h"
#include "kernels/reduce/lanes.h"

extern void IG_KERNEL(ig_k_attention_row_f32)(const ig_attn_row *row);

IG_INLINE vf load(const float *p, int m) { return m == IG_VF ? vf_load(p) : vf_load_n(p, m); }

IG_INLINE void store(float *p, vf v, int m)
{
    if (m == IG_VF)
        vf_store(p, v);
    else
        vf_store_n(p, v, m);
}

/* Lanes of the mask: zero or -infinity for bools. */
IG_INLINE vf mask_at(const ig_attn_row *r, int64_t j, int m)
{
    const vf hidden = vf_set1(-INFINITY);
    if (!r->is_mask_bool) {
        const float *p = r->mask;
        return r->mask_step ? load(p + j, m) : vf_set1(p[0]);
    }
    const uint8_t *p = r->mask;
    if (!r->mask_step) return p[0] ? vf_zero() : hidden;
    uint8_t rest[IG_VF] = { 0 };
    for (int i = 0; m < IG_VF && i < m; i++) rest[i] = p[j + i];
    const vi seen = vi_load_u8(m < IG_VF ? rest : p + j) != vi_set1(0);
    return vf_select(seen, vf_zero(), hidden);
}

/* Cap, then mask; the largest. A hidden key is -infinity whatever its score was. */
static float bias_row(const ig_attn_row *r)
{
    const vf hidden = vf_set1(-INFINITY), cap = vf_set1(r->softcap);
    vf max = hidden;
    for (int64_t j = r->lo; j < r->hi; j += IG_VF) {
        const int m = r->hi - j < IG_VF ? (int)(r->hi - j) : IG_VF;
        vf s = load(r->s + j, m);
        if (r->softcap > 0) s = cap * vf_tanh(s / cap);
        if (r->mask) {
            const vf bias = mask_at(r, j, m);
            s = vf_select(bias == hidden, hidden, s + bias);
        }
        if (r->mask || r->softcap > 0) store(r->s + j, s, m);
        max = vf_max_nan(max, vf_select(lane_mask(m), s, hidden));
    }
    return vf_hmax(max);
}

static double exp_row(const ig_attn_row *r, float max_value)
{
    const vf max = vf_set1(max_value);
    vd total = { 0 };
    for (int64_t j = r->lo; j < r->hi;) {
        const int64_t end = r->hi - j < IG_RUN_BLOCK ? r->hi : j + IG_RUN_BLOCK;
        vf sum = { 0 };
        for (; j + IG_VF <= end; j += IG_VF) {
            const vf e = vf_exp(vf_load(r->s + j) - max);
            vf_store(r->s + j, e);
            sum += e;
        }
        if (j < end) {
            const int m = (int)(end - j);
            const vf e = vf_exp(vf_load_n(r->s + j, m) - max);
            vf_store_n(r->s + j, e, m);
            sum += vf_select(lane_mask(m), e, vf_zero());
            j = end;
        }
        total += vd_from_vf(sum);
    }
    return vd_hsum(total);
}

void IG_KERNEL(ig_k_attention_row_f32)(const ig_attn_row *r)
{
    const float max = bias_row(r);
    if (max == -INFINITY) { /* nothing to see */
        memset(r->s, 0, (size_t)r->n * sizeof(float));
        return;
    }
    const vf scale = vf_set1((float)(1.0 / exp_row(r, max)));
    for (int64_t j = r->lo; j < r->hi; j += IG_VF) {
        const int m = r->hi - j < IG_VF ? (int)(r->hi - j) : IG_VF;
        store(r->s + j, load(r->s + j, m) * scale, m);
    }
    if (r->lo > 0) memset(r->s, 0, (size_t)r->lo * sizeof(float));
    if (r->hi < r->n) memset(r->s + r->hi, 0, (size_t)(r->n - r->hi) * sizeof(float));
}
