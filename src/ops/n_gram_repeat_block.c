/* SPDX-License-Identifier: Apache-2.0 */
/* n_gram_repeat_block.c: com.microsoft NGramRepeatBlock: the score of each token that would make
 * the ids end with an n-gram that they hold already becomes -infinity. */
#include <math.h>
#include <string.h>

#include "ops/strided.h"

enum { IN_IDS, IN_SCORES };

static ig_status infer(ig_infer *c)
{
    const ig_info *ids = c->in[IN_IDS], *scores = c->in[IN_SCORES];
    ig_dim batch;
    IG_TRY(ig_infer_tensors(c, 2));
    if (ig_attr_int(c->node, "ngram_size", 0) < 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "ngram_size is missing or not positive");
    if (scores->type.dtype != INGOT_FLOAT && scores->type.dtype != INGOT_UNDEFINED)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "scores are %s",
                       ingot_dtype_name(scores->type.dtype));
    for (int i = 0; i < 2; i++)
        if (c->in[i]->rank >= 0 && c->in[i]->rank != 2)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has rank %d, not 2", i,
                           c->in[i]->rank);
    c->out[0].type.dtype = INGOT_FLOAT;
    if (scores->rank < 0) return INGOT_OK;
    if (ids->rank == 2)
        IG_TRY(
            ig_dim_unify(ids->dims[0], scores->dims[0], "batch of ids and scores", &batch, c->err));
    ig_info_set_shape(&c->out[0], INGOT_FLOAT, 2, scores->dims);
    return INGOT_OK;
}

typedef struct block_job {
    const int64_t *ids;
    float *scores;
    int64_t n_ids, n_vocabulary, size;
} block_job;

/* Rows of the batch; ids are checked. */
static void block_rows(void *ctx, ig_part part)
{
    const block_job *j = ctx;
    const size_t bytes = (size_t)(j->size - 1) * sizeof *j->ids;
    for (int64_t row = part.begin; row < part.end; row++) {
        const int64_t *ids = j->ids + row * j->n_ids, *last = ids + j->n_ids + 1 - j->size;
        for (int64_t i = 0; i + j->size <= j->n_ids; i++)
            if (memcmp(ids + i, last, bytes) == 0)
                j->scores[row * j->n_vocabulary + ids[i + j->size - 1]] = -INFINITY;
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *ids = c->in[IN_IDS], *scores = c->in[IN_SCORES];
    IG_TRY(ig_call_ready(c));
    if (ids->dims[0] != scores->dims[0])
        return ig_fail(c->err, INGOT_ERR_SHAPE, "batch of ids and scores: %lld and %lld differ",
                       (long long)ids->dims[0], (long long)scores->dims[0]);
    block_job j = { .ids = ids->data,
                    .scores = c->out[0]->data,
                    .n_ids = ids->dims[1],
                    .n_vocabulary = scores->dims[1],
                    .size = ig_attr_int(c->node, "ngram_size", 1) };
    const int64_t n = ig_tensor_count(ids), n_scores = ig_tensor_count(scores);
    if (n_scores > 0) memcpy(j.scores, scores->data, (size_t)n_scores * sizeof *j.scores);
    if (n == 0 || j.size > j.n_ids) return INGOT_OK;
    for (int64_t i = 0; i < n; i++)
        if (j.ids[i] < 0 || j.ids[i] >= j.n_vocabulary)
            return ig_fail(c->err, INGOT_ERR_INVALID, "id %lld is out of range for %lld scores",
                           (long long)j.ids[i], (long long)j.n_vocabulary);
    ig_run_rows(c->team, block_rows, &j, ids->dims[0], (size_t)j.n_ids * 8);
    return INGOT_OK;
}

static const char *const cases[] = {
    "i64[2,4]{0,1,2,1,3,3,3,3} f32[2,5]{1,2,3,4,5,6,7,8,9,10} ngram_size=2 = "
    "f32[2,5]{1,2,-inf,4,5,6,7,8,-inf,10}",
    "i64[1,3]{0,1,4} f32[1,5]{1,2,3,4,5} ngram_size=1 = f32[1,5]{-inf,-inf,3,4,-inf}",
    "i64[1,7]{0,1,2,0,1,3,0} f32[1,4] ngram_size=3",
    "i64[1,2]{0,1} f32[1,4] ngram_size=3",
    "i64[2,0] f32[2,4] ngram_size=1",
    "i64[0,3] f32[0,4] ngram_size=2",
    "i64[1,4]{0,1,9,1} f32[1,5] ngram_size=2 ! id 9 is out of range for 5 scores",
    "i64[1,4]{0} f32[2,5] ngram_size=2 ! batch of ids and scores",
    "i64[1,4]{0} f32[1,5] ngram_size=0 ! ngram_size is missing or not positive",
    "i64[4]{0} f32[1,5] ngram_size=2 ! input 0 has rank 1, not 2",
    NULL,
};

const ig_op ig_op_n_gram_repeat_block = {
    .onnx = "NGramRepeatBlock",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_INT64),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
