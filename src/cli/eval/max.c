/* SPDX-License-Identifier: Apache-2.0 */
/* max.c: the largest error of any element of any item. */
#include "cli/eval/metric.h"

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    ig_array_sums s;
    IG_TRY(ig_compare_to_expected(t->judging, answer, truth, &s, err));
    *mark = (ig_mark){ .a = s.max_error, .b = 1, .said = s.hash, .is_wrong = s.max_error > 0 };
    ig_str_printf(said, "%.6g", s.max_error);
    return INGOT_OK;
}

static double value(const ig_tally *t, const uint32_t *weights)
{
    double most = 0;
    for (size_t i = 0; i < t->n; i++)
        if ((!weights || weights[i]) && t->marks[i].a > most) most = t->marks[i].a;
    return most;
}

const ig_metric ig_metric_max = {
    .name = "max",
    .about = "largest absolute error against stored outputs",
    .truth = IG_TRUTH_ARRAYS,
    .has_no_interval = true,
    .unit = "",
    .judge = judge,
    .value = value,
};
