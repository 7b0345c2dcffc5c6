/* SPDX-License-Identifier: Apache-2.0 */
/* bench.c: one row, a few and many times 4-bit weights. */
#include <stdio.h>
#include <string.h>

#include "kernel_test.h"
#include "kernels/nbits/nbits.h"

typedef struct job {
    ig_nbits_params params;
    void *operands[7];
} job;

static void run(void *ctx)
{
    const job *j = ctx;
    ig_k_nbits(&j->params, j->operands, (ig_part){ 0, j->params.n_work, 0 });
}

void ig_bench_nbits(ig_isa isa, double peak_gflops)
{
    static const int64_t rows[] = { 1, 4, 64 };
    for (size_t i = 0; i < IG_COUNT(rows); i++) {
        const ig_nbits_shape s = { .m = rows[i], .n = 2048, .k = 2048, .block = 32, .bits = 4 };
        const int64_t n_scales = s.n * ig_nbits_n_blocks(&s);
        const size_t w_bytes = (size_t)(s.n * ig_nbits_column_bytes(&s));
        job j;
        if (ig_nbits_plan(&s, isa, &j.params, NULL) != INGOT_OK) return;
        float *a = kt_floats(s.m * s.k), *scales = kt_floats(n_scales);
        void *const operands[] = { a,
                                   kt_scratch(w_bytes),
                                   scales,
                                   NULL,
                                   NULL,
                                   kt_floats(s.m * s.n),
                                   kt_scratch(j.params.scratch_bytes_per_thread) };
        memcpy(j.operands, operands, sizeof operands);
        memset(operands[1], 0x5a, w_bytes);
        kt_fill_uniform(a, s.m * s.k);
        kt_fill_uniform(scales, n_scales);
        const double seconds = kt_time(run, &j);
        const double gflops = 2e-9 * (double)(s.m * s.n * s.k) / seconds;
        printf("nbits %3lldx2048x2048 %9.1f us %7.1f GFLOP/s %5.1f %%  %5.1f GB/s of weights\n",
               (long long)s.m, seconds * 1e6, gflops, 100 * gflops / peak_gflops,
               1e-9 * (double)w_bytes / seconds);
        kt_free_all();
    }
}
