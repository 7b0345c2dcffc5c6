/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dropout.c: y = x in inference, with a mask of ones. With training_mode (an input, opset 12 on)
 * each element is kept with probability 1 - ratio and then scaled by 1 / (1 - ratio); numbers from
 * random.h. is_test of opset 1 and 6 is taken as set: this engine does not train.
 */
#include "ops/random.h"

#include <string.h>

static bool has_input(const ig_node *node, uint32_t i)
{
    return i < node->n_inputs && node->inputs[i] != IG_NONE;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    if (c->n_out < 2) return INGOT_OK;
    c->out[1] = c->out[0];
    if (c->opset >= 10) c->out[1].type.dtype = INGOT_BOOL;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const ig_tensor *ratio_in = c->n_in > 1 ? c->in[1] : NULL;
    const ig_tensor *mode = c->n_in > 2 ? c->in[2] : NULL;
    const ingot_dtype mask_type = c->opset >= 10 ? INGOT_BOOL : in->dtype;
    const int64_t n = ig_tensor_count(in);
    double ratio = 0.5;
    if (ratio_in && ig_tensor_count(ratio_in) == 1)
        ratio = ig_get_f64(ratio_in->dtype, ratio_in->data, 0);
    const bool is_training = mode && ig_tensor_count(mode) == 1 && *(const uint8_t *)mode->data;
    if (is_training && !(ratio >= 0 && ratio < 1))
        return IG_OP_FAIL(c, INGOT_ERR_INVALID, "ratio %g is not in [0, 1)", ratio);
    if (!is_training) ratio = 0;
    const uint64_t key = ig_random_key(c);
    IG_TRY(ig_call_output(c, 0, in->dtype, in->rank, in->dims));
    if (c->n_out > 1) IG_TRY(ig_call_output(c, 1, mask_type, in->rank, in->dims));
    ig_tensor *y = c->out[0], *mask = c->n_out > 1 ? c->out[1] : NULL;
    for (int64_t i = 0; i < n; i++) {
        const bool is_kept = ratio == 0 || ig_random_uniform(key, (uint64_t)i) >= ratio;
        const double x = ig_get_f64(in->dtype, in->data, i);
        if (mask) ig_set_i64(mask_type, mask->data, i, is_kept);
        if (y) ig_set_f64(in->dtype, y->data, i, is_kept ? x / (1 - ratio) : 0);
    }
    return INGOT_OK;
}

/* Unless a run may ask for training, or for the mask. */
static bool is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)out;
    if (node->n_outputs > 1 && node->outputs[1] != IG_NONE) return false;
    if (!has_input(node, 2)) return true;
    const ig_tensor *mode = in[2] ? in[2]->data : NULL;
    return mode && ig_tensor_count(mode) == 1 && *(const uint8_t *)mode->data == 0;
}

/* The mask would be transposed too. */
static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    (void)g, (void)perm, (void)rank;
    return node->n_outputs < 2 || node->outputs[1] == IG_NONE;
}

static const char *const cases[] = { "f32[3]{1,2,nan} = f32[3]{1,2,nan}",
                                     "f32[2]{1,2} -> 2 = f32[2]{1,2} bool[2]{1,1}",
                                     "f32[2]{1,2} @7 ratio=0.5 -> 2 = f32[2]{1,2} f32[2]{1,1}",
                                     "f32[2]{1,2} @6 ratio=0.5 is_test=1 = f32[2]{1,2}",
                                     "f32[2]{1,2} f32[]{0.9} c:bool[]{0} = f32[2]{1,2}",
                                     "f32[2]{1,2} f32[]{0} bool[]{1} = f32[2]{1,2}",
                                     "f32[2]{1,2} f32[]{1} bool[]{1} ! ratio",
                                     "f16[5] f16[]{0.5}",
                                     "f8e5m2[3]{1,-2,0.5} = f8e5m2[3]{1,-2,0.5}",

                                     "f64[2,3] _ bool[]{0}",
                                     "f32[0]",
                                     NULL };

const ig_op ig_op_dropout = { .onnx = "Dropout",
                              .since = { 1, 6, 7, 10, 12, 13, 22 },
                              .n_in = { 1, 3 },
                              .n_out = { 1, 2 },
                              .types = IG_T_FLOATS | IG_T(INGOT_FLOAT8E4M3FN) |
                                       IG_T(INGOT_FLOAT8E4M3FNUZ) | IG_T(INGOT_FLOAT8E5M2) |
                                       IG_T(INGOT_FLOAT8E5M2FNUZ),
                              .flags = IG_INPLACE | IG_RANDOM | IG_OWN_HALF,
                              .infer = infer,
                              .ref = ref,
                              .is_identity = is_identity,
                              .permute = permute,
                              .cases = cases };
