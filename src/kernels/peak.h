/* SPDX-License-Identifier: Apache-2.0 */
/* peak.h: what the arithmetic of one core can do, measured. */
#ifndef IG_KERNELS_PEAK_H
#define IG_KERNELS_PEAK_H

#include "base/cpu.h"

/* GFLOP/s of float32 multiply-adds in registers, best of several tries in about `ms` milliseconds,
 * on the calling thread. isa must be one that the CPU has; IG_ISA_REF counts as portable. */
double ig_kernels_peak_gflops(ig_isa isa, int ms);

#endif
