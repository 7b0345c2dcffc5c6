/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mean_variance_normalization.c: (x - mean) / (standard deviation + 1e-9), statistics over axes
 * (by default all but the channels').
 *
 * Before opset 9 the operator was experimental and had two flags instead of axes: across_channels
 * takes the channels in, too, and normalize_variance=0 leaves the deviation alone.
 */
#include <math.h>

#include "ops/strided.h"

static ig_status read_axes(const ig_node *node, int rank, bool reduced[IG_MAX_RANK], ig_error *err)
{
    size_t n;
    const int64_t *list = ig_attr_ints(node, "axes", &n);
    static const int64_t usual[] = { 0, 2, 3 };
    if (node->opset < 9) {
        for (int d = 0; d < rank; d++)
            reduced[d] = d != 1 || ig_attr_int(node, "across_channels", 0) != 0;
        return INGOT_OK;
    }
    for (int d = 0; d < rank; d++) reduced[d] = false;
    if (!list) list = usual, n = IG_COUNT(usual);
    for (size_t i = 0; i < n; i++) {
        int axis;
        IG_TRY(ig_axis(list[i], rank, &axis, err));
        reduced[axis] = true;
    }
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    bool reduced[IG_MAX_RANK];
    IG_TRY(ig_infer_same(c));
    return c->in[0]->rank < 0 ? INGOT_OK : read_axes(c->node, c->in[0]->rank, reduced, c->err);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    const int64_t n = ig_tensor_count(x);
    bool reduced[IG_MAX_RANK];
    int64_t strides[IG_MAX_RANK], kept[IG_MAX_RANK], n_kept = 1;
    IG_TRY(read_axes(c->node, x->rank, reduced, c->err));
    ig_row_major(x->rank, x->dims, strides);
    for (int d = x->rank - 1; d >= 0; d--) {
        kept[d] = reduced[d] ? 0 : n_kept;
        if (!reduced[d]) n_kept *= x->dims[d];
    }
    double *sums = ig_arena_array(c->scratch, (size_t)n_kept, 2 * sizeof *sums);
    int64_t *group = ig_arena_array(c->scratch, (size_t)n, sizeof *group);
    if (!sums || !group) return IG_NOMEM(c->err, (size_t)n * sizeof *group);
    if (n == 0) return INGOT_OK;
    double *squares = sums + n_kept;
    const double n_terms = (double)n / (double)n_kept;
    const bool is_scaled = c->opset >= 9 || ig_attr_int(c->node, "normalize_variance", 1) != 0;
    for (int64_t i = 0; i < n; i++) {
        for (int d = 0; d < x->rank; d++) group[i] += i / strides[d] % x->dims[d] * kept[d];
        sums[group[i]] += ig_get_f64(x->dtype, x->data, i) / n_terms;
    }
    for (int64_t i = 0; i < n; i++) {
        const double d = ig_get_f64(x->dtype, x->data, i) - sums[group[i]];
        squares[group[i]] += d * d / n_terms;
    }
    for (int64_t i = 0; i < n; i++)
        ig_set_f64(x->dtype, c->out[0]->data, i,
                   (ig_get_f64(x->dtype, x->data, i) - sums[group[i]]) /
                       (is_scaled ? sqrt(squares[group[i]]) + 1e-9 : 1));
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2,1,1]{1,2,3,6} = f32[2,2,1,1]{-1,-1,1,1}",
    "f32[2,3,4,5]",
    "f32[3,4] axes=[1]",
    "f32[2,2,1,1]{1,2,3,6} @8 = f32[2,2,1,1]{-1,-1,1,1}",
    "f32[2,2,1,1]{1,2,3,6} @1 normalize_variance=0 = f32[2,2,1,1]{-1,-2,1,2}",
    "f32[2,2,1,1]{1,1,3,3} @8 across_channels=1 = f32[2,2,1,1]{-1,-1,1,1}",
    "f32[2,2] axes=[2] ! axis 2 is out of range",
    NULL,
};

const ig_op ig_op_mean_variance_normalization = {
    .onnx = "MeanVarianceNormalization",
    .since = { 1, 9, 13 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
