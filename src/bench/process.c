/* SPDX-License-Identifier: Apache-2.0 */
/* process.c: memory, time and faults of processes; pages of files; sleeping. */
#include "bench/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define AWAKE_NS 80000 /* timers of the system are late by about this much */

/* A number of kilobytes from a file of lines "Name:  123 kB". */
static size_t kilobytes_of(const char *path, const char *name)
{
    char line[256];
    size_t kilobytes = 0;
    const size_t n = strlen(name);
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, n) == 0 && sscanf(line + n, ": %zu", &kilobytes) == 1) break;
    fclose(file);
    return kilobytes * 1024;
}

uint64_t ig_process_cpu_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)) return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Fields of /proc/PID/stat after the name, which may hold anything but ends at the last ')'. */
static void read_stat(const char *path, ig_process_facts *out)
{
    char text[1024];
    FILE *file = fopen(path, "re");
    if (!file) return;
    const size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    const char *p = strrchr(text, ')');
    long long minor = 0, major = 0;
    unsigned long long user = 0, system = 0;
    if (!p || sscanf(p + 1, " %*c %*d %*d %*d %*d %*d %*u %lld %*u %lld %*u %llu %llu", &minor,
                     &major, &user, &system) != 4)
        return;
    const long ticks = sysconf(_SC_CLK_TCK);
    out->minor_faults = minor;
    out->major_faults = major;
    out->cpu_ns = (uint64_t)((double)(user + system) * 1e9 / (double)(ticks > 0 ? ticks : 100));
}

void ig_process_facts_of(pid_t pid, ig_process_facts *out)
{
    char path[64], who[24] = "self";
    if (pid) snprintf(who, sizeof who, "%lld", (long long)pid);
    *out = (ig_process_facts){ 0 };
    snprintf(path, sizeof path, "/proc/%s/status", who);
    out->rss_bytes = kilobytes_of(path, "VmRSS");
    out->peak_rss_bytes = kilobytes_of(path, "VmHWM");
    snprintf(path, sizeof path, "/proc/%s/smaps_rollup", who);
    out->pss_bytes = kilobytes_of(path, "Pss");
    snprintf(path, sizeof path, "/proc/%s/stat", who);
    read_stat(path, out);
    if (!pid) out->cpu_ns = ig_process_cpu_ns();
}

void ig_process_memory_of(pid_t pid, size_t *rss_bytes, size_t *pss_bytes)
{
    char path[64], who[24] = "self", line[256];
    *rss_bytes = *pss_bytes = 0;
    if (pid) snprintf(who, sizeof who, "%lld", (long long)pid);
    snprintf(path, sizeof path, "/proc/%s/smaps_rollup", who);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        size_t kilobytes;
        if (sscanf(line, "Rss: %zu", &kilobytes) == 1) *rss_bytes = kilobytes * 1024;
        if (sscanf(line, "Pss: %zu", &kilobytes) == 1) *pss_bytes = kilobytes * 1024;
    }
    if (file) fclose(file);
    if (*rss_bytes) return;
    snprintf(path, sizeof path, "/proc/%s/status", who); /* where there is no such file */
    *rss_bytes = kilobytes_of(path, "VmRSS");
}

/* ---- pages of files ---- */

double ig_file_cached_share(const char *path)
{
    unsigned char there[4096];
    struct stat st;
    double share = -1;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        const size_t bytes = (size_t)st.st_size, n = (bytes + page - 1) / page;
        uint8_t *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
        size_t n_there = 0, at = 0;
        for (; map != MAP_FAILED && at < n; at += sizeof there) {
            const size_t some = n - at < sizeof there ? n - at : sizeof there;
            const size_t rest = bytes - at * page;
            if (mincore(map + at * page, some * page < rest ? some * page : rest, there)) break;
            for (size_t i = 0; i < some; i++) n_there += there[i] & 1;
        }
        if (map != MAP_FAILED && at >= n) share = (double)n_there / (double)n;
        if (map != MAP_FAILED) munmap(map, bytes);
    }
    close(fd);
    return share;
}

void ig_file_uncache(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    fdatasync(fd); /* dirty pages stay */
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
}

/* ---- sleeping ---- */

void ig_sleep_until(uint64_t when_ns)
{
    if (when_ns > ig_clock_ns() + AWAKE_NS) {
        const uint64_t until = when_ns - AWAKE_NS;
        const struct timespec t = { (time_t)(until / 1000000000u), (long)(until % 1000000000u) };
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
    }
    while (ig_clock_ns() < when_ns) {}
}
