/* SPDX-License-Identifier: Apache-2.0 */
/* affine_grid.c: the grid (for GridSample) of a picture's pixels after an affine map of [-1, 1]. */
#include "ops/strided.h"

enum { IN_THETA, IN_SIZE };

static ig_status infer(ig_infer *c)
{
    const ig_info *theta = c->in[IN_THETA];
    ig_dim size[IG_MAX_RANK], dims[IG_MAX_RANK];
    int n = 0;
    IG_TRY(ig_infer_tensors(c, 2));
    if (theta->rank < 0) return INGOT_OK;
    if (theta->rank != 3) return ig_fail(c->err, INGOT_ERR_SHAPE, "theta has rank %d", theta->rank);
    const bool known = ig_infer_ints(c, IN_SIZE, size, IG_MAX_RANK, &n);
    const ig_dim spatial = theta->dims[1];
    if (!ig_dim_is_const(spatial)) return INGOT_OK;
    if ((spatial != 2 && spatial != 3) ||
        (ig_dim_is_const(theta->dims[2]) && theta->dims[2] != spatial + 1) ||
        (known && n != spatial + 2))
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "theta must be [N,2,3] with 4 sizes or [N,3,4] with 5");
    dims[0] = theta->dims[0];
    if (known) IG_TRY(ig_dim_unify(theta->dims[0], size[0], "theta and size", &dims[0], c->err));
    for (int d = 0; d < (int)spatial; d++) {
        dims[1 + d] = known ? size[2 + d] : ig_dim_born(c->dims);
        if (ig_dim_is_const(dims[1 + d]) && dims[1 + d] < 0)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "size %lld is negative",
                           (long long)dims[1 + d]);
    }
    dims[1 + spatial] = spatial;
    ig_info_set_shape(&c->out[0], theta->type.dtype, (int)spatial + 2, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *theta = c->in[IN_THETA], *y = c->out[0];
    const bool aligns = ig_attr_int(c->node, "align_corners", 0) != 0;
    IG_TRY(ig_call_ready(c));
    const int n = y->rank - 2;
    const int64_t n_points = ig_count(n, y->dims + 1), count = y->dims[0] * n_points;
    for (int64_t p = 0; p < count; p++) {
        double x[4] = { 0 };
        int64_t rest = p % n_points;
        for (int d = n - 1; d >= 0; d--) {
            const int64_t size = y->dims[1 + d], i = rest % size;
            rest /= size;
            /* x comes first, so the last dimension has coordinate 0 */
            x[n - 1 - d] = !aligns    ? (2 * (double)i + 1) / (double)size - 1
                           : size > 1 ? 2 * (double)i / (double)(size - 1) - 1
                                      : -1;
        }
        x[n] = 1;
        for (int k = 0; k < n; k++) {
            double sum = 0;
            for (int j = 0; j <= n; j++)
                sum += ig_get_f64(theta->dtype, theta->data, (p / n_points * n + k) * (n + 1) + j) *
                       x[j];
            ig_set_f64(y->dtype, y->data, p * n + k, sum);
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,2,3]{1,0,0,0,1,0} c:i64{1,1,2,2} = f32[1,2,2,2]{-0.5,-0.5,0.5,-0.5,-0.5,0.5,0.5,0.5}",
    "f32[1,2,3]{2,0,1,0,1,0} i64{1,1,2,2} align_corners=1 = "
    "f32[1,2,2,2]{-1,-1,3,-1,-1,1,3,1}",
    "f32[2,3,4] i64{2,3,2,3,4}",
    "f32[2,3,4] i64{2,3,2,3,4} align_corners=1",
    "f32[2,2,3] c:i64{2,3,2,3,4} ! theta must be",
    NULL,
};

const ig_op ig_op_affine_grid = {
    .onnx = "AffineGrid",
    .since = { 20 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
