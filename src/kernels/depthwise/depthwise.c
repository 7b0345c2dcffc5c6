/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise.c: the list of kernels, checks, packing. */
#include "kernels/depthwise/depthwise.h"

#include "kernels/isa_table.h"

#define IG_DEPTHWISE_KERNEL(name, fits)                                                            \
    IG_ISA_DECLARE(void, ig_k_depthwise_f32_##name, (const void *, void *const *, ig_part))
#include "kernels/depthwise/kernels.inc"
#undef IG_DEPTHWISE_KERNEL

typedef struct row {
    const char *name[IG_N_ISAS];
    ig_kernel_fn fn[IG_N_ISAS];
    bool (*fits)(const ig_depthwise_shape *s);
} row;

#define IG_DEPTHWISE_KERNEL(name, condition)                                                       \
    static bool fits_##name(const ig_depthwise_shape *s)                                           \
    {                                                                                              \
        (void)s;                                                                                   \
        return condition;                                                                          \
    }
#include "kernels/depthwise/kernels.inc"
#undef IG_DEPTHWISE_KERNEL

#define IG_DEPTHWISE_KERNEL(name_, condition)                                                      \
    { { NULL, "ig_k_depthwise_f32_" #name_ "__portable", "ig_k_depthwise_f32_" #name_ "__avx2",    \
        "ig_k_depthwise_f32_" #name_ "__avx512" },                                                 \
      IG_ISA_TABLE(ig_k_depthwise_f32_##name_),                                                    \
      fits_##name_ },
static const row rows[] = {
#include "kernels/depthwise/kernels.inc"
};
#undef IG_DEPTHWISE_KERNEL

static bool product_fits(const int64_t *factors, int n)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++)
        if (factors[i] < 0 || __builtin_mul_overflow(p, factors[i] ? factors[i] : 1, &p) ||
            p > INT64_C(1) << 58)
            return false;
    return true;
}

static ig_status check(const ig_depthwise_shape *s, ig_error *err)
{
    const int64_t limit = INT64_C(1) << 30;
    for (int d = 0; d < 3; d++)
        if (s->kernel[d] < 1 || s->stride[d] < 1 || s->dilation[d] < 1 || s->in[d] < 0 ||
            s->out[d] < 0 || s->kernel[d] > limit || s->stride[d] > limit ||
            s->dilation[d] > limit || s->pad[d] > limit || s->pad[d] < -limit || s->in[d] > limit ||
            s->out[d] > limit)
            return ig_fail(err, INGOT_ERR_SHAPE,
                           "depthwise convolution: kernel %lld, stride %lld, dilation %lld, pad "
                           "%lld, input %lld, output %lld do not fit",
                           (long long)s->kernel[d], (long long)s->stride[d],
                           (long long)s->dilation[d], (long long)s->pad[d], (long long)s->in[d],
                           (long long)s->out[d]);
    const int64_t c[] = { s->channels, s->multiplier };
    if (s->channels < 1 || s->multiplier < 1 || !product_fits(c, 2) || s->x_pitch < s->channels ||
        s->y_pitch < s->channels * s->multiplier ||
        (s->has_residual && s->r_pitch < s->channels * s->multiplier))
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "depthwise convolution of %lld channels times %lld: bad channels or pitch",
                       (long long)s->channels, (long long)s->multiplier);
    const int64_t x[] = { s->batch, s->in[0], s->in[1], s->in[2], s->x_pitch, 4 };
    const int64_t y[] = { s->batch, s->out[0], s->out[1], s->out[2], s->y_pitch, 4 };
    const int64_t r[] = { s->batch, s->out[0], s->out[1], s->out[2], s->r_pitch, 4 };
    const int64_t w[] = { s->channels, s->multiplier, s->kernel[0], s->kernel[1], s->kernel[2], 4 };
    if (!product_fits(x, 6) || !product_fits(y, 6) || !product_fits(w, 6) ||
        (s->has_residual && !product_fits(r, 6)))
        return ig_fail(err, INGOT_ERR_SHAPE, "depthwise convolution: too large");
    return INGOT_OK;
}

ig_status ig_depthwise_plan(const ig_depthwise_shape *shape, ig_isa isa, ig_depthwise_params *p,
                            ig_kernel_fn *fn, ig_error *err)
{
    enum { N_FMA_WORTH_A_THREAD = 16 << 10 };
    IG_TRY(check(shape, err));
    *p = (ig_depthwise_params){ .shape = *shape };
    if (isa < IG_ISA_PORTABLE) isa = IG_ISA_PORTABLE;
    const row *r = rows;
    while (!r->fits(shape)) r++; /* the last fits everything */
    while (!r->fn[isa]) isa--;
    *fn = r->fn[isa];
    p->name = r->name[isa];
    p->n_work = shape->batch * shape->out[0] * shape->out[1];
    const int64_t n_fma =
        shape->out[2] * shape->channels * shape->multiplier * shape->kernel[1] * shape->kernel[2];
    p->grain = n_fma < N_FMA_WORTH_A_THREAD ? N_FMA_WORTH_A_THREAD / (n_fma + 1) + 1 : 1;
    return INGOT_OK;
}

void ig_depthwise_pack_w(const ig_depthwise_shape *s, const float *src, float *dst)
{
    const int64_t n_taps = s->kernel[0] * s->kernel[1] * s->kernel[2];
    const int64_t channels = s->channels * s->multiplier;
    for (int64_t t = 0; t < n_taps; t++)
        for (int64_t c = 0; c < channels; c++) dst[t * channels + c] = src[c * n_taps + t];
}
