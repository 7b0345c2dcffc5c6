/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c: what somebody must know of this machine and of this call to measure the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "bench/child.h"
#include "bench/facts.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

extern char **environ;

/* The first line of a file of the system; false when there is none. */
static bool read_line(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "re");
    const bool is_read = file && fgets(line, (int)bytes, file);
    if (file) fclose(file);
    if (is_read) line[strcspn(line, "\n")] = '\0';
    return is_read && *line;
}

static void add_line(ig_facts *facts, const char *name, const char *path)
{
    char line[200];
    if (read_line(path, line, sizeof line)) ig_facts_add(facts, name, "%s", line);
}

static void add_cpu(ig_facts *facts)
{
    const ig_cpu *cpu = ig_cpu_get();
    char line[8];
    int best = 0;
    for (int i = 0; i < IG_N_ISAS; i++)
        if (cpu->has_isa[i]) best = i;
    ig_facts_add(facts, "CPU", "%s (%s)", cpu->brand, cpu->uarch);
    ig_facts_add(facts, "instruction set", "%s%s%s%s%s", ig_isa_name((ig_isa)best),
                 cpu->has_avx512_vnni || cpu->has_avx_vnni ? ", VNNI" : "",
                 cpu->has_avx512_bf16 ? ", BF16" : "", cpu->has_avx512_fp16 ? ", FP16" : "",
                 cpu->has_amx_bf16 || cpu->has_amx_int8 ? ", AMX" : "");
    ig_facts_add(facts, "caches", "L1d %zu kB and L2 %zu kB a core, L3 %.1f MB shared",
                 cpu->l1d_bytes / 1024, cpu->l2_bytes / 1024,
                 (double)cpu->l3_bytes / (1024 * 1024));
    ig_facts_add(facts, "CPUs", "%d online, %d usable (affinity and quota)", cpu->n_cores_online,
                 ig_cpu_n_usable());
    if (read_line("/sys/devices/system/cpu/smt/active", line, sizeof line))
        ig_facts_add(facts, "simultaneous multithreading", "%s", *line == '1' ? "on" : "off");
    add_line(facts, "frequency governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

static void add_system(ig_facts *facts)
{
    struct utsname name;
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page_bytes > 0)
        ig_facts_add(facts, "memory", "%.1f GB", (double)pages * (double)page_bytes * 1e-9);
    if (uname(&name) == 0)
        ig_facts_add(facts, "system", "%s %s %s", name.sysname, name.release, name.machine);
    add_line(facts, "hypervisor", "/sys/devices/virtual/dmi/id/sys_vendor");
    add_line(facts, "transparent huge pages", "/sys/kernel/mm/transparent_hugepage/enabled");
}

/* Variables that engines and their thread pools read. */
static void add_environment(ig_facts *facts)
{
    static const char *const prefixes[] = { "INGOT_", "OMP_",      "KMP_",       "GOMP_", "MKL_",
                                            "ORT_",   "OPENVINO_", "OV_",        "DNNL_", "ONEDNN_",
                                            "TVM_",   "NCNN_",     "LD_PRELOAD=" };
    for (char **e = environ; *e; e++)
        for (size_t i = 0; i < IG_COUNT(prefixes); i++)
            if (strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0)
                ig_facts_add(facts, "environment", "%s", *e);
}

void ig_machine_facts(ig_facts *facts)
{
    add_cpu(facts);
    add_system(facts);
    add_environment(facts);
}

/* ---- this call ---- */

void ig_shell_put_word(ig_str *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_./=,:+@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        ig_str_puts(out, word);
        return;
    }
    ig_str_putc(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            ig_str_puts(out, "'\\''");
        else
            ig_str_putc(out, *word);
    }
    ig_str_putc(out, '\'');
}

void ig_command_facts(ig_facts *facts)
{
    char folder[4096], date[64];
    size_t n = 0;
    ig_error err = { INGOT_OK, "" };
    ig_str text;
    char **words = ig_own_command(facts->arena, 0, &n, &err);
    ig_str_init(&text, facts->arena->alloc);
    for (size_t i = 0; words && i < n; i++) {
        if (i) ig_str_putc(&text, ' ');
        ig_shell_put_word(&text, i ? words[i] : "ingot");
    }
    if (words && ig_str_ok(&text)) ig_facts_add(facts, "command", "%s", ig_str_cstr(&text));
    ig_str_deinit(&text);
    if (getcwd(folder, sizeof folder)) ig_facts_add(facts, "in the folder", "%s", folder);
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) && strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc))
        ig_facts_add(facts, "finished", "%s", date);
    ig_facts_add(facts, "Ingot", "%s, built with %s", ingot_version(), COMPILER);
}
