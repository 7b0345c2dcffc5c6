/* SPDX-License-Identifier: Apache-2.0 */
/* GB/s of reductions, softmax and norms, reads and writes counted once. */
#include "../tests/kernels/light.h"
#include "kernels/reduce/reduce.h"

void ig_bench_reduce(void);

static void report(const char *name, ig_isa isa, double bytes, double t)
{
    printf("%-34s %-9s %8.1f us %6.1f GB/s\n", name, ig_isa_name(isa), t * 1e6, bytes / t / 1e9);
}

static void bench_reduce(const char *name, ig_isa isa, ig_reduce_op op, const int64_t *dims,
                         int axes, float *x, float *y)
{
    ig_reduce_shape s;
    ig_reduce_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    ig_reduce_shape_init(&s, op, 3, dims, (uint64_t)axes);
    if (ig_reduce_plan(&s, isa, &p, &fn, &err)) printf("%s\n", err.message);
    void *operands[2] = { x, y };
    report(name, isa, (double)(dims[0] * dims[1] * dims[2] * 4),
           light_time(fn, &p, operands, p.n_work));
}

static void bench_softmax(const char *name, ig_isa isa, ig_axis_shape s, float *x, float *y)
{
    ig_axis_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (ig_softmax_plan(&s, isa, &p, &fn, &err)) printf("%s\n", err.message);
    void *operands[2] = { x, y };
    report(name, isa, (double)(s.n_outer * s.n_axis * s.n_inner * 8),
           light_time(fn, &p, operands, p.n_work));
}

static void bench_norms(ig_isa isa, float *x, float *y)
{
    const ig_layer_norm_shape l = { .n_rows = 128, .n = 768, .epsilon = 1e-5f };
    ig_layer_norm_params lp;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    if (ig_layer_norm_plan(&l, isa, &lp, &fn, &err)) printf("%s\n", err.message);
    void *operands[6] = { x, x, x, y, NULL, NULL };
    report("layer norm [128,768]", isa, 128 * 768 * 8, light_time(fn, &lp, operands, lp.n_work));
    ig_group_norm_shape g = { .n_batch = 1,
                              .n_channels = 64,
                              .n_groups = 64,
                              .n_spatial = 1024,
                              .is_channels_last = true,
                              .x_pitch = 64,
                              .y_pitch = 64 };
    ig_group_norm_params gp;
    if (ig_group_norm_plan(&g, isa, &gp, &fn, &err)) printf("%s\n", err.message);
    report("instance norm [1024,64] NHWC", isa, 65536 * 8,
           light_time(fn, &gp, operands, gp.n_work));
    const ig_axis_shape a = { .n_outer = 64, .n_axis = 1000, .n_inner = 1 };
    ig_axis_params ap;
    if (ig_argmax_plan(&a, isa, &ap, &fn, &err)) printf("%s\n", err.message);
    void *arg[2] = { x, y };
    report("argmax [64,1000]", isa, 64000 * 4, light_time(fn, &ap, arg, ap.n_work));
}

void ig_bench_reduce(void)
{
    const int64_t n = 1 << 20;
    float *x = malloc((size_t)n * 4), *y = malloc((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) x[i] = light_float(-4, 4);
    for (int i = 0; light_isa(i) >= 0; i++) {
        const ig_isa isa = (ig_isa)light_isa(i);
        const int64_t rows[3] = { 1, 128, 768 }, pool[3] = { 1, 49, 1280 },
                      all[3] = { 1, 1, 65536 };
        const int64_t spatial[3] = { 1, 1024, 64 };
        bench_reduce("sum [65536]", isa, IG_REDUCE_SUM, all, 4, x, y);
        bench_reduce("max [65536]", isa, IG_REDUCE_MAX, all, 4, x, y);
        bench_reduce("mean [128,768] of rows", isa, IG_REDUCE_MEAN, rows, 4, x, y);
        bench_reduce("mean [49,1280] of columns", isa, IG_REDUCE_MEAN, pool, 2, x, y);
        bench_reduce("mean [1024,64] of columns", isa, IG_REDUCE_MEAN, spatial, 2, x, y);
        bench_softmax("softmax [1536,128]", isa,
                      (ig_axis_shape){ .n_outer = 1536, .n_axis = 128, .n_inner = 1 }, x, y);
        bench_softmax("softmax [64,1000]", isa,
                      (ig_axis_shape){ .n_outer = 64, .n_axis = 1000, .n_inner = 1 }, x, y);
        bench_softmax("softmax [1,21,4096] axis 1", isa,
                      (ig_axis_shape){ .n_outer = 1, .n_axis = 21, .n_inner = 4096 }, x, y);
        bench_norms(isa, x, y);
    }
    free(x), free(y);
}
