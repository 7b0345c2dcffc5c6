/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.c: see blocks.h. */
#include "ops/blocks.h"

#include "ops/moves.h"
#include "ops/strided.h"

typedef struct params {
    int64_t block;
    bool crd, channels_last;
} params;

static ig_status read_params(const ig_node *node, int opset, bool to_space, params *p,
                             ig_error *err)
{
    const bool has_mode = opset >= (to_space ? 11 : 28);
    if (!ig_node_attr(node, "blocksize"))
        return ig_fail(err, INGOT_ERR_INVALID, "attribute blocksize is missing");
    p->block = ig_attr_int(node, "blocksize", 0);
    if (p->block < 1 || p->block > INT32_MAX)
        return ig_fail(err, INGOT_ERR_INVALID, "blocksize is %lld", (long long)p->block);
    p->crd = has_mode && ig_attr_is(node, "mode", "CRD", false);
    if (has_mode && !p->crd && !ig_attr_is(node, "mode", "DCR", true))
        return ig_fail(err, INGOT_ERR_INVALID, "mode is neither DCR nor CRD");
    p->channels_last = ig_attr_int(node, "channels_last", 0) != 0;
    return INGOT_OK;
}

/* Check divisibility of what is constant. */
static ig_status check_dims(ig_infer *c, const params *p, bool to_space, ig_dim channels,
                            ig_dim rows, ig_dim cols)
{
    const int64_t b = p->block;
    if (to_space && ig_dim_is_const(channels) && channels % (b * b) != 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld channels are not a multiple of %lld",
                       (long long)channels, (long long)(b * b));
    if (!to_space &&
        ((ig_dim_is_const(rows) && rows % b != 0) || (ig_dim_is_const(cols) && cols % b != 0)))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld x %lld pixels are not a multiple of %lld",
                       (long long)rows, (long long)cols, (long long)b);
    return INGOT_OK;
}

ig_status ig_infer_blocks(ig_infer *c, bool to_space)
{
    IG_TRY(ig_infer_tensors(c, 1));
    const ig_info *in = c->in[0];
    ig_dim dims[4];
    params p;
    IG_TRY(read_params(c->node, c->opset, to_space, &p, c->err));
    if (in->rank < 0) return INGOT_OK;
    if (in->rank != 4)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input must have rank 4, not %d", in->rank);
    const int ch = p.channels_last ? 3 : 1, row = p.channels_last ? 1 : 2;
    IG_TRY(check_dims(c, &p, to_space, in->dims[ch], in->dims[row], in->dims[row + 1]));
    dims[0] = in->dims[0];
    if (to_space) {
        dims[ch] = ig_dim_floor_div(c->dims, in->dims[ch], p.block * p.block);
        dims[row] = ig_dim_mul(c->dims, in->dims[row], p.block);
        dims[row + 1] = ig_dim_mul(c->dims, in->dims[row + 1], p.block);
    } else {
        dims[ch] = ig_dim_mul(c->dims, in->dims[ch], p.block * p.block);
        dims[row] = ig_dim_floor_div(c->dims, in->dims[row], p.block);
        dims[row + 1] = ig_dim_floor_div(c->dims, in->dims[row + 1], p.block);
    }
    ig_info_set_shape(&c->out[0], in->type.dtype, 4, dims);
    return INGOT_OK;
}

/* Both sides as N, h, b1, w, b2, c (small h, w, c; blocks of b x b): `spread` are the strides of
 * the large image, `stacked` those of the many channels. */
static void block_box(const params *p, const int64_t *small, int64_t *dims, int64_t *spread,
                      int64_t *stacked)
{
    const int64_t b = p->block, n = small[0];
    const int64_t c = small[p->channels_last ? 3 : 1];
    const int64_t h = small[p->channels_last ? 1 : 2], w = small[p->channels_last ? 2 : 3];
    /* strides of channel, row and column on both sides */
    const int64_t pixel_spread = p->channels_last ? c : 1,
                  pixel_stacked = p->channels_last ? c * b * b : 1;
    const int64_t ch_spread = p->channels_last ? 1 : h * b * w * b;
    const int64_t ch_stacked = p->channels_last ? 1 : h * w;
    const int64_t all[6] = { n, h, b, w, b, c };
    const int64_t to[6] = { c * h * b * w * b,    b * w * b * pixel_spread,
                            w * b * pixel_spread, b * pixel_spread,
                            pixel_spread,         ch_spread };
    const int64_t from[6] = { c * b * b * h * w,
                              w * pixel_stacked,
                              (p->crd ? b : b * c) * ch_stacked,
                              pixel_stacked,
                              (p->crd ? 1 : c) * ch_stacked,
                              (p->crd ? b * b : 1) * ch_stacked };
    for (int d = 0; d < 6; d++) {
        dims[d] = all[d];
        spread[d] = to[d];
        stacked[d] = from[d];
    }
}

/* The side with few channels and few pixels: channels of the large image, pixels of the small one.
 */
static void small_dims(const params *p, bool to_space, const int64_t *in, const int64_t *out,
                       int64_t *small)
{
    const int ch = p->channels_last ? 3 : 1;
    for (int d = 0; d < 4; d++) small[d] = to_space ? in[d] : out[d];
    small[ch] = to_space ? out[ch] : in[ch];
}

ig_status ig_ref_blocks(ig_call *c, bool to_space)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *in = c->in[0];
    int64_t small[4], dims[6], spread[6], stacked[6];
    params p;
    size_t bytes;
    IG_TRY(ig_movable_bytes(in->dtype, &bytes, c->err));
    IG_TRY(read_params(c->node, c->opset, to_space, &p, c->err));
    small_dims(&p, to_space, in->dims, c->out[0]->dims, small);
    block_box(&p, small, dims, spread, stacked);
    ig_copy_box(bytes, 6, dims, c->out[0]->data, to_space ? spread : stacked, in->data,
                to_space ? stacked : spread);
    return INGOT_OK;
}

ig_status ig_lower_blocks(ig_lower *l, bool to_space)
{
    ig_move_item item = { .src = 0, .dst = l->n_in };
    int64_t small[4], dims[6], spread[6], stacked[6];
    params p;
    IG_TRY(read_params(l->node, l->opset, to_space, &p, l->err));
    small_dims(&p, to_space, l->in[0]->dims, l->out[0].dims, small);
    block_box(&p, small, dims, spread, stacked);
    if (!ig_move_shape_of(&item.shape, ig_move_elem_bytes(l->in[0]->type.dtype), 6, dims,
                          to_space ? spread : stacked, to_space ? stacked : spread, 0, 0))
        return INGOT_OK;
    return ig_lower_moves(l, &item, 1);
}
