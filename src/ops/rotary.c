/* SPDX-License-Identifier: Apache-2.0 */
/* rotary.c: see rotary.h. */
#include "ops/rotary.h"

#include <string.h>

static ig_status check_cache(ig_infer *c, int i_cos, int i_sin, ig_dim *half)
{
    const ig_info *cos = c->in[i_cos], *sin = c->in[i_sin];
    *half = -1;
    if (!(IG_T(cos->type.dtype) & IG_T_FLOATS) || sin->type.dtype != cos->type.dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "cos and sin caches are %s and %s",
                       ingot_dtype_name(cos->type.dtype), ingot_dtype_name(sin->type.dtype));
    if (cos->rank < 0 || sin->rank < 0) return INGOT_OK;
    if (cos->rank != sin->rank || cos->rank < 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "cos cache has rank %d, sin cache %d", cos->rank,
                       sin->rank);
    for (int d = 0; d < cos->rank; d++)
        if (cos->dims[d] != sin->dims[d] && ig_dim_is_const(cos->dims[d]) &&
            ig_dim_is_const(sin->dims[d]))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "cos and sin caches differ along axis %d", d);
    if (ig_dim_is_const(cos->dims[cos->rank - 1])) *half = cos->dims[cos->rank - 1];
    return INGOT_OK;
}

ig_status ig_rotary_check(ig_infer *c, int i_x, int i_cos, int i_sin, int64_t n_heads,
                          int64_t n_rotary)
{
    const ig_info *x = c->in[i_x];
    ig_dim half = -1;
    IG_TRY(check_cache(c, i_cos, i_sin, &half));
    if (n_heads < 0 || n_rotary < 0 || n_rotary > IG_DIM_MAX || n_rotary % 2)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "num_heads is %lld, rotary_embedding_dim %lld: not 0, or above and even",
                       (long long)n_heads, (long long)n_rotary);
    if (x->rank < 0 || half < 0) return INGOT_OK;
    if (x->rank != 3 && x->rank != 4)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the input has rank %d, not 3 or 4", x->rank);
    if (half > IG_DIM_MAX / 2)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "the caches have %lld columns", (long long)half);
    const ig_dim width = x->dims[x->rank - 1];
    if (x->rank == 3 && n_heads == 0 && n_rotary > 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "an input of rank 3 needs num_heads above 0");
    if (!ig_dim_is_const(width)) return INGOT_OK;
    int64_t d = width;
    if (x->rank == 3) {
        const int64_t by = n_heads ? n_heads : 2 * half;
        if (by == 0 || width % by)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld columns are no multiple of %lld %s",
                           (long long)width, (long long)by, n_heads ? "heads" : "angles");
        d = n_heads ? width / n_heads : 2 * half;
    }
    const int64_t turned = n_rotary ? n_rotary : d;
    if (turned > d || turned % 2 || half != turned / 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "the caches have %lld columns for %lld of %lld elements of a head",
                       (long long)half, (long long)turned, (long long)d);
    return INGOT_OK;
}

void ig_rotary_read(const ig_tensor *x, int64_t half, int64_t n_heads, int64_t n_rotary,
                    bool is_interleaved, ig_rotary_shape *s)
{
    const bool is_packed = x->rank == 3;
    const int64_t width = x->dims[x->rank - 1];
    *s = (ig_rotary_shape){ .n_batch = x->dims[0], .is_interleaved = is_interleaved };
    s->n_heads = !is_packed ? x->dims[1] : n_heads ? n_heads : half ? width / (2 * half) : 0;
    s->n_rows = x->dims[x->rank - 2];
    s->d = !is_packed ? width : s->n_heads ? width / s->n_heads : 0;
    s->n_rotary = n_rotary ? n_rotary : s->d;
    s->x = s->y = ig_attn_dense(x->rank, s->n_heads, s->n_rows, s->d);
}

void ig_rotary_run(const ig_rotary_shape *s, ingot_dtype x_type, const void *x,
                   ingot_dtype cache_type, const void *cos, const void *sin,
                   const int64_t *cache_rows, void *y)
{
    const int64_t half = s->n_rotary / 2, far = s->is_interleaved ? 1 : half;
    const size_t size = ig_dtype_size(x_type);
    if (s->d == 0) return; /* any number of rows */
    for (int64_t r = 0; r < s->n_batch * s->n_heads * s->n_rows; r++) {
        const int64_t i = r % s->n_rows, h = r / s->n_rows % s->n_heads;
        const int64_t b = r / s->n_rows / s->n_heads;
        const int64_t from = b * s->x.batch + h * s->x.head + i * s->x.row;
        const int64_t to = b * s->y.batch + h * s->y.head + i * s->y.row;
        const int64_t angle = cache_rows[b * s->n_rows + i] * half;
        for (int64_t e = 0; e < half; e++) {
            const int64_t at = s->is_interleaved ? 2 * e : e;
            const double p = ig_get_f64(x_type, x, from + at);
            const double q = ig_get_f64(x_type, x, from + at + far);
            const double u = ig_get_f64(cache_type, cos, angle + e);
            const double v = ig_get_f64(cache_type, sin, angle + e);
            ig_set_f64(x_type, y, to + at, p * u - q * v);
            ig_set_f64(x_type, y, to + at + far, p * v + q * u);
        }
        if (s->d > s->n_rotary)
            memcpy((uint8_t *)y + (size_t)(to + s->n_rotary) * size,
                   (const uint8_t *)x + (size_t)(from + s->n_rotary) * size,
                   (size_t)(s->d - s->n_rotary) * size);
    }
}
