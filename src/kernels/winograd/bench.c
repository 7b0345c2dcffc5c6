/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: 3x3 layers of well-known networks, direct and by each Winograd algorithm. GFLOP/s are
 * those of the direct convolution, so that more than the peak is possible. */
#include <stdio.h>

#include "kernel_test.h"
#include "kernels/winograd/winograd.h"

typedef struct call {
    ig_conv_params direct;
    ig_winograd_params winograd;
    void *operands[6];
} call;

static void run_direct(void *ctx)
{
    call *c = ctx;
    ig_k_conv(&c->direct, c->operands, (ig_part){ 0, c->direct.n_work, 0 });
}
static void run_winograd(void *ctx)
{
    call *c = ctx;
    ig_k_winograd(&c->winograd, c->operands, (ig_part){ 0, c->winograd.n_work, 0 });
}

static double time_direct(call *c, const ig_conv_shape *s, ig_isa isa, const float *w)
{
    if (ig_conv_plan(s, ig_conv_choose(s, isa), &c->direct, NULL)) return 1;
    c->operands[1] = kt_scratch(ig_conv_packed_bytes(&c->direct));
    c->operands[5] = kt_scratch(c->direct.scratch_bytes_per_thread);
    ig_conv_pack_w(&c->direct, w, c->operands[1]);
    return kt_time(run_direct, c);
}

static double time_winograd(call *c, const ig_conv_shape *s, ig_conv_algorithm algorithm,
                            ig_isa isa, const float *w)
{
    if (ig_winograd_plan(s, algorithm, ig_winograd_kernel(s, algorithm, isa), &c->winograd, NULL))
        return 1;
    c->operands[1] = kt_scratch(ig_winograd_packed_bytes(&c->winograd));
    c->operands[5] = kt_scratch(c->winograd.scratch_bytes_per_thread);
    ig_winograd_pack_w(&c->winograd, w, c->operands[1]);
    return kt_time(run_winograd, c);
}

static void bench(ig_isa isa, const char *name, int64_t batch, int64_t size, int64_t c_in,
                  int64_t c_out, double peak)
{
    static const char *const names[] = { "direct", "F(2)", "F(4)" };
    call c = { 0 };
    ig_conv_shape s;
    ig_conv_shape_init(&s);
    s.batch = batch;
    s.in[1] = s.in[2] = s.out[1] = s.out[2] = size;
    s.kernel[1] = s.kernel[2] = 3;
    s.pad[1] = s.pad[2] = 1;
    s.c_in = s.x_pitch = c_in;
    s.c_out = s.y_pitch = s.r_pitch = c_out;
    s.w_is_packed = s.has_bias = true;
    s.epilogue.act = IG_ACT_RELU;
    const int64_t n_pixels = batch * size * size;
    float *w = kt_floats(c_out * c_in * 9), *x = kt_floats(n_pixels * c_in);
    kt_fill_uniform(w, c_out * c_in * 9);
    kt_fill_uniform(x, n_pixels * c_in);
    c.operands[0] = x;
    c.operands[2] = kt_floats(c_out);
    kt_fill_uniform(c.operands[2], c_out);
    c.operands[4] = kt_floats(n_pixels * c_out);
    double t[IG_N_CONV_ALGORITHMS];
    printf("  %-8s %lld x %3lld^2 %4lld->%-4lld", name, (long long)batch, (long long)size,
           (long long)c_in, (long long)c_out);
    for (ig_conv_algorithm a = IG_CONV_DIRECT; a < IG_N_CONV_ALGORITHMS; a++) {
        t[a] = a ? time_winograd(&c, &s, a, isa, w) : time_direct(&c, &s, isa, w);
        const double gflops = 18e-9 * (double)(n_pixels * c_in * c_out) / t[a];
        printf("  %s %8.3f ms %4.0f GFLOP/s %3.0f %% x%.2f", names[a], t[a] * 1e3, gflops,
               100 * gflops / peak, t[IG_CONV_DIRECT] / t[a]);
    }
    printf("  -> %s\n", names[ig_winograd_choose(&s, isa, ~0u)]);
    kt_free_all();
}

void ig_bench_winograd(ig_isa isa, double peak)
{
    printf("winograd\n");
    bench(isa, "resnet", 1, 56, 64, 64, peak);
    bench(isa, "resnet", 1, 28, 128, 128, peak);
    bench(isa, "resnet", 1, 14, 256, 256, peak);
    bench(isa, "resnet", 1, 7, 512, 512, peak);
    bench(isa, "resnet", 8, 14, 256, 256, peak);
    bench(isa, "resnet", 8, 7, 512, 512, peak);
    bench(isa, "yolo", 1, 160, 16, 16, peak);
    bench(isa, "yolo", 1, 80, 32, 32, peak);
    bench(isa, "yolo", 1, 80, 64, 64, peak);
    bench(isa, "yolo", 1, 40, 64, 64, peak);
    bench(isa, "yolo", 1, 40, 128, 128, peak);
    bench(isa, "yolo", 1, 20, 128, 128, peak);
    bench(isa, "yolo", 1, 20, 256, 64, peak);
    bench(isa, "yolo", 1, 20, 80, 80, peak);
    bench(isa, "unet", 1, 256, 3, 64, peak);
    bench(isa, "unet", 1, 256, 64, 64, peak);
    bench(isa, "unet", 1, 128, 128, 128, peak);
    bench(isa, "unet", 1, 64, 256, 256, peak);
    bench(isa, "unet", 1, 32, 512, 512, peak);
    bench(isa, "unet", 1, 16, 1024, 1024, peak);
    bench(isa, "small", 1, 4, 64, 64, peak);
    bench(isa, "small", 1, 8, 32, 32, peak);
    bench(isa, "small", 1, 56, 8, 8, peak);
}
