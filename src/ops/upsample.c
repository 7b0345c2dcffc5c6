/* SPDX-License-Identifier: Apache-2.0 */
/*
 * upsample.c: Resize's predecessor: asymmetric coordinates, nearest or linear.
 *
 * Scales: attributes height_scale and width_scale in opset 1, scales in 7, an input since 9.
 * Opset 10 only says that Resize is to be used.
 */
#include "ops/resampling.h"

static ig_status read_attributes(const ig_node *node, int rank, ig_resample *r, ig_error *err)
{
    size_t n = 0;
    if (node->opset < 7) {
        if (rank != 4) return ig_fail(err, INGOT_ERR_SHAPE, "input has rank %d, not 4", rank);
        r->attr_scales[0] = r->attr_scales[1] = 1;
        r->attr_scales[2] = ig_attr_float(node, "height_scale", 0);
        r->attr_scales[3] = ig_attr_float(node, "width_scale", 0);
        r->n_attr_scales = 4;
        return INGOT_OK;
    }
    const float *scales = ig_attr_floats(node, "scales", &n);
    if (n != (size_t)rank || n == 0)
        return ig_fail(err, INGOT_ERR_SHAPE, "%zu scales for rank %d", n, rank);
    for (size_t i = 0; i < n; i++) r->attr_scales[i] = scales[i];
    r->n_attr_scales = n;
    return INGOT_OK;
}

static ig_status read(const ig_node *node, int rank, ig_resample *r, ig_error *err)
{
    IG_TRY(ig_resample_init(node, rank, r, err));
    r->coords = IG_COORDS_ASYMMETRIC;
    r->nearest = IG_NEAREST_SIMPLE;
    if (node->opset < 9) return read_attributes(node, rank, r, err);
    r->in_scales = 1;
    return INGOT_OK;
}

static ig_status infer(ig_infer *c) { return ig_infer_resample(c, read); }
static ig_status ref(ig_call *c) { return ig_ref_resample(c, read); }
static ig_status lower(ig_lower *l) { return ig_lower_resample(l, read); }
static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    return ig_resample_is_identity(node, in, out, read);
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,4} c:f32[4]{1,1,2,3} @9 = "
    "f32[1,1,4,6]{1,1,1,2,2,2,1,1,1,2,2,2,3,3,3,4,4,4,3,3,3,4,4,4}",
    "f32[1,1,2,2]{1,2,3,4} @7 scales=[1.0,1.0,2.0,2.0] mode=\"linear\" = f32[1,1,4,4]"
    "{1,1.5,2,2,2,2.5,3,3,3,3.5,4,4,3,3.5,4,4}",
    "f32[1,3,4,5] f32[4]{1,1,2,2} @9",
    "f32[1,1,1,2]{1,2} c:f32[4]{1,1,1,2} @10 = f32[1,1,1,4]{1,1,2,2}",
    "f32[1,5,4,7] @7 scales=[1.0,1.0,1.5,2.0] channels_last=1",
    "f32[1,1,2,2] @1 height_scale=2.0 width_scale=1.0 mode=\"bilinear\"",
    "f32[2,2] @7 scales=[1.0] ! 1 scales for rank 2",
    NULL,
};

const ig_op ig_op_upsample = {
    .onnx = "Upsample",
    .since = { 1, 7, 9, 10 },
    .until = 10,
    .n_in = { 1, 2 },
    .n_out = { 1, 1 },
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = is_identity,
    .permute = ig_permute_resample,
    .cases = cases,
};
