/* SPDX-License-Identifier: Apache-2.0 */
/*
 * q_embed_layer_normalization.c: com.microsoft QEmbedLayerNormalization: EmbedLayerNormalization
 * with 8-bit tables, gamma and beta. Only the rows that are asked for are made real values.
 */
#include "ops/qlinear.h"
#include "ops/strided.h"

enum { IN_IDS, IN_SEGMENTS, IN_WORDS, IN_POSITIONS, IN_SEGMENT_TABLE, IN_GAMMA, IN_BETA, IN_MASK };
/* Then the scales, and then the zero points, of inputs 2 to 6. */
enum { N_REAL = 8, IN_SCALES = 8, IN_ZEROS = 13 };

extern const ig_op ig_op_embed_layer_normalization;

static bool is_quantized(int i) { return i >= IN_WORDS && i <= IN_BETA; }

static ig_status infer(ig_infer *c)
{
    ig_info wide[N_REAL];
    const ig_info *real[N_REAL];
    for (int i = 0; i < N_REAL; i++) {
        real[i] = i < c->n_in ? c->in[i] : NULL;
        if (!real[i] || !is_quantized(i)) continue;
        if (!(IG_T(real[i]->type.dtype) & IG_T_8_BIT))
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "input %d is %s, not int8 or uint8", i,
                           ingot_dtype_name(real[i]->type.dtype));
        const int k = i - IN_WORDS;
        IG_TRY(ig_qparam_infer(c, IN_SCALES + k, IN_ZEROS + k, real[i]->type.dtype));
        wide[i] = *real[i];
        wide[i].type.dtype = INGOT_FLOAT;
        wide[i].data = NULL;
        real[i] = &wide[i];
    }
    ig_infer as = *c;
    as.in = real;
    as.n_in = N_REAL;
    return ig_op_embed_layer_normalization.infer(&as);
}

/* Real values of rows of input i: row ids[r] for each r < n, or row r where ids is NULL; a vector
 * is one row. */
static ig_status widen_rows(ig_call *c, int i, const int32_t *ids, int64_t n, const ig_tensor **out)
{
    const ig_tensor *t = c->in[i];
    const bool is_table = t->rank == 2;
    const int64_t width = t->dims[t->rank - 1], n_rows = is_table ? t->dims[0] : 1;
    const int64_t dims[2] = { n, width };
    ig_tensor *wide = NULL;
    ig_qparam q;
    IG_TRY(ig_qparam_of_call(c, IN_SCALES + i - IN_WORDS, IN_ZEROS + i - IN_WORDS, t->dtype, &q));
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, t->rank, is_table ? dims : t->dims, NULL,
                              &wide, c->err));
    for (int64_t r = 0; r < n; r++) {
        const int64_t id = ids ? ids[r] : r;
        if (id < 0 || id >= n_rows)
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "index %lld is out of range for %lld rows of input %d", (long long)id,
                           (long long)n_rows, i);
        for (int64_t e = 0; e < width; e++)
            ((float *)wide->data)[r * width + e] =
                (ig_q_load(t->dtype, t->data, id * width + e) - q.zero) * q.scale;
    }
    *out = wide;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *ids = c->in[IN_IDS], *real[N_REAL] = { 0 };
    const ig_tensor *segments = c->in[IN_SEGMENTS];
    const int64_t n = ig_tensor_count(ids);
    ig_tensor *order = NULL;
    if (n > INT32_MAX)
        return ig_fail(c->err, INGOT_ERR_LIMIT, "%lld words; at most 2^31 - 1", (long long)n);
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_INT32, ids->rank, ids->dims, NULL, &order, c->err));
    for (int64_t i = 0; i < n; i++) ((int32_t *)order->data)[i] = (int32_t)i;
    /* Tables of the rows in the order of the words. */
    real[IN_IDS] = order;
    IG_TRY(widen_rows(c, IN_WORDS, ids->data, n, &real[IN_WORDS]));
    IG_TRY(widen_rows(c, IN_POSITIONS, NULL, n ? ids->dims[1] : 0, &real[IN_POSITIONS]));
    IG_TRY(widen_rows(c, IN_GAMMA, NULL, 1, &real[IN_GAMMA]));
    IG_TRY(widen_rows(c, IN_BETA, NULL, 1, &real[IN_BETA]));
    if (segments) {
        real[IN_SEGMENTS] = order;
        IG_TRY(widen_rows(c, IN_SEGMENT_TABLE, segments->data, n, &real[IN_SEGMENT_TABLE]));
    }
    real[IN_MASK] = c->in[IN_MASK];
    ig_call as = *c;
    as.in = real;
    as.n_in = N_REAL;
    return ig_op_embed_layer_normalization.ref(&as);
}

static const char *const cases[] = {
    "i32[2,3]{0,1,2,3,4,4} i32[2,3]{0,1,1,0,0,1} u8[5,8] u8[3,8] u8[2,8] u8[8] u8[8] "
    "i32[2,3]{1,1,0,1,0,0} f32[]{0.02} f32[]{0.03} f32[]{0.01} f32[]{0.01} f32[]{0.04} u8[]{128} "
    "u8[]{120} u8[]{100} u8[]{3} u8[]{200} -> 2",
    "i32[2,3]{0,1,2,3,4,4} _ c:i8[5,8] c:i8[3,8] _ c:i8[8] c:i8[8] _ c:f32[]{0.02} c:f32[]{0.03} _ "
    "c:f32[]{0.01} c:f32[]{0.04} c:i8[]{0} c:i8[]{1} _ c:i8[]{3} c:i8[]{-5} epsilon=0.001 -> 2",
    "i32[0,3] _ i8[5,8] i8[3,8] _ i8[8] i8[8] _ f32[] f32[] _ f32[] f32[] i8[] i8[] _ i8[] i8[] "
    "-> 2",
    "i32[1,2]{0,5} _ i8[5,8] i8[3,8] _ i8[8] i8[8] _ f32[] f32[] _ f32[] f32[] i8[] i8[] _ i8[] "
    "i8[] -> 2 ! index 5 is out of range for 5 rows of input 2",
    "i32[1,4]{0} _ i8[5,8] i8[3,8] _ i8[8] i8[8] _ f32[] f32[] _ f32[] f32[] i8[] i8[] _ i8[] "
    "i8[] -> 2 ! index 3 is out of range for 3 rows of input 3",
    "i32[1,2]{0} _ i8[5,8] i8[3,7] _ i8[8] i8[8] _ f32[] f32[] _ f32[] f32[] i8[] i8[] _ i8[] "
    "i8[] -> 2 ! input 3 is float32[3,7]",
    "i32[1,2]{0} _ i8[5,8] i8[3,8] _ i8[8] i8[8] _ f32[] f32[2] _ f32[] f32[] i8[] i8[] _ i8[] "
    "i8[] -> 2 ! input 9 is not one float32 scale",
    "i32[1,2]{0} _ f32[5,8] i8[3,8] _ i8[8] i8[8] _ f32[] f32[] _ f32[] f32[] i8[] i8[] _ i8[] "
    "i8[] -> 2 ! input 2 is float32",
    NULL,
};

const ig_op ig_op_q_embed_layer_normalization = {
    .onnx = "QEmbedLayerNormalization",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 13, 18 },
    .gaps = 1 << 1 | 1 << 4 | 1 << 7 | 1 << 10,
    .n_out = { 1, 2 },
    .types = IG_T(INGOT_INT32),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
