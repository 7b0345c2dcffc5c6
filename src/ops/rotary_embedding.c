/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rotary_embedding.c: turns pairs of elements by the angles of their positions, see rotary.h. The
 * caches have a row for each position, picked by position_ids, or one for each row of the input.
 */
#include "ops/rotary.h"

enum { IN_X, IN_COS, IN_SIN, IN_POSITIONS };

static ig_status check_rows(ig_infer *c, const ig_info *t, int rank, const char *what)
{
    const ig_info *x = c->in[IN_X];
    if (t->rank < 0 || x->rank < 3) return INGOT_OK;
    if (t->rank != rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has rank %d, expected %d", what, t->rank, rank);
    const ig_dim want[2] = { x->dims[0], x->dims[x->rank - 2] };
    for (int d = 0; d < 2; d++)
        if (t->dims[d] != want[d] && ig_dim_is_const(t->dims[d]) && ig_dim_is_const(want[d]))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has %lld %s, the input %lld", what,
                           (long long)t->dims[d], d ? "rows" : "samples", (long long)want[d]);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *positions = c->n_in > IN_POSITIONS ? c->in[IN_POSITIONS] : NULL;
    const int64_t n_heads = ig_attr_int(c->node, "num_heads", 0);
    const int64_t n_rotary = ig_attr_int(c->node, "rotary_embedding_dim", 0);
    IG_TRY(ig_infer_same(c));
    IG_TRY(ig_rotary_check(c, IN_X, IN_COS, IN_SIN, n_heads, n_rotary));
    if (c->in[IN_X]->rank == 3 && n_heads == 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "an input of rank 3 needs num_heads above 0");
    if (!positions) return check_rows(c, c->in[IN_COS], 3, "the cos cache");
    if (positions->type.dtype != INGOT_INT64)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "position_ids are %s, not int64",
                       ingot_dtype_name(positions->type.dtype));
    if (c->in[IN_COS]->rank >= 0 && c->in[IN_COS]->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "with position_ids the caches have rank 2, not %d",
                       c->in[IN_COS]->rank);
    return check_rows(c, positions, 2, "position_ids");
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *cos = c->in[IN_COS];
    const ig_tensor *positions = c->n_in > IN_POSITIONS ? c->in[IN_POSITIONS] : NULL;
    const int64_t n_angles = cos->dims[0];
    ig_rotary_shape s;
    ig_rotary_read(x, cos->dims[cos->rank - 1], ig_attr_int(c->node, "num_heads", 0),
                   ig_attr_int(c->node, "rotary_embedding_dim", 0),
                   ig_attr_int(c->node, "interleaved", 0) != 0, &s);
    if (ig_tensor_count(x) == 0) return INGOT_OK;
    const int64_t n = s.n_batch * s.n_rows;
    int64_t *rows = ig_arena_array(c->scratch, (size_t)n + 1, sizeof *rows);
    if (!rows) return IG_NOMEM(c->err, (size_t)n * sizeof *rows);
    for (int64_t r = 0; r < n; r++) {
        rows[r] = positions ? ((const int64_t *)positions->data)[r] : r;
        if (positions && (rows[r] < 0 || rows[r] >= n_angles))
            return ig_fail(c->err, INGOT_ERR_INVALID, "position %lld is out of range for %lld",
                           (long long)rows[r], (long long)n_angles);
    }
    ig_rotary_run(&s, x->dtype, x->data, cos->dtype, cos->data, c->in[IN_SIN]->data, rows,
                  c->out[0]->data);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,4]{1,2,3,4,5,6,7,8} f32[3,2]{1,0.5,0,0.25,-1,2} f32[3,2]{0,1,1,0.5,2,-1} "
    "i64[1,2]{2,1} @23 = f32[1,1,2,4]{-7,8,-1,6,-7,-2.5,5,5}",
    "f32[1,2,4]{1,2,3,4,5,6,7,8} f32[1,2,1]{0.5,-1} f32[1,2,1]{1,2} @23 num_heads=2 interleaved=1 "
    "= f32[1,2,4]{-1.5,2,-2.5,5,-17,4,-23,6}",
    "f32[1,1,2,4]{1,2,3,4,5,6,7,8} f32[1,2,1]{0.5,-1} f32[1,2,1]{1,2} @23 rotary_embedding_dim=2 = "
    "f32[1,1,2,4]{-1.5,2,3,4,-17,4,7,8}",
    "f16[1,1,1,4]{1,2,3,4} f16[1,1,2]{0.5,-1} f16[1,1,2]{1,2} @23 interleaved=1 = "
    "f16[1,1,1,4]{-1.5,2,-11,2}",
    "f32[2,3,5,8] f32[6,4] f32[6,4] i64[2,5]{0,5,1,2,3,3,2,1,0,4}",
    "f32[2,5,24] f32[6,3] f32[6,3] i64[2,5]{3} num_heads=3 rotary_embedding_dim=6 interleaved=1",
    "bf16[2,5,24] bf16[2,5,4] bf16[2,5,4] num_heads=3",
    "f32[0,2,3,4] f32[0,3,2] f32[0,3,2]",
    "f32[1,2,0,4] f32[6,2] f32[6,2] i64[1,0]{}",
    "f32[1,2,3,4] f32[6,2] f32[6,2] i64[1,3]{0,6,1} ! position 6 is out of range for 6",
    "f32[1,2,3,4] f32[6,2] f32[6,2] i64[1,3]{0,-1,1} ! position -1 is out of range",
    "f32[1,3,8] f32[1,3,2] f32[1,3,2] ! needs num_heads above 0",
    "f32[1,3,8] f32[1,3,2] f32[1,3,2] num_heads=3 ! 8 columns are no multiple of 3 heads",
    "f32[1,2,3,8] f32[1,3,2] f32[1,3,2] ! the caches have 2 columns for 8 of 8 elements",
    "f32[1,2,3,8] f32[1,3,5] f32[1,3,5] rotary_embedding_dim=10 ! the caches have 5 columns for 10 "
    "of 8 elements",
    "f32[1,2,3,8] f32[1,3,4] f32[1,3,3] ! differ along axis 2",
    "f32[1,2,3,8] f32[6,4] f32[6,4] ! the cos cache has rank 2, expected 3",
    "f32[1,2,3,8] f32[1,2,4] f32[1,2,4] ! the cos cache has 2 rows, the input 3",
    "f32[1,2,3,8] f32[6,4] f32[6,4] i64[1,4]{0} ! position_ids has 4 rows, the input 3",
    "f32[1,2,3,8] f32[6,4] f32[6,4] i32[1,3]{0} ! position_ids are int32",
    "f32[1,2,3,8] f32[6,4] f32[6,4] rotary_embedding_dim=3 ! not 0, or above and even",
    "f32[3,8] f32[6,4] f32[6,4] ! the input has rank 2, not 3 or 4",
    "f32[1000000000000,1,1,0] f32[1000000000000,1,0] f32[1000000000000,1,0]",
    NULL,
};

const ig_op ig_op_rotary_embedding = {
    .onnx = "RotaryEmbedding",
    .since = { 23 },
    .n_in = { 3, 4 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_OWN_HALF, /* what is not turned keeps its bits */
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
