/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sparse_attention.c: com.microsoft SparseAttention: GroupQueryAttention in which a query sees the
 * keys of some blocks of sparse_block_size only. Layouts in CSR form, [layouts, blocks + 1] and
 * [layouts, entries], tell which blocks of keys a block of queries sees; head h has layout
 * h % layouts. The cache keeps its size.
 */
#include <math.h>
#include <string.h>

#include "ops/strided.h"

enum {
    IN_Q,
    IN_K,
    IN_V,
    IN_PAST_K,
    IN_PAST_V,
    IN_BLOCK_ROWS,
    IN_BLOCK_COLS,
    IN_TOTAL,
    IN_LENGTHS,
    IN_COS,
    IN_SIN
};
/* GroupQueryAttention's inputs. */
enum { GQA_LENGTHS = 5, GQA_TOTAL, GQA_COS, GQA_SIN, GQA_POSITIONS, GQA_BIAS, GQA_N_INPUTS };

#define MAX_BLOCK (1 << 20)

extern const ig_op ig_op_group_query_attention;

static ig_status infer(ig_infer *c)
{
    const int64_t block = ig_attr_int(c->node, "sparse_block_size", 0);
    const ig_info *in[GQA_N_INPUTS] = { 0 };
    IG_TRY(ig_infer_is_int(c, IN_BLOCK_ROWS, "block_row_indices"));
    for (int i = IN_PAST_K; i <= IN_LENGTHS; i++)
        if (!c->in[i]) return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", i);
    if (block < 1 || block > MAX_BLOCK)
        return ig_fail(c->err, INGOT_ERR_INVALID, "sparse_block_size is %lld, not within 1 to 2^20",
                       (long long)block);
    for (int i = IN_BLOCK_ROWS; i <= IN_BLOCK_COLS; i++) {
        const ig_info *x = c->in[i];
        if (x->type.dtype != INGOT_INT32 || (x->rank >= 0 && x->rank != 2))
            return ig_fail(c->err, INGOT_ERR_SHAPE,
                           "input %d, of the layouts, is %s of rank %d, not int32 of rank 2", i,
                           ingot_dtype_name(x->type.dtype), x->rank);
    }
    for (int i = IN_Q; i <= IN_PAST_V; i++) in[i] = c->in[i];
    in[GQA_LENGTHS] = c->in[IN_LENGTHS];
    in[GQA_TOTAL] = c->in[IN_TOTAL];
    for (int i = 0; i < 2; i++) in[GQA_COS + i] = IN_COS + i < c->n_in ? c->in[IN_COS + i] : NULL;
    ig_infer as = *c;
    as.in = in;
    as.n_in = GQA_N_INPUTS;
    IG_TRY(ig_op_group_query_attention.infer(&as));
    for (int o = 1; o < c->n_out; o++) {
        const ig_info *past = c->in[IN_PAST_K + o - 1];
        if (past->rank >= 0)
            ig_info_set_shape(&c->out[o], past->type.dtype, past->rank, past->dims);
    }
    return INGOT_OK;
}

/* ---- reference ---- */

typedef struct layouts {
    const int32_t *rows, *cols;
    int64_t n, n_rows, n_cols, block;
} layouts;

static ig_status read_layouts(const ig_call *c, layouts *l)
{
    const ig_tensor *rows = c->in[IN_BLOCK_ROWS], *cols = c->in[IN_BLOCK_COLS];
    *l = (layouts){ .rows = rows->data,
                    .cols = cols->data,
                    .n = rows->dims[0],
                    .n_rows = rows->dims[1] - 1,
                    .n_cols = cols->dims[1],
                    .block = ig_attr_int(c->node, "sparse_block_size", 1) };
    const int64_t n_heads = ig_attr_int(c->node, "num_heads", 1);
    if (l->n < 1 || n_heads % l->n || cols->dims[0] != l->n || l->n_rows < 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld and %lld layouts of blocks for %lld heads",
                       (long long)l->n, (long long)cols->dims[0], (long long)n_heads);
    for (int64_t i = 0; i < l->n; i++)
        for (int64_t r = 0; r <= l->n_rows; r++) {
            const int32_t *at = l->rows + i * (l->n_rows + 1) + r;
            if (*at < (r ? at[-1] : 0) || *at > l->n_cols)
                return ig_fail(c->err, INGOT_ERR_INVALID,
                               "block_row_indices[%lld, %lld] is %d, which does not follow the one "
                               "before within %lld entries",
                               (long long)i, (long long)r, *at, (long long)l->n_cols);
        }
    return INGOT_OK;
}

/* scores[k] = 0 for the keys [0, n) of blocks that the query at `position` sees, else -infinity. */
static ig_status mask_row(const ig_call *c, const layouts *l, int64_t layout, int64_t position,
                          int64_t n, float *scores)
{
    const int64_t row = position / l->block;
    const int32_t *at = l->rows + layout * (l->n_rows + 1) + row;
    if (row >= l->n_rows)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "position %lld is in block %lld; the layouts have %lld", (long long)position,
                       (long long)row, (long long)l->n_rows);
    for (int64_t k = 0; k < n; k++) scores[k] = -INFINITY;
    for (int32_t i = at[0]; i < at[1]; i++) {
        const int64_t begin = l->cols[layout * l->n_cols + i] * l->block;
        for (int64_t k = begin; begin >= 0 && k < begin + l->block && k < n; k++) scores[k] = 0;
    }
    return INGOT_OK;
}

/* The bias that hides keys: [batch, heads or 1, queries, rows of the cache]. */
static ig_status make_bias(ig_call *c, const layouts *l, const ig_tensor **out)
{
    const ig_tensor *q = c->in[IN_Q], *past = c->in[IN_PAST_K];
    const int32_t *used = c->in[IN_LENGTHS]->data;
    const int64_t n_heads = l->n == 1 ? 1 : ig_attr_int(c->node, "num_heads", 1);
    const int64_t dims[4] = { q->dims[0], n_heads, q->dims[1], past->dims[2] };
    ig_tensor *bias = NULL;
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_FLOAT, 4, dims, NULL, &bias, c->err));
    float *scores = bias->data;
    for (int64_t b = 0; b < dims[0]; b++) {
        const int64_t before = used[b] > dims[2] ? used[b] - dims[2] : 0;
        for (int64_t h = 0; h < dims[1]; h++)
            for (int64_t i = 0; i < dims[2]; i++, scores += dims[3])
                if (before + i < used[b]) /* the others are padding */
                    IG_TRY(mask_row(c, l, h % l->n, before + i, dims[3], scores));
    }
    *out = bias;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *in[GQA_N_INPUTS] = { 0 }, *lengths = c->in[IN_LENGTHS];
    const int64_t n = ig_tensor_count(lengths), n_rows = c->in[IN_PAST_K]->dims[2];
    ig_tensor *last = NULL;
    layouts l;
    IG_TRY(ig_call_ready(c));
    IG_TRY(read_layouts(c, &l));
    if (n != c->in[IN_Q]->dims[0] || ig_tensor_count(c->in[IN_TOTAL]) != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld lengths for %lld samples", (long long)n,
                       (long long)c->in[IN_Q]->dims[0]);
    const int32_t total = *(const int32_t *)c->in[IN_TOTAL]->data;
    IG_TRY(ig_tensor_in_arena(c->scratch, INGOT_INT32, 1, &n, NULL, &last, c->err));
    for (int64_t b = 0; b < n; b++) {
        const int32_t used = ((const int32_t *)lengths->data)[b];
        if (used < 1 || used > n_rows || total > n_rows)
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "sample %lld uses %d of %d rows; the cache has %lld", (long long)b, used,
                           total, (long long)n_rows);
        ((int32_t *)last->data)[b] = used - 1;
    }
    for (int i = IN_Q; i <= IN_PAST_V; i++) in[i] = c->in[i];
    in[GQA_LENGTHS] = last;
    in[GQA_TOTAL] = c->in[IN_TOTAL];
    for (int i = 0; i < 2; i++) in[GQA_COS + i] = IN_COS + i < c->n_in ? c->in[IN_COS + i] : NULL;
    if (n > 0) IG_TRY(make_bias(c, &l, &in[GQA_BIAS]));
    ig_call as = *c;
    as.in = in;
    as.n_in = GQA_N_INPUTS;
    return ig_op_group_query_attention.ref(&as);
}

static const char *const cases[] = {
    /* a decoding step at position 3, blocks of 1: keys 0 and 3 are seen */
    "f32[1,1,2]{1,0} f32[1,1,2]{0,0} f32[1,1,2]{5,7} f32[1,1,4,2]{0,0,9,9,9,9,9,9} "
    "f32[1,1,4,2]{1,3,9,9,9,9,9,9} i32[1,5]{0,1,2,3,5} i32[1,5]{0,1,2,0,3} i32[1]{4} i32[1]{4} "
    "num_heads=1 kv_num_heads=1 sparse_block_size=1 -> 3 = f32[1,1,2]{3,5} "
    "f32[1,1,4,2]{0,0,9,9,9,9,0,0} f32[1,1,4,2]{1,3,9,9,9,9,5,7}",
    /* two layouts: one head sees both blocks, the other its own */
    "f32[1,4,4]{-1.5,-1,1,0.5,-1.5,-0.5,-0,-1.5,1,-1.5,-0.5,0,-0.5,0.5,1,2} "
    "f32[1,4,2]{-1,0.5,1,-1,-2,2,-1,-0.5} f32[1,4,2]{1.5,0.5,-0,1,-2,1,-0.5,-1.5} f32[1,1,4,2]{0} "
    "f32[1,1,4,2]{0} i32[2,3]{0,1,3,0,1,2} i32[2,3]{0,0,1,0,1,-1} i32[1]{4} i32[1]{4} num_heads=2 "
    "kv_num_heads=1 sparse_block_size=2 -> 3 = "
    "f32[1,4,4]{1.5,0.5,1.5,0.5,1.246133,0.5846223,0.2538669,0.9153777,0.06101704,0.9765157,-2,1,-"
    "0.8366176,0.4888562,-1.916289,0.860482} f32[1,1,4,2]{-1,0.5,1,-1,-2,2,-1,-0.5} "
    "f32[1,1,4,2]{1.5,0.5,-0,1,-2,1,-0.5,-1.5}",
    "f32[2,3,32] f32[2,3,16] f32[2,3,16] f32[2,2,8,8] f32[2,2,8,8] i32[2,5]{0,1,3,5,8,0,1,3,6,9} "
    "i32[2,9]{0,0,1,1,2,1,2,3,-1,0,0,1,0,1,2,0,2,3} i32[1]{7} i32[2]{7,5} f32[8,4] f32[8,4] "
    "num_heads=4 kv_num_heads=2 sparse_block_size=2 do_rotary=1 -> 3",
    "f32[1,3,24] _ _ f32[1,1,4,8] f32[1,1,4,8] i32[1,3]{0,1,3} i32[1,3]{0,0,1} i32[1]{3} "
    "i32[1]{3} num_heads=1 kv_num_heads=1 sparse_block_size=2 -> 3",
    "f32[0,3,8] f32[0,3,8] f32[0,3,8] f32[0,1,4,8] f32[0,1,4,8] i32[1,3]{0,1,3} i32[1,3]{0,0,1} "
    "i32[1]{3} i32[0] num_heads=1 kv_num_heads=1 sparse_block_size=2 -> 3",
    "f32[1,1,8] f32[1,1,8] f32[1,1,8] f32[1,1,4,8] f32[1,1,4,8] i32[1,3]{0,1,4} i32[1,3]{0,0,1} "
    "i32[1]{3} i32[1]{3} num_heads=1 kv_num_heads=1 sparse_block_size=2 -> 3 ! "
    "block_row_indices[0, 2] is 4",
    "f32[1,1,8] f32[1,1,8] f32[1,1,8] f32[1,1,4,8] f32[1,1,4,8] i32[1,2]{0,1} i32[1,3]{0,0,1} "
    "i32[1]{3} i32[1]{3} num_heads=1 kv_num_heads=1 sparse_block_size=2 -> 3 ! position 2 is in "
    "block 1; the layouts have 1",
    "f32[1,1,8] f32[1,1,8] f32[1,1,8] f32[1,1,4,8] f32[1,1,4,8] i32[1,3]{0,1,3} i32[1,3]{0,0,1} "
    "i32[1]{5} i32[1]{5} num_heads=1 kv_num_heads=1 sparse_block_size=2 -> 3 ! sample 0 uses 5 of "
    "5 rows; the cache has 4",
    "f32[1,1,8] f32[1,1,8] f32[1,1,8] f32[1,1,4,8] f32[1,1,4,8] i32[2,3]{0,1,3,0,1,3} "
    "i32[2,3]{0,0,1,0,0,1} i32[1]{3} i32[1]{3} num_heads=1 kv_num_heads=1 sparse_block_size=2 -> "
    "3 ! 2 and 2 layouts of blocks for 1 heads",
    "f32[1,1,8] f32[1,1,8] f32[1,1,8] f32[1,1,4,8] f32[1,1,4,8] i32[1,3] i32[1,3] i32[1]{3} "
    "i32[1]{3} num_heads=1 kv_num_heads=1 -> 3 ! sparse_block_size is 0",
    NULL,
};

const ig_op ig_op_sparse_attention = {
    .onnx = "SparseAttention",
    .domain = "com.microsoft",
    .since = { 1 },
    .n_in = { 9, 11 },
    .gaps = 1 << 1 | 1 << 2,
    .n_out = { 1, 3 },
    .types = IG_T(INGOT_FLOAT) | IG_T(INGOT_FLOAT16) | IG_T(INGOT_BFLOAT16),
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
