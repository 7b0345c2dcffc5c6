/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.h: facts about this CPU, found once. */
#ifndef IG_BASE_CPU_H
#define IG_BASE_CPU_H

#include "base/error.h"

/* Instruction sets that kernels exist for, weakest first. ref: no kernels, the operators' reference
 * implementations. portable: vector code without intrinsics, any CPU. avx2: AVX2, FMA, F16C, BMI2.
 * avx512: F, BW, DQ, VL, CD on top. */
typedef enum ig_isa {
    IG_ISA_REF = 0,
    IG_ISA_PORTABLE,
    IG_ISA_AVX2,
    IG_ISA_AVX512,
    IG_N_ISAS
} ig_isa;

typedef struct ig_cpu {
    bool has_isa[IG_N_ISAS]; /* REF and PORTABLE always true */
    bool has_avx512_vnni, has_avx_vnni, has_avx512_bf16, has_avx512_fp16, has_amx_bf16,
        has_amx_int8;
    char brand[64],
        uarch[24]; /* "AMD EPYC 7R13 Processor", "zen3" ("unknown" when not in the table) */
    int n_cores_online;
    size_t l1d_bytes, l2_bytes,
        l3_bytes; /* of one core / one core / the shared one; sane defaults when unknown */
} ig_cpu;

/* Detected once (thread-safe), never changes. Not masked. */
const ig_cpu *ig_cpu_get(void);

/* "ref", "avx2", … */
const char *ig_isa_name(ig_isa isa);

/* The highest level to use: what the CPU has, and no more than `mask` (a name; NULL: environment
 * INGOT_CPU; unset or empty: no mask). An unknown name is INGOT_ERR_INVALID and lists the known
 * ones; a level that the CPU lacks falls to the highest it has. */
ig_status ig_isa_choose(const char *mask, ig_isa *out, ig_error *err) IG_MUST_USE;

/* Threads that may run at once: affinity mask, bounded by the cgroup (v2 and v1) CPU quota rounded
 * up; >= 1. */
int ig_cpu_n_usable(void);

#endif
