/* SPDX-License-Identifier: Apache-2.0 */
/* cpu.c: version and machine. */
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "kernels/peak.h"

#define IG_STRING_(x) #x
#define IG_STRING(x) IG_STRING_(x)

const char *ingot_version(void)
{
    return IG_STRING(INGOT_VERSION_MAJOR) "." IG_STRING(INGOT_VERSION_MINOR) "." IG_STRING(
        INGOT_VERSION_PATCH);
}

const char *ingot_cpu_describe(char *buf, size_t buf_bytes)
{
    const ig_cpu *cpu = ig_cpu_get();
    char known[64] = "";
    ig_isa isa = IG_ISA_REF;
    if (ig_isa_choose(NULL, &isa, NULL)) isa = IG_ISA_REF;
    for (int i = 0; i < IG_N_ISAS; i++) {
        if (!cpu->has_isa[i]) continue;
        strncat(known, known[0] ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, ig_isa_name((ig_isa)i), sizeof known - strlen(known) - 1);
    }
    const int n = ig_cpu_n_usable();
    snprintf(buf, buf_bytes, "%s (%s), %d thread%s, kernels %s (of %s)", cpu->brand, cpu->uarch, n,
             n == 1 ? "" : "s", ig_isa_name(isa), known);
    return buf;
}

double ingot_cpu_peak_gflops(int ms)
{
    ig_isa isa = IG_ISA_REF;
    if (ig_isa_choose(NULL, &isa, NULL)) isa = IG_ISA_REF;
    return ig_kernels_peak_gflops(isa, ms);
}
