/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cpu.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/cpu_x86.h"

static const char *const isa_names[IG_N_ISAS] = { "ref", "portable", "avx2", "avx512" };

/* Fills in what CPUID did not tell, from what the kernel says about the first CPU. */
static void caches_from_sysfs(ig_cpu *cpu)
{
    for (int i = 0; i < 8; i++) {
        char text[3][32] = { "", "", "" };
        static const char *const files[3] = { "level", "type", "size" };
        for (int k = 0; k < 3; k++) {
            char path[96];
            snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", i,
                     files[k]);
            FILE *f = fopen(path, "re");
            if (!f) return;
            if (!fgets(text[k], sizeof text[k], f)) text[k][0] = '\0';
            fclose(f);
        }
        char *unit;
        size_t bytes = strtoul(text[2], &unit, 10);
        bytes <<= *unit == 'K' ? 10 : *unit == 'M' ? 20 : 0;
        const int level = atoi(text[0]);
        if (strncmp(text[1], "Instruction", 11) == 0) continue;
        size_t *slot = level == 1   ? &cpu->l1d_bytes
                       : level == 2 ? &cpu->l2_bytes
                       : level == 3 ? &cpu->l3_bytes
                                    : NULL;
        if (slot && *slot == 0) *slot = bytes;
    }
}

static void brand_from_kernel(ig_cpu *cpu)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && !cpu->brand[0] && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0) continue;
        snprintf(cpu->brand, sizeof cpu->brand, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (f) fclose(f);
    if (!cpu->brand[0]) snprintf(cpu->brand, sizeof cpu->brand, "unknown CPU");
}

/* The one value that is written once: facts of the CPU. */
static ig_cpu detected;

static void detect(void)
{
    ig_cpu *cpu = &detected;
    cpu->has_isa[IG_ISA_REF] = cpu->has_isa[IG_ISA_PORTABLE] = true;
    snprintf(cpu->uarch, sizeof cpu->uarch, "unknown");
#if defined(__x86_64__)
    ig_cpu_detect_x86(cpu);
#endif
    if (!cpu->brand[0]) brand_from_kernel(cpu);
    if (!cpu->l1d_bytes || !cpu->l2_bytes || !cpu->l3_bytes) caches_from_sysfs(cpu);
    if (!cpu->l1d_bytes) cpu->l1d_bytes = (size_t)32 << 10;
    if (!cpu->l2_bytes) cpu->l2_bytes = (size_t)512 << 10;
    if (!cpu->l3_bytes) cpu->l3_bytes = (size_t)8 << 20;
    const long n_online = sysconf(_SC_NPROCESSORS_ONLN);
    cpu->n_cores_online = n_online > 0 ? (int)n_online : 1;
}

const ig_cpu *ig_cpu_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, detect);
    return &detected;
}

const char *ig_isa_name(ig_isa isa)
{
    return (unsigned)isa < IG_N_ISAS ? isa_names[isa] : "unknown";
}

ig_status ig_isa_choose(const char *mask, ig_isa *out, ig_error *err)
{
    const ig_cpu *cpu = ig_cpu_get();
    int isa = IG_N_ISAS - 1;
    if (!mask) mask = getenv("INGOT_CPU");
    if (mask && *mask) {
        while (isa >= 0 && strcmp(mask, isa_names[isa]) != 0) isa--;
        if (isa < 0)
            return ig_fail(
                err, INGOT_ERR_INVALID,
                "unknown instruction set '%.100s': known are ref, portable, avx2, avx512", mask);
    }
    while (!cpu->has_isa[isa]) isa--; /* ends at ref, which all CPUs have */
    *out = (ig_isa)isa;
    return INGOT_OK;
}

/* CPUs in the affinity mask, of machines with any number of CPUs. */
static int n_in_affinity(void)
{
    for (int n_cpus = 1024; n_cpus <= 1 << 16; n_cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)n_cpus);
        if (!set) break;
        const size_t set_bytes = CPU_ALLOC_SIZE((size_t)n_cpus);
        const int n = sched_getaffinity(0, set_bytes, set) == 0 ? CPU_COUNT_S(set_bytes, set) : 0;
        CPU_FREE(set);
        if (n > 0) return n;
    }
    return ig_cpu_get()->n_cores_online;
}

int ig_cpu_n_usable(void)
{
    const int n_quota = ig_cgroup_n_cpus("/proc/self/cgroup", "/sys/fs/cgroup");
    int n = n_in_affinity();
    if (n_quota > 0 && n_quota < n) n = n_quota;
    return n > 0 ? n : 1;
}
