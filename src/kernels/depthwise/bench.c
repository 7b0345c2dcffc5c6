/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: layers of MobileNet and EfficientNet. */
#include <stdio.h>

#include "kernel_test.h"
#include "kernels/depthwise/depthwise.h"

typedef struct call {
    ig_depthwise_params params;
    ig_kernel_fn fn;
    void *operands[5];
} call;

static void run(void *ctx)
{
    call *c = ctx;
    c->fn(&c->params, c->operands, (ig_part){ 0, c->params.n_work, 0 });
}

static void bench(ig_isa isa, int64_t size, int64_t channels, int64_t k, int64_t stride,
                  double peak)
{
    call c = { 0 };
    ig_depthwise_shape s = { .batch = 1,
                             .in = { 1, size, size },
                             .out = { 1, (size + stride - 1) / stride,
                                      (size + stride - 1) / stride },
                             .kernel = { 1, k, k },
                             .stride = { 1, stride, stride },
                             .dilation = { 1, 1, 1 },
                             .pad = { 0, (k - 1) / 2, (k - 1) / 2 },
                             .channels = channels,
                             .multiplier = 1,
                             .x_pitch = channels,
                             .y_pitch = channels,
                             .has_bias = true,
                             .epilogue = { IG_ACT_CLIP, 0, 6 } };
    if (ig_depthwise_plan(&s, isa, &c.params, &c.fn, NULL)) return;
    const int64_t n_x = size * size * channels, n_y = s.out[1] * s.out[2] * channels;
    c.operands[0] = kt_floats(n_x);
    c.operands[1] = kt_floats(k * k * channels);
    c.operands[2] = kt_floats(channels);
    c.operands[4] = kt_floats(n_y);
    kt_fill_uniform(c.operands[0], n_x);
    kt_fill_uniform(c.operands[1], k * k * channels);
    kt_fill_uniform(c.operands[2], channels);
    const double t = kt_time(run, &c), gflops = 2e-9 * (double)(n_y * k * k) / t;
    printf("  %-32s %3lld^2 x %3lld k%lld s%lld %8.3f ms %7.1f GFLOP/s %4.0f %% %6.1f GB/s\n",
           c.params.name, (long long)size, (long long)channels, (long long)k, (long long)stride,
           t * 1e3, gflops, 100 * gflops / peak, 4e-9 * (double)(n_x + n_y) / t);
    kt_free_all();
}

void ig_bench_depthwise(ig_isa isa, double peak)
{
    printf("depthwise\n");
    bench(isa, 112, 32, 3, 1, peak);
    bench(isa, 112, 96, 3, 2, peak);
    bench(isa, 56, 144, 3, 1, peak);
    bench(isa, 28, 192, 3, 1, peak);
    bench(isa, 14, 576, 3, 1, peak);
    bench(isa, 7, 960, 3, 1, peak);
    bench(isa, 56, 144, 5, 2, peak);
    bench(isa, 28, 240, 5, 1, peak);
    bench(isa, 14, 672, 5, 1, peak);
    bench(isa, 28, 256, 7, 1, peak);
}
