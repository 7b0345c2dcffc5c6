/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise.h: was the machine quiet? A mark before and one after a measurement; what happened between
 * them makes it valid, or invalid with reasons.
 */
#ifndef IG_BENCH_NOISE_H
#define IG_BENCH_NOISE_H

#include "base/str.h"

#define IG_NOISE_MAX_STEAL 0.01     /* of all CPU time, taken by the host */
#define IG_NOISE_MAX_FOREIGN 0.05   /* of all CPU time, used by other processes */
#define IG_NOISE_MAX_SWITCHES 25.0  /* involuntary context switches a second and thread */
#define IG_NOISE_TURN_SWITCHES 4.0  /* as many more a thread for each turn, see n_turns */
#define IG_NOISE_MAX_DRIFT 0.04     /* of the speed of one core */
#define IG_NOISE_MAX_TRIP_RATIO 2.0 /* of the cache line's round trip, after against before */
#define IG_NOISE_FAR_TRIP_NS 200.0  /* two CPUs that share a cache, the system says, do not */

typedef struct ig_noise_mark {
    uint64_t at_ns;
    /* CPU seconds since boot, all CPUs together. */
    double busy_s, steal_s;
    int n_cpus; /* online */
    /* Of this process and of those that it measures. */
    double own_s;
    int64_t n_switches;
    int64_t n_turns; /* since the mark before: how often a measured process was woken or started by
                        this one, which takes a CPU for a moment from threads that use them all; set
                        by the caller */
    int64_t n_throttled; /* periods in which the control group had to wait; -1 unknown */
    double core_ns;      /* a fixed piece of work of one core */
    double trip_ns;      /* a cache line to another CPU and back; 0: one CPU */
    bool shares_cache;   /* those CPUs share the last-level cache, as the system says */
} ig_noise_mark;

/* What of it happens in other processes, to be added to own_s and n_switches. */
typedef struct ig_noise_others {
    const int *pids;
    size_t n;
} ig_noise_others;

/* Takes about 30 ms. */
void ig_noise_take(ig_noise_mark *mark, const ig_noise_others *others);

/* Reasons why what lies between the marks is not to be trusted, "; " between them; nothing when it
 * was quiet. n_threads: that were to run. */
void ig_noise_judge(const ig_noise_mark *before, const ig_noise_mark *after, int n_threads,
                    ig_str *reasons);

/* Share of all CPU time between the marks, in 0…1. */
double ig_noise_steal(const ig_noise_mark *before, const ig_noise_mark *after);
double ig_noise_foreign(const ig_noise_mark *before, const ig_noise_mark *after);

/* ---- parts ---- */

/* The "cpu" line of /proc/stat in ticks; false when it is none. */
bool ig_noise_parse_stat(const char *text, double *busy, double *steal);
/* nr_throttled of a control group's cpu.stat, -1 when it has none. */
int64_t ig_noise_parse_throttled(const char *text);
/* pingpong.c: nanoseconds that a cache line takes from the first CPU that this process may use to
 * another and back: the slowest pair of the first few. 0 where there is one CPU alone, or where
 * they are too busy to tell. */
double ig_noise_round_trip(bool *shares_cache);

#endif
