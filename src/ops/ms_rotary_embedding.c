/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ms_rotary_embedding.c: com.microsoft RotaryEmbedding, see rotary.h. position_ids hold the
 * position of each row [batch, rows], or that of the first row of every sample [1].
 */
#include "ops/rotary.h"

enum { IN_X, IN_POSITIONS, IN_COS, IN_SIN };

static bool differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

static ig_status check_positions(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *p = c->in[IN_POSITIONS];
    if (p->type.dtype != INGOT_INT64)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "position_ids are %s, not int64",
                       ingot_dtype_name(p->type.dtype));
    if (p->rank < 0 || x->rank < 3) return INGOT_OK;
    if (p->rank == 1 && !differ(p->dims[0], 1)) return INGOT_OK;
    if (p->rank == 2 && !differ(p->dims[0], x->dims[0]) &&
        !differ(p->dims[1], x->dims[x->rank - 2]))
        return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_SHAPE, "position_ids are neither [1] nor [batch, rows]");
}

static ig_status infer(ig_infer *c)
{
    IG_TRY(ig_infer_same(c));
    IG_TRY(ig_rotary_check(c, IN_X, IN_COS, IN_SIN, ig_attr_int(c->node, "num_heads", 0),
                           ig_attr_int(c->node, "rotary_embedding_dim", 0)));
    if (c->in[IN_COS]->rank >= 0 && c->in[IN_COS]->rank != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the cos cache has rank %d, not 2",
                       c->in[IN_COS]->rank);
    return check_positions(c);
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *cos = c->in[IN_COS], *positions = c->in[IN_POSITIONS];
    const int64_t *p = positions->data;
    ig_rotary_shape s;
    ig_rotary_read(x, cos->dims[1], ig_attr_int(c->node, "num_heads", 0),
                   ig_attr_int(c->node, "rotary_embedding_dim", 0),
                   ig_attr_int(c->node, "interleaved", 0) != 0, &s);
    if (ig_tensor_count(x) == 0) return INGOT_OK;
    const int64_t n = s.n_batch * s.n_rows;
    int64_t *rows = ig_arena_array(c->scratch, (size_t)n + 1, sizeof *rows);
    if (!rows) return IG_NOMEM(c->err, (size_t)n * sizeof *rows);
    for (int64_t r = 0; r < n; r++) {
        const int64_t step = positions->rank == 1 ? r % s.n_rows : 0;
        const int64_t first = p[positions->rank == 1 ? 0 : r];
        if (first < 0 || first >= cos->dims[0] - step)
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "position %lld + %lld is out of range for %lld", (long long)first,
                           (long long)step, (long long)cos->dims[0]);
        rows[r] = first + step;
    }
    ig_rotary_run(&s, x->dtype, x->data, cos->dtype, cos->data, c->in[IN_SIN]->data, rows,
                  c->out[0]->data);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,4]{1,2,3,4,5,6,7,8} i64[1,2]{2,1} f32[3,2]{1,0.5,0,0.25,-1,2} "
    "f32[3,2]{0,1,1,0.5,2,-1} @1 = f32[1,1,2,4]{-7,8,-1,6,-7,-2.5,5,5}",
    "f32[1,2,4]{1,2,3,4,5,6,7,8} i64[1]{1} f32[3,2]{1,0.5,0,0.25,-1,2} f32[3,2]{0,1,1,0.5,2,-1} @1 "
    "interleaved=1 = f32[1,2,4]{-2,1,-1.25,2.5,-17,4,22,9}",
    "f32[1,2,4]{1,2,3,4,5,6,7,8} i64[1]{0} f32[3,1]{1,0.5,0} f32[3,1]{0,1,2} @1 num_heads=2 = "
    "f32[1,2,4]{1,2,3,4,-3.5,8,-4.5,11}",
    "f32[1,2,8]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} i64[1]{0} f32[3,1]{0.5,-1,0} "
    "f32[3,1]{1,2,3} @1 num_heads=2 rotary_embedding_dim=2 scale=2.0 = "
    "f32[1,2,8]{-1.5,2,3,4,-3.5,8,7,8,-29,8,11,12,-41,12,15,16}",
    "f32[1,2,2,4]{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16} i64[1]{0} f32[3,1]{0.5,-1,0} "
    "f32[3,1]{1,2,3} @1 rotary_embedding_dim=2 num_heads=2 = "
    "f32[1,2,2,4]{-1.5,2,3,4,-17,4,7,8,-5.5,14,11,12,-41,12,15,16}",
    "bf16[2,3,24] i64[2,3]{0,1,2,3,2,1} bf16[5,4] bf16[5,4]",
    "f16[2,3,24] i64[1]{2} f16[5,4] f16[5,4]",
    "f32[0,2,3,4] i64[1]{0} f32[6,2] f32[6,2]",
    "f32[1,2,3,4] i64[1]{4} f32[6,2] f32[6,2] ! position 4 + 2 is out of range for 6",
    "f32[1,2,3,4] i64[1,3]{0,-1,1} f32[6,2] f32[6,2] ! position -1 + 0 is out of range",
    "f32[1,3,10] i64[1]{0} f32[6,2] f32[6,2] ! 10 columns are no multiple of 4 angles",
    "f32[1,3,8] i64[1]{0} f32[6,2] f32[6,2] rotary_embedding_dim=4 ! needs num_heads above 0",
    "f32[1,3,8] i64[2]{0} f32[6,2] f32[6,2] ! neither [1] nor [batch, rows]",
    "f32[1,3,8] i64[1]{0} f32[1,6,2] f32[1,6,2] ! the cos cache has rank 3, not 2",
    NULL,
};

const ig_op ig_op_ms_rotary_embedding = {
    .onnx = "RotaryEmbedding",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 4, 4 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_OWN_HALF, /* what is not turned keeps its bits */
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
