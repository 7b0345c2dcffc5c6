/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p_relu.c: z = x for x >= 0, slope x below. The slope broadcasts to x; before opset 7 it is one
 * value or one a channel (axis 1).
 */
#include "ops/broadcast.h"

IG_PRIM2(p_relu, vf_select(a < vf_zero(), a *b, a))

#ifdef IG_BASE

/* Number of ones to append to the slope's shape; its rank 0 and shape [1] need none. */
static int channel_pad(const ig_node *node, int rank_x, int rank_slope, int64_t dim_0)
{
    return node->opset < 7 && rank_slope == 1 && dim_0 != 1 && rank_x > 2 ? rank_x - 2 : 0;
}

static ig_status infer(ig_infer *c)
{
    ig_info slope = *c->in[1], full = *c->in[0];
    const ig_info *in[] = { c->in[0], &slope };
    ig_infer aligned = *c;
    aligned.in = in;
    IG_TRY(ig_infer_same(c));
    if (slope.rank < 0 || full.rank < 0) return INGOT_OK;
    int pad = channel_pad(c->node, full.rank, slope.rank, slope.dims[0]);
    while (pad-- > 0) slope.dims[slope.rank++] = 1;
    IG_TRY(ig_broadcast_shapes(&aligned, 2, &full));
    for (int d = 0; d < full.rank; d++)
        if (full.rank != c->in[0]->rank ||
            (ig_dim_is_const(c->in[0]->dims[d]) && ig_dim_is_const(full.dims[d]) &&
             full.dims[d] != c->in[0]->dims[d]))
            return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "the slope does not broadcast to the input");
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    ig_rows r;
    const ig_tensor *x = c->in[0];
    ig_tensor slope = *c->in[1];
    const ig_tensor *const in[] = { x, &slope };
    int64_t dims[IG_MAX_RANK];
    int rank = 0, pad = channel_pad(c->node, x->rank, slope.rank, slope.dims[0]);
    while (pad-- > 0) slope.dims[slope.rank++] = 1;
    IG_TRY(ig_tensors_broadcast(in, 2, &rank, dims, c->err));
    if (rank != x->rank || ig_count(rank, dims) != ig_tensor_count(x))
        return IG_OP_FAIL(c, INGOT_ERR_SHAPE, "the slope does not broadcast to the input");
    IG_TRY(ig_call_output(c, 0, x->dtype, rank, dims));
    ig_rows_begin(&r, rank, dims, in, 2);
    if (!c->out[0]) return INGOT_OK;
    switch ((int)x->dtype) {
        IG_CASES_FLOAT_(IG_BINARY_ROWS(c, r, T, a < 0 ? a * b : a))
        IG_CASES_INT_(
            IG_BINARY_ROWS(c, r, T, a != 0 && a < (T)1 ? (T)((uint64_t)a * (uint64_t)b) : a))
    default:
        return IG_OP_FAIL(c, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                          ingot_dtype_name(x->dtype));
    }
    return INGOT_OK;
}

static bool prim_params(const ig_node *node, const ig_info *const *in, float p[IG_PRIM_N_PARAMS])
{
    (void)p;
    if (node->opset >= 7) return true;
    if (!in || in[0]->rank < 0 || in[1]->rank < 0) return false;
    return channel_pad(node, in[0]->rank, in[1]->rank, in[1]->dims[0]) == 0;
}

static bool permute(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    (void)g, (void)perm, (void)rank;
    return node->opset >= 7;
}

/* One slope for all: LeakyRelu. */
static bool activation(const ig_node *node, const ig_info *const *in, ig_epilogue *ep)
{
    (void)node;
    const ig_tensor *slope = in && in[1] ? in[1]->data : NULL;
    if (!slope || ig_tensor_count(slope) != 1) return false;
    *ep = (ig_epilogue){ .act = IG_ACT_LEAKY_RELU,
                         .alpha = (float)ig_get_f64(slope->dtype, slope->data, 0) };
    return true;
}

static const char *const cases[] = {
    "f32[2,2]{-1,2,-3,nan} f32[2,2]{0.5,9,2,1} = f32[2,2]{-0.5,2,-6,nan}",
    "f32[2,2]{-1,2,-3,-4} f32[2]{0.5,2} = f32[2,2]{-0.5,2,-1.5,-8}",
    "f32[1,2,2]{-1,2,-3,-4} f32[2,1]{0.5,2} = f32[1,2,2]{-0.5,2,-6,-8}",
    "f32[1,2,2]{-1,2,-3,-4} f32[2]{0.5,2} @6 = f32[1,2,2]{-0.5,2,-6,-8}",
    "f32[2]{-1,2} f32[1]{0.5} @6 = f32[2]{-0.5,2}",
    "i32[2]{-2,3} i32[1]{4} = i32[2]{-8,3}",
    "u8[2]{200,3} u8[1]{4} = u8[2]{200,3}",
    "f64[2,3] f64[3]",
    "f32[2,3,4,5] f32[3,1,1]",
    "f32[2,3,4,5] c:f32[1]{0.25}",
    "f16[5] f16[1]",
    "f32[0] f32[1]",
    "f32[2] f32[3,2] ! does not broadcast",
    NULL
};

IG_PRIM_DECLARE(p_relu)
static const ig_prim prim = IG_PRIM_TABLE(p_relu, 2);
const ig_op ig_op_p_relu = { .onnx = "PRelu",
                             .since = { 1, 6, 7, 9, 16 },
                             .n_in = { 2, 2 },
                             .same_type = 0x2,
                             .n_out = { 1, 1 },
                             .types = IG_T_NUMERIC,
                             .flags = IG_ELEMENTWISE | IG_INPLACE,
                             .infer = infer,
                             .ref = ref,
                             .prim = &prim,
                             .prim_params = prim_params,
                             .activation = activation,
                             .permute = permute,
                             .cases = cases };
#endif
