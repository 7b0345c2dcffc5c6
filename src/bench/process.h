/* SPDX-License-Identifier: Apache-2.0 */
/* process.h: what the system says about a process. Zero where it does not say. */
#ifndef IG_BENCH_PROCESS_H
#define IG_BENCH_PROCESS_H

#include <sys/types.h>

#include "base/error.h"

typedef struct ig_process_facts {
    size_t rss_bytes, pss_bytes, peak_rss_bytes;
    uint64_t cpu_ns; /* user and system, all threads */
    int64_t minor_faults, major_faults;
} ig_process_facts;

/* pid 0: this process, whose CPU time is exact; that of others counts in the system's ticks. */
void ig_process_facts_of(pid_t pid, ig_process_facts *out);
/* Its memory alone: one file is read. */
void ig_process_memory_of(pid_t pid, size_t *rss_bytes, size_t *pss_bytes);
/* CPU time of this process, in nanoseconds. */
uint64_t ig_process_cpu_ns(void);

/* The share of a file's pages that are in memory, -1 where that cannot be known. */
double ig_file_cached_share(const char *path);
/* Ask the system to forget the pages of a file. */
void ig_file_uncache(const char *path);

/* Sleep until a time of ig_clock_ns, the last stretch awake: exact to about a microsecond. */
void ig_sleep_until(uint64_t when_ns);

#endif
