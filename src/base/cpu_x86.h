/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IG_BASE_CPU_X86_H
#define IG_BASE_CPU_X86_H

#include "base/cpu.h"

/* Fill in what CPUID tells: instruction sets that both the CPU and the operating system support,
 * brand, microarchitecture, caches (0 where it is silent). Exists on x86-64 only. */
void ig_cpu_detect_x86(ig_cpu *cpu);

/* Name of a microarchitecture, "unknown" when not in the table. is_amd: AMD or Hygon, else Intel.
 */
const char *ig_cpu_x86_uarch(bool is_amd, unsigned family, unsigned model, unsigned stepping);

#endif
