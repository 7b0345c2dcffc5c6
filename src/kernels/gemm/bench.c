/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: every row of the list that the CPU has, on typical shapes. */
#include <stdio.h>

#include "kernel_test.h"
#include "kernels/gemm/gemm.h"

typedef struct call {
    ig_gemm_params params;
    void *operands[6];
} call;

static void run(void *ctx)
{
    call *c = ctx;
    ig_k_gemm(&c->params, c->operands, (ig_part){ 0, c->params.n_work, 0 });
}

static void bench(const ig_gemm_kernel *kernel, int64_t m, int64_t n, int64_t k, bool is_packed,
                  bool trans_b, double peak)
{
    call c = { 0 };
    ig_gemm_shape s;
    size_t bytes = 0;
    ig_gemm_shape_init(&s, m, n, k, false, trans_b);
    s.b_is_packed = is_packed;
    float *a = kt_floats(m * k), *b = kt_floats(n * k);
    kt_fill_uniform(a, m * k);
    kt_fill_uniform(b, n * k);
    if (ig_gemm_plan(&s, kernel, &c.params, NULL) || !ig_gemm_packed_bytes(kernel, k, n, &bytes))
        return;
    float *packed = kt_scratch(bytes);
    ig_gemm_pack_b(kernel, b, s.ldb, trans_b, k, n, packed);
    c.operands[0] = a;
    c.operands[1] = is_packed ? packed : b;
    c.operands[4] = kt_floats(m * n);
    c.operands[5] = kt_scratch(c.params.scratch_bytes_per_thread);
    const double t = kt_time(run, &c), gflops = 2e-9 * (double)m * (double)n * (double)k / t;
    printf("  %-26s %5lld x %5lld x %5lld %-8s %8.3f ms %7.1f GFLOP/s %4.0f %% %6.1f GB/s\n",
           ig_gemm_kernel_name(kernel), (long long)m, (long long)n, (long long)k,
           is_packed ? "packed"
           : trans_b ? "raw B^T"
                     : "raw B",
           t * 1e3, gflops, 100 * gflops / peak, 4e-9 * (double)(n * k) / t);
    kt_free_all();
}

void ig_bench_gemm(ig_isa isa, double peak)
{
    static const int64_t shapes[][3] = {
        { 512, 512, 512 }, { 1024, 1024, 1024 }, { 784, 128, 512 },  { 196, 256, 1024 },
        { 49, 512, 2048 }, { 128, 768, 768 },    { 128, 768, 3072 }, { 128, 3072, 768 },
        { 3136, 64, 64 },  { 12544, 32, 16 },    { 8, 768, 768 },    { 2, 768, 768 },
        { 1, 768, 768 },   { 1, 1000, 1280 },    { 1, 4096, 4096 },
    };
    printf("gemm\n");
    for (int i = 0; ig_gemm_kernel_at(i); i++) {
        const ig_gemm_kernel *kernel = ig_gemm_kernel_at(i);
        if (ig_gemm_kernel_isa(kernel) != isa) continue;
        for (size_t n = 0; n < IG_COUNT(shapes); n++)
            bench(kernel, shapes[n][0], shapes[n][1], shapes[n][2], true, false, peak);
        for (int trans = 0; trans < 2; trans++) {
            bench(kernel, 512, 512, 512, false, trans, peak);
            bench(kernel, 128, 128, 64, false, trans, peak);
            bench(kernel, 1, 4096, 4096, false, trans, peak);
        }
    }
}
