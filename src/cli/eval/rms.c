/* SPDX-License-Identifier: Apache-2.0 */
/* rms.c: root of the mean squared error over all elements of all items. */
#include <math.h>

#include "cli/eval/metric.h"

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    ig_array_sums s;
    IG_TRY(ig_compare_to_expected(t->judging, answer, truth, &s, err));
    *mark = (ig_mark){ .a = s.error_sq, .b = s.n, .said = s.hash, .is_wrong = s.max_error > 0 };
    ig_str_printf(said, "%.6g", sqrt(s.error_sq / s.n));
    return INGOT_OK;
}

static double value(const ig_tally *t, const uint32_t *weights)
{
    return sqrt(ig_tally_ratio(t, weights));
}

const ig_metric ig_metric_rms = {
    .name = "rms",
    .about = "root mean squared error against stored outputs",
    .truth = IG_TRUTH_ARRAYS,
    .unit = "",
    .judge = judge,
    .value = value,
};
