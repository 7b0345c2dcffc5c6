/* SPDX-License-Identifier: Apache-2.0 */
/* top.c: top1 and top5: is the right class among the k best? */
#include "cli/eval/metric.h"

/* How many classes come before this one. */
static int64_t rank_of(const ig_part *p, int64_t class_i)
{
    const double score = ig_part_element(p, class_i);
    int64_t n = 0;
    for (int64_t i = 0; i < p->count; i++)
        n += ig_ranks_before(ig_part_element(p, i), i, score, class_i);
    return n;
}

static ig_status judge(int k, ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                       ig_mark *mark, ig_str *said, ig_error *err)
{
    ig_classified c;
    IG_TRY(ig_judge_class(t, answer, truth, &c, mark, said, err));
    if (k == 1) return INGOT_OK;
    if (c.scores.count < 2)
        return ig_fail(err, INGOT_ERR_SHAPE, "top%d: the output has no scores of classes", k);
    mark->a = rank_of(&c.scores, mark->truth_class) < k;
    mark->is_wrong = mark->a == 0;
    return INGOT_OK;
}

static ig_status judge_top1(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                            ig_mark *mark, ig_str *said, ig_error *err)
{
    return judge(1, t, answer, truth, mark, said, err);
}

static ig_status judge_top5(ig_tally *t, const ig_answer *answer, const ig_item_truth *truth,
                            ig_mark *mark, ig_str *said, ig_error *err)
{
    return judge(5, t, answer, truth, mark, said, err);
}

const ig_metric ig_metric_top1 = { .name = "top1",
                                   .about = "share of items whose best class is the label",
                                   .is_share = true,
                                   .is_percent = true,
                                   .unit = "",
                                   .judge = judge_top1,
                                   .value = ig_tally_ratio };
const ig_metric ig_metric_top5 = { .name = "top5",
                                   .about =
                                       "share of items with the label among the 5 best classes",
                                   .is_share = true,
                                   .is_percent = true,
                                   .unit = "",
                                   .judge = judge_top5,
                                   .value = ig_tally_ratio };
