/* SPDX-License-Identifier: Apache-2.0 */
/* inverse.c: com.microsoft Inverse: the inverse of each square matrix of a batch, by elimination
 * with the largest pivot of a column, in double. */
#include <math.h>

#include "ops/strided.h"

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[0];
    IG_TRY(ig_infer_tensors(c, 1));
    if (x->rank >= 0) {
        ig_dim side;
        if (x->rank < 2)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "X has rank %d, at least 2 needed", x->rank);
        IG_TRY(ig_dim_unify(x->dims[x->rank - 2], x->dims[x->rank - 1], "sides of a matrix", &side,
                            c->err));
    }
    return ig_infer_same(c);
}

static void swap_rows(double *m, int64_t n, int64_t a, int64_t b)
{
    for (int64_t k = 0; a != b && k < n; k++) {
        const double t = m[a * n + k];
        m[a * n + k] = m[b * n + k];
        m[b * n + k] = t;
    }
}

/* m becomes the identity, inverse what that takes; false when m has no inverse. */
static bool invert(double *m, double *inverse, int64_t n)
{
    for (int64_t i = 0; i < n * n; i++) inverse[i] = i % (n + 1) == 0;
    for (int64_t col = 0; col < n; col++) {
        int64_t pivot = col;
        for (int64_t r = col + 1; r < n; r++)
            if (fabs(m[r * n + col]) > fabs(m[pivot * n + col])) pivot = r;
        if (m[pivot * n + col] == 0) return false;
        swap_rows(m, n, pivot, col);
        swap_rows(inverse, n, pivot, col);
        const double scale = 1 / m[col * n + col];
        for (int64_t k = 0; k < n; k++) {
            m[col * n + k] *= scale;
            inverse[col * n + k] *= scale;
        }
        for (int64_t r = 0; r < n; r++) {
            const double factor = m[r * n + col];
            for (int64_t k = 0; r != col && factor != 0 && k < n; k++) {
                m[r * n + k] -= factor * m[col * n + k];
                inverse[r * n + k] -= factor * inverse[col * n + k];
            }
        }
    }
    return true;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    IG_TRY(ig_call_ready(c));
    const int64_t count = ig_tensor_count(x), n = x->dims[x->rank - 1];
    if (count == 0) return INGOT_OK;
    if (x->dims[x->rank - 2] != n)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "sides of a matrix are %lld and %lld",
                       (long long)x->dims[x->rank - 2], (long long)n);
    double *m = ig_arena_array(c->scratch, (size_t)(n * n), 2 * sizeof *m);
    if (!m) return IG_NOMEM(c->err, (size_t)(n * n) * 2 * sizeof *m);
    for (int64_t at = 0; at < count; at += n * n) {
        for (int64_t i = 0; i < n * n; i++) m[i] = ig_get_f64(x->dtype, x->data, at + i);
        if (!invert(m, m + n * n, n))
            return ig_fail(c->err, INGOT_ERR_INVALID, "matrix %lld has no inverse",
                           (long long)(at / (n * n)));
        for (int64_t i = 0; i < n * n; i++)
            ig_set_f64(x->dtype, c->out[0]->data, at + i, m[n * n + i]);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{1,2,3,4} = f32[2,2]{-2,1,1.5,-0.5}",
    "f32[2,2,2]{0,1,1,0,2,0,0,4} = f32[2,2,2]{0,1,1,0,0.5,0,0,0.25}",
    "f64[3,3]{2,1,0,1,3,1,0,1,4}",
    "f16[2,2]{1,2,3,5}",
    "f32[2,0,0]",
    "f32[1,1]{4} = f32[1,1]{0.25}",
    "f32[2,2]{1,2,2,4} ! matrix 0 has no inverse",
    "f32[2,3] ! sides of a matrix",
    "f32[2] ! X has rank 1, at least 2 needed",
    NULL,
};

const ig_op ig_op_inverse = {
    .onnx = "Inverse",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
