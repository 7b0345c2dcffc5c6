/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embed_layer_normalization.c: com.microsoft EmbedLayerNormalization. The rows of three tables, of
 * words, positions and (optional) segments, are added, and the sum is normalised to mean 0 and
 * variance 1, times gamma plus beta. Positions count from 0 unless position_ids say others. Output
 * 1 counts the ones of each sample's mask (0 without a mask), output 2 is the sum.
 */
#include <math.h>

#include "ops/op.h"

enum {
    IN_WORDS,
    IN_SEGMENTS,
    IN_WORD_TABLE,
    IN_POSITION_TABLE,
    IN_SEGMENT_TABLE,
    IN_GAMMA,
    IN_BETA,
    IN_MASK,
    IN_POSITIONS
};
enum { OUT_Y, OUT_MASK_INDEX, OUT_SUM };

static bool differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

static const ig_info *input(const ig_infer *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static bool is_table(int i) { return i >= IN_WORD_TABLE && i <= IN_SEGMENT_TABLE; }

static ig_status check_input(ig_infer *c, int i)
{
    const ig_info *x = input(c, i), *ids = c->in[IN_WORDS], *words = c->in[IN_WORD_TABLE];
    const bool is_float = is_table(i) || i == IN_GAMMA || i == IN_BETA;
    bool is_ok = true;
    char text[128];
    if (!x) return INGOT_OK;
    if (is_float)
        is_ok = x->type.dtype == words->type.dtype && (IG_T(x->type.dtype) & IG_T_FLOATS);
    else
        is_ok = x->type.dtype == INGOT_INT32;
    if (x->rank >= 0 && is_float) {
        is_ok = is_ok && x->rank == (is_table(i) ? 2 : 1) &&
                (words->rank != 2 || !differ(x->dims[x->rank - 1], words->dims[1]));
    } else if (x->rank >= 0) {
        is_ok = is_ok && x->rank == 2;
        if (is_ok && ids->rank == 2)
            is_ok = !differ(x->dims[1], ids->dims[1]) &&
                    (!differ(x->dims[0], ids->dims[0]) || (i == IN_POSITIONS && x->dims[0] == 1));
    }
    if (is_ok) return INGOT_OK;
    return ig_fail(
        c->err, INGOT_ERR_SHAPE, "input %d is %s, which does not fit the others", i,
        ig_shape_format(x->type.dtype, x->rank < 0 ? 0 : x->rank, x->dims, text, sizeof text));
}

static ig_status infer(ig_infer *c)
{
    const ig_info *ids = c->in[IN_WORDS], *words = c->in[IN_WORD_TABLE];
    for (int i = IN_WORDS; i <= IN_BETA; i++)
        if (!c->in[i] && i != IN_SEGMENTS && i != IN_SEGMENT_TABLE)
            return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", i);
    if (!c->in[IN_SEGMENTS] != !c->in[IN_SEGMENT_TABLE])
        return ig_fail(c->err, INGOT_ERR_INVALID, "segment ids and their table come together");
    for (int i = 0; i < c->n_in; i++) IG_TRY(check_input(c, i));
    c->out[OUT_Y].type.dtype = words->type.dtype;
    if (c->n_out > OUT_MASK_INDEX) c->out[OUT_MASK_INDEX].type.dtype = INGOT_INT32;
    if (c->n_out > OUT_SUM) c->out[OUT_SUM].type.dtype = words->type.dtype;
    if (ids->rank < 0 || words->rank < 0) return INGOT_OK;
    const ig_dim y[3] = { ids->dims[0], ids->dims[1], words->dims[1] };
    ig_info_set_shape(&c->out[OUT_Y], words->type.dtype, 3, y);
    if (c->n_out > OUT_MASK_INDEX) ig_info_set_shape(&c->out[OUT_MASK_INDEX], INGOT_INT32, 1, y);
    if (c->n_out > OUT_SUM) ig_info_set_shape(&c->out[OUT_SUM], words->type.dtype, 3, y);
    return INGOT_OK;
}

/* ---- reference ---- */

static const ig_tensor *tensor(const ig_call *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static ig_tensor *wanted(const ig_call *c, int o) { return o < c->n_out ? c->out[o] : NULL; }

/* sum += row `id` of a table. */
static ig_status add_row(ig_call *c, int i_table, int64_t id, double *sum)
{
    const ig_tensor *t = c->in[i_table];
    const int64_t n = t->dims[1];
    if (id < 0 || id >= t->dims[0])
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "index %lld is out of range for %lld rows of input %d", (long long)id,
                       (long long)t->dims[0], i_table);
    for (int64_t e = 0; e < n; e++) sum[e] += ig_get_f64(t->dtype, t->data, id * n + e);
    return INGOT_OK;
}

static ig_status embed(ig_call *c, int64_t row, int64_t n_rows, double *sum)
{
    const ig_tensor *segments = tensor(c, IN_SEGMENTS), *positions = tensor(c, IN_POSITIONS);
    int64_t position = row % n_rows;
    if (positions)
        position = ((const int32_t *)positions->data)[positions->dims[0] == 1 ? row % n_rows : row];
    IG_TRY(add_row(c, IN_WORD_TABLE, ((const int32_t *)c->in[IN_WORDS]->data)[row], sum));
    IG_TRY(add_row(c, IN_POSITION_TABLE, position, sum));
    if (!segments) return INGOT_OK;
    return add_row(c, IN_SEGMENT_TABLE, ((const int32_t *)segments->data)[row], sum);
}

static void normalise(const ig_call *c, const double *sum, int64_t n, int64_t row)
{
    const ig_tensor *gamma = c->in[IN_GAMMA], *beta = c->in[IN_BETA];
    ig_tensor *y = wanted(c, OUT_Y), *out = wanted(c, OUT_SUM);
    double mean = 0, variance = 0;
    for (int64_t e = 0; e < n; e++) mean += sum[e] / (double)n;
    for (int64_t e = 0; e < n; e++) variance += (sum[e] - mean) * (sum[e] - mean) / (double)n;
    const double inverse = 1 / sqrt(variance + (double)ig_attr_float(c->node, "epsilon", 1e-12f));
    for (int64_t e = 0; e < n; e++) {
        if (out) ig_set_f64(out->dtype, out->data, row * n + e, sum[e]);
        if (y)
            ig_set_f64(y->dtype, y->data, row * n + e,
                       (sum[e] - mean) * inverse * ig_get_f64(gamma->dtype, gamma->data, e) +
                           ig_get_f64(beta->dtype, beta->data, e));
    }
}

static ig_status ref(ig_call *c)
{
    const int64_t *ids = c->in[IN_WORDS]->dims;
    const int64_t n = c->in[IN_WORD_TABLE]->dims[1], n_rows = ig_tensor_count(c->in[IN_WORDS]);
    const ig_tensor *mask = tensor(c, IN_MASK);
    ig_tensor *index = wanted(c, OUT_MASK_INDEX);
    double *sum = ig_arena_array(c->scratch, (size_t)n + 1, sizeof *sum);
    if (!sum) return IG_NOMEM(c->err, (size_t)n * sizeof *sum);
    for (int64_t row = 0; row < n_rows; row++) {
        for (int64_t e = 0; e < n; e++) sum[e] = 0;
        IG_TRY(embed(c, row, ids[1], sum));
        normalise(c, sum, n, row);
    }
    for (int64_t b = 0; index && b < ids[0]; b++) {
        int32_t count = 0;
        for (int64_t i = 0; mask && i < ids[1]; i++)
            count += ((const int32_t *)mask->data)[b * ids[1] + i] == 1;
        ((int32_t *)index->data)[b] = count;
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "i32[2,2]{0,2,1,1} i32[2,2]{0,1,1,0} f32[3,3]{1,2,0.5,-1,0,2,1,1,-2} f32[2,3]{0.5,0,1,-1,2,0} "
    "f32[2,3]{1,0,0,0,1,-1} f32[3]{1,2,-1} f32[3]{0,0.5,1} i32[2,2]{1,0,1,1} @1 epsilon=0.01 -> 3 "
    "= "
    "f32[2,2,3]{1.189577,0.5,2.189577,-0.116177,3.055894,2.16177,-1.291667,0.8229169,-0.1302091,-1."
    "410691,1.910691,0.2946544} i32[2]{1,2} f32[2,2,3]{2.5,2,1.5,0,4,-3,-0.5,1,2,-1,2,2}",
    "i32[2,2]{0,2,1,1} _ f32[3,3]{1,2,0.5,-1,0,2,1,1,-2} f32[2,3]{0.5,0,1,-1,2,0} _ f32[3]{1,2,-1} "
    "f32[3]{0,0.5,1} _ i32[1,2]{1,0} @1 -> 2 = "
    "f32[2,2,3]{-0.8429272,3.309757,1.561951,0.9258201,1.42582,2.38873,-1.414214,1.914213,0."
    "2928933,-0.8626621,-0.5783278,-0.4018261} i32[2]{0,0}",
    "i32[2,3]{0,1,2,3,4,4} i32[2,3]{0} f16[5,8] f16[3,8] f16[2,8] f16[8] f16[8] i32[2,3]{1} "
    "i32[2,3]{2,1,0,0,1,2} -> 3",
    "i32[0,3] _ f32[5,8] f32[3,8] _ f32[8] f32[8] -> 2",
    "i32[2,0] _ f32[5,8] f32[3,8] _ f32[8] f32[8] -> 2",
    "i32[1,3]{0,1,5} _ f32[5,8] f32[3,8] _ f32[8] f32[8] ! index 5 is out of range for 5 rows of "
    "input 2",
    "i32[1,4]{0} _ f32[5,8] f32[3,8] _ f32[8] f32[8] ! index 3 is out of range for 3 rows of input "
    "3",
    "i32[1,3]{0} i32[1,3]{-1} f32[5,8] f32[3,8] f32[2,8] f32[8] f32[8] ! index -1 is out of range",
    "i32[1,3]{0} i32[1,3]{0} f32[5,8] f32[3,8] _ f32[8] f32[8] ! come together",
    "i32[1,3]{0} _ f32[5,8] f32[3,7] _ f32[8] f32[8] ! input 3 is float32[3,7]",
    "i32[1,3]{0} _ f32[5,8] f32[3,8] _ f32[8] f32[7] ! input 6 is float32[7]",
    "i32[1,3]{0} _ f32[5,8] f32[3,8] _ f32[8] f32[8] i32[1,4]{0} ! input 7 is int32[1,4]",
    NULL,
};

const ig_op ig_op_embed_layer_normalization = {
    .onnx = "EmbedLayerNormalization",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 7, 9 },
    .gaps = 1 << 1 | 1 << 4,
    .n_out = { 1, 3 },
    .types = IG_T(INGOT_INT32),
    .flags = IG_OWN_HALF,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
