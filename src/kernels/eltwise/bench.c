/* SPDX-License-Identifier: Apache-2.0 */
/* GB/s of elementwise programs: one instruction, chains, broadcasting, conversions. */
#include "../tests/kernels/light.h"
#include "kernels/eltwise/eltwise.h"
#include "kernels/isa_table.h"

#define PRIM(what, n)                                                                              \
    IG_ISA_DECLARE(void, ig_k_eltwise_##what##_f32,                                                \
                   (float *, const float *, const float *, const float *, const float *, int64_t)) \
    static const ig_prim prim_##what = { .name = #what,                                            \
                                         .n_sources = (n),                                         \
                                         .fn = IG_ISA_TABLE(ig_k_eltwise_##what##_f32) };
PRIM(test_add, 2)
PRIM(test_mul, 2)
PRIM(test_sigmoid, 1)
PRIM(test_exp, 1)
PRIM(test_gelu, 1)
PRIM(test_neg, 1)

void ig_bench_eltwise(void);

static int64_t count(const ig_eltwise_operand *o)
{
    int64_t n = 1;
    for (int d = 0; d < o->rank; d++) n *= o->dims[d];
    return n;
}

static void bench(const char *name, ig_isa isa, const ig_eltwise_program *p, int elem_bytes)
{
    ig_eltwise_params *params = calloc(1, ig_eltwise_params_bytes(p));
    void *operands[IG_ELTWISE_MAX_OPERANDS];
    int64_t n_work, grain, bytes = 0;
    ig_error err = { 0 };
    if (ig_eltwise_plan(p, isa, params, &n_work, &grain, &err)) printf("%s\n", err.message);
    for (int i = 0; i <= p->n_in; i++) {
        const int64_t n =
            count(i < p->n_in ? &p->in[i] : &p->out[0]) * (i < p->n_in ? elem_bytes : 4);
        operands[i] = calloc(1, (size_t)n + 64);
        bytes += n;
    }
    const double t = light_time(ig_k_eltwise, params, operands, n_work);
    printf("%-34s %-9s %8.1f us %6.1f GB/s\n", name, ig_isa_name(isa), t * 1e6,
           (double)bytes / t / 1e9);
    for (int i = 0; i <= p->n_in; i++) free(operands[i]);
    free(params);
}

static void one(const char *name, ig_isa isa, const ig_prim *prim, ig_eltwise_operand a,
                ig_eltwise_operand b, ig_eltwise_operand y, int elem_bytes)
{
    ig_eltwise_program p = { .n_in = prim->n_sources, .n_out = 1, .n_instrs = 1 };
    p.in[0] = a, p.in[1] = b, p.out[0] = y;
    p.instrs[0] = (ig_eltwise_instr){
        prim, (int8_t)prim->n_sources, { 0, prim->n_sources == 2 ? 1 : -1, -1 }, { 0 }
    };
    p.out_reg[0] = (int8_t)prim->n_sources;
    bench(name, isa, &p, elem_bytes);
}

void ig_bench_eltwise(void)
{
    for (int i = 0; light_isa(i) >= 0; i++) {
        const ig_isa isa = (ig_isa)light_isa(i);
        const ig_eltwise_operand small = { INGOT_FLOAT, 1, { 2048 } };
        const ig_eltwise_operand l2 = { INGOT_FLOAT, 1, { 32768 } };
        const ig_eltwise_operand big = { INGOT_FLOAT, 1, { 1 << 22 } };
        const ig_eltwise_operand nhwc = { INGOT_FLOAT, 2, { 56 * 56, 24 } };
        const ig_eltwise_operand c = { INGOT_FLOAT, 1, { 24 } };
        const ig_eltwise_operand wide = { INGOT_FLOAT, 2, { 512, 768 } };
        const ig_eltwise_operand row = { INGOT_FLOAT, 2, { 512, 1 } };
        const ig_eltwise_operand c768 = { INGOT_FLOAT, 1, { 768 } };
        const ig_eltwise_operand narrow = { INGOT_FLOAT, 2, { 65536, 6 } };
        const ig_eltwise_operand narrow1 = { INGOT_FLOAT, 2, { 65536, 1 } };
        ig_eltwise_operand u8 = l2, f16 = l2;
        u8.dtype = INGOT_UINT8, f16.dtype = INGOT_FLOAT16;
        one("add 2048", isa, &prim_test_add, small, small, small, 4);
        one("add 32768", isa, &prim_test_add, l2, l2, l2, 4);
        one("add 4M", isa, &prim_test_add, big, big, big, 4);
        one("add [3136,24] + [24]", isa, &prim_test_add, nhwc, c, nhwc, 4);
        one("add [512,768] + [768]", isa, &prim_test_add, wide, c768, wide, 4);
        one("mul [512,768] * [512,1]", isa, &prim_test_mul, wide, row, wide, 4);
        one("mul [65536,6] * [65536,1]", isa, &prim_test_mul, narrow, narrow1, narrow, 4);
        one("neg u8 32768", isa, &prim_test_neg, u8, u8, l2, 1);
        one("neg f16 32768", isa, &prim_test_neg, f16, f16, l2, 2);
        one("exp 32768", isa, &prim_test_exp, l2, l2, l2, 4);
        one("sigmoid 32768", isa, &prim_test_sigmoid, l2, l2, l2, 4);
        one("gelu 32768", isa, &prim_test_gelu, l2, l2, l2, 4);
    }
}
