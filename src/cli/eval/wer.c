/* SPDX-License-Identifier: Apache-2.0 */
/* wer.c: word error rate: edits between answers and labels, of all words of the labels. */
#include "cli/eval/metric.h"

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    return ig_judge_text(t, answer, truth, true, mark, said, err);
}

const ig_metric ig_metric_wer = {
    .name = "wer",
    .about = "word error rate of text: edits / words of the labels",
    .truth = IG_TRUTH_TEXT,
    .is_percent = true,
    .unit = "",
    .judge = judge,
    .value = ig_tally_ratio,
};
