/* SPDX-License-Identifier: Apache-2.0 */
/* reverse_sequence.c: the first sequence_lens[b] steps of each sequence b in reverse order. */
#include <string.h>

#include "ops/strided.h"

static ig_status read_axes(const ig_node *node, int64_t *time, int64_t *batch, ig_error *err)
{
    *time = ig_attr_int(node, "time_axis", 0);
    *batch = ig_attr_int(node, "batch_axis", 1);
    if (*time < 0 || *time > 1 || *batch != 1 - *time)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "time_axis %lld and batch_axis %lld must be 0 and 1, or 1 and 0",
                       (long long)*time, (long long)*batch);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 1, "sequence_lens"));
    const ig_info *in = c->in[0], *lens = c->in[1];
    int64_t time, batch;
    IG_TRY(read_axes(c->node, &time, &batch, c->err));
    if (in->rank >= 0 && in->rank < 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input must have rank 2 or more, not %d", in->rank);
    if (lens->rank >= 0 && lens->rank != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "sequence_lens must have rank 1, not %d",
                       lens->rank);
    ig_dim same;
    if (in->rank >= 0 && lens->rank >= 0)
        IG_TRY(ig_dim_unify(in->dims[batch], lens->dims[0], "batch and number of sequence_lens",
                            &same, c->err));
    return ig_infer_same(c);
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    int64_t time, batch;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    IG_TRY(read_axes(c->node, &time, &batch, c->err));
    const int64_t n = in->dims[time], n_batch = in->dims[batch];
    const size_t row = (size_t)ig_count(in->rank - 2, in->dims + 2) * bytes;
    const size_t time_step = time == 0 ? (size_t)n_batch * row : row;
    const size_t batch_step = time == 0 ? row : (size_t)n * row;
    for (int64_t b = 0; b < n_batch; b++) {
        const int64_t len = ig_get_i64(c->in[1]->dtype, c->in[1]->data, b);
        if (len < 0 || len > n)
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "sequence_lens holds %lld at index %lld, there are %lld steps",
                           (long long)len, (long long)b, (long long)n);
        const char *src = (const char *)in->data + (size_t)b * batch_step;
        char *dst = (char *)c->out[0]->data + (size_t)b * batch_step;
        for (int64_t t = 0; t < n && row > 0; t++) {
            const int64_t from = t < len ? len - 1 - t : t;
            memcpy(dst + (size_t)t * time_step, src + (size_t)from * time_step, row);
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[4,4]{0,4,8,12,1,5,9,13,2,6,10,14,3,7,11,15} i64{4,3,2,1} time_axis=0 batch_axis=1 = "
    "f32[4,4]{3,6,9,12,2,5,8,13,1,4,10,14,0,7,11,15}",
    "f32[2,3]{1,2,3,4,5,6} i64{2,3} time_axis=1 batch_axis=0 = f32[2,3]{2,1,3,6,5,4}",
    "f32[3,2,4] i64{0,3}",
    "i8[3,1] i64{2}",
    "f16[3,1] i64{2}",
    "f32[0,2] i64{0,0}",
    "f32[3,2] i64{4,1} ! sequence_lens holds 4 at index 0, there are 3 steps",
    "f32[3,2] i64{1} ! batch and number of sequence_lens: 2 and 1 differ",
    "f32[3,2] i64{1,1} time_axis=1 ! must be 0 and 1",
    NULL,
};

const ig_op ig_op_reverse_sequence = {
    .onnx = "ReverseSequence",
    .since = { 10, 28 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
