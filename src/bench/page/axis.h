/* SPDX-License-Identifier: Apache-2.0 */
/* axis.h: from values to places, with ticks at round numbers. */
#ifndef IG_BENCH_PAGE_AXIS_H
#define IG_BENCH_PAGE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define IG_AXIS_MAX_TICKS 12

typedef struct ig_axis {
    const char *title; /* with its unit: "latency (ms)" */
    bool is_log;       /* values <= 0 have no place */
    bool is_whole;     /* ticks at whole numbers alone */
    bool holds_zero;   /* a linear axis begins at 0 */
    double low, high;  /* of the values, by ig_axis_include; then of the axis */
    double from, to;   /* places of low and high */
    double ticks[IG_AXIS_MAX_TICKS];
    const char *const *names; /* of ticks that are given, or NULL */
    int n_ticks;
} ig_axis;

void ig_axis_init(ig_axis *axis, const char *title, bool is_log);
/* Values that are not finite, or not positive on a log axis, are left out. */
void ig_axis_include(ig_axis *axis, double value);
/* After all values: round the ends outwards, and set about n_wanted ticks. */
void ig_axis_settle(ig_axis *axis, int n_wanted);
/* Clamped to the axis. */
double ig_axis_at(const ig_axis *axis, double value);
/* "0.25", "1000", "10⁻⁷" */
const char *ig_axis_label(const ig_axis *axis, int tick, char buf[32]);

/* The unit for times up to max_ns ("ns" … "s"), and what to multiply nanoseconds with. */
const char *ig_axis_time_unit(double max_ns, double *scale);

#endif
