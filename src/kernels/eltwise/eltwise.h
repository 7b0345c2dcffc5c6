/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eltwise.h: elementwise chains as tile programs.
 *
 * A chain of elementwise operators, with NumPy broadcasting, is one step: a short list of
 * instructions over float32 registers, run over tiles small enough for the L1 cache. Each
 * instruction calls a primitive, a vector loop that the operator's own file defines (IG_PRIM…,
 * below) and that is compiled once per instruction set. Operands of other element types are
 * converted when a tile is loaded or stored, so that quantization, comparison and masks are
 * programs too. No code is generated.
 */
#ifndef IG_KERNELS_ELTWISE_H
#define IG_KERNELS_ELTWISE_H

#include "kernels/kernel.h"

#define IG_ELTWISE_MAX_OPERANDS 16 /* inputs + outputs of a program */
#define IG_ELTWISE_MAX_INSTRS 32
#define IG_ELTWISE_MAX_REGS 24
#define IG_PRIM_N_PARAMS 4

/* dst[i] = f(a[i], b[i], c[i]) for i < n. Unused sources are NULL. dst may equal a source;
 * otherwise they do not overlap. n need not be a multiple of the vector width; nothing outside [0,
 * n) is touched. */
typedef void (*ig_prim_fn)(float *dst, const float *a, const float *b, const float *c,
                           const float *params, int64_t n);

/* The compilations of one primitive. fn[IG_ISA_REF] is NULL: at that level the operator's reference
 * runs. */
typedef struct ig_prim {
    const char *name; /* "relu" */
    int n_sources;    /* 1, 2 or 3 */
    ig_prim_fn fn[IG_N_ISAS];
    const char *kernel[IG_N_ISAS]; /* its name in profiles: "ig_k_eltwise_relu_f32__avx2" */
} ig_prim;

typedef struct ig_eltwise_instr {
    const ig_prim *prim;
    int8_t dst, src[3]; /* registers; -1 unused. Registers 0 … n_in-1 are loaded from the inputs */
    float params[IG_PRIM_N_PARAMS];
} ig_eltwise_instr;

typedef struct ig_eltwise_operand {
    ingot_dtype dtype; /* float32, float16, bfloat16, bool, (u)int8, (u)int16, int32, int64 */
    int rank;
    int64_t dims[INGOT_MAX_RANK]; /* broadcast against the output, NumPy rules */
} ig_eltwise_operand;

/* What the caller says; see ig_eltwise_plan. */
typedef struct ig_eltwise_program {
    int n_in, n_out, n_instrs;
    ig_eltwise_operand in[IG_ELTWISE_MAX_OPERANDS];
    ig_eltwise_operand out[IG_ELTWISE_MAX_OPERANDS]; /* all outputs have the same, full shape */
    int8_t out_reg[IG_ELTWISE_MAX_OPERANDS];         /* register that output i stores */
    ig_eltwise_instr instrs[IG_ELTWISE_MAX_INSTRS];
} ig_eltwise_program;

typedef struct ig_eltwise_params ig_eltwise_params; /* eltwise.c */

/* Is the element type one that programs can load and store? Integer stores round to nearest even
 * and saturate; integer loads beyond 2^24 lose bits, so callers use int32 and int64 only where that
 * is right (masks, quantized accumulators). */
bool ig_eltwise_dtype_ok(ingot_dtype dtype);

/* Resolve a program for one instruction set and these shapes: check broadcasting, merge dimensions
 * that are contiguous in all operands, choose the tile. `params` is
 * ig_eltwise_params_bytes(program) of zeroed memory. n_work and grain describe the iteration space
 * for ig_team_run. Fails (INGOT_ERR_SHAPE, INGOT_ERR_UNSUPPORTED) with a line in err. */
size_t ig_eltwise_params_bytes(const ig_eltwise_program *program);
ig_status ig_eltwise_plan(const ig_eltwise_program *program, ig_isa isa, ig_eltwise_params *params,
                          int64_t *n_work, int64_t *grain, ig_error *err) IG_MUST_USE;

/* The kernel: operands are inputs, then outputs. An output may be the very buffer of an input of
 * the same size that is not broadcast. */
void ig_k_eltwise(const void *params, void *const *operands, ig_part part);

/*
 * Defining a primitive, in the SIMD part of an operator's file (compiled per instruction set):
 *
 *     IG_PRIM1(relu, vf_max(vf_zero(), a))
 *     IG_PRIM2(add, a + b)
 *     IG_PRIM1(leaky_relu, vf_select(a < vf_zero(), a * p0, a))      p0…p3 are the parameters,
 * splatted
 *
 * and naming it in the base part:  static const ig_prim prim = IG_PRIM_TABLE(relu, 1);  after
 * IG_PRIM_DECLARE(relu).
 */
#define IG_PRIM_BODY_(load_b, load_c, expr)                                                        \
    const vf p0 = vf_set1(params[0]), p1 = vf_set1(params[1]);                                     \
    const vf p2 = vf_set1(params[2]), p3 = vf_set1(params[3]);                                     \
    (void)p0, (void)p1, (void)p2, (void)p3, (void)pb, (void)pc;                                    \
    int64_t i = 0;                                                                                 \
    for (; i + IG_VF <= n; i += IG_VF) {                                                           \
        const vf a = vf_load(pa + i);                                                              \
        load_b(vf_load(pb + i)) load_c(vf_load(pc + i)) vf_store(dst + i, (expr));                 \
    }                                                                                              \
    if (i < n) {                                                                                   \
        const int rest = (int)(n - i);                                                             \
        const vf a = vf_load_n(pa + i, rest);                                                      \
        load_b(vf_load_n(pb + i, rest)) load_c(vf_load_n(pc + i, rest))                            \
            vf_store_n(dst + i, (expr), rest);                                                     \
    }
#define IG_PRIM_NONE_(load)
#define IG_PRIM_B_(load) const vf b = load;
#define IG_PRIM_C_(load) const vf c = load;
#define IG_PRIM_DEFINE_(name, load_b, load_c, expr)                                                \
    void IG_KERNEL(ig_k_eltwise_##name##_f32)(float *dst, const float *pa, const float *pb,        \
                                              const float *pc, const float *params, int64_t n);    \
    void IG_KERNEL(ig_k_eltwise_##name##_f32)(float *dst, const float *pa, const float *pb,        \
                                              const float *pc, const float *params, int64_t n)     \
    {                                                                                              \
        IG_PRIM_BODY_(load_b, load_c, expr)                                                        \
    }
#ifdef IG_BASE /* the base compilation has no vector code */
#define IG_PRIM1(name, expr)
#define IG_PRIM2(name, expr)
#define IG_PRIM3(name, expr)
#else
#define IG_PRIM1(name, expr) IG_PRIM_DEFINE_(name, IG_PRIM_NONE_, IG_PRIM_NONE_, expr)
#define IG_PRIM2(name, expr) IG_PRIM_DEFINE_(name, IG_PRIM_B_, IG_PRIM_NONE_, expr)
#define IG_PRIM3(name, expr) IG_PRIM_DEFINE_(name, IG_PRIM_B_, IG_PRIM_C_, expr)
#endif

#define IG_PRIM_DECLARE_ONE_(name, isa)                                                            \
    void ig_k_eltwise_##name##_f32__##isa(float *, const float *, const float *, const float *,    \
                                          const float *, int64_t);
#if defined(__x86_64__)
#define IG_PRIM_DECLARE(name)                                                                      \
    IG_PRIM_DECLARE_ONE_(name, portable)                                                           \
    IG_PRIM_DECLARE_ONE_(name, avx2) IG_PRIM_DECLARE_ONE_(name, avx512)
#define IG_PRIM_TABLE(name_, n_sources_)                                                           \
    {                                                                                              \
        .name = #name_, .n_sources = (n_sources_),                                                 \
        .fn = { [IG_ISA_PORTABLE] = ig_k_eltwise_##name_##_f32__portable,                          \
                [IG_ISA_AVX2] = ig_k_eltwise_##name_##_f32__avx2,                                  \
                [IG_ISA_AVX512] = ig_k_eltwise_##name_##_f32__avx512 },                            \
        .kernel = {                                                                                \
            [IG_ISA_PORTABLE] = "ig_k_eltwise_" #name_ "_f32__portable",                           \
            [IG_ISA_AVX2] = "ig_k_eltwise_" #name_ "_f32__avx2",                                   \
            [IG_ISA_AVX512] = "ig_k_eltwise_" #name_ "_f32__avx512"                                \
        }                                                                                          \
    }
#else
#define IG_PRIM_DECLARE(name) IG_PRIM_DECLARE_ONE_(name, portable)
#define IG_PRIM_TABLE(name_, n_sources_)                                                           \
    {                                                                                              \
        .name = #name_, .n_sources = (n_sources_),                                                 \
        .fn = { [IG_ISA_PORTABLE] = ig_k_eltwise_##name_##_f32__portable }, .kernel = {            \
            [IG_ISA_PORTABLE] = "ig_k_eltwise_" #name_ "_f32__portable"                            \
        }                                                                                          \
    }
#endif

#endif
