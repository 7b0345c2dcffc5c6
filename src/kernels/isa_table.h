/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isa_table.h: one name, one entry an instruction set.
 *
 *     IG_ISA_DECLARE(void, ig_k_softmax_f32, (const void *, void *const *, ig_part))
 *     static const ig_kernel_fn table[IG_N_ISAS] = IG_ISA_TABLE(ig_k_softmax_f32);
 *
 * Compiled with IG_SIMD_EMULATE (tests), the AVX-512 entry is the emulated compilation, so that the
 * 16-lane code runs on any CPU.
 */
#ifndef IG_KERNELS_ISA_TABLE_H
#define IG_KERNELS_ISA_TABLE_H

#include "base/cpu.h"

#if !defined(__x86_64__)
#define IG_ISA_DECLARE(type, name, args) extern type name##__portable args;
#define IG_ISA_TABLE(name)                                                                         \
    {                                                                                              \
        [IG_ISA_PORTABLE] = name##__portable                                                       \
    }
#elif defined(IG_SIMD_EMULATE)
#define IG_ISA_DECLARE(type, name, args)                                                           \
    extern type name##__portable args;                                                             \
    extern type name##__avx512emu args;
#define IG_ISA_TABLE(name)                                                                         \
    {                                                                                              \
        [IG_ISA_PORTABLE] = name##__portable, [IG_ISA_AVX512] = name##__avx512emu                  \
    }
#else
#define IG_ISA_DECLARE(type, name, args)                                                           \
    extern type name##__portable args;                                                             \
    extern type name##__avx2 args;                                                                 \
    extern type name##__avx512 args;
#define IG_ISA_TABLE(name)                                                                         \
    {                                                                                              \
        [IG_ISA_PORTABLE] = name##__portable, [IG_ISA_AVX2] = name##__avx2,                        \
        [IG_ISA_AVX512] = name##__avx512                                                           \
    }
#endif

/* The entry for isa, or for the best level below it that has one (REF counts as PORTABLE). */
#define IG_ISA_PICK(table, isa)                                                                    \
    __extension__({                                                                                \
        int isa_ = (isa) < IG_ISA_PORTABLE ? IG_ISA_PORTABLE : (int)(isa);                         \
        while (isa_ > IG_ISA_PORTABLE && !(table)[isa_]) isa_--;                                   \
        (table)[isa_];                                                                             \
    })

#endif
