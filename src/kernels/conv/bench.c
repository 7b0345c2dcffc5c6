/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: layers of well-known networks. */
#include <stdio.h>

#include "kernel_test.h"
#include "kernels/conv/conv.h"

typedef struct call {
    ig_conv_params params;
    void *operands[6];
} call;

static void run(void *ctx)
{
    call *c = ctx;
    ig_k_conv(&c->params, c->operands, (ig_part){ 0, c->params.n_work, 0 });
}

static void bench(ig_isa isa, const char *name, int64_t size, int64_t c_in, int64_t c_out,
                  int64_t k, int64_t stride, int64_t groups, bool is_transposed, double peak)
{
    call c = { 0 };
    ig_conv_shape s;
    ig_conv_shape_init(&s);
    s.is_transposed = is_transposed;
    s.in[1] = s.in[2] = size;
    s.out[1] = s.out[2] = is_transposed ? size * stride : (size + stride - 1) / stride;
    s.kernel[1] = s.kernel[2] = k;
    s.stride[1] = s.stride[2] = stride;
    s.pad[1] = s.pad[2] = (k - 1) / 2;
    s.c_in = s.x_pitch = c_in;
    s.c_out = s.y_pitch = s.r_pitch = c_out;
    s.groups = groups;
    s.w_is_packed = s.has_bias = true;
    s.epilogue.act = IG_ACT_RELU;
    const ig_gemm_kernel *kernel = ig_conv_choose(&s, isa);
    if (ig_conv_plan(&s, kernel, &c.params, NULL)) return;
    const int64_t n_w = c_out * c_in / groups * k * k, n_y = s.out[1] * s.out[2] * c_out;
    float *w = kt_floats(n_w), *packed = kt_scratch(ig_conv_packed_bytes(&c.params));
    float *x = kt_floats(size * size * c_in), *bias = kt_floats(c_out);
    kt_fill_uniform(w, n_w);
    kt_fill_uniform(x, size * size * c_in);
    kt_fill_uniform(bias, c_out);
    ig_conv_pack_w(&c.params, w, packed);
    c.operands[0] = x;
    c.operands[1] = packed;
    c.operands[2] = bias;
    c.operands[4] = kt_floats(n_y);
    c.operands[5] = kt_scratch(c.params.scratch_bytes_per_thread);
    const double t = kt_time(run, &c);
    const double n_pixels = (double)(is_transposed ? size * size : s.out[1] * s.out[2]);
    const double gflops = 2e-9 * n_pixels * (double)n_w / t;
    printf(
        "  %-22s %-24s %3lld^2 %4lld->%4lld k%lld s%lld g%-3lld %8.3f ms %7.1f GFLOP/s %4.0f %%\n",
        name, ig_gemm_kernel_name(kernel), (long long)size, (long long)c_in, (long long)c_out,
        (long long)k, (long long)stride, (long long)groups, t * 1e3, gflops, 100 * gflops / peak);
    kt_free_all();
}

void ig_bench_conv(ig_isa isa, double peak)
{
    printf("conv\n");
    bench(isa, "resnet stem", 224, 3, 64, 7, 2, 1, false, peak);
    bench(isa, "mobilenet stem", 224, 3, 32, 3, 2, 1, false, peak);
    bench(isa, "resnet 3x3", 56, 64, 64, 3, 1, 1, false, peak);
    bench(isa, "resnet 3x3", 28, 128, 128, 3, 1, 1, false, peak);
    bench(isa, "resnet 3x3", 14, 256, 256, 3, 1, 1, false, peak);
    bench(isa, "resnet 3x3", 7, 512, 512, 3, 1, 1, false, peak);
    bench(isa, "resnet 3x3 stride 2", 56, 128, 128, 3, 2, 1, false, peak);
    bench(isa, "resnet 1x1", 56, 64, 256, 1, 1, 1, false, peak);
    bench(isa, "resnet 1x1", 14, 1024, 256, 1, 1, 1, false, peak);
    bench(isa, "resnet 1x1", 7, 512, 2048, 1, 1, 1, false, peak);
    bench(isa, "mobilenet 1x1", 112, 16, 96, 1, 1, 1, false, peak);
    bench(isa, "mobilenet 1x1", 56, 24, 144, 1, 1, 1, false, peak);
    bench(isa, "mobilenet 1x1", 14, 384, 64, 1, 1, 1, false, peak);
    bench(isa, "mobilenet 1x1", 7, 320, 1280, 1, 1, 1, false, peak);
    bench(isa, "resnext 3x3", 28, 256, 256, 3, 1, 32, false, peak);
    bench(isa, "transposed 2x2", 56, 128, 64, 2, 2, 1, true, peak);
    bench(isa, "transposed 4x4", 28, 256, 128, 4, 2, 1, true, peak);
}
