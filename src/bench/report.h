/* SPDX-License-Identifier: Apache-2.0 */
/* report.h: results as JSON and CSV. */
#ifndef IG_BENCH_REPORT_H
#define IG_BENCH_REPORT_H

#include "base/json.h"
#include "bench/roofline.h"

/* The quantiles that are stated. */
#define IG_BENCH_N_QUANTILES 5
extern const double ig_bench_shares[IG_BENCH_N_QUANTILES];
extern const char *const ig_bench_share_names[IG_BENCH_N_QUANTILES]; /* "p50" … "p999" */

/* What a report is about. */
typedef struct ig_bench_report {
    const char *model;
    const char *const *vary; /* dynamic: which shapes, as the user asked for them */
    size_t n_vary;
    double load_ns; /* opening the model */
    const ingot_model_info *info;
    const ig_bench_result *result;
    const ig_roofline *roofline; /* NULL: not measured */
} ig_bench_report;

void ig_bench_put_json(const ig_bench_report *report, ig_str *out);
/* A line of names, then one of values. */
void ig_bench_put_csv(const ig_bench_report *report, ig_str *out);

/* Members of an object. */
void ig_json_put_number(ig_json_writer *w, const char *key, double value); /* NaN, inf: null */
void ig_json_put_text(ig_json_writer *w, const char *key, const char *text);
void ig_json_put_flag(ig_json_writer *w, const char *key, bool value);
void ig_json_put_samples_ms(ig_json_writer *w, const char *key, const ig_samples *ns);
/* [{"share": …, "ms": …, "low_ms": …, "high_ms": …, "needs": …}, …] */
void ig_json_put_quantiles(ig_json_writer *w, const char *key, const ig_samples *sorted_ns);
/* {"value": …, "low": …, "high": …}; null where there is none. */
void ig_json_put_estimate(ig_json_writer *w, const char *key, const ig_estimate *estimate);
void ig_json_put_marks(ig_json_writer *w, const ig_noise_mark *before, const ig_noise_mark *after);
/* "vary": […]; no member where nothing varies. */
void ig_json_put_vary(ig_json_writer *w, const char *const *vary, size_t n);
/* A field of CSV, quoted where it must be. */
void ig_csv_put_text(ig_str *out, const char *text);

#endif
