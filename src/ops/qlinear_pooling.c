/* SPDX-License-Identifier: Apache-2.0 */
/* qlinear_pooling.c: see qlinear_pooling.h. */
#include "ops/qlinear_pooling.h"

typedef struct window_taps {
    int64_t start[3], from[3], to[3], n, all;
} window_taps;

static inline float factor_of(const ig_qparam *x, const ig_qparam *y, int64_t count)
{
    return count ? x->scale / (y->scale * (float)count) : 0;
}

static inline void window_at(const ig_pool_view *v, const int64_t o[3], window_taps *t)
{
    t->n = t->all = 1;
    for (int d = 0; d < 3; d++) {
        const int64_t dil = v->w.dilation[d], start = o[d] * v->w.stride[d] - v->w.pad[d];
        t->start[d] = start;
        t->from[d] = start >= 0 ? 0 : (-start + dil - 1) / dil;
        t->to[d] = start >= v->in[d] ? 0 : (v->in[d] - start + dil - 1) / dil;
        if (t->to[d] > v->w.kernel[d]) t->to[d] = v->w.kernel[d];
        if (t->to[d] < t->from[d]) t->to[d] = t->from[d];
        t->n *= t->to[d] - t->from[d];
        t->all *= v->w.kernel[d];
    }
}

#ifndef IG_BASE

void IG_KERNEL(ig_k_qpool_average_u8)(const void *params, void *const *operands, ig_part part);

/* n <= IG_VF channels of one window; x: channel of the picture's first pixel. */
IG_INLINE vi sum_window(const ig_pool_view *v, const window_taps *t, bool is_signed,
                        const uint8_t *x, int n)
{
    vi sum = vi_set1(0);
    uint8_t rest[IG_VF] = { 0 };
    for (int64_t a = t->from[0]; a < t->to[0]; a++)
        for (int64_t b = t->from[1]; b < t->to[1]; b++)
            for (int64_t c = t->from[2]; c < t->to[2]; c++) {
                const uint8_t *p = x + (t->start[0] + a * v->w.dilation[0]) * v->x_s[0] +
                                   (t->start[1] + b * v->w.dilation[1]) * v->x_s[1] +
                                   (t->start[2] + c * v->w.dilation[2]) * v->x_s[2];
                if (n < IG_VF) {
                    for (int i = 0; i < n; i++) rest[i] = p[i];
                    p = rest;
                }
                sum += is_signed ? vi_load_s8((const int8_t *)p) : vi_load_u8(p);
            }
    return sum;
}

void IG_KERNEL(ig_k_qpool_average_u8)(const void *params, void *const *operands, ig_part part)
{
    const ig_qpool_params *p = params;
    const ig_pool_view *v = &p->view;
    const bool is_signed = p->dtype == INGOT_INT8;
    const ig_qparam x = { *(const float *)operands[1],
                          operands[2] ? ig_q_load(p->dtype, operands[2], 0) : 0 };
    const ig_qparam y = { *(const float *)operands[3],
                          operands[4] ? ig_q_load(p->dtype, operands[4], 0) : 0 };
    const vf lo = vf_set1(is_signed ? -128.0f : 0.0f), hi = vf_set1(is_signed ? 127.0f : 255.0f);
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t first = i % p->n_channel_blocks * IG_QPOOL_CHANNEL_BLOCK;
        int64_t pixel = i / p->n_channel_blocks, o[3], at = first, last;
        window_taps t;
        for (int d = 2; d >= 0; d--) {
            o[d] = pixel % v->out[d];
            pixel /= v->out[d];
            at += o[d] * v->y_s[d];
        }
        window_at(v, o, &t);
        last = first + IG_QPOOL_CHANNEL_BLOCK < v->channels ? first + IG_QPOOL_CHANNEL_BLOCK
                                                            : v->channels;
        const vf factor = vf_set1(factor_of(&x, &y, p->count_include_pad ? t.all : t.n));
        const vi shift = vi_set1((int32_t)t.n * (int32_t)x.zero);
        uint8_t *dst = (uint8_t *)operands[5] + pixel * v->y_n + at;
        for (int64_t c = first; c < last; c += IG_VF, dst += IG_VF) {
            const int n = last - c < IG_VF ? (int)(last - c) : IG_VF;
            const vi sum =
                sum_window(v, &t, is_signed, (const uint8_t *)operands[0] + pixel * v->x_n + c, n) -
                shift;
            const vf r = vf_round_even(vf_from_vi(sum) * factor) + vf_set1(y.zero);
            const vi q = vi_from_vf(vf_min(hi, vf_max(lo, r)));
            if (n == IG_VF)
                vi_store_8(dst, q);
            else
                for (int k = 0; k < n; k++) dst[k] = (uint8_t)q[k];
        }
    }
}

#else

#define DECLARE(isa)                                                                               \
    void ig_k_qpool_average_u8__##isa(const void *params, void *const *operands, ig_part part);
DECLARE(portable)
#if defined(__x86_64__)
DECLARE(avx2)
DECLARE(avx512)
#endif

static const struct {
    const char *name;
    ig_kernel_fn fn;
} kernels[IG_N_ISAS] = {
    [IG_ISA_PORTABLE] = { "ig_k_qpool_average_u8__portable", ig_k_qpool_average_u8__portable },
#if defined(__x86_64__)
    [IG_ISA_AVX2] = { "ig_k_qpool_average_u8__avx2", ig_k_qpool_average_u8__avx2 },
    [IG_ISA_AVX512] = { "ig_k_qpool_average_u8__avx512", ig_k_qpool_average_u8__avx512 },
#endif
};

ig_status ig_qpool_infer(ig_infer *c, bool is_global)
{
    IG_TRY(ig_qparam_infer(c, 1, 2, c->in[0]->type.dtype));
    IG_TRY(ig_qparam_infer(c, 3, 4, c->in[0]->type.dtype));
    return is_global ? ig_infer_global_pool(c) : ig_infer_pool(c);
}

static double window_mean(const ig_call *c, const ig_pool_view *v, int64_t x,
                          const int64_t start[3], const int64_t from[3], const int64_t to[3],
                          int64_t *index)
{
    const ig_tensor *t = c->in[0];
    ig_qparam qx, qy;
    window_taps w;
    int64_t sum = 0, o[3];
    (void)index;
    if (ig_qparam_of_call(c, 1, 2, t->dtype, &qx) || ig_qparam_of_call(c, 3, 4, t->dtype, &qy))
        return 0; /* the caller has checked them */
    for (int64_t a = from[0]; a < to[0]; a++)
        for (int64_t b = from[1]; b < to[1]; b++)
            for (int64_t d = from[2]; d < to[2]; d++)
                sum += ig_get_i64(t->dtype, t->data,
                                  x + (start[0] + a * v->w.dilation[0]) * v->x_s[0] +
                                      (start[1] + b * v->w.dilation[1]) * v->x_s[1] +
                                      (start[2] + d * v->w.dilation[2]) * v->x_s[2]);
    for (int d = 0; d < 3; d++) o[d] = (start[d] + v->w.pad[d]) / v->w.stride[d];
    window_at(v, o, &w);
    sum -= w.n * (int64_t)qx.zero;
    const int64_t count = ig_attr_int(c->node, "count_include_pad", 0) ? w.all : w.n;
    return (double)(rintf((float)sum * factor_of(&qx, &qy, count)) + qy.zero);
}

ig_status ig_qpool_ref(ig_call *c, bool is_global)
{
    ig_qparam q;
    IG_TRY(ig_qparam_of_call(c, 1, 2, c->in[0]->dtype, &q));
    IG_TRY(ig_qparam_of_call(c, 3, 4, c->in[0]->dtype, &q));
    if (!c->out[0]) return INGOT_OK;
    return ig_ref_pool(c, is_global, window_mean);
}

ig_status ig_qpool_lower(ig_lower *l, bool is_global)
{
    int64_t x[IG_MAX_RANK], y[IG_MAX_RANK];
    if (!ig_attr_int(l->node, "channels_last", 0) || !kernels[l->isa].fn) return INGOT_OK;
    if (!ig_info_is_static(l->in[0], x) || !ig_info_is_static(&l->out[0], y) ||
        ig_count(l->out[0].rank, y) == 0)
        return INGOT_OK;
    ig_qpool_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    ig_pool_view *v = &p->view;
    IG_TRY(ig_pool_view_of(l->node, is_global, l->in[0]->rank, x, y, v, l->err));
    const int64_t n_taps = ig_count(3, v->w.kernel);
    if (n_taps < 1 || n_taps > 1 << 22) return INGOT_OK; /* sums could overflow */
    p->dtype = l->in[0]->type.dtype;
    p->count_include_pad = ig_attr_int(l->node, "count_include_pad", 0) != 0;
    p->n_channel_blocks = (v->channels + IG_QPOOL_CHANNEL_BLOCK - 1) / IG_QPOOL_CHANNEL_BLOCK;
    l->params = p;
    l->kernel = kernels[l->isa].fn;
    l->kernel_name = kernels[l->isa].name;
    l->n_operand_in = 5;
    l->n_work = v->batch * v->out[0] * v->out[1] * v->out[2] * p->n_channel_blocks;
    l->grain = 1 + 1024 / n_taps;
    return INGOT_OK;
}

#endif
