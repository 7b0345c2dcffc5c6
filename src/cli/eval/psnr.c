/* SPDX-License-Identifier: Apache-2.0 */
/* psnr.c: peak signal-to-noise ratio, from the mean squared error over all items. Pooled, since the
 * ratio of an item without any error is infinite. */
#include <math.h>

#include "cli/eval/metric.h"

static double decibels(double error_sq) { return -10 * log10(error_sq); }

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    ig_array_sums s;
    IG_TRY(ig_compare_to_expected(t->judging, answer, truth, &s, err));
    const double peak = t->judging->peak > 0 ? t->judging->peak : s.is_bytes ? 255 : 1;
    *mark = (ig_mark){
        .a = s.error_sq / (peak * peak), .b = s.n, .said = s.hash, .is_wrong = s.max_error > 0
    };
    ig_str_printf(said, "%.4f", decibels(mark->a / mark->b));
    return INGOT_OK;
}

static double value(const ig_tally *t, const uint32_t *weights)
{
    return decibels(ig_tally_ratio(t, weights));
}

const ig_metric ig_metric_psnr = {
    .name = "psnr",
    .about = "peak signal-to-noise ratio against stored outputs, of the pooled error",
    .truth = IG_TRUTH_ARRAYS,
    .unit = "dB",
    .judge = judge,
    .value = value,
};
