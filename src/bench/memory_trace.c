/* SPDX-License-Identifier: Apache-2.0 */
/* memory_trace.c: points of memory at times, thinned as they become many. */
#include "bench/memory_trace.h"

#include <string.h>

#include "base/clock.h"
#include "bench/process.h"

#define FIRST_STEP_NS 50000000u
#define MAX_COST 100 /* a look may take this part of a step */

void ig_memory_trace_begin(ig_memory_trace *t, uint64_t begin_ns)
{
    t->n = t->n_marks = 0;
    t->cost_ns = 0;
    t->begin_ns = t->due_ns = begin_ns;
    t->step_ns = FIRST_STEP_NS;
}

static double seconds_since(const ig_memory_trace *t, uint64_t now_ns)
{
    return now_ns > t->begin_ns ? (double)(now_ns - t->begin_ns) * 1e-9 : 0;
}

void ig_memory_trace_mark(ig_memory_trace *t, const char *name)
{
    size_t i = 0;
    while (i < t->n_marks && strcmp(t->marks[i].name, name) != 0) i++;
    if (i == IG_TRACE_MAX_MARKS) return;
    if (i == t->n_marks) t->n_marks++;
    t->marks[i].name = name;
    t->marks[i].at_s = seconds_since(t, ig_clock_ns());
}

/* Every second point goes; the last one stays last. */
static void thin(ig_memory_trace *t)
{
    size_t n = 0;
    for (size_t i = 1; i < t->n; i += 2) t->points[n++] = t->points[i];
    t->n = n;
    t->step_ns *= 2;
}

void ig_memory_trace_sample_now(ig_memory_trace *t, pid_t pid)
{
    ig_memory_point point;
    const uint64_t begin_ns = ig_clock_ns();
    if (t->begin_ns == 0) return; /* nobody began it */
    ig_process_memory_of(pid, &point.rss_bytes, &point.pss_bytes);
    const uint64_t end_ns = ig_clock_ns();
    /* Of large processes the system takes long to tell. */
    if (t->cost_ns == 0 || end_ns - begin_ns < t->cost_ns) t->cost_ns = end_ns - begin_ns;
    const uint64_t least_ns = MAX_COST * t->cost_ns;
    t->due_ns = end_ns + (t->step_ns > least_ns ? t->step_ns : least_ns);
    if (point.rss_bytes == 0) return; /* it has gone */
    if (t->n == IG_TRACE_MAX_POINTS) thin(t);
    point.at_s = seconds_since(t, begin_ns);
    t->points[t->n++] = point;
}

void ig_memory_trace_sample(ig_memory_trace *t, pid_t pid)
{
    if (t->begin_ns && ig_clock_ns() >= t->due_ns) ig_memory_trace_sample_now(t, pid);
}

void ig_memory_trace_put_json(const ig_memory_trace *t, ig_json_writer *w)
{
    ig_json_key(w, "memory_over_time");
    ig_json_open(w, '{');
    ig_json_key(w, "s");
    ig_json_open(w, '[');
    for (size_t i = 0; i < t->n; i++) ig_json_number(w, t->points[i].at_s);
    ig_json_close(w, ']');
    ig_json_key(w, "rss_bytes");
    ig_json_open(w, '[');
    for (size_t i = 0; i < t->n; i++) ig_json_number(w, (double)t->points[i].rss_bytes);
    ig_json_close(w, ']');
    ig_json_key(w, "pss_bytes");
    ig_json_open(w, '[');
    for (size_t i = 0; i < t->n; i++) ig_json_number(w, (double)t->points[i].pss_bytes);
    ig_json_close(w, ']');
    ig_json_close(w, '}');
}
