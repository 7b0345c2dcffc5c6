/* SPDX-License-Identifier: Apache-2.0 */
/* trilu.c: the upper (or lower) triangle of matrices from diagonal k on; the rest becomes zero. */
#include <string.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 1));
    bool known;
    int64_t k;
    if (c->in[0]->rank >= 0 && c->in[0]->rank < 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input must have rank 2 or more, not %d",
                       c->in[0]->rank);
    IG_TRY(ig_infer_scalar(c, 1, 0, &known, &k));
    return ig_infer_same(c);
}

static int64_t clamp(int64_t x, int64_t high) { return x < 0 ? 0 : x > high ? high : x; }

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    const bool upper = ig_attr_int(c->node, "upper", 1) != 0;
    int64_t k;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    IG_TRY(ig_call_scalar(c, 1, 0, &k));
    const int64_t rows = in->dims[in->rank - 2], cols = in->dims[in->rank - 1];
    const int64_t n = cols > 0 ? ig_tensor_count(in) / cols : 0;
    if (k < -rows) k = -rows;
    if (k > cols) k = cols;
    const char *src = in->data;
    char *dst = c->out[0]->data;
    for (int64_t i = 0; i < n; i++, src += (size_t)cols * bytes, dst += (size_t)cols * bytes) {
        /* kept: [begin, end) */
        const int64_t begin = upper ? clamp(i % rows + k, cols) : 0;
        const int64_t end = upper ? cols : clamp(i % rows + k + 1, cols);
        memset(dst, 0, (size_t)begin * bytes);
        if (src != dst)
            memcpy(dst + (size_t)begin * bytes, src + (size_t)begin * bytes,
                   (size_t)(end - begin) * bytes);
        memset(dst + (size_t)end * bytes, 0, (size_t)(cols - end) * bytes);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[3,3]{1,2,3,4,5,6,7,8,9} = f32[3,3]{1,2,3,0,5,6,0,0,9}",
    "f32[3,3]{1,2,3,4,5,6,7,8,9} upper=0 = f32[3,3]{1,0,0,4,5,0,7,8,9}",
    "f32[3,3]{1,2,3,4,5,6,7,8,9} i64[]{1} = f32[3,3]{0,2,3,0,0,6,0,0,0}",
    "f32[2,4,5] i64[]{-1}",
    "f32[2,4,5] i64{2} upper=0",
    "f32[4,5] i64[]{-7} upper=0 = f32[4,5]{0}",
    "f32[4,5] i64[]{9223372036854775807} = f32[4,5]{0}",
    "f32[4,5] i64[]{-9223372036854775808}",
    "i64[3,4]",
    "bool[3,3]",
    "f16[3,3]",
    "f32[3,0]",
    "f32[0,3]",
    "f32[3] ! input must have rank 2 or more, not 1",
    NULL,
};

const ig_op ig_op_trilu = {
    .onnx = "Trilu",
    .since = { 14 },
    .n_in = { 1, 2 },
    .n_out = { 1, 1 },
    .flags = IG_OWN_HALF | IG_INPLACE,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
