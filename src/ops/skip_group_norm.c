/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skip_group_norm.c: com.microsoft SkipGroupNorm: GroupNorm of s = x + skip + bias. skip has x's
 * shape, or one value for each channel of a sample; bias has one for each channel. Output 1 is s.
 */
#include "ops/activated_norm.h"
#include "ops/channel_norm.h"
#include "ops/strided.h"

enum { IN_X, IN_GAMMA, IN_BETA, IN_SKIP, IN_BIAS };
enum { OUT_Y, OUT_SUM };

static bool is_last(const ig_node *node) { return ig_attr_int(node, "channels_last", 1) != 0; }

static ig_status check_counts(const ig_node *node, int rank, const int64_t *x, int64_t n_skip,
                              int64_t n_bias, ig_error *err)
{
    if (rank < 2) return ig_fail(err, INGOT_ERR_SHAPE, "x has rank %d, at least 2 needed", rank);
    const int64_t count = ig_count(rank, x);
    const int64_t channels = x[is_last(node) && rank > 2 ? rank - 1 : 1];
    if (count == 0) return INGOT_OK;
    if (n_skip != count && n_skip != x[0] * channels)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "skip has %lld elements, neither %lld as x nor %lld, one a channel",
                       (long long)n_skip, (long long)count, (long long)(x[0] * channels));
    if (n_bias >= 0 && n_bias != channels)
        return ig_fail(err, INGOT_ERR_SHAPE, "bias has %lld elements for %lld channels",
                       (long long)n_bias, (long long)channels);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    int64_t x[IG_MAX_RANK], skip[IG_MAX_RANK], bias[IG_MAX_RANK];
    const ig_node *const node = c->node;
    IG_TRY(ig_infer_tensors(c, IN_SKIP + 1));
    IG_TRY(ig_activated_norm_node(node, c->arena, &c->node, c->err));
    const ig_status status = ig_infer_channel_norm(c, ig_attr_int(node, "groups", 0), false);
    c->node = node;
    IG_TRY(status);
    if (c->n_out > OUT_SUM) c->out[OUT_SUM] = c->out[OUT_Y];
    const ig_info *b = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL;
    if (!ig_info_is_static(c->in[IN_X], x) || !ig_info_is_static(c->in[IN_SKIP], skip) ||
        (b && !ig_info_is_static(b, bias)))
        return INGOT_OK;
    return check_counts(node, c->in[IN_X]->rank, x, ig_count(c->in[IN_SKIP]->rank, skip),
                        b ? ig_count(b->rank, bias) : -1, c->err);
}

static void add(ig_call *c, float *sum)
{
    const ig_tensor *x = c->in[IN_X], *skip = c->in[IN_SKIP];
    const ig_tensor *bias = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL;
    const bool last = is_last(c->node) && x->rank > 2;
    const int64_t count = ig_tensor_count(x), channels = x->dims[last ? x->rank - 1 : 1];
    const int64_t sample = count / x->dims[0], inner = sample / channels;
    const bool is_full = ig_tensor_count(skip) == count;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = i % sample, channel = last ? at % channels : at / inner;
        double v = ig_get_f64(x->dtype, x->data, i);
        v += ig_get_f64(skip->dtype, skip->data, is_full ? i : i / sample * channels + channel);
        if (bias) v += ig_get_f64(bias->dtype, bias->data, channel);
        sum[i] = (float)v;
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X];
    const ig_tensor *bias = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL;
    ig_tensor *sum = c->n_out > OUT_SUM ? c->out[OUT_SUM] : NULL;
    IG_TRY(check_counts(c->node, x->rank, x->dims, ig_tensor_count(c->in[IN_SKIP]),
                        bias ? ig_tensor_count(bias) : -1, c->err));
    if (ig_tensor_count(x) == 0) return INGOT_OK;
    if (!sum)
        IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, x->rank, x->dims, NULL, &sum, c->err));
    add(c, sum->data);
    if (!c->out[OUT_Y]) return INGOT_OK;
    const ig_tensor *const in[] = { sum, c->in[IN_GAMMA], c->in[IN_BETA] };
    ig_call norm = *c;
    norm.in = in;
    norm.n_in = IG_COUNT(in);
    IG_TRY(ig_activated_norm_node(c->node, c->scratch, &norm.node, c->err));
    IG_TRY(ig_ref_channel_norm(&norm, ig_attr_int(c->node, "groups", 0), false));
    ig_activated_norm_finish(c->node, c->out[OUT_Y]);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,1,2,2} f32[2]{1,2} f32[2]{0,1} f32[1,1,2,2]{0,0,1,3} f32[2]{0,1} groups=2 "
    "activation=0 epsilon=0.0 -> 2 = f32[1,1,2,2]{-1,-1,1,3} f32[1,1,2,2]{1,2,3,6}",
    "f32[1,1,2,2]{1,1,2,2} f32[2]{1,2} f32[2]{0,1} f32[1,2]{5,7} groups=2 activation=0 "
    "epsilon=0.0 -> 2 = f32[1,1,2,2]{-1,-1,1,3} f32[1,1,2,2]{6,8,7,9}",
    "f32[2,3,4,6] f32[6] f32[6] f32[2,1,1,6] f32[6] groups=3 activation=1 -> 2",
    "f32[2,6,3,4] f32[6] f32[6] f32[2,6] groups=3 activation=1 channels_last=0",
    "f16[2,3,4,6] f32[6] f32[6] f16[2,3,4,6] f16[6] groups=3 activation=1 -> 2",
    "f32[0,3,4,6] f32[6] f32[6] f32[0,3,4,6] groups=3 activation=1 -> 2",
    "f32[2,3,4,6] f32[6] f32[6] f32[6] groups=3 activation=1 ! skip has 6 elements",
    "f32[2,3,4,6] f32[6] f32[6] f32[2,6] f32[5] groups=3 activation=1 ! bias has 5 elements",
    "f32[2,3,4,6] f32[6] f32[6] f32[2,6] groups=4 activation=1 ! do not make 4 groups",
    NULL,
};

const ig_op ig_op_skip_group_norm = {
    .onnx = "SkipGroupNorm",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 4, 5 },
    .n_out = { 1, 2 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
