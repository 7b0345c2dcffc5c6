/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c: the list of kernels, checks. */
#include "kernels/pool/pool.h"

#include "kernels/isa_table.h"

#define IG_POOL_KERNEL(name, op)                                                                   \
    IG_ISA_DECLARE(void, ig_k_pool_##name##_f32, (const void *, void *const *, ig_part))
#include "kernels/pool/kernels.inc"
#undef IG_POOL_KERNEL

typedef struct row {
    ig_pool_op op;
    const char *name[IG_N_ISAS];
    ig_kernel_fn fn[IG_N_ISAS];
} row;

#define IG_POOL_KERNEL(name_, op_)                                                                 \
    { op_,                                                                                         \
      { NULL, "ig_k_pool_" #name_ "_f32__portable", "ig_k_pool_" #name_ "_f32__avx2",              \
        "ig_k_pool_" #name_ "_f32__avx512" },                                                      \
      IG_ISA_TABLE(ig_k_pool_##name_##_f32) },
static const row rows[] = {
#include "kernels/pool/kernels.inc"
};
#undef IG_POOL_KERNEL

void ig_pool_shape_global(ig_pool_shape *shape, ig_pool_op op, int64_t batch, int64_t d, int64_t h,
                          int64_t w, int64_t channels)
{
    *shape = (ig_pool_shape){ .op = op,
                              .batch = batch,
                              .channels = channels,
                              .in = { d, h, w },
                              .out = { 1, 1, 1 },
                              .kernel = { d, h, w },
                              .stride = { 1, 1, 1 },
                              .dilation = { 1, 1, 1 },
                              .x_pitch = channels,
                              .y_pitch = channels };
    for (int i = 0; i < 3; i++)
        if (shape->kernel[i] < 1) shape->kernel[i] = 1; /* an empty picture: an empty window */
}

static bool product_fits(const int64_t *factors, int n)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++)
        if (factors[i] < 0 || __builtin_mul_overflow(p, factors[i] ? factors[i] : 1, &p) ||
            p > INT64_C(1) << 58)
            return false;
    return true;
}

static ig_status check(const ig_pool_shape *s, ig_error *err)
{
    const int64_t limit = INT64_C(1) << 30;
    for (int d = 0; d < 3; d++)
        if (s->kernel[d] < 1 || s->stride[d] < 1 || s->dilation[d] < 1 || s->in[d] < 0 ||
            s->out[d] < 0 || s->kernel[d] > limit || s->stride[d] > limit ||
            s->dilation[d] > limit || s->pad[d] > limit || s->pad[d] < -limit ||
            s->pad_end[d] > limit || s->pad_end[d] < -limit || s->in[d] > limit ||
            s->out[d] > limit)
            return ig_fail(err, INGOT_ERR_SHAPE,
                           "pooling: kernel %lld, stride %lld, dilation %lld, pads %lld and %lld, "
                           "input %lld, output %lld do not fit",
                           (long long)s->kernel[d], (long long)s->stride[d],
                           (long long)s->dilation[d], (long long)s->pad[d],
                           (long long)s->pad_end[d], (long long)s->in[d], (long long)s->out[d]);
    const int64_t x[] = { s->batch, s->in[0], s->in[1], s->in[2], s->x_pitch, 4 };
    const int64_t y[] = { s->batch, s->out[0], s->out[1], s->out[2], s->y_pitch, 4 };
    const int64_t k[] = { s->kernel[0], s->kernel[1], s->kernel[2] };
    if (s->channels < 0 || s->x_pitch < s->channels || s->y_pitch < s->channels ||
        !product_fits(x, 6) || !product_fits(y, 6) || !product_fits(k, 3))
        return ig_fail(err, INGOT_ERR_SHAPE, "pooling: bad channels, pitch or size");
    return INGOT_OK;
}

ig_status ig_pool_plan(const ig_pool_shape *shape, ig_isa isa, ig_pool_params *p, ig_kernel_fn *fn,
                       ig_error *err)
{
    enum { CHANNEL_BLOCK = 64, N_ITEMS_WANTED = 16, N_TAPS_WORTH_A_THREAD = 16 << 10 };
    IG_TRY(check(shape, err));
    *p = (ig_pool_params){ .shape = *shape };
    if (isa < IG_ISA_PORTABLE) isa = IG_ISA_PORTABLE;
    const row *r = rows;
    while (r->op != shape->op) r++;
    while (!r->fn[isa]) isa--;
    *fn = r->fn[isa];
    p->name = r->name[isa];
    const int64_t n_rows = shape->batch * shape->out[0] * shape->out[1];
    const bool is_wide = n_rows < N_ITEMS_WANTED && shape->channels > CHANNEL_BLOCK;
    p->n_blocks = is_wide ? (shape->channels + CHANNEL_BLOCK - 1) / CHANNEL_BLOCK : 1;
    p->n_work = n_rows * p->n_blocks;
    const double n_taps = (double)shape->out[2] * (double)shape->channels / (double)p->n_blocks *
                          (double)shape->kernel[0] * (double)shape->kernel[1] *
                          (double)shape->kernel[2];
    p->grain =
        n_taps < N_TAPS_WORTH_A_THREAD ? N_TAPS_WORTH_A_THREAD / ((int64_t)n_taps + 1) + 1 : 1;
    return INGOT_OK;
}
