/* SPDX-License-Identifier: Apache-2.0 */
/* memory_trace.h: the memory of a process over time. Of a fixed size, however long it goes on. */
#ifndef IG_BENCH_MEMORY_TRACE_H
#define IG_BENCH_MEMORY_TRACE_H

#include <sys/types.h>

#include "base/json.h"

#define IG_TRACE_MAX_POINTS 512
#define IG_TRACE_MAX_MARKS 6

typedef struct ig_memory_point {
    double at_s; /* since the begin */
    size_t rss_bytes, pss_bytes;
} ig_memory_point;

typedef struct ig_memory_trace {
    uint64_t begin_ns, due_ns, step_ns;
    uint64_t cost_ns; /* of the cheapest look: others were interrupted */
    ig_memory_point points[IG_TRACE_MAX_POINTS];
    size_t n;
    /* Where parts of the measurement began; names are constants. */
    struct {
        double at_s;
        const char *name;
    } marks[IG_TRACE_MAX_MARKS];
    size_t n_marks;
} ig_memory_trace;

/* begin_ns of ig_clock_ns: traces that are shown together have the same. */
void ig_memory_trace_begin(ig_memory_trace *trace, uint64_t begin_ns);
/* A part begins; one of the same name that began before is forgotten. */
void ig_memory_trace_mark(ig_memory_trace *trace, const char *name);
/* Look at the process (0: this one) if it is time to. Looking takes at most a hundredth of the
 * time; where points are too many, every second one goes and the next come half as often. */
void ig_memory_trace_sample(ig_memory_trace *trace, pid_t pid);
/* Look now. */
void ig_memory_trace_sample_now(ig_memory_trace *trace, pid_t pid);
/* The member "memory_over_time": lists s, rss_bytes and pss_bytes. */
void ig_memory_trace_put_json(const ig_memory_trace *trace, ig_json_writer *w);

#endif
