/* SPDX-License-Identifier: Apache-2.0 */
/* axis.c: round numbers on linear and logarithmic axes. */
#include "bench/page/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ig_axis_init(ig_axis *a, const char *title, bool is_log)
{
    *a = (ig_axis){ .title = title, .is_log = is_log, .low = INFINITY, .high = -INFINITY };
}

void ig_axis_include(ig_axis *a, double value)
{
    if (!isfinite(value) || (a->is_log && value <= 0)) return;
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

/* The smallest of 1, 2, 2.5, 5 times a power of ten that cuts `range` into at most n parts. */
static double step_of(double range, int n)
{
    static const double steps[] = { 1, 2, 2.5, 5, 10 };
    const double least = range / n, power = pow(10, floor(log10(least)));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] * power >= least * (1 - 1e-9)) return steps[i] * power;
    return 10 * power;
}

static void settle_linear(ig_axis *a, int n_wanted)
{
    if (a->holds_zero) a->low = fmin(a->low, 0);
    if (!(a->high > a->low)) { /* one value: room round it */
        const double room = a->high != 0 ? fabs(a->high) * 0.1 : 1;
        a->high += room;
        if (!a->holds_zero || a->low < 0) a->low -= room;
    }
    double step = step_of(a->high - a->low, n_wanted);
    if (a->is_whole) step = fmax(1, ceil(step));
    a->low = floor(a->low / step + 1e-9) * step;
    a->high = ceil(a->high / step - 1e-9) * step;
    a->n_ticks = 0;
    for (int i = 0; i < IG_AXIS_MAX_TICKS; i++) {
        const double tick = a->low + i * step;
        if (tick > a->high + step * 1e-6) break;
        a->ticks[a->n_ticks++] = fabs(tick) < step * 1e-6 ? 0 : tick;
    }
}

static void add_log_ticks(ig_axis *a, int decades_a_tick, const double *within, int n_within)
{
    for (double k = floor(log10(a->low) + 1e-9); k <= log10(a->high) + 1e-9; k += decades_a_tick)
        for (int i = 0; i < n_within; i++) {
            const double tick = within[i] * pow(10, k);
            if (tick < a->low * (1 - 1e-9) || tick > a->high * (1 + 1e-9)) continue;
            if (a->n_ticks < IG_AXIS_MAX_TICKS) a->ticks[a->n_ticks++] = tick;
        }
}

/* Ends at 1, 2 or 5 times a power of ten. */
static double round_log(double value, bool is_up)
{
    const double power = pow(10, floor(log10(value) + 1e-9)), part = value / power;
    static const double steps[] = { 1, 2, 5, 10 };
    for (int i = 0; i < 4; i++) {
        if (is_up && steps[i] >= part * (1 - 1e-9)) return steps[i] * power;
        if (!is_up && (i == 3 || steps[i + 1] > part * (1 + 1e-9))) return steps[i] * power;
    }
    return value;
}

static void settle_log(ig_axis *a, int n_wanted)
{
    static const double one[] = { 1 }, some[] = { 1, 3 }, more[] = { 1, 2, 5 };
    a->low = round_log(a->low, false);
    a->high = round_log(a->high, true);
    if (a->high <= a->low * 1.0001) {
        a->low /= 2;
        a->high *= 2;
    }
    const double decades = log10(a->high / a->low);
    a->n_ticks = 0;
    if (3 * decades <= n_wanted)
        add_log_ticks(a, 1, more, 3);
    else if (2 * decades <= n_wanted)
        add_log_ticks(a, 1, some, 2);
    else
        add_log_ticks(a, (int)fmax(1, ceil(decades / n_wanted)), one, 1);
}

void ig_axis_settle(ig_axis *a, int n_wanted)
{
    if (!(a->low <= a->high)) a->low = a->is_log ? 1 : 0, a->high = a->is_log ? 10 : 1;
    if (n_wanted > IG_AXIS_MAX_TICKS - 2) n_wanted = IG_AXIS_MAX_TICKS - 2;
    if (a->is_log)
        settle_log(a, n_wanted);
    else
        settle_linear(a, n_wanted);
}

double ig_axis_at(const ig_axis *a, double value)
{
    double share;
    if (a->is_log)
        share = value > 0 ? log(value / a->low) / log(a->high / a->low) : 0;
    else
        share = (value - a->low) / (a->high - a->low);
    share = share > 0 ? fmin(share, 1) : 0; /* NaN, too */
    return a->from + share * (a->to - a->from);
}

/* 1e-7 as "10⁻⁷", 3e5 as "3·10⁵" */
static void put_power(double value, char buf[32])
{
    static const char *const raised[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    int power = (int)floor(log10(value) + 1e-9);
    const double part = value / pow(10, power);
    char digits[16];
    const int n = part > 1.01 ? snprintf(buf, 32, "%.3g·10", part) : snprintf(buf, 32, "10");
    size_t used = (size_t)n;
    if (power < 0) used += (size_t)snprintf(buf + used, 32 - used, "⁻");
    snprintf(digits, sizeof digits, "%d", power < 0 ? -power : power);
    for (const char *d = digits; *d; d++)
        used += (size_t)snprintf(buf + used, 32 - used, "%s", raised[*d - '0']);
}

const char *ig_axis_label(const ig_axis *a, int tick, char buf[32])
{
    const double value = a->ticks[tick];
    if (a->names) return a->names[tick];
    if (a->is_log && (value >= 1e5 || value < 1e-3)) {
        put_power(value, buf);
        return buf;
    }
    if (a->is_log || a->n_ticks < 2) {
        snprintf(buf, 32, "%.6g", value);
        return buf;
    }
    /* As many digits as the step needs, the same at all ticks. */
    const double step = a->ticks[1] - a->ticks[0];
    int digits = 0;
    while (digits < 9 && fabs(step * pow(10, digits) - rint(step * pow(10, digits))) > 1e-6)
        digits++;
    snprintf(buf, 32, "%.*f", digits, value);
    return buf;
}

const char *ig_axis_time_unit(double max_ns, double *scale)
{
    static const char *const units[] = { "ns", "µs", "ms", "s" };
    static const double scales[] = { 1, 1e-3, 1e-6, 1e-9 };
    int i = 0;
    while (i < 3 && max_ns * scales[i] >= 2000) i++;
    *scale = scales[i];
    return units[i];
}
