/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_scatter.c: write `update` into a cache along `axis`, from write_indices[batch] on; mode
 * circular wraps round at the end. */
#include <string.h>

#include "ops/strided.h"

static ig_status read_axis(const ig_node *node, int rank, int *axis, ig_error *err)
{
    IG_TRY(ig_axis(ig_attr_int(node, "axis", -2), rank, axis, err));
    if (*axis == 0) return ig_fail(err, INGOT_ERR_INVALID, "axis 0 is the batch");
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(ig_infer_is_int(c, 2, "write_indices"));
    const ig_info *cache = c->in[0], *update = c->in[1];
    const ig_info *at = c->n_in > 2 ? c->in[2] : NULL;
    ig_dim same;
    int axis;
    if (update->type.dtype != cache->type.dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "update has element type %s, the cache %s",
                       ingot_dtype_name(update->type.dtype), ingot_dtype_name(cache->type.dtype));
    if (cache->rank < 0) return INGOT_OK;
    IG_TRY(read_axis(c->node, cache->rank, &axis, c->err));
    if (update->rank >= 0 && update->rank != cache->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "update has rank %d, the cache %d", update->rank,
                       cache->rank);
    for (int d = 0; d < update->rank; d++)
        if (d != axis)
            IG_TRY(ig_dim_unify(cache->dims[d], update->dims[d], "dimensions of cache and update",
                                &same, c->err));
    if (at && at->rank >= 0 && at->rank != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "write_indices has rank %d, it must have 1",
                       at->rank);
    if (at && at->rank == 1)
        IG_TRY(ig_dim_unify(cache->dims[0], at->dims[0], "batch and number of write_indices", &same,
                            c->err));
    return ig_infer_same(c);
}

static ig_status check_indices(ig_call *c, int64_t n_cache, int64_t n_update, bool circular)
{
    const ig_tensor *at = c->n_in > 2 ? c->in[2] : NULL;
    const int64_t n = at ? ig_tensor_count(at) : 0;
    for (int64_t b = 0; b < n; b++) {
        const int64_t index = ig_get_i64(at->dtype, at->data, b);
        if (index < 0 || (!circular && index > n_cache - n_update))
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "write index %lld is out of range for %lld steps in a cache of %lld",
                           (long long)index, (long long)n_update, (long long)n_cache);
    }
    if (n_update > n_cache)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld steps do not fit a cache of %lld",
                       (long long)n_update, (long long)n_cache);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *cache = c->in[0], *update = c->in[1], *at = c->n_in > 2 ? c->in[2] : NULL;
    const bool circular = ig_attr_is(c->node, "mode", "circular", false);
    int axis;
    size_t bytes;
    IG_TRY(ig_movable_bytes(cache->dtype, &bytes, c->err));
    if (!circular && !ig_attr_is(c->node, "mode", "linear", true))
        return ig_fail(c->err, INGOT_ERR_INVALID, "mode is neither linear nor circular");
    IG_TRY(read_axis(c->node, cache->rank, &axis, c->err));
    const int64_t n_cache = cache->dims[axis], n_update = update->dims[axis];
    IG_TRY(check_indices(c, n_cache, n_update, circular));
    IG_TRY(ig_ref_copy(c));
    const int64_t outer = ig_count(axis, cache->dims);
    const int64_t per_batch = ig_count(axis - 1, cache->dims + 1);
    const size_t row = (size_t)ig_count(cache->rank - axis - 1, cache->dims + axis + 1) * bytes;
    for (int64_t o = 0; o < outer && row > 0; o++) {
        const int64_t first = at ? ig_get_i64(at->dtype, at->data, o / per_batch) : 0;
        for (int64_t i = 0; i < n_update; i++) {
            const int64_t to = circular ? (first % n_cache + i) % n_cache : first + i;
            memcpy((char *)c->out[0]->data + (size_t)(o * n_cache + to) * row,
                   (const char *)update->data + (size_t)(o * n_update + i) * row, row);
        }
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,3,1]{1,2,3,4,5,6} f32[2,1,1]{8,9} i64{1,2} = f32[2,3,1]{1,8,3,4,5,9}",
    "f32[1,3,1]{1,2,3} f32[1,2,1]{8,9} i64{2} mode=\"circular\" = f32[1,3,1]{9,2,8}",
    "f32[2,4,5,3] f32[2,4,2,3] i64{1,3}",
    "f32[2,4,5,3] f32[2,4,2,3]",
    "f32[2,5,3] f32[2,5,1] i64{0,2} axis=-1",
    "f16[1,3,2] f16[1,1,2] i64{1}",
    "u4[1,3,1]{1,2,15} u4[1,1,1]{9} i64{1} = u4[1,3,1]{1,9,15}",
    "f32[1,3,1] f32[1,2,1] i64{2} ! write index 2 is out of range for 2 steps in a cache of 3",
    "f32[1,3,1] f32[1,2,1] i64{-1} ! write index -1",
    "f32[2,3,1] f32[2,1,1] i64[]{1} ! write_indices has rank 0",
    "f32[1,3,1] f32[1,4,1] ! 4 steps do not fit a cache of 3",
    "f32[2,3] f32[2,3] ! axis 0 is the batch",
    NULL,
};

const ig_op ig_op_tensor_scatter = {
    .onnx = "TensorScatter",
    .since = { 24 },
    .n_in = { 2, 3 },
    .n_out = { 1, 1 },
    .flags = IG_MOVES_UNPACKED | IG_OWN_HALF | IG_INPLACE,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
