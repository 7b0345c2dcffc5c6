/* SPDX-License-Identifier: Apache-2.0 */
/*
 * col2im.c: put sliding blocks back into an image and add where they overlap. Input [N, C * product
 * of block, L], L positions in row-major order; any number of spatial dimensions. Of booleans the
 * sum is whether any is true; strings have none, so that their blocks must not overlap.
 */
#include "ops/strided.h"

#define MAX_SPATIAL (IG_MAX_RANK - 2)

typedef struct geometry {
    int n; /* spatial dimensions */
    int64_t image[MAX_SPATIAL], block[MAX_SPATIAL];
    int64_t stride[MAX_SPATIAL], dilation[MAX_SPATIAL], begin[MAX_SPATIAL];
    int64_t steps[MAX_SPATIAL]; /* positions of the block */
    int64_t n_block, n_steps;
} geometry;

static ig_status read_attr(const ig_node *node, const char *name, int n, int64_t low, int64_t *out,
                           ig_error *err)
{
    size_t count;
    const int64_t *v = ig_attr_ints(node, name, &count);
    if (!v) return INGOT_OK;
    if (count != (size_t)n)
        return ig_fail(err, INGOT_ERR_INVALID, "%s has %zu entries, expected %d", name, count, n);
    for (int d = 0; d < n; d++) {
        if (v[d] < low || v[d] > INT32_MAX)
            return ig_fail(err, INGOT_ERR_INVALID, "%s holds %lld at index %d", name,
                           (long long)v[d], d);
        out[d] = v[d];
    }
    return INGOT_OK;
}

/* image and block are set; fill in the rest. */
static ig_status read_geometry(const ig_node *node, geometry *g, ig_error *err)
{
    int64_t pads[2 * MAX_SPATIAL] = { 0 };
    for (int d = 0; d < g->n; d++) g->stride[d] = g->dilation[d] = 1;
    IG_TRY(read_attr(node, "strides", g->n, 1, g->stride, err));
    IG_TRY(read_attr(node, "dilations", g->n, 1, g->dilation, err));
    IG_TRY(read_attr(node, "pads", 2 * g->n, 0, pads, err));
    g->n_block = g->n_steps = 1;
    for (int d = 0; d < g->n; d++) {
        if (g->image[d] < 1 || g->image[d] > INT32_MAX || g->block[d] < 1 ||
            g->block[d] > INT32_MAX)
            return ig_fail(err, INGOT_ERR_INVALID, "image of %lld and block of %lld at axis %d",
                           (long long)g->image[d], (long long)g->block[d], d);
        g->begin[d] = pads[d];
        const int64_t room =
            g->image[d] + pads[d] + pads[g->n + d] - g->dilation[d] * (g->block[d] - 1) - 1;
        if (room < 0)
            return ig_fail(err, INGOT_ERR_SHAPE,
                           "block of %lld does not fit the image of %lld at axis %d",
                           (long long)g->block[d], (long long)g->image[d], d);
        g->steps[d] = room / g->stride[d] + 1;
        if (__builtin_mul_overflow(g->n_block, g->block[d], &g->n_block) ||
            __builtin_mul_overflow(g->n_steps, g->steps[d], &g->n_steps))
            return ig_fail(err, INGOT_ERR_SHAPE, "size of the blocks overflows");
    }
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 3));
    IG_TRY(ig_infer_is_int(c, 2, "block_shape"));
    IG_TRY(ig_infer_is_int(c, 1, "image_shape"));
    const ig_info *in = c->in[0];
    ig_dim dims[IG_MAX_RANK], image[MAX_SPATIAL], same;
    geometry g = { 0 };
    int n_image, n_block;
    if (in->rank >= 0 && in->rank != 3)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input must have rank 3, not %d", in->rank);
    for (int i = 1; i < 3; i++)
        if (c->in[i]->rank == 1 && ig_dim_is_const(c->in[i]->dims[0])) {
            if (c->in[i]->dims[0] > MAX_SPATIAL || c->in[i]->dims[0] < 1)
                return ig_fail(c->err, INGOT_ERR_LIMIT,
                               "%lld spatial dimensions, 1 to %d are supported",
                               (long long)c->in[i]->dims[0], MAX_SPATIAL);
            g.n = (int)c->in[i]->dims[0];
        }
    const bool has_image = ig_infer_ints(c, 1, image, MAX_SPATIAL, &n_image);
    const bool has_block = ig_info_ints(c->in[2], g.block, MAX_SPATIAL, &n_block);
    if (has_image && has_block && n_image != n_block)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "image_shape has %d entries, block_shape %d",
                       n_image, n_block);
    if (g.n == 0) return INGOT_OK;
    dims[0] = in->rank == 3 ? in->dims[0] : ig_dim_born(c->dims);
    dims[1] = ig_dim_born(c->dims);
    for (int d = 0; d < g.n; d++) dims[2 + d] = has_image ? image[d] : ig_dim_born(c->dims);
    if (has_block) {
        int64_t n = 1;
        for (int d = 0; d < g.n; d++)
            if (g.block[d] < 1 || __builtin_mul_overflow(n, g.block[d], &n))
                return ig_fail(c->err, INGOT_ERR_INVALID, "block_shape holds %lld",
                               (long long)g.block[d]);
        if (in->rank == 3 && ig_dim_is_const(in->dims[1]) && in->dims[1] % n != 0)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld rows are not a multiple of %lld",
                           (long long)in->dims[1], (long long)n);
        if (in->rank == 3) dims[1] = ig_dim_floor_div(c->dims, in->dims[1], n);
    }
    if (has_block && has_image && ig_info_ints(c->in[1], g.image, MAX_SPATIAL, &n_image)) {
        IG_TRY(read_geometry(c->node, &g, c->err));
        if (in->rank == 3)
            IG_TRY(ig_dim_unify(in->dims[2], g.n_steps, "number of blocks", &same, c->err));
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, 2 + g.n, dims);
    return INGOT_OK;
}

/* Offset in the image of position `step` of block element `k`; -1 in the padding. */
static int64_t image_offset(const geometry *g, int64_t k, int64_t step)
{
    int64_t offset = 0, scale = 1;
    for (int d = g->n - 1; d >= 0; d--) {
        const int64_t at =
            step % g->steps[d] * g->stride[d] + k % g->block[d] * g->dilation[d] - g->begin[d];
        if (at < 0 || at >= g->image[d]) return -1;
        offset += at * scale;
        scale *= g->image[d];
        step /= g->steps[d];
        k /= g->block[d];
    }
    return offset;
}

/* Where the elements of a call go. */
typedef struct scatter {
    geometry g;
    int64_t n_planes, plane; /* images, and their pixels */
} scatter;

/* Call `visit` with i, an element of the input, and `at`, its pixel. */
#define FOR_EACH_PIXEL(s, i, at, visit)                                                            \
    for (int64_t p_ = 0; p_ < (s)->n_planes; p_++)                                                 \
        for (int64_t k_ = 0; k_ < (s)->g.n_block; k_++)                                            \
            for (int64_t step_ = 0; step_ < (s)->g.n_steps; step_++) {                             \
                const int64_t offset_ = image_offset(&(s)->g, k_, step_);                          \
                const int64_t i = (p_ * (s)->g.n_block + k_) * (s)->g.n_steps + step_;             \
                const int64_t at = p_ * (s)->plane + offset_;                                      \
                if (offset_ >= 0) visit                                                            \
            }

/* Strings have no sum: each pixel is one of them, or empty. */
static ig_status place_strings(ig_call *c, const scatter *s)
{
    const ingot_string *x = c->in[0]->data;
    ingot_string *y = c->out[0]->data;
    const int64_t n = s->n_planes * s->plane;
    bool *is_taken = ig_arena_array(c->scratch, (size_t)n, sizeof *is_taken);
    if (!is_taken) return IG_NOMEM(c->err, (size_t)n * sizeof *is_taken);
    for (int64_t i = 0; i < n; i++) is_taken[i] = false, y[i] = (ingot_string){ "", 0 };
    FOR_EACH_PIXEL(s, i, at, {
        if (is_taken[at])
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "blocks overlap at pixel %lld, and strings cannot be added",
                           (long long)(at % s->plane));
        is_taken[at] = true;
        y[at] = x[i];
    })
    return INGOT_OK;
}

/* Integers wrap; booleans are one where any is. */
static ig_status add_numbers(ig_call *c, const scatter *s)
{
    const ingot_dtype dtype = c->in[0]->dtype;
    const bool is_float = IG_T(dtype) & (IG_T_FLOATS | IG_T_COMPLEX), is_bool = dtype == INGOT_BOOL;
    int n_parts;
    const ingot_dtype part = ig_dtype_parts(dtype, &n_parts);
    IG_SWITCH_NUMERIC(c, is_bool ? INGOT_UINT8 : part, {
        T *y = c->out[0]->data;
        const T *x = c->in[0]->data;
        for (int64_t i = 0; i < s->n_planes * s->plane * n_parts; i++) y[i] = 0;
        FOR_EACH_PIXEL(s, i, at, {
            for (int d = 0; d < n_parts; d++) {
                T *to = &y[at * n_parts + d];
                const T v = x[i * n_parts + d];
                *to = is_float  ? (T)(*to + v)
                      : is_bool ? (T)(*to || v)
                                : (T)((uint64_t)*to + (uint64_t)v);
            }
        })
    })
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *out = c->out[0];
    scatter s = { 0 };
    int n_block;
    if (!ig_tensor_ints(c->in[1], s.g.image, MAX_SPATIAL, &s.g.n) ||
        !ig_tensor_ints(c->in[2], s.g.block, MAX_SPATIAL, &n_block) || n_block != s.g.n)
        return ig_fail(c->err, INGOT_ERR_INVALID, "image_shape and block_shape do not fit");
    IG_TRY(read_geometry(c->node, &s.g, c->err));
    s.n_planes = out->dims[0] * out->dims[1];
    s.plane = ig_count(s.g.n, s.g.image);
    return out->dtype == INGOT_STRING ? place_strings(c, &s) : add_numbers(c, &s);
}

static const char *const cases[] = {
    "f32[1,5,5] i64{5,5} i64{1,5}",
    "f32[1,4,1]{1,2,3,4} i64{2,2} i64{2,2} = f32[1,1,2,2]{1,2,3,4}",
    "f32[1,2,2]{1,2,3,4} i64{3} i64{2} = f32[1,1,3]{1,5,4}",
    "f32[1,9,4] i64{5,5} i64{3,3} strides=[2,2]",
    "f32[1,5,15] i64{5,5} i64{1,5} pads=[0,1,0,1]",
    "f32[1,4,5] i64{6,6} i64{2,2} dilations=[1,5]",
    "f32[2,20,12] c:i64{3,4,5} c:i64{1,1,5}",
    "f64[1,2,2] i64{3} i64{2}",
    "i32[1,2,2]{1,2,3,4} i64{3} i64{2} = i32[1,1,3]{1,5,4}",
    "u8[1,2,2]{1,200,100,4} i64{3} i64{2} = u8[1,1,3]{1,44,4}",
    "f16[1,2,2] i64{3} i64{2}",
    "bool[1,2,2]{1,0,0,1} i64{3} i64{2} = bool[1,1,3]{1,0,1}",
    "bool[1,2,2]{1,1,1,1} i64{3} i64{2} = bool[1,1,3]{1,1,1}",
    "c64[1,2,2]{1:1,2:2,3:3,4:-4} i64{3} i64{2} = c64[1,1,3]{1:1,5:5,4:-4}",
    "c128[2,4,1]{1:1,2:2,3:3,4:-4,5:0,6:0,7:0,8:9} i64{2} i64{2} = "
    "c128[2,2,2]{1:1,2:2,3:3,4:-4,5:0,6:0,7:0,8:9}",
    "str[1,2,1]{\"a\",\"b\"} i64{4} i64{2} dilations=[2] strides=[2] = "
    "str[1,1,4]{\"a\",\"\",\"b\",\"\"}",
    "str[1,2,2]{\"a\",\"b\",\"c\",\"d\"} i64{3} i64{2} ! strings cannot be added",
    "f32[1,3,2] i64{3} i64{2} ! 3 rows are not a multiple of 2",
    "f32[1,2,3] i64{3} i64{2} ! number of blocks: 3 and 2 differ",
    "f32[1,4,1] i64{3} i64{4} ! block of 4 does not fit the image of 3 at axis 0",
    "f32[1,2,2] i64{3} i64{2} strides=[0] ! strides holds 0",
    NULL,
};

const ig_op ig_op_col2im = {
    .onnx = "Col2Im",
    .since = { 18 },
    .n_in = { 3, 3 },
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC | IG_T_BOOL | IG_T_STRING | IG_T_COMPLEX,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
