/* SPDX-License-Identifier: Apache-2.0 */
/* nbits.c: blocking of products with weights of few bits, and the run over their columns. */
#include "kernels/nbits/nbits.h"

#include "kernels/isa_table.h"

#define DOT_COLS 16
#define WIDE_COLS 64
#define MIN_WIDE_COLS 16
#define WIDE_BYTES (512 << 10)   /* widened columns should stay in the L2 cache */
#define PIECE_WEIGHTS (32 << 10) /* worth a piece of its own */

IG_ISA_DECLARE(void, ig_k_nbits_dot_f32, (const ig_nbits_cols *))
IG_ISA_DECLARE(void, ig_k_nbits_widen_f32, (const ig_nbits_cols *, float *))

#define FNS(isa)                                                                                   \
    {                                                                                              \
        ig_k_nbits_dot_f32__##isa, ig_k_nbits_widen_f32__##isa                                     \
    }
static const ig_nbits_fns fns[IG_N_ISAS] = {
    [IG_ISA_PORTABLE] = FNS(portable),
#if defined(IG_SIMD_EMULATE)
    [IG_ISA_AVX512] = FNS(avx512emu),
#elif defined(__x86_64__)
    [IG_ISA_AVX2] = FNS(avx2),
    [IG_ISA_AVX512] = FNS(avx512),
#endif
};

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t ig_nbits_n_blocks(const ig_nbits_shape *s)
{
    return s->k / s->block + (s->k % s->block != 0);
}

int64_t ig_nbits_column_bytes(const ig_nbits_shape *s)
{
    return ig_nbits_n_blocks(s) * (s->block / 8 * s->bits);
}

int64_t ig_nbits_zero_bytes(const ig_nbits_shape *s)
{
    return (ig_nbits_n_blocks(s) * s->bits + 7) / 8;
}

/* The product with n widened columns. */
static ig_status plan_product(const ig_nbits_shape *s, int64_t n, ig_isa isa, ig_gemm_params *p,
                              ig_error *err)
{
    ig_gemm_shape g;
    ig_gemm_shape_init(&g, s->m, n, s->k, false, true);
    g.ldy = s->n;
    if (s->has_bias) g.c = IG_GEMM_C_N;
    return ig_gemm_plan(&g, ig_gemm_choose(&g, isa), p, err);
}

ig_status ig_nbits_plan(const ig_nbits_shape *s, ig_isa isa, ig_nbits_params *p, ig_error *err)
{
    const int64_t big = INT64_C(1) << 40;
    if (s->m < 0 || s->n < 1 || s->k < 1 || s->m > big || s->n > big || s->k > big)
        return ig_fail(err, INGOT_ERR_SHAPE, "product of %lldx%lld by %lldx%lld: bad size",
                       (long long)s->m, (long long)s->k, (long long)s->k, (long long)s->n);
    *p = (ig_nbits_params){ .shape = *s, .n_block = DOT_COLS };
    int level = isa < IG_ISA_PORTABLE ? IG_ISA_PORTABLE : (int)isa;
    while (level > IG_ISA_PORTABLE && !fns[level].dot) level--;
    p->fns = &fns[level];
    if (s->m > IG_NBITS_FEW_ROWS) {
        size_t gemm_bytes;
        p->n_block = WIDE_COLS;
        while (p->n_block > MIN_WIDE_COLS && p->n_block * s->k * 4 > WIDE_BYTES) p->n_block /= 2;
        p->n_block = min64(p->n_block, s->n);
        IG_TRY(plan_product(s, p->n_block, isa, &p->full, err));
        IG_TRY(plan_product(s, s->n % p->n_block, isa, &p->rest, err));
        gemm_bytes = p->full.scratch_bytes_per_thread;
        if (p->rest.scratch_bytes_per_thread > gemm_bytes)
            gemm_bytes = p->rest.scratch_bytes_per_thread;
        p->wide_bytes = ig_align_up((size_t)(p->n_block * s->k) * sizeof(float), 64);
        p->scratch_bytes_per_thread = p->wide_bytes + ig_align_up(gemm_bytes, 64);
    }
    p->n_work = s->m ? (s->n + p->n_block - 1) / p->n_block : 0;
    p->grain = s->m > IG_NBITS_FEW_ROWS ? 1 : PIECE_WEIGHTS / (DOT_COLS * min64(s->k, 2048)) + 1;
    return INGOT_OK;
}

/* Y of columns [c->begin, c->end) by way of scratch. */
static void multiply_wide(const ig_nbits_params *p, const ig_nbits_cols *c, char *scratch)
{
    const ig_gemm_params *g = c->end - c->begin == p->n_block ? &p->full : &p->rest;
    void *wide = scratch;
    void *const operands[] = { (void *)(uintptr_t)c->a,
                               wide,
                               c->bias ? (void *)(uintptr_t)(c->bias + c->begin) : NULL,
                               NULL,
                               c->y + c->begin,
                               scratch + p->wide_bytes };
    p->fns->widen(c, wide);
    ig_k_gemm(g, operands, (ig_part){ 0, g->n_work, 0 });
}

void ig_k_nbits(const void *params, void *const *operands, ig_part part)
{
    const ig_nbits_params *p = params;
    const ig_nbits_shape *s = &p->shape;
    ig_nbits_cols c = { .shape = s,
                        .a = operands[0],
                        .w = operands[1],
                        .scales = operands[2],
                        .zeros = operands[3],
                        .bias = operands[4],
                        .y = operands[5] };
    for (int64_t i = part.begin; i < part.end; i++) {
        c.begin = i * p->n_block;
        c.end = min64(c.begin + p->n_block, s->n);
        if (s->m <= IG_NBITS_FEW_ROWS)
            p->fns->dot(&c);
        else
            multiply_wide(
                p, &c, (char *)operands[6] + p->scratch_bytes_per_thread * (size_t)part.i_thread);
    }
}
