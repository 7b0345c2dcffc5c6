/* SPDX-License-Identifier: Apache-2.0 */
/* accuracy.c: share of right classes, however the model says them: scores, one probability, labels.
 */
#include "cli/eval/metric.h"

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    ig_classified c;
    return ig_judge_class(t, answer, truth, &c, mark, said, err);
}

const ig_metric ig_metric_accuracy = {
    .name = "accuracy",
    .about = "share of right classes, from scores, one probability (0.5 parts) or labels",
    .is_share = true,
    .is_percent = true,
    .unit = "",
    .judge = judge,
    .value = ig_tally_ratio,
};
