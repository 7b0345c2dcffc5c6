/* SPDX-License-Identifier: Apache-2.0 */
/* CPUID leaves and bits: Intel SDM volume 2A, AMD64 APM volume 3 appendix E. */
#include "base/cpu_x86.h"

#include <stdio.h>
#include <string.h>

typedef struct uarch_row {
    unsigned family, model_first, model_last, stepping_first, stepping_last;
    const char *name;
} uarch_row;

/* clang-format off */
static const uarch_row intel_uarchs[] = {
    { 6, 0x3c, 0x3c, 0, 15, "haswell" },        { 6, 0x3f, 0x3f, 0, 15, "haswell" },
    { 6, 0x45, 0x46, 0, 15, "haswell" },        { 6, 0x3d, 0x3d, 0, 15, "broadwell" },
    { 6, 0x47, 0x47, 0, 15, "broadwell" },      { 6, 0x4f, 0x4f, 0, 15, "broadwell" },
    { 6, 0x56, 0x56, 0, 15, "broadwell" },      { 6, 0x4e, 0x4e, 0, 15, "skylake" },
    { 6, 0x5e, 0x5e, 0, 15, "skylake" },        { 6, 0x8e, 0x8e, 0, 15, "skylake" },
    { 6, 0x9e, 0x9e, 0, 15, "skylake" },        { 6, 0xa5, 0xa6, 0, 15, "skylake" },
    { 6, 0x55, 0x55, 0,  4, "skylake-avx512" }, { 6, 0x55, 0x55, 5,  9, "cascadelake" },
    { 6, 0x55, 0x55, 10, 15, "cooperlake" },    { 6, 0x7d, 0x7e, 0, 15, "icelake-client" },
    { 6, 0x6a, 0x6a, 0, 15, "icelake-server" }, { 6, 0x6c, 0x6c, 0, 15, "icelake-server" },
    { 6, 0x8c, 0x8d, 0, 15, "tigerlake" },      { 6, 0xa7, 0xa7, 0, 15, "rocketlake" },
    { 6, 0x97, 0x97, 0, 15, "alderlake" },      { 6, 0x9a, 0x9a, 0, 15, "alderlake" },
    { 6, 0xb7, 0xb7, 0, 15, "raptorlake" },     { 6, 0xba, 0xba, 0, 15, "raptorlake" },
    { 6, 0xbf, 0xbf, 0, 15, "raptorlake" },     { 6, 0xaa, 0xaa, 0, 15, "meteorlake" },
    { 6, 0xac, 0xac, 0, 15, "meteorlake" },     { 6, 0xb5, 0xb5, 0, 15, "arrowlake" },
    { 6, 0xc5, 0xc6, 0, 15, "arrowlake" },      { 6, 0xbd, 0xbd, 0, 15, "lunarlake" },
    { 6, 0xbe, 0xbe, 0, 15, "gracemont" },      { 6, 0x8f, 0x8f, 0, 15, "sapphirerapids" },
    { 6, 0xcf, 0xcf, 0, 15, "emeraldrapids" },  { 6, 0xad, 0xae, 0, 15, "graniterapids" },
    { 6, 0xaf, 0xaf, 0, 15, "sierraforest" },
};
static const uarch_row amd_uarchs[] = {
    { 0x17, 0x00, 0x2f, 0, 15, "zen1" }, { 0x18, 0x00, 0x0f, 0, 15, "zen1" },
    { 0x17, 0x30, 0xff, 0, 15, "zen2" }, { 0x19, 0x00, 0x0f, 0, 15, "zen3" },
    { 0x19, 0x20, 0x5f, 0, 15, "zen3" }, { 0x19, 0x10, 0x1f, 0, 15, "zen4" },
    { 0x19, 0x60, 0x7f, 0, 15, "zen4" }, { 0x19, 0xa0, 0xaf, 0, 15, "zen4" },
    { 0x1a, 0x00, 0x4f, 0, 15, "zen5" }, { 0x1a, 0x60, 0x7f, 0, 15, "zen5" },
};
/* clang-format on */

const char *ig_cpu_x86_uarch(bool is_amd, unsigned family, unsigned model, unsigned stepping)
{
    const uarch_row *rows = is_amd ? amd_uarchs : intel_uarchs;
    const size_t n = is_amd ? IG_COUNT(amd_uarchs) : IG_COUNT(intel_uarchs);
    for (size_t i = 0; i < n; i++) {
        const uarch_row *r = &rows[i];
        if (r->family == family && model >= r->model_first && model <= r->model_last &&
            stepping >= r->stepping_first && stepping <= r->stepping_last)
            return r->name;
    }
    return "unknown";
}

#if defined(__x86_64__)
#include <cpuid.h>

typedef struct regs {
    unsigned a, b, c, d;
} regs;

/* All zeros when the CPU has no such leaf. */
static regs cpuid(unsigned leaf, unsigned subleaf)
{
    regs r = { 0, 0, 0, 0 };
    __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
    return r;
}

static bool bit(unsigned word, int i) { return (word >> i) & 1; }

/* Register state that the operating system saves: XCR0. */
static uint64_t xgetbv(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* AMX is reported where the kernel can save tiles; a process still has to ask for the permission
 * (arch_prctl ARCH_REQ_XCOMP_PERM) before it uses them. */
static void detect_isas(ig_cpu *cpu)
{
    const regs l1 = cpuid(1, 0), l7 = cpuid(7, 0);
    const regs l71 = l7.a >= 1 ? cpuid(7, 1) : (regs){ 0, 0, 0, 0 };
    const uint64_t xcr0 = bit(l1.c, 27) ? xgetbv() : 0;
    const bool os_avx = (xcr0 & 0x6) == 0x6, os_avx512 = (xcr0 & 0xe6) == 0xe6,
               os_amx = (xcr0 & 0x60000) == 0x60000;
    const bool avx2 =
        os_avx && bit(l1.c, 28) && bit(l1.c, 12) && bit(l1.c, 29) && bit(l7.b, 5) && bit(l7.b, 8);
    const bool avx512 = avx2 && os_avx512 && bit(l7.b, 16) && bit(l7.b, 17) && bit(l7.b, 28) &&
                        bit(l7.b, 30) && bit(l7.b, 31);
    cpu->has_isa[IG_ISA_AVX2] = avx2;
    cpu->has_isa[IG_ISA_AVX512] = avx512;
    cpu->has_avx512_vnni = avx512 && bit(l7.c, 11);
    cpu->has_avx_vnni = avx2 && bit(l71.a, 4);
    cpu->has_avx512_bf16 = avx512 && bit(l71.a, 5);
    cpu->has_avx512_fp16 = avx512 && bit(l7.d, 23);
    cpu->has_amx_bf16 = os_amx && bit(l7.d, 24) && bit(l7.d, 22);
    cpu->has_amx_int8 = os_amx && bit(l7.d, 24) && bit(l7.d, 25);
}

/* "Intel(R) Xeon(R) … CPU @ 2.50GHz" with runs of spaces and the trademark signs taken out. */
static void detect_brand(ig_cpu *cpu)
{
    char raw[49] = "";
    if (cpuid(0x80000000u, 0).a < 0x80000004u) return;
    for (unsigned i = 0; i < 3; i++) {
        const regs r = cpuid(0x80000002u + i, 0);
        memcpy(raw + 16 * i, &r, sizeof r);
    }
    size_t n = 0;
    for (const char *c = raw; *c; c++) {
        if (strncmp(c, "(R)", 3) == 0) {
            c += 2;
        } else if (strncmp(c, "(TM)", 4) == 0) {
            c += 3;
        } else if (*c > ' ' && *c <= '~') {
            cpu->brand[n++] = *c;
        } else if (n && cpu->brand[n - 1] != ' ') {
            cpu->brand[n++] = ' ';
        }
    }
    while (n && cpu->brand[n - 1] == ' ') n--;
    cpu->brand[n] = '\0';
}

/* Leaves 4 (Intel) and 0x8000001d (AMD) have the same form: one subleaf a cache, type 0 ends. */
static void detect_caches(ig_cpu *cpu, bool is_amd)
{
    if (is_amd && !bit(cpuid(0x80000001u, 0).c, 22)) return; /* no topology extensions */
    for (unsigned i = 0; i < 16; i++) {
        const regs r = cpuid(is_amd ? 0x8000001du : 4, i);
        const unsigned type = r.a & 31, level = (r.a >> 5) & 7;
        if (type == 0) return;
        if (type == 2) continue; /* instructions */
        const size_t n_ways = (r.b >> 22) + 1, n_partitions = ((r.b >> 12) & 0x3ff) + 1,
                     line_bytes = (r.b & 0xfff) + 1, n_sets = (size_t)r.c + 1;
        const size_t bytes = n_ways * n_partitions * line_bytes * n_sets;
        if (level == 1) cpu->l1d_bytes = bytes;
        if (level == 2) cpu->l2_bytes = bytes;
        if (level == 3) cpu->l3_bytes = bytes;
    }
}

void ig_cpu_detect_x86(ig_cpu *cpu)
{
    const regs l0 = cpuid(0, 0), l1 = cpuid(1, 0);
    char vendor[13] = "";
    memcpy(vendor, &l0.b, 4);
    memcpy(vendor + 4, &l0.d, 4);
    memcpy(vendor + 8, &l0.c, 4);
    const bool is_amd = !strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine");
    const bool is_intel = !strcmp(vendor, "GenuineIntel");
    const unsigned base_family = (l1.a >> 8) & 15;
    const unsigned family = base_family + (base_family == 15 ? (l1.a >> 20) & 255 : 0);
    const unsigned model = ((l1.a >> 4) & 15) | ((l1.a >> 16) & 15) << 4;
    detect_isas(cpu);
    detect_brand(cpu);
    detect_caches(cpu, is_amd);
    if (is_amd || is_intel)
        snprintf(cpu->uarch, sizeof cpu->uarch, "%s",
                 ig_cpu_x86_uarch(is_amd, family, model, l1.a & 15));
    /* Virtual machines may state another model; AMX came with this one. */
    if ((cpu->has_amx_bf16 || cpu->has_amx_int8) && !strstr(cpu->uarch, "rapids"))
        snprintf(cpu->uarch, sizeof cpu->uarch, "sapphirerapids");
}
#endif
