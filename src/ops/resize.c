/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resize.c: resampling by scales or to sizes.
 *
 * Opset 10 maps coordinates asymmetrically; 11 brought the modes of coordinates and of nearest,
 * roi and sizes; 18 antialias, axes and keep_aspect_ratio_policy; 19 half_pixel_symmetric.
 */
#include "ops/resampling.h"
#include "ops/strided.h"

static const char *const coords_names[IG_N_COORDS] = {
    [IG_COORDS_HALF_PIXEL] = "half_pixel",
    [IG_COORDS_HALF_PIXEL_SYMMETRIC] = "half_pixel_symmetric",
    [IG_COORDS_PYTORCH_HALF_PIXEL] = "pytorch_half_pixel",
    [IG_COORDS_TF_HALF_PIXEL_FOR_NN] = "tf_half_pixel_for_nn",
    [IG_COORDS_ALIGN_CORNERS] = "align_corners",
    [IG_COORDS_ASYMMETRIC] = "asymmetric",
    [IG_COORDS_TF_CROP_AND_RESIZE] = "tf_crop_and_resize",
};
static const char *const nearest_names[] = {
    [IG_NEAREST_ROUND_PREFER_FLOOR] = "round_prefer_floor",
    [IG_NEAREST_ROUND_PREFER_CEIL] = "round_prefer_ceil",
    [IG_NEAREST_FLOOR] = "floor",
    [IG_NEAREST_CEIL] = "ceil",
};
static const char *const aspect_names[] = {
    [IG_ASPECT_STRETCH] = "stretch",
    [IG_ASPECT_NOT_LARGER] = "not_larger",
    [IG_ASPECT_NOT_SMALLER] = "not_smaller",
};

/* Index of the attribute's value among n names; the first when absent. */
static ig_status choose(const ig_node *node, const char *attr, const char *const *names, int n,
                        int *out, ig_error *err)
{
    for (int i = 0; i < n; i++)
        if (ig_attr_is(node, attr, names[i], i == 0)) {
            *out = i;
            return INGOT_OK;
        }
    return ig_fail(err, INGOT_ERR_INVALID, "attribute %s has an unknown value", attr);
}

static ig_status read_axes(const ig_node *node, ig_resample *r, ig_error *err)
{
    ig_ints list = { .n = 0 };
    int at[IG_MAX_RANK], as_lies[IG_MAX_RANK];
    size_t n;
    const int64_t *axes = ig_attr_ints(node, "axes", &n);
    if (!axes || node->opset < 18) return INGOT_OK;
    if (n > (size_t)r->rank)
        return ig_fail(err, INGOT_ERR_INVALID, "%zu axes for rank %d", n, r->rank);
    for (size_t i = 0; i < n; i++) list.v[i] = axes[i];
    list.n = (int)n;
    IG_TRY(ig_axes(&list, r->rank, at, err));
    for (size_t i = 0; i < n; i++) as_lies[i] = r->axes[at[i]];
    for (size_t i = 0; i < n; i++) r->axes[i] = as_lies[i];
    r->n_axes = (int)n;
    return INGOT_OK;
}

static ig_status read(const ig_node *node, int rank, ig_resample *r, ig_error *err)
{
    int coords = IG_COORDS_ASYMMETRIC, nearest = IG_NEAREST_SIMPLE, aspect = IG_ASPECT_STRETCH;
    IG_TRY(ig_resample_init(node, rank, r, err));
    r->coords = IG_COORDS_ASYMMETRIC;
    r->nearest = IG_NEAREST_SIMPLE;
    r->in_scales = node->opset < 11 ? 1 : 2;
    if (node->opset < 11) return INGOT_OK;
    r->in_roi = 1;
    r->in_sizes = 3;
    IG_TRY(choose(node, "coordinate_transformation_mode", coords_names, IG_N_COORDS, &coords, err));
    IG_TRY(
        choose(node, "nearest_mode", nearest_names, (int)IG_COUNT(nearest_names), &nearest, err));
    IG_TRY(choose(node, "keep_aspect_ratio_policy", aspect_names, (int)IG_COUNT(aspect_names),
                  &aspect, err));
    r->coords = (ig_resample_coords)coords;
    r->nearest = (ig_nearest)nearest;
    r->aspect = node->opset < 18 ? IG_ASPECT_STRETCH : (ig_aspect)aspect;
    r->antialias = node->opset >= 18 && ig_attr_int(node, "antialias", 0) != 0;
    r->exclude_outside = ig_attr_int(node, "exclude_outside", 0) != 0;
    r->cubic_a = ig_attr_float(node, "cubic_coeff_a", -0.75f);
    r->extrapolation = ig_attr_float(node, "extrapolation_value", 0);
    if (r->antialias && r->mode == IG_RESAMPLE_NEAREST)
        return ig_fail(err, INGOT_ERR_INVALID, "antialias goes with mode linear or cubic");
    return read_axes(node, r, err);
}

static ig_status infer(ig_infer *c) { return ig_infer_resample(c, read); }
static ig_status ref(ig_call *c) { return ig_ref_resample(c, read); }
static ig_status lower(ig_lower *l) { return ig_lower_resample(l, read); }
static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    return ig_resample_is_identity(node, in, out, read);
}

static const char *const cases[] = {
    "f32[2,4]{1,2,3,4,5,6,7,8} _ _ i64{2} axes=[1] antialias=1 mode=\"linear\" "
    "= f32[2,2]{1.625,3.375,5.625,7.375}",
    "f32[7]{0,1,2,3,4,5,6} _ _ i64{2} nearest_mode=\"round_prefer_ceil\" "
    "coordinate_transformation_mode=\"asymmetric\" = f32[2]{0,4}",
    /* nearest */
    "f32[1,1,2,2]{1,2,3,4} _ c:f32[4]{1,1,2,3} = "
    "f32[1,1,4,6]{1,1,1,2,2,2,1,1,1,2,2,2,3,3,3,4,4,4,3,3,3,4,4,4}",
    "f32[1,1,2,4]{1,2,3,4,5,6,7,8} _ c:f32[4]{1,1,0.6,0.6} = f32[1,1,1,2]{1,3}",
    "f32[4]{1,2,3,4} _ c:f32[1]{2} nearest_mode=\"ceil\" "
    "coordinate_transformation_mode=\"asymmetric\" = f32[8]{1,2,2,3,3,4,4,4}",
    "f32[4]{1,2,3,4} _ c:f32[1]{2} nearest_mode=\"round_prefer_ceil\" "
    "coordinate_transformation_mode=\"asymmetric\" = f32[8]{1,2,2,3,3,4,4,4}",
    "f32[4]{1,2,3,4} _ _ c:i64{7} nearest_mode=\"floor\" "
    "coordinate_transformation_mode=\"align_corners\" = f32[7]{1,1,2,2,3,3,4}",
    "f32[1,1,4,5] _ _ i64{1,1,7,3}",
    "f32[2,7,5,3] _ c:f32[4]{1,1,2,2} channels_last=1 nearest_mode=\"floor\" "
    "coordinate_transformation_mode=\"asymmetric\"",
    "u8[2,5,3,1] _ c:f32[4]{1,1,1.7,2.3} channels_last=1",
    "f32[1,3,5,7] _ c:f32[4]{1,1,2,2} coordinate_transformation_mode=\"tf_half_pixel_for_nn\" @11",
    "str[2]{\"a\",\"b\"} _ c:f32[1]{2} = str[4]{\"a\",\"a\",\"b\",\"b\"}",
    "f32[2,2] c:f32[4]{0,0.5,1,1.5} c:f32[2]{1,2} extrapolation_value=9.0 "
    "coordinate_transformation_mode=\"tf_crop_and_resize\"",
    "f32[1,1,2,2]{1,2,3,4} c:f32[4]{1,1,2,2} @10 = "
    "f32[1,1,4,4]{1,1,2,2,1,1,2,2,3,3,4,4,3,3,4,4}",
    "f32[1,1,2,4]{1,2,3,4,5,6,7,8} c:f32[4]{1,1,0.6,0.6} @10 = f32[1,1,1,2]{1,3}",
    /* linear */
    "f32[1,1,2,2]{1,2,3,4} _ c:f32[4]{1,1,2,2} mode=\"linear\" = f32[1,1,4,4]"
    "{1,1.25,1.75,2,1.5,1.75,2.25,2.5,2.5,2.75,3.25,3.5,3,3.25,3.75,4}",
    "f32[1,1,2,2]{1,2,3,4} _ c:f32[4]{1,1,2,2} mode=\"linear\" "
    "coordinate_transformation_mode=\"align_corners\" = f32[1,1,4,4]{1,1.3333333,1.6666667,2,"
    "1.6666667,2,2.3333333,2.6666667,2.3333333,2.6666667,3,3.3333333,3,3.3333333,3.6666667,4}",
    "f32[1,1,2,4]{1,2,3,4,5,6,7,8} _ c:f32[4]{1,1,0.6,0.6} mode=\"linear\" = "
    "f32[1,1,1,2]{2.6666667,4.3333333}",
    "f32[4]{1,2,3,4} _ c:f32[1]{0.6} mode=\"linear\" "
    "coordinate_transformation_mode=\"half_pixel_symmetric\" = f32[2]{1.6666667,3.3333333}",
    "f32[4]{1,2,3,4} c:f32[2]{0.4,0.6} c:f32[1]{0.25} mode=\"linear\" "
    "coordinate_transformation_mode=\"tf_crop_and_resize\" = f32[1]{2.5}",
    "f32[4]{1,2,3,4} c:f32[2]{0,2} _ c:i64{3} mode=\"linear\" extrapolation_value=10.0 "
    "coordinate_transformation_mode=\"tf_crop_and_resize\" = f32[3]{1,4,10}",
    "f32[1,3,5,7] _ c:f32[4]{1,1,2.5,1.5} mode=\"linear\" "
    "coordinate_transformation_mode=\"pytorch_half_pixel\"",
    "f32[2,5,7,19] _ c:f32[4]{1,1,2,0.4} mode=\"linear\" channels_last=1",
    "f32[2,5,7,1] _ c:f32[4]{1,1,2,0.4} mode=\"linear\" channels_last=1",
    "f32[1,2,3,4,5] _ c:f32[5]{1,1,2,2,2} mode=\"linear\"",
    "f32[3,2,5] _ c:f32[3]{2,1,2} mode=\"linear\"",
    "u8[4]{0,10,20,30} _ c:f32[1]{2} mode=\"linear\" = u8[8]{0,2,8,12,18,22,28,30}",
    /* cubic */
    "f32[1,1,4,4] _ c:f32[4]{1,1,2,2} mode=\"cubic\"",
    "f32[1,1,4,4] _ c:f32[4]{1,1,0.8,0.8} mode=\"cubic\" exclude_outside=1 cubic_coeff_a=-0.5",
    "f32[4]{1,2,3,4} _ c:f32[1]{2} mode=\"cubic\" "
    "coordinate_transformation_mode=\"asymmetric\" = "
    "f32[8]{1,1.40625,2,2.5,3,3.59375,4,4.09375}",
    /* antialias, axes, aspect */
    "f32[4]{1,2,3,4} _ c:f32[1]{0.5} mode=\"linear\" antialias=1 = f32[2]{1.625,3.375}",
    "f32[1,1,9,8] _ c:f32[4]{1,1,0.6,0.3} mode=\"cubic\" antialias=1",
    "f32[1,1,9,8] _ c:f32[4]{1,1,0.6,0.3} mode=\"linear\" antialias=1 exclude_outside=1",
    "f32[1,3,4,5] _ c:f32[2]{2,3} axes=[3,2]",
    "f32[1,4,5,3] _ c:f32[2]{2,3} axes=[3,2] channels_last=1 mode=\"linear\"",
    "f32[1,1,2,4] _ _ c:i64{7,8} axes=[2,3] keep_aspect_ratio_policy=\"not_larger\"",
    "f32[1,1,2,4] _ _ i64{7,8} axes=[2,3] keep_aspect_ratio_policy=\"not_smaller\" "
    "mode=\"linear\"",
    "f32[1,2,3,3] _ f32[4]{1,1,2,2} mode=\"linear\"",
    "f32[0,3] _ c:f32[2]{1,2}",
    "f16[1,1,3,3] _ c:f32[4]{1,1,2,2} mode=\"linear\"",
    "f32[2,3] _ c:f32[1]{1} ! 1 scales for 2 axes",
    "f32[2,3] _ c:f32[2]{1,0} ! not positive",
    "f32[2,3] ! neither scales nor sizes",
    "f32[2,7] _ c:f32[2]{1,1e18} ! dimension 1 of output 0 would be",
    "f32[2,7] _ c:f32[2]{1,1e30} ! are too many",
    "f32[0,3] _ _ c:i64{1,3} ! is empty",
    NULL,
};

const ig_op ig_op_resize = {
    .onnx = "Resize",
    .since = { 10, 11, 13, 18, 19 },
    .n_in = { 1, 4 },
    .n_out = { 1, 1 },
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .is_identity = is_identity,
    .permute = ig_permute_resample,
    .cases = cases,
};
