/* SPDX-License-Identifier: Apache-2.0 */
/* cosine.c: mean over items of the cosine between answer and stored output. */
#include <math.h>

#include "cli/eval/metric.h"

static ig_status judge(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    ig_array_sums s;
    IG_TRY(ig_compare_to_expected(t->judging, answer, truth, &s, err));
    const double lengths = sqrt(s.answer_sq) * sqrt(s.truth_sq);
    const bool is_zero = s.answer_sq == 0 && s.truth_sq == 0;
    /* Two zeros point the same way; one alone has no direction. */
    const double cosine = lengths > 0 ? s.dot / lengths : is_zero;
    *mark = (ig_mark){
        .a = isinf(s.max_error) ? 0 : cosine, .b = 1, .said = s.hash, .is_wrong = s.max_error > 0
    };
    ig_str_printf(said, "%.9g", mark->a);
    return INGOT_OK;
}

const ig_metric ig_metric_cosine = {
    .name = "cosine",
    .about = "cosine between answer and stored output, mean over items",
    .truth = IG_TRUTH_ARRAYS,
    .unit = "",
    .judge = judge,
    .value = ig_tally_ratio,
};
