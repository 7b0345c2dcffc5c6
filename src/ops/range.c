/* SPDX-License-Identifier: Apache-2.0 */
/* range.c: start, start + delta, … up to limit (exclusive). Each element is start + i*delta, so
 * errors do not add up; 16-bit floats compute in float32 (stash_type 1). */
#include <math.h>

#include "ops/strided.h"

static bool is_float(ingot_dtype dtype) { return (IG_T(dtype) & IG_T_FLOATS) != 0; }

/* Number of elements from known contents. */
static ig_status count_known(ingot_dtype dtype, const ig_tensor *const *in, int64_t *n,
                             ig_error *err)
{
    *n = 0;
    for (int i = 0; i < 3; i++)
        if (ig_tensor_count(in[i]) != 1)
            return ig_fail(err, INGOT_ERR_SHAPE, "input %d must hold one element", i);
    if (is_float(dtype)) {
        const double start = ig_get_f64(dtype, in[0]->data, 0);
        const double limit = ig_get_f64(dtype, in[1]->data, 0);
        const double delta = ig_get_f64(dtype, in[2]->data, 0);
        const double count = ceil((limit - start) / delta);
        if (delta == 0) return ig_fail(err, INGOT_ERR_INVALID, "delta is 0");
        if (!(count < 9.0e18))
            return ig_fail(err, INGOT_ERR_SHAPE, "from %g to %g by %g has no end", start, limit,
                           delta);
        *n = count > 0 ? (int64_t)count : 0;
        return INGOT_OK;
    }
    const int64_t start = ig_get_i64(dtype, in[0]->data, 0);
    const int64_t limit = ig_get_i64(dtype, in[1]->data, 0);
    const int64_t delta = ig_get_i64(dtype, in[2]->data, 0);
    if (delta == 0) return ig_fail(err, INGOT_ERR_INVALID, "delta is 0");
    if (delta > 0 ? limit <= start : limit >= start) return INGOT_OK;
    const uint64_t from = (uint64_t)start, to = (uint64_t)limit, by = (uint64_t)delta;
    const uint64_t count = delta > 0 ? (to - from - 1) / by + 1 : (from - to - 1) / (0 - by) + 1;
    if (count > INT64_MAX)
        return ig_fail(err, INGOT_ERR_SHAPE, "more than 2^63 elements from %lld to %lld",
                       (long long)start, (long long)limit);
    *n = (int64_t)count;
    return INGOT_OK;
}

/* The length, as far as it is known: with expressions for integers. */
static ig_status infer_count(ig_infer *c, ig_dim *n, const ig_dim *v, bool has_values)
{
    const ig_tensor *in[3];
    bool all_data = true;
    for (int i = 0; i < 3; i++) {
        in[i] = c->in[i]->data;
        all_data = all_data && in[i];
    }
    if (all_data) return count_known(in[0]->dtype, in, n, c->err);
    *n = ig_dim_born(c->dims);
    if (!has_values || !ig_dim_is_const(v[2])) return INGOT_OK;
    if (v[2] == 0) return ig_fail(c->err, INGOT_ERR_INVALID, "delta is 0");
    const ig_dim span =
        v[2] > 0 ? ig_dim_sub(c->dims, v[1], v[0]) : ig_dim_sub(c->dims, v[0], v[1]);
    const ig_dim length =
        v[2] == 1 || v[2] == -1 ? span : ig_dim_ceil_div(c->dims, span, v[2] > 0 ? v[2] : -v[2]);
    /* from 0 to a dimension: no max is needed */
    const ig_dim_expr *e = ig_dim_expr_of(c->dims, length);
    const bool is_dim = e && (e->op == IG_DIM_INPUT || e->op == IG_DIM_BORN);
    *n = is_dim ? length : ig_dim_max(c->dims, length, 0);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 3));
    ig_dim v[3], n, elems[IG_MAX_ELEMS];
    bool has_values = true;
    for (int i = 0; i < 3; i++) {
        ig_dim one[IG_MAX_ELEMS];
        int count;
        if (c->in[i]->type.dtype != c->in[0]->type.dtype)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "input %d has element type %s, start has %s", i,
                           ingot_dtype_name(c->in[i]->type.dtype),
                           ingot_dtype_name(c->in[0]->type.dtype));
        has_values = has_values && ig_infer_elems(c, i, one, &count) && count == 1;
        if (has_values) v[i] = one[0];
    }
    IG_TRY(infer_count(c, &n, v, has_values));
    ig_info_set_shape(&c->out[0], c->in[0]->type.dtype, 1, &n);
    if (!has_values || !ig_dim_is_const(n) || n > IG_MAX_ELEMS) return INGOT_OK;
    for (int i = 0; i < n; i++) elems[i] = ig_dim_add(c->dims, v[0], ig_dim_mul(c->dims, v[2], i));
    return ig_infer_give_elems(c, 0, elems, (int)n);
}

static ig_status ref(ig_call *c)
{
    const ingot_dtype dtype = c->in[0]->dtype;
    int64_t n;
    IG_TRY(count_known(dtype, c->in, &n, c->err));
    IG_TRY(ig_call_output(c, 0, dtype, 1, &n));
    void *y = c->out[0]->data;
    if (dtype == INGOT_FLOAT || dtype == INGOT_DOUBLE) {
        IG_SWITCH_FLOAT(c, dtype, {
            const T start = *(const T *)c->in[0]->data;
            const T delta = *(const T *)c->in[2]->data;
            for (int64_t i = 0; i < n; i++) ((T *)y)[i] = start + (T)i * delta;
        })
        return INGOT_OK;
    }
    IG_SWITCH_INT(c, dtype, {
        const uint64_t start = (uint64_t) * (const T *)c->in[0]->data;
        const uint64_t delta = (uint64_t) * (const T *)c->in[2]->data;
        for (int64_t i = 0; i < n; i++) ((T *)y)[i] = (T)(start + (uint64_t)i * delta);
    })
    return INGOT_OK;
}

static const char *const cases[] = {
    "c:f32{0} c:f32{8e18} c:f32{1} ! dimension 0 of output 0 would be",
    "c:i64{0} c:i64{9000000000000000000} c:i64{1} ! dimension 0 of output 0 would be",
    "f32[]{1} f32[]{5} f32[]{2} = f32{1,3}",
    "i32[]{10} i32[]{6} i32[]{-3} = i32{10,7}",
    "i64[]{0} i64[]{5} i64[]{1} = i64{0,1,2,3,4}",
    "c:i64[]{3} c:i64[]{9} c:i64[]{3} = i64{3,6}",
    "i64[]{5} i64[]{0} i64[]{1} = i64{}",
    "i64{2} i64{4} i64{1} = i64{2,3}",
    "f64[]{0} f64[]{1} f64[]{0.25} = f64{0,0.25,0.5,0.75}",
    "i16[]{1} i16[]{4} i16[]{2} = i16{1,3}",
    "f16[]{1} f16[]{3} f16[]{0.5} @27",
    "i64[]{0} i64[]{5} i64[]{0} ! delta is 0",
    "f32[]{0} f32[]{5} f32[]{0} ! delta is 0",
    "i64[]{-9223372036854775808} i64[]{9223372036854775807} i64[]{1} ! more than 2^63",
    "i64{1,2} i64[]{5} i64[]{1} ! input 0 must hold one element",
    NULL,
};

const ig_op ig_op_range = {
    .onnx = "Range",
    .since = { 11, 27 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC & ~IG_T(INGOT_UINT64),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
