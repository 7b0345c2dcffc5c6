/* SPDX-License-Identifier: Apache-2.0 */
/* noise.c: marks of the machine's state, and the verdict on what lies between two. */
#include "bench/noise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/process.h"

/* ---- parts ---- */

bool ig_noise_parse_stat(const char *text, double *busy, double *steal)
{
    double t[8] = { 0 }; /* user nice system idle iowait irq softirq steal */
    if (strncmp(text, "cpu ", 4) != 0) return false;
    const int n = sscanf(text + 4, "%lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &t[1], &t[2], &t[3],
                         &t[4], &t[5], &t[6], &t[7]);
    if (n < 4) return false;
    *busy = t[0] + t[1] + t[2] + t[5] + t[6];
    *steal = t[7];
    return true;
}

int64_t ig_noise_parse_throttled(const char *text)
{
    const char *at = strstr(text, "nr_throttled ");
    return at ? strtoll(at + 13, NULL, 10) : -1;
}

static bool read_text(const char *path, char *text, size_t text_bytes)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    text[fread(text, 1, text_bytes - 1, file)] = '\0';
    fclose(file);
    return true;
}

/* Of the own control group, or in a container of what is mounted as its root. */
static int64_t count_throttled(void)
{
    char text[4096], path[4400];
    char *line = NULL, *rest = NULL;
    if (read_text("/proc/self/cgroup", text, sizeof text))
        for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
            const bool is_v2 = strncmp(line, "0::", 3) == 0;
            if (!is_v2 && !strstr(line, ":cpu,") && !strstr(line, ":cpu:")) continue;
            const char *group = strrchr(line, ':') + 1;
            snprintf(path, sizeof path, "/sys/fs/cgroup%s%s/cpu.stat", is_v2 ? "" : "/cpu", group);
            char stat[1024];
            if (read_text(path, stat, sizeof stat)) return ig_noise_parse_throttled(stat);
        }
    static const char *const roots[] = { "/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat" };
    for (size_t i = 0; i < IG_COUNT(roots); i++)
        if (read_text(roots[i], text, sizeof text)) return ig_noise_parse_throttled(text);
    return -1;
}

/* A chain of multiplications that nothing can overlap or shorten: its time follows the clock. */
static double time_core(void)
{
    double best = 0;
    uint64_t x = 1;
    for (int round = 0; round < 12; round++) {
        const uint64_t begin_ns = ig_clock_ns();
        for (int i = 0; i < 60000; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            __asm__ volatile("" : "+r"(x));
        }
        const double ns = (double)(ig_clock_ns() - begin_ns);
        if (best == 0 || ns < best) best = ns;
    }
    return best;
}

static int64_t switches_of(int pid)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    if (!read_text(path, text, sizeof text)) return 0;
    const char *at = strstr(text, "nonvoluntary_ctxt_switches:");
    return at ? strtoll(at + 27, NULL, 10) : 0;
}

void ig_noise_take(ig_noise_mark *m, const ig_noise_others *others)
{
    char text[512];
    struct rusage usage;
    const double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
    *m = (ig_noise_mark){ .n_throttled = -1, .n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN) };
    m->core_ns = time_core();
    m->trip_ns = ig_noise_round_trip(&m->shares_cache);
    if (read_text("/proc/stat", text, sizeof text) &&
        ig_noise_parse_stat(text, &m->busy_s, &m->steal_s)) {
        m->busy_s *= tick_s;
        m->steal_s *= tick_s;
    }
    m->n_throttled = count_throttled();
    m->own_s = (double)ig_process_cpu_ns() * 1e-9;
    if (getrusage(RUSAGE_SELF, &usage) == 0) m->n_switches = usage.ru_nivcsw;
    if (getrusage(RUSAGE_CHILDREN, &usage) == 0) { /* those that have ended */
        m->n_switches += usage.ru_nivcsw;
        m->own_s += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    }
    for (size_t i = 0; others && i < others->n; i++) {
        ig_process_facts facts;
        ig_process_facts_of(others->pids[i], &facts);
        m->own_s += (double)facts.cpu_ns * 1e-9;
        m->n_switches += switches_of(others->pids[i]);
    }
    m->at_ns = ig_clock_ns();
}

/* ---- verdict ---- */

static double all_cpu_s(const ig_noise_mark *a, const ig_noise_mark *b)
{
    const double s = (double)(b->at_ns - a->at_ns) * 1e-9 * (b->n_cpus > 0 ? b->n_cpus : 1);
    return s > 0 ? s : 1;
}

double ig_noise_steal(const ig_noise_mark *a, const ig_noise_mark *b)
{
    return (b->steal_s - a->steal_s) / all_cpu_s(a, b);
}

double ig_noise_foreign(const ig_noise_mark *a, const ig_noise_mark *b)
{
    const double foreign = (b->busy_s - a->busy_s) - (b->own_s - a->own_s);
    return foreign > 0 ? foreign / all_cpu_s(a, b) : 0;
}

static void IG_PRINTF(2, 3) add_reason(ig_str *reasons, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (reasons->n) ig_str_puts(reasons, "; ");
    ig_str_puts(reasons, text);
}

void ig_noise_judge(const ig_noise_mark *a, const ig_noise_mark *b, int n_threads, ig_str *reasons)
{
    const double elapsed_s = (double)(b->at_ns - a->at_ns) * 1e-9;
    const double steal = ig_noise_steal(a, b), foreign = ig_noise_foreign(a, b);
    const double tick_share = 0.02 / (elapsed_s > 0 ? elapsed_s : 1); /* counters count ticks */
    const int threads = n_threads > 0 ? n_threads : 1;
    const double own = IG_NOISE_TURN_SWITCHES * (double)b->n_turns * threads;
    const double switches = ((double)(b->n_switches - a->n_switches) - own) /
                            ((elapsed_s > 0 ? elapsed_s : 1) * threads);
    const double drift = a->core_ns > 0 ? b->core_ns / a->core_ns - 1 : 0;
    if (steal > IG_NOISE_MAX_STEAL + tick_share)
        add_reason(reasons, "the host took %.1f %% of the CPU time (steal)", 100 * steal);
    if (foreign > IG_NOISE_MAX_FOREIGN + tick_share)
        add_reason(reasons, "other processes used %.0f %% of the CPU time", 100 * foreign);
    if (switches > IG_NOISE_MAX_SWITCHES)
        add_reason(reasons, "%.0f involuntary context switches a second and thread", switches);
    if (drift > IG_NOISE_MAX_DRIFT || drift < -IG_NOISE_MAX_DRIFT)
        add_reason(reasons, "a core became %.0f %% %s (frequency)",
                   100 * (drift < 0 ? -drift : drift), drift > 0 ? "slower" : "faster");
    if (a->n_throttled >= 0 && b->n_throttled > a->n_throttled)
        add_reason(reasons, "the control group's CPU quota stopped it in %lld periods",
                   (long long)(b->n_throttled - a->n_throttled));
    if (n_threads < 2 || a->trip_ns <= 0 || b->trip_ns <= 0) return;
    const double near = a->trip_ns < b->trip_ns ? a->trip_ns : b->trip_ns;
    const double far = a->trip_ns < b->trip_ns ? b->trip_ns : a->trip_ns;
    if (far > IG_NOISE_MAX_TRIP_RATIO * near)
        add_reason(reasons, "the CPUs moved: a cache line's round trip was %.0f, then %.0f ns",
                   a->trip_ns, b->trip_ns);
    else if (b->shares_cache && near > IG_NOISE_FAR_TRIP_NS)
        add_reason(reasons, "the CPUs are far apart: %.0f ns for a cache line's round trip", near);
}
