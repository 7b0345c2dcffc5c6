/* SPDX-License-Identifier: Apache-2.0 */
/* CPU facts, control group quotas, clock. */
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/cpu_x86.h"
#include "check.h"

static void test_facts(void)
{
    const ig_cpu *cpu = ig_cpu_get();
    CHECK(cpu == ig_cpu_get() && cpu->has_isa[IG_ISA_REF] && cpu->has_isa[IG_ISA_PORTABLE]);
    CHECK(cpu->brand[0] && cpu->uarch[0] && cpu->n_cores_online >= 1);
    CHECK(!cpu->has_amx_int8 || strstr(cpu->uarch, "rapids"));
    CHECK(cpu->l1d_bytes >= 8 << 10 && cpu->l1d_bytes <= 1 << 20);
    CHECK(cpu->l2_bytes >= cpu->l1d_bytes && cpu->l3_bytes >= 256 << 10);
    CHECK(!cpu->has_isa[IG_ISA_AVX512] || cpu->has_isa[IG_ISA_AVX2]);
#if defined(__x86_64__)
    CHECK(cpu->has_isa[IG_ISA_AVX2] ==
          (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")));
    CHECK(cpu->has_isa[IG_ISA_AVX512] ==
          (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")));
#endif
    printf("%s (%s): l1d %zu, l2 %zu, l3 %zu, %d online, %d usable\n", cpu->brand, cpu->uarch,
           cpu->l1d_bytes, cpu->l2_bytes, cpu->l3_bytes, cpu->n_cores_online, ig_cpu_n_usable());
}

static void test_uarch(void)
{
    CHECK_STRING(ig_cpu_x86_uarch(true, 0x19, 1, 1), "zen3");
    CHECK_STRING(ig_cpu_x86_uarch(true, 0x17, 0x31, 0), "zen2");
    CHECK_STRING(ig_cpu_x86_uarch(true, 0x19, 0x11, 1), "zen4");
    CHECK_STRING(ig_cpu_x86_uarch(true, 0x1a, 0x02, 1), "zen5");
    CHECK_STRING(ig_cpu_x86_uarch(false, 6, 0x55, 4), "skylake-avx512");
    CHECK_STRING(ig_cpu_x86_uarch(false, 6, 0x55, 7), "cascadelake");
    CHECK_STRING(ig_cpu_x86_uarch(false, 6, 0x6a, 6), "icelake-server");
    CHECK_STRING(ig_cpu_x86_uarch(false, 6, 0x8f, 8), "sapphirerapids");
    CHECK_STRING(ig_cpu_x86_uarch(false, 6, 0xcf, 2), "emeraldrapids");
    CHECK_STRING(ig_cpu_x86_uarch(false, 6, 0xad, 1), "graniterapids");
    CHECK_STRING(ig_cpu_x86_uarch(false, 6, 0x01, 1), "unknown");
    CHECK_STRING(ig_cpu_x86_uarch(true, 0x99, 0x01, 1), "unknown");
}

static void test_choose(void)
{
    const ig_cpu *cpu = ig_cpu_get();
    ig_error err = { 0 };
    ig_isa isa;
    unsetenv("INGOT_CPU");
    CHECK(ig_isa_choose(NULL, &isa, &err) == INGOT_OK && cpu->has_isa[isa]);
    const ig_isa best = isa;
    for (int i = 0; i < IG_N_ISAS; i++) {
        CHECK(ig_isa_choose(ig_isa_name((ig_isa)i), &isa, &err) == INGOT_OK);
        CHECK(cpu->has_isa[i] ? isa == (ig_isa)i : isa == best);
    }
    setenv("INGOT_CPU", "ref", 1);
    CHECK(ig_isa_choose(NULL, &isa, &err) == INGOT_OK && isa == IG_ISA_REF);
    CHECK(ig_isa_choose("portable", &isa, &err) == INGOT_OK && isa == IG_ISA_PORTABLE);
    setenv("INGOT_CPU", "", 1);
    CHECK(ig_isa_choose(NULL, &isa, &err) == INGOT_OK && isa == best);
    CHECK(ig_isa_choose("avx3", &isa, &err) == INGOT_ERR_INVALID);
    CHECK_STRING(err.message,
                 "unknown instruction set 'avx3': known are ref, portable, avx2, avx512");
    CHECK_STRING(ig_isa_name((ig_isa)77), "unknown");
}

static char dir[] = "/tmp/ingot-test-XXXXXX";

/* Writes text to dir/name, making the folders in between. */
static void put(const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    for (char *c = path + strlen(dir) + 1; (c = strchr(c, '/')); *c++ = '/') {
        *c = '\0';
        mkdir(path, 0700);
    }
    FILE *f = fopen(path, "w");
    if (!CHECK(f != NULL)) return;
    fputs(text, f);
    fclose(f);
}

static int quota(void)
{
    char proc[PATH_MAX], root[PATH_MAX];
    snprintf(proc, sizeof proc, "%s/proc", dir);
    snprintf(root, sizeof root, "%s/fs", dir);
    return ig_cgroup_n_cpus(proc, root);
}

static void test_cgroups(void)
{
    if (!CHECK(mkdtemp(dir) != NULL)) return;
    CHECK(quota() == 0);
    put("proc", "0::/a/b\n");
    CHECK(quota() == 0);
    put("fs/a/b/cpu.max", "max 100000\n");
    CHECK(quota() == 0);
    put("fs/a/cpu.max", "350000 100000\n");
    CHECK(quota() == 4);
    put("fs/a/b/cpu.max", "150000 100000\n");
    CHECK(quota() == 2);
    put("fs/cpu.max", "50000 100000\n");
    CHECK(quota() == 1);
    put("proc", "0::/not/below/this/mount\n");
    CHECK(quota() == 1);
    put("fs/cpu.max", "junk");
    CHECK(quota() == 0);
    put("proc", "5:memory:/m\n3:cpu,cpuacct:/c\n");
    put("fs/cpu,cpuacct/c/cpu.cfs_quota_us", "250000\n");
    put("fs/cpu,cpuacct/c/cpu.cfs_period_us", "100000\n");
    CHECK(quota() == 3);
    put("fs/cpu,cpuacct/c/cpu.cfs_quota_us", "-1\n");
    CHECK(quota() == 0);
    put("fs/cpu,cpuacct/c/cpu.cfs_quota_us", "9223372036854775807\n");
    put("fs/cpu,cpuacct/c/cpu.cfs_period_us", "1\n");
    CHECK(quota() == INT_MAX);
    char command[PATH_MAX];
    snprintf(command, sizeof command, "rm -r '%s'", dir);
    CHECK(system(command) == 0);
}

static void test_usable(void)
{
    cpu_set_t old, one;
    CHECK(sched_getaffinity(0, sizeof old, &old) == 0);
    const int n = ig_cpu_n_usable();
    CHECK(n >= 1 && n <= CPU_COUNT(&old));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &old) && CPU_COUNT(&one) == 0) CPU_SET(i, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0 && ig_cpu_n_usable() == 1);
    CHECK(sched_setaffinity(0, sizeof old, &old) == 0);
}

static void test_clock(void)
{
    const uint64_t begin = ig_clock_ns();
    usleep(2000);
    const uint64_t ns = ig_clock_ns() - begin;
    CHECK(ns >= 2000000u && ns < 60000000000u);
}

int main(void)
{
    test_facts();
    test_uarch();
    test_choose();
    test_cgroups();
    test_usable();
    test_clock();
    return check_report();
}
