/* SPDX-License-Identifier: Apache-2.0 */
/* GB/s (read plus written) of layout changes. */
#include "../tests/kernels/light.h"
#include "kernels/move/move.h"

void ig_bench_move(void);

static void bench(const char *name, ig_isa isa, int rank, const int64_t *dims, const int *perm,
                  size_t elem_bytes)
{
    ig_move_shape s;
    ig_move_params p;
    ig_kernel_fn fn;
    ig_error err = { 0 };
    ig_move_shape_transpose(&s, rank, dims, perm, elem_bytes);
    if (ig_move_plan(&s, isa, &p, &fn, &err)) printf("%s\n", err.message);
    size_t bytes = elem_bytes;
    for (int d = 0; d < rank; d++) bytes *= (size_t)dims[d];
    void *operands[2] = { calloc(1, bytes), calloc(1, bytes) };
    const double t = light_time(fn, &p, operands, p.n_work);
    printf("%-34s %-9s %8.1f us %6.1f GB/s\n", name, ig_isa_name(isa), t * 1e6,
           2 * (double)bytes / t / 1e9);
    free(operands[0]), free(operands[1]);
}

void ig_bench_move(void)
{
    static const int to_last[4] = { 0, 2, 3, 1 }, to_first[4] = { 0, 3, 1, 2 };
    static const int heads[4] = { 0, 2, 1, 3 }, same[4] = { 0, 1, 2, 3 };
    for (int i = 0; light_isa(i) >= 0; i++) {
        const ig_isa isa = (ig_isa)light_isa(i);
        bench("copy [1,64,56,56] f32", isa, 4, (int64_t[]){ 1, 64, 56, 56 }, same, 4);
        bench("NCHW->NHWC [1,64,56,56] f32", isa, 4, (int64_t[]){ 1, 64, 56, 56 }, to_last, 4);
        bench("NHWC->NCHW [1,56,56,64] f32", isa, 4, (int64_t[]){ 1, 56, 56, 64 }, to_first, 4);
        bench("NCHW->NHWC [1,3,224,224] f32", isa, 4, (int64_t[]){ 1, 3, 224, 224 }, to_last, 4);
        bench("NCHW->NHWC [1,64,56,56] u8", isa, 4, (int64_t[]){ 1, 64, 56, 56 }, to_last, 1);
        bench("heads [1,128,12,64] f32", isa, 4, (int64_t[]){ 1, 128, 12, 64 }, heads, 4);
    }
}
