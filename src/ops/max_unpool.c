/* SPDX-License-Identifier: Apache-2.0 */
/*
 * max_unpool.c: puts each value of X at its index in a picture of zeros.
 *
 * The indices count in the flattened picture that kernel_shape, strides and pads tell. If
 * output_shape asks for a larger one, that picture lies in its first corner: so the standard's
 * example has it. ONNX Runtime counts in the larger picture instead.
 */
#include <string.h>

#include "ops/strided.h"
#include "ops/window.h"

enum { IN_X, IN_INDEX, IN_SHAPE };

static ig_status same_shape(ig_infer *c, const ig_info *x, const ig_info *index)
{
    ig_dim unused;
    if (x->rank < 0 || index->rank < 0) return INGOT_OK;
    if (x->rank != index->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, its indices have rank %d",
                       x->rank, index->rank);
    for (int d = 0; d < x->rank; d++)
        IG_TRY(ig_dim_unify(x->dims[d], index->dims[d], "input and indices", &unused, c->err));
    return INGOT_OK;
}

/* The picture that was pooled to get these dims. */
static ig_status unpooled(ig_infer *c, int rank, const ig_dim *x, ig_dim *dims)
{
    ig_window w;
    IG_TRY(ig_window_read(c->node, rank, NULL, &w, c->err));
    dims[0] = x[0];
    dims[1] = x[1];
    for (int k = 0; k < w.n_spatial; k++) {
        const int at = ig_window_at(&w, k);
        const ig_dim steps = ig_dim_mul(c->dims, ig_dim_sub(c->dims, x[2 + k], 1), w.stride[at]);
        dims[2 + k] = ig_dim_add(c->dims, steps, w.kernel[at] - w.pad[at] - w.pad_end[at]);
        if (ig_dim_is_const(dims[2 + k]) && dims[2 + k] < 0)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "dimension %d would be %lld", 2 + k,
                           (long long)dims[2 + k]);
    }
    return INGOT_OK;
}

static ig_status read_output_shape(ig_infer *c, int rank, const ig_dim *least, ig_dim *dims)
{
    ig_dim wanted[IG_MAX_RANK];
    int n;
    IG_TRY(ig_infer_is_int(c, IN_SHAPE, "output_shape"));
    if (!ig_infer_ints(c, IN_SHAPE, wanted, IG_MAX_RANK, &n)) {
        if (c->in[IN_SHAPE]->data)
            return ig_fail(c->err, INGOT_ERR_INVALID, "output_shape must hold %d integers", rank);
        for (int d = 0; d < rank; d++) dims[d] = ig_dim_born(c->dims);
        return INGOT_OK;
    }
    if (n != rank)
        return ig_fail(c->err, INGOT_ERR_INVALID, "output_shape has %d entries for rank %d", n,
                       rank);
    for (int d = 0; d < rank; d++) {
        dims[d] = wanted[d];
        if (ig_dim_is_const(dims[d]) && ig_dim_is_const(least[d]) &&
            (dims[d] < least[d] || (d < 2 && dims[d] > least[d])))
            return ig_fail(c->err, INGOT_ERR_SHAPE,
                           "output_shape[%d] is %lld, kernel, strides and pads give %lld", d,
                           (long long)dims[d], (long long)least[d]);
    }
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *index = c->in[IN_INDEX];
    ig_dim dims[IG_MAX_RANK], least[IG_MAX_RANK];
    IG_TRY(ig_infer_tensors(c, 2));
    if (index->type.dtype != INGOT_INT64 && index->type.dtype != INGOT_UNDEFINED)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "indices are %s, they must be int64",
                       ingot_dtype_name(index->type.dtype));
    IG_TRY(same_shape(c, x, index));
    if (x->rank < 0) return INGOT_OK;
    IG_TRY(unpooled(c, x->rank, x->dims, least));
    memcpy(dims, least, sizeof dims);
    if (c->n_in > IN_SHAPE && c->in[IN_SHAPE]) IG_TRY(read_output_shape(c, x->rank, least, dims));
    ig_info_set_shape(&c->out[0], x->type.dtype, x->rank, dims);
    return INGOT_OK;
}

/* An index into the picture of shape `small`, as one into `large`. */
static int64_t moved(int64_t index, int rank, const int64_t *small, const int64_t *large)
{
    int64_t stride = 1, at = 0;
    for (int d = rank - 1; d >= 0; d--) {
        at += index % small[d] * stride;
        index /= small[d];
        stride *= large[d];
    }
    return at;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *x = c->in[IN_X], *y = c->out[0];
    const int64_t *index = c->in[IN_INDEX]->data, n = ig_tensor_count(x);
    const size_t elem_bytes = ig_dtype_size(x->dtype);
    ig_info infos[3];
    const ig_info *ins[3];
    ig_infer f;
    ig_dims dims; /* sizes are constant: it stays empty */
    ig_dim small[IG_MAX_RANK];
    size_t bytes;
    ig_dims_init(&dims, c->scratch);
    ig_infer_of_call(c, infos, ins, 3, &f);
    f.dims = &dims;
    IG_TRY(unpooled(&f, x->rank, x->dims, small));
    if (!ig_tensor_bytes(y, &bytes)) return IG_NOMEM(c->err, bytes);
    if (bytes) memset(y->data, 0, bytes);
    const int64_t n_small = ig_count(x->rank, small);
    for (int64_t i = 0; i < n; i++) {
        if (index[i] < 0 || index[i] >= n_small)
            return ig_fail(c->err, INGOT_ERR_INVALID, "index %lld is out of range for %lld places",
                           (long long)index[i], (long long)n_small);
        memcpy((char *)y->data + (size_t)moved(index[i], x->rank, small, y->dims) * elem_bytes,
               (const char *)x->data + (size_t)i * elem_bytes, elem_bytes);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,4} i64[1,1,2,2]{5,7,13,15} kernel_shape=[2,2] strides=[2,2] = "
    "f32[1,1,4,4]{0,0,0,0,0,1,0,2,0,0,0,0,0,3,0,4}",
    "f32[1,1,2,2]{1,2,3,4} i64[1,1,2,2]{5,7,13,15} i64{1,1,5,5} kernel_shape=[2,2] strides=[2,2] "
    "@9 = f32[1,1,5,5]{0,0,0,0,0,0,1,0,2,0,0,0,0,0,0,0,3,0,4,0,0,0,0,0,0}",
    "f32[1,2,2]{1,2,3,4} i64[1,2,2]{1,2,4,7} c:i64{1,2,4} kernel_shape=[2] strides=[2] @11 "
    "= f32[1,2,4]{0,1,2,0,3,0,0,4}",
    "f64[1,1,2]{1,2} i64[1,1,2]{0,2} kernel_shape=[3] strides=[2] pads=[1,1] "
    "= f64[1,1,3]{1,0,2}",
    "f16[1,1,1,1,2]{1,2} i64[1,1,1,1,2]{0,3} kernel_shape=[1,1,2] strides=[1,1,2] "
    "= f16[1,1,1,1,4]{1,0,0,2}",
    "f32[0,1,2] i64[0,1,2] kernel_shape=[2] strides=[2]",
    "f32[1,1,2] i64[1,1,2]{0,4} kernel_shape=[2] strides=[2] ! index 4 is out of range for 4",
    "f32[1,1,2] i64[1,1,2]{0,-1} kernel_shape=[2] strides=[2] ! index -1 is out of range",
    "f32[1,1,2] i64[1,1,3]{0} kernel_shape=[2] ! input and indices: 2 and 3 differ",
    "f32[1,1,2] i32[1,1,2]{0} kernel_shape=[2] ! indices are int32, they must be int64",
    "f32[1,1,2] i64[1,1,2]{0} c:i64{1,1,3} kernel_shape=[2] strides=[2] ! output_shape[2] is 3",
    "f32[1,1,2] i64[1,1,2]{0} c:i64{1,1} kernel_shape=[2] ! output_shape has 2 entries",
    "f32[1,1,1] i64[1,1,1]{0} kernel_shape=[2] pads=[2,2] ! dimension 2 would be -2",
    "f32[1,1,2] i64[1,1,2]{0} ! kernel_shape is missing",
    NULL,
};

const ig_op ig_op_max_unpool = {
    .onnx = "MaxUnpool",
    .since = { 9, 11, 22 },
    .n_in = { 2, 3 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
