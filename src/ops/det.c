/* SPDX-License-Identifier: Apache-2.0 */
/* det.c: determinants of the matrices in the last two dimensions, by elimination with pivots. */
#include <math.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[0];
    ig_dim n;
    IG_TRY(ig_infer_tensors(c, 1));
    if (x->rank < 0) return INGOT_OK;
    if (x->rank < 2) return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d", x->rank);
    IG_TRY(ig_dim_unify(x->dims[x->rank - 2], x->dims[x->rank - 1], "matrix", &n, c->err));
    ig_info_set_shape(&c->out[0], x->type.dtype, x->rank - 2, x->dims);
    return INGOT_OK;
}

static double determinant(double *a, int64_t n)
{
    double det = 1;
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t r = k + 1; r < n; r++)
            if (fabs(a[r * n + k]) > fabs(a[pivot * n + k])) pivot = r;
        if (a[pivot * n + k] == 0) return 0;
        for (int64_t j = k; pivot != k && j < n; j++) {
            const double t = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = t;
        }
        det *= pivot == k ? a[k * n + k] : -a[k * n + k];
        for (int64_t r = k + 1; r < n; r++) {
            const double f = a[r * n + k] / a[k * n + k];
            for (int64_t j = k; j < n; j++) a[r * n + j] -= f * a[k * n + j];
        }
    }
    return det;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    IG_TRY(ig_call_ready(c));
    const int64_t n = x->dims[x->rank - 1], count = ig_tensor_count(c->out[0]);
    double *a = ig_arena_array(c->scratch, (size_t)(n * n), sizeof *a);
    if (!a) return IG_NOMEM(c->err, (size_t)(n * n) * sizeof *a);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < n * n; k++) a[k] = ig_get_f64(x->dtype, x->data, i * n * n + k);
        ig_set_f64(x->dtype, c->out[0]->data, i, determinant(a, n));
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} = f32[]{-2}",          "f32[2,2,2]{0,1,1,0,2,0,0,3} = f32[2]{-1,6}",
    "f32[3,3]{1,2,3,4,5,6,7,8,9} = f32[]{0}", "f64[2,3,4,4]",
    "f32[2,3] ! matrix: 2 and 3 differ",      NULL,
};

const ig_op ig_op_det = {
    .onnx = "Det",
    .since = { 11, 22 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
