/* SPDX-License-Identifier: Apache-2.0 */
/* cer.c: character error rate: edits between answers and labels, of all characters of the labels.
 */
#include "cli/eval/metric.h"

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    return ig_judge_text(t, answer, truth, false, mark, said, err);
}

const ig_metric ig_metric_cer = {
    .name = "cer",
    .about = "character error rate of text: edits / characters of the labels",
    .truth = IG_TRUTH_TEXT,
    .is_percent = true,
    .unit = "",
    .judge = judge,
    .value = ig_tally_ratio,
};
