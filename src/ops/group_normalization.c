/* SPDX-License-Identifier: Apache-2.0 */
/* group_normalization.c: normalises groups of channels of every picture. Scale and bias are the
 * groups' in opset 18, the channels' since 21. */
#include "ops/channel_norm.h"

static int64_t n_groups(const ig_node *node) { return ig_attr_int(node, "num_groups", -1); }

static ig_status infer(ig_infer *c)
{
    if (n_groups(c->node) < 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "num_groups is missing or not positive");
    return ig_infer_channel_norm(c, n_groups(c->node), c->opset < 21);
}
static ig_status ref(ig_call *c)
{
    return ig_ref_channel_norm(c, n_groups(c->node), c->opset < 21);
}
static ig_status lower(ig_lower *l)
{
    return ig_lower_channel_norm(l, n_groups(l->node), l->opset < 21);
}

static const char *const cases[] = {
    "f32[1,4,1]{1,3,2,6} f32[4]{1,1,1,2} f32[4]{0,0,1,0} num_groups=2 @21 epsilon=0.0 = "
    "f32[1,4,1]{-1,1,0,2}",
    "f32[1,4,1]{1,3,2,6} f32[2]{1,2} f32[2]{0,1} num_groups=2 @18 epsilon=0.0 = "
    "f32[1,4,1]{-1,1,-1,3}",
    "f32[2,6,4,5] f32[6] f32[6] num_groups=3 @21",
    "f32[2,4,5,6] f32[6] f32[6] num_groups=2 channels_last=1 @21",
    "f32[2,6,4] f32[3] f32[3] num_groups=3 @18",
    "f32[2,6,4] f32[6] f32[6] num_groups=4 @21 ! do not make 4 groups",
    "f32[2,6,4] f32[6] f32[6] @21 ! num_groups is missing",
    NULL,
};

const ig_op ig_op_group_normalization = {
    .onnx = "GroupNormalization",
    .since = { 18, 21 },
    .n_in = { 3, 3 },
    .same_type = 0x6,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_INPLACE,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .permute = ig_permute_channel_norm,
    .cases = cases,
};
