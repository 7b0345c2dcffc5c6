/* SPDX-License-Identifier: Apache-2.0 */
/* shape.c: the dimensions of a tensor, from `start` to `end` since opset 15. */
#include "ops/strided.h"

/* Range of dimensions wanted, clamped as a slice is. */
static void wanted(const ig_node *node, int opset, int rank, int *start, int *end)
{
    int64_t s = opset >= 15 ? ig_attr_int(node, "start", 0) : 0;
    int64_t e = opset >= 15 ? ig_attr_int(node, "end", rank) : rank;
    s += s < 0 ? rank : 0;
    e += e < 0 ? rank : 0;
    *start = (int)(s < 0 ? 0 : s > rank ? rank : s);
    *end = (int)(e < 0 ? 0 : e > rank ? rank : e);
    if (*end < *start) *end = *start;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_dim n;
    int start, end;
    if (in->rank < 0) {
        n = ig_dim_born(c->dims);
        ig_info_set_shape(&c->out[0], INGOT_INT64, 1, &n);
        return INGOT_OK;
    }
    wanted(c->node, c->opset, in->rank, &start, &end);
    n = end - start;
    ig_info_set_shape(&c->out[0], INGOT_INT64, 1, &n);
    return ig_infer_give_elems(c, 0, in->dims + start, end - start);
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    int start, end;
    wanted(c->node, c->opset, in->rank, &start, &end);
    int64_t *y = c->out[0]->data;
    for (int d = start; d < end; d++) y[d - start] = in->dims[d];
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[3,4,5] = i64{3,4,5}",
    "f32[] = i64{}",
    "f32[0,2] = i64{0,2}",
    "f32[3,4,5] @15 start=1 = i64{4,5}",
    "f32[3,4,5] end=-1 = i64{3,4}",
    "f32[3,4,5] start=-2 end=-1 = i64{4}",
    "f32[3,4,5] start=-10 end=10 = i64{3,4,5}",
    "f32[3,4,5] start=2 end=1 = i64{}",
    "f16[2,2] @1 = i64{2,2}",
    "str[2] = i64{2}",
    NULL,
};

const ig_op ig_op_shape = {
    .onnx = "Shape",
    .since = { 1, 13, 15, 19, 21, 23, 24, 25 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .flags = IG_SHAPE_ONLY | IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
