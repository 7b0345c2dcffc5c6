/* SPDX-License-Identifier: Apache-2.0 */
/* mel_weight_matrix.c: triangles, evenly spaced on the mel scale, that weigh the terms of a
 * spectrum: [dft_length/2 + 1, num_mel_bins]. */
#include <math.h>

#include "ops/strided.h"

enum { IN_BINS, IN_LENGTH, IN_RATE, IN_LOW, IN_HIGH };

static ig_status infer(ig_infer *c)
{
    const ingot_dtype dtype = (ingot_dtype)ig_attr_int(c->node, "output_datatype", INGOT_FLOAT);
    bool knows_bins, knows_length;
    int64_t bins, length;
    if ((int)dtype < 1 || (int)dtype > 31 || !(IG_T(dtype) & IG_T_NUMERIC))
        return ig_fail(c->err, INGOT_ERR_INVALID, "output_datatype %d is no number", (int)dtype);
    static const char *const names[] = { "num_mel_bins", "dft_length", "sample_rate" };
    for (int i = IN_BINS; i <= IN_RATE; i++) IG_TRY(ig_infer_is_int(c, i, names[i]));
    IG_TRY(ig_infer_scalar(c, IN_BINS, 0, &knows_bins, &bins));
    IG_TRY(ig_infer_scalar(c, IN_LENGTH, 0, &knows_length, &length));
    if ((knows_bins && (bins < 0 || bins > INT32_MAX)) ||
        (knows_length && (length < 0 || length > INT32_MAX)))
        return ig_fail(c->err, INGOT_ERR_INVALID, "%lld bins for %lld terms", (long long)bins,
                       (long long)length);
    const ig_dim dims[2] = { knows_length ? length / 2 + 1 : ig_dim_born(c->dims),
                             knows_bins ? bins : ig_dim_born(c->dims) };
    ig_info_set_shape(&c->out[0], dtype, 2, dims);
    return INGOT_OK;
}

static ig_status scalar(const ig_call *c, int i, double *out)
{
    if (ig_tensor_count(c->in[i]) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d must hold one element", i);
    *out = ig_get_f64(c->in[i]->dtype, c->in[i]->data, 0);
    return INGOT_OK;
}

static double mel(double hertz) { return 2595 * log10(1 + hertz / 700); }

static ig_status ref(ig_call *c)
{
    const ingot_dtype dtype = (ingot_dtype)ig_attr_int(c->node, "output_datatype", INGOT_FLOAT);
    double v[5];
    for (int i = 0; i < 5; i++) IG_TRY(scalar(c, i, &v[i]));
    const int64_t bins = (int64_t)v[IN_BINS], length = (int64_t)v[IN_LENGTH];
    if (bins < 0 || bins > INT32_MAX || length < 0 || length > INT32_MAX || !(v[IN_RATE] > 0))
        return ig_fail(c->err, INGOT_ERR_INVALID, "%lld bins for %lld terms at %g Hz",
                       (long long)bins, (long long)length, v[IN_RATE]);
    const int64_t dims[2] = { length / 2 + 1, bins };
    IG_TRY(ig_call_output(c, 0, dtype, 2, dims));
    int64_t *edge = ig_arena_array(c->scratch, (size_t)bins + 2, sizeof *edge);
    if (!edge) return IG_NOMEM(c->err, ((size_t)bins + 2) * sizeof *edge);
    const double low = mel(v[IN_LOW]), step = (mel(v[IN_HIGH]) - low) / (double)(bins + 2);
    for (int64_t i = 0; i < bins + 2; i++) {
        const double hertz = 700 * (pow(10, (low + (double)i * step) / 2595) - 1);
        const double at = floor((double)(length + 1) * hertz / v[IN_RATE]);
        if (!(at >= 0) || at >= (double)dims[0])
            return ig_fail(c->err, INGOT_ERR_INVALID, "%g Hz is beyond half the sample rate",
                           hertz);
        edge[i] = (int64_t)at;
    }
    for (int64_t j = 0; j < dims[0]; j++)
        for (int64_t i = 0; i < bins; i++) {
            const int64_t from = edge[i], centre = edge[i + 1], to = edge[i + 2];
            double w = 0;
            if (j == centre && (from == centre || centre < to))
                w = 1;
            else if (j >= from && j <= centre && from < centre)
                w = (double)(j - from) / (double)(centre - from);
            else if (j > centre && j < to)
                w = (double)(to - j) / (double)(to - centre);
            ig_set_f64(dtype, c->out[0]->data, j * bins + i, w);
        }
    return INGOT_OK;
}

static const char *const cases[] = {
    "i64[]{8} i64[]{16} i64[]{8192} f32[]{0} f32[]{4096}",
    "c:i32[]{20} c:i32[]{256} c:i32[]{16000} c:f32[]{20} c:f32[]{7600} output_datatype=11",
    "i64[]{2} i64[]{16} i64[]{100} f32[]{0} f32[]{4096} ! beyond half the sample rate",
    "i64[]{2} f32[]{nan} i64[]{100} f32[]{0} f32[]{40} ! dft_length",
    "i64[]{2} i64[]{16} i64[]{100} f32[]{nan} f32[]{40} ! beyond half the sample rate",
    NULL,
};

const ig_op ig_op_mel_weight_matrix = {
    .onnx = "MelWeightMatrix",
    .since = { 17 },
    .n_in = { 5, 5 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_INT32) | IG_T(INGOT_INT64),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
