/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gather_block_quantized.c: com.microsoft GatherBlockQuantized: Gather on data that is quantized in
 * blocks along quantize_axis, then (q - zero) * scale. uint8 data of 2 or 4 bits is packed along
 * the last dimension, lowest bits first, and so are its zero points. An index out of range gives
 * zeros.
 */
#include "ops/quantize.h"
#include "ops/strided.h"

enum { IN_DATA, IN_INDICES, IN_SCALES, IN_ZEROS };

typedef struct layout {
    int rank, gather, quantize;
    int bits;                                       /* of packed data; 0: one element, one number */
    int64_t block;                                  /* 0: all of the axis */
    int64_t dims[IG_MAX_RANK], scales[IG_MAX_RANK]; /* of numbers */
} layout;

static bool is_float_data(ingot_dtype dtype)
{
    return (IG_T(dtype) & (IG_T_FLOAT8 | IG_T(INGOT_FLOAT4E2M1))) != 0;
}

/* What attributes and types say; dims are left. */
static ig_status read_options(const ig_node *node, ingot_dtype dtype, int rank, layout *l,
                              ig_error *err)
{
    const int64_t bits = ig_attr_int(node, "bits", 4);
    *l = (layout){ .rank = rank, .block = ig_attr_int(node, "block_size", 128) };
    if (rank < 1) return ig_fail(err, INGOT_ERR_SHAPE, "data is a scalar");
    IG_TRY(ig_axis(ig_attr_int(node, "gather_axis", 0), rank, &l->gather, err));
    IG_TRY(ig_axis(ig_attr_int(node, "quantize_axis", 1), rank, &l->quantize, err));
    if ((l->block != 0 || !is_float_data(dtype)) && (l->block < 16 || (l->block & (l->block - 1))))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "block_size is %lld; it must be a power of two from 16",
                       (long long)l->block);
    if (dtype != INGOT_UINT8) return INGOT_OK;
    if (bits != 2 && bits != 4 && bits != 8)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "bits is %lld; 2, 4 and 8 are supported",
                       (long long)bits);
    if (l->gather != 0 || l->gather == l->quantize)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "uint8 data needs gather_axis 0 and another quantize_axis, not %d and %d",
                       l->gather, l->quantize);
    l->bits = (int)bits;
    return INGOT_OK;
}

/* Blocks of n numbers. */
static int64_t n_blocks(const layout *l, int64_t n)
{
    if (l->block == 0) return n > 0;
    return n / l->block + (n % l->block != 0);
}

static ig_status wrong_shape(ig_error *err, const char *what, int d, int64_t have, int64_t want)
{
    return ig_fail(err, INGOT_ERR_SHAPE, "dimension %d of %s is %lld, not %lld", d, what,
                   (long long)have, (long long)want);
}

/* Fill l->dims and l->scales from concrete shapes. */
static ig_status read_dims(layout *l, ingot_dtype dtype, const int64_t *data, int scale_rank,
                           const int64_t *scales, int zero_rank, const int64_t *zeros,
                           ig_error *err)
{
    const int last = l->rank - 1;
    for (int d = 0; d < l->rank; d++) l->dims[d] = data[d];
    if (l->bits && __builtin_mul_overflow(l->dims[last], 8 / l->bits, &l->dims[last]))
        return ig_fail(err, INGOT_ERR_SHAPE, "data is too large");
    if (scale_rank != l->rank || (zeros && zero_rank != l->rank))
        return ig_fail(err, INGOT_ERR_SHAPE, "%s has rank %d, data has %d",
                       scale_rank != l->rank ? "scales" : "zero_points",
                       scale_rank != l->rank ? scale_rank : zero_rank, l->rank);
    for (int d = 0; d < l->rank; d++) {
        const int64_t want = d == l->quantize ? n_blocks(l, l->dims[d]) : l->dims[d];
        l->scales[d] = scales[d];
        if (scales[d] != want && !(scales[d] == 1 && d != l->quantize && is_float_data(dtype)))
            return wrong_shape(err, "scales", d, scales[d], want);
        if (!zeros) continue;
        const int64_t packed = l->bits && d == last ? (want * l->bits + 7) / 8 : want;
        if (zeros[d] != packed) return wrong_shape(err, "zero_points", d, zeros[d], packed);
    }
    return INGOT_OK;
}

static ig_status check_types(ig_infer *c)
{
    const ingot_dtype data = c->in[IN_DATA]->type.dtype, scale = c->in[IN_SCALES]->type.dtype;
    const ig_info *zeros = c->n_in > IN_ZEROS ? c->in[IN_ZEROS] : NULL;
    const ig_dtype_set ok = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16);
    IG_TRY(ig_infer_is_int(c, IN_INDICES, "indices"));
    if (scale != INGOT_UNDEFINED && !(IG_T(scale) & ok))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "scales are %s", ingot_dtype_name(scale));
    if (zeros && is_float_data(data))
        return ig_fail(c->err, INGOT_ERR_INVALID, "%s data has no zero_points",
                       ingot_dtype_name(data));
    if (zeros && zeros->type.dtype != data)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "data is %s, zero_points are %s",
                       ingot_dtype_name(data), ingot_dtype_name(zeros->type.dtype));
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    int64_t data_dims[IG_MAX_RANK], scale_dims[IG_MAX_RANK], zero_dims[IG_MAX_RANK];
    ig_dim dims[IG_MAX_RANK];
    layout l;
    int n = 0;
    IG_TRY(ig_infer_tensors(c, 3));
    IG_TRY(check_types(c));
    const ig_info *data = c->in[IN_DATA], *indices = c->in[IN_INDICES], *scales = c->in[IN_SCALES];
    const ig_info *zeros = c->n_in > IN_ZEROS ? c->in[IN_ZEROS] : NULL;
    c->out[0].type.dtype = scales->type.dtype;
    if (data->rank < 0) return INGOT_OK;
    IG_TRY(read_options(c->node, data->type.dtype, data->rank, &l, c->err));
    if (ig_info_is_static(data, data_dims) && ig_info_is_static(scales, scale_dims) &&
        (!zeros || ig_info_is_static(zeros, zero_dims)))
        IG_TRY(read_dims(&l, data->type.dtype, data_dims, scales->rank, scale_dims,
                         zeros ? zeros->rank : 0, zeros ? zero_dims : NULL, c->err));
    if (indices->rank < 0) return INGOT_OK;
    if (data->rank - 1 + indices->rank > IG_MAX_RANK)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "output would have rank %d, at most %d",
                       data->rank - 1 + indices->rank, IG_MAX_RANK);
    for (int d = 0; d < l.gather; d++) dims[n++] = data->dims[d];
    for (int d = 0; d < indices->rank; d++) dims[n++] = indices->dims[d];
    for (int d = l.gather + 1; d < data->rank; d++) dims[n++] = data->dims[d];
    if (l.bits) dims[n - 1] = ig_dim_mul(c->dims, dims[n - 1], 8 / l.bits);
    ig_info_set_shape(&c->out[0], scales->type.dtype, n, dims);
    return INGOT_OK;
}

/* ---- reference ---- */

typedef struct gather_job {
    layout l;
    const ig_tensor *data, *indices, *scales, *zeros;
    ig_tensor *y;
    int64_t n_indices, inner; /* numbers after the gathered axis */
    double zero;              /* where there are no zero points */
} gather_job;

static double number(const gather_job *j, const ig_tensor *t, int64_t row, int64_t n, int64_t i)
{
    const int bits = j->l.bits;
    if (!bits || bits == 8) return ig_get_f64(t->dtype, t->data, row * n + i);
    const int64_t per_byte = 8 / bits, row_bytes = (n + per_byte - 1) / per_byte;
    const uint8_t byte = ((const uint8_t *)t->data)[row * row_bytes + i / per_byte];
    return byte >> (i % per_byte * bits) & ((1 << bits) - 1);
}

/* Index of the scales' (and zero points') row, all dimensions but the last, of a row of data. */
static int64_t scale_row(const layout *l, int64_t row)
{
    int64_t at = 0, step = 1;
    for (int d = l->rank - 2; d >= 0; d--) {
        int64_t k = row % l->dims[d];
        row /= l->dims[d];
        if (d == l->quantize) k = l->block ? k / l->block : 0;
        if (l->scales[d] == 1) k = 0;
        at += k * step;
        step *= l->scales[d];
    }
    return at;
}

/* Numbers [begin, end) of a row of data, as elements of y from `to` on. */
static void widen(const gather_job *j, int64_t row, int64_t begin, int64_t end, int64_t to)
{
    const layout *l = &j->l;
    const int last = l->rank - 1;
    const int64_t n = l->dims[last], n_scales = l->scales[last], s_row = scale_row(l, row);
    const int64_t block = l->quantize != last ? 1 : l->block ? l->block : n;
    while (begin < end) {
        /* those that share a scale */
        const int64_t k = n_scales == 1 ? 0 : begin / block;
        const int64_t rest = n_scales == 1 ? n : (k + 1) * block, stop = rest < end ? rest : end;
        const double scale = ig_get_f64(j->scales->dtype, j->scales->data, s_row * n_scales + k);
        const double zero = j->zeros ? number(j, j->zeros, s_row, n_scales, k) : j->zero;
        for (; begin < stop; begin++, to++)
            ig_set_f64(j->y->dtype, j->y->data, to,
                       (number(j, j->data, row, n, begin) - zero) * scale);
    }
}

/* Pieces of the output: one index at one place before the gathered axis. */
static void gather_pieces(void *ctx, ig_part part)
{
    const gather_job *j = ctx;
    const layout *l = &j->l;
    const int64_t dim = l->dims[l->gather], n = l->dims[l->rank - 1];
    for (int64_t p = part.begin; p < part.end; p++) {
        int64_t index = ig_get_i64(j->indices->dtype, j->indices->data, p % j->n_indices);
        const int64_t to = p * j->inner;
        const bool is_inside = index >= -dim && index < dim;
        if (index < 0) index += is_inside ? dim : 0;
        const int64_t from = is_inside ? (p / j->n_indices * dim + index) * j->inner : 0;
        if (!is_inside)
            for (int64_t i = 0; i < j->inner; i++) ig_set_f64(j->y->dtype, j->y->data, to + i, 0);
        else if (l->gather == l->rank - 1)
            widen(j, from / n, from % n, from % n + 1, to);
        else
            for (int64_t i = 0; i < j->inner; i += n) widen(j, (from + i) / n, 0, n, to + i);
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *data = c->in[IN_DATA], *scales = c->in[IN_SCALES];
    const ig_tensor *zeros = c->n_in > IN_ZEROS ? c->in[IN_ZEROS] : NULL;
    gather_job j = { .data = data, .indices = c->in[IN_INDICES], .scales = scales, .zeros = zeros };
    IG_TRY(ig_call_ready(c));
    IG_TRY(read_options(c->node, data->dtype, data->rank, &j.l, c->err));
    IG_TRY(read_dims(&j.l, data->dtype, data->dims, scales->rank, scales->dims,
                     zeros ? zeros->rank : 0, zeros ? zeros->dims : NULL, c->err));
    j.y = c->out[0];
    j.n_indices = ig_tensor_count(j.indices);
    j.inner = ig_count(j.l.rank - j.l.gather - 1, j.l.dims + j.l.gather + 1);
    j.zero = j.l.bits ? 1 << (j.l.bits - 1) : 0;
    if (ig_tensor_count(j.y) == 0) return INGOT_OK;
    ig_run_rows(c->team, gather_pieces, &j, ig_count(j.l.gather, j.l.dims) * j.n_indices,
                (size_t)j.inner * 64);
    return INGOT_OK;
}

static const char *const cases[] = {
    "c:u8[2,8]{121} i64{1} c:f32[2,1]{0.5,2} block_size=16 = "
    "f32[1,16]{2,-2,2,-2,2,-2,2,-2,2,-2,2,-2,2,-2,2,-2}",
    "c:u8[5,20] i64[2,3]{0,4,-1,2,1,-5} c:f32[5,3] c:u8[5,2] block_size=16",
    "c:u8[5,40] i32{0,4,-1} c:f32[5,3] c:u8[5,3] block_size=16 bits=8",
    "c:u8[5,40] i32{0,4,-1} c:f32[5,3] block_size=16 bits=8",
    "u8[5,10] i32{0,4,3} f32[5,3] u8[5,1] block_size=16 bits=2",
    "c:u4[3,40] i32{0,2} c:f32[3,3] c:u4[3,3] block_size=16",
    "c:i4[3,40] i32{0,2} c:f32[3,3] block_size=16",
    "c:i4[40,3,2] i32[]{1} c:f32[3,3,2] c:i4[3,3,2] block_size=16 gather_axis=1 quantize_axis=0",
    "c:i4[3,40] i32{7,39,0} c:f32[3,3] block_size=16 gather_axis=1 quantize_axis=1",
    "c:i4[3,40] i32{1,-3} c:f16[3,3] c:i4[3,3] block_size=16",
    "c:f8e4m3fn[3,40] i32{0,2} c:f32[3,3] block_size=16",
    "c:f4e2m1[3,40] i32{0,2} c:f32[1,1] block_size=0",
    "c:u8[5,20] i64{5,1} c:f32[5,3] block_size=16",
    "c:u8[5,20] i64[0] c:f32[5,3] block_size=16",
    "u8[5,20] i64{0} f32[5,2] block_size=16 ! dimension 1 of scales is 2, not 3",
    "u8[5,20] i64{0} f32[5,3] u8[5,3] block_size=16 ! dimension 1 of zero_points is 3, not 2",
    "u8[5,20] i64{0} f32[5] block_size=16 ! scales has rank 1, data has 2",
    "u8[5,20] i64{0} f32[5,3] i4[5,3] block_size=16 ! data is uint8, zero_points are int4",
    "u8[5,20] i64{0} f32[5,3] block_size=20 ! a power of two from 16",
    "u8[5,20] i64{0} f32[5,3] block_size=16 bits=3 ! bits is 3",
    "u8[5,20] i64{0} f32[5,3] block_size=16 gather_axis=1 ! uint8 data needs gather_axis 0",
    NULL,
};

const ig_op ig_op_gather_block_quantized = {
    .onnx = "GatherBlockQuantized",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 3, 4 },
    .n_out = { 1, 1 },
    .types = IG_T(INGOT_UINT8) | IG_T(INGOT_INT4) | IG_T(INGOT_UINT4) | IG_T_FLOAT8 |
             IG_T(INGOT_FLOAT4E2M1),
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
