/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention.c: scaled dot-product attention with past and present keys, see attention_core.h.
 *
 * Operands have rank 4 [batch, heads, rows, d] or rank 3 [batch, rows, heads * d]. The first query
 * stands behind the past keys (23), or n_q before the end of the valid keys of nonpad_kv_seqlen
 * (24), which also lets the mask be shorter than the keys. 25 adds windows.
 */
#include <math.h>

#include "ops/attention_core.h"

enum { IN_Q, IN_K, IN_V, IN_MASK, IN_PAST_K, IN_PAST_V, IN_LENGTHS, N_INPUTS };
enum { OUT_Y, OUT_K, OUT_V, OUT_SCORES };

/* ---- shapes ---- */

typedef struct dims_of_attention {
    ig_dim batch, n_heads, n_kv_heads, n_q, n_new, n_past, d_k, d_v;
} attention_dims;

static const ig_info *input(const ig_infer *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static bool differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

/* Heads, rows and elements of an operand of rank 3 or 4; n_heads comes from an attribute (0 where
 * absent). */
static ig_status split_heads(ig_infer *c, const ig_info *x, const char *what, int64_t n_heads,
                             const char *attr, ig_dim *heads, ig_dim *rows, ig_dim *d)
{
    if (x->rank == 4) {
        *heads = x->dims[1];
        *rows = x->dims[2];
        *d = x->dims[3];
        if (n_heads > 0 && differ(n_heads, *heads))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has %lld heads, %s says %lld", what,
                           (long long)*heads, attr, (long long)n_heads);
        return INGOT_OK;
    }
    if (n_heads <= 0 || n_heads > IG_DIM_MAX)
        return ig_fail(c->err, INGOT_ERR_INVALID, "%s has rank 3 and needs %s above 0, not %lld",
                       what, attr, (long long)n_heads);
    const ig_dim width = x->dims[2];
    if (ig_dim_is_const(width) && width % n_heads)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has %lld columns, no multiple of %lld heads",
                       what, (long long)width, (long long)n_heads);
    *heads = n_heads;
    *rows = x->dims[1];
    *d = ig_dim_floor_div(c->dims, width, n_heads);
    return INGOT_OK;
}

static ig_status check_past(ig_infer *c, const attention_dims *a, int i, ig_dim d)
{
    const ig_info *past = input(c, i);
    if (!past || past->rank < 0) return INGOT_OK;
    if (past->rank != 4 || differ(past->dims[0], a->batch) ||
        differ(past->dims[1], a->n_kv_heads) || differ(past->dims[3], d))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "past %s not fit the new ones",
                       i == IN_PAST_K ? "keys do" : "values do");
    return INGOT_OK;
}

static ig_status check_options(ig_infer *c)
{
    const bool has_past = input(c, IN_PAST_K) != NULL;
    const int64_t mode = ig_attr_int(c->node, "qk_matmul_output_mode", 0);
    if (has_past != (input(c, IN_PAST_V) != NULL))
        return ig_fail(c->err, INGOT_ERR_INVALID, "past_key and past_value come together");
    if (has_past && input(c, IN_LENGTHS))
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "nonpad_kv_seqlen and past keys exclude each other");
    if (mode < 0 || mode > 3)
        return ig_fail(c->err, INGOT_ERR_INVALID, "qk_matmul_output_mode is %lld, not 0 to 3",
                       (long long)mode);
    for (int i = 0; i < 2 && c->opset >= 25; i++) {
        const char *name = i ? "right_window_size" : "left_window_size";
        if (ig_attr_int(c->node, name, -1) < -1)
            return ig_fail(c->err, INGOT_ERR_INVALID, "%s is %lld, not -1 or more", name,
                           (long long)ig_attr_int(c->node, name, -1));
    }
    const int64_t type = ig_attr_int(c->node, "softmax_precision", INGOT_FLOAT);
    if (type != INGOT_FLOAT && type != INGOT_FLOAT16 && type != INGOT_DOUBLE &&
        type != INGOT_BFLOAT16)
        return ig_fail(c->err, INGOT_ERR_INVALID, "softmax_precision %lld is no float type",
                       (long long)type);
    return INGOT_OK;
}

static ig_status check_lengths(ig_infer *c, ig_dim batch)
{
    const ig_info *lengths = input(c, IN_LENGTHS);
    if (!lengths) return INGOT_OK;
    if (lengths->type.dtype != INGOT_INT64)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "nonpad_kv_seqlen is %s, not int64",
                       ingot_dtype_name(lengths->type.dtype));
    if (lengths->rank >= 0 && (lengths->rank != 1 || differ(lengths->dims[0], batch)))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "nonpad_kv_seqlen is not one number a sample");
    return INGOT_OK;
}

/* Everything about the operands that shapes tell. Ranks of Q, K and V are known. */
static ig_status read_dims(ig_infer *c, attention_dims *a)
{
    const ig_info *q = c->in[IN_Q], *k = c->in[IN_K], *v = c->in[IN_V];
    const int64_t n_kv_heads = ig_attr_int(c->node, "kv_num_heads", 0);
    ig_dim v_heads, v_rows, k_d;
    if ((q->rank != 3 && q->rank != 4) || k->rank != q->rank || v->rank != q->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "Q, K, V have rank %d, %d, %d, not all 3 or all 4",
                       q->rank, k->rank, v->rank);
    IG_TRY(split_heads(c, q, "Q", ig_attr_int(c->node, "q_num_heads", 0), "q_num_heads",
                       &a->n_heads, &a->n_q, &a->d_k));
    IG_TRY(split_heads(c, k, "K", n_kv_heads, "kv_num_heads", &a->n_kv_heads, &a->n_new, &k_d));
    IG_TRY(split_heads(c, v, "V", n_kv_heads, "kv_num_heads", &v_heads, &v_rows, &a->d_v));
    a->batch = q->dims[0];
    if (differ(k->dims[0], a->batch) || differ(v->dims[0], a->batch))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "Q, K, V have %lld, %lld, %lld samples",
                       (long long)a->batch, (long long)k->dims[0], (long long)v->dims[0]);
    if (differ(k_d, a->d_k))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "a head of K has %lld elements, one of Q %lld",
                       (long long)k_d, (long long)a->d_k);
    if (differ(v_heads, a->n_kv_heads) || differ(v_rows, a->n_new))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "V has not the heads and rows of K");
    if (ig_dim_is_const(a->n_heads) && ig_dim_is_const(a->n_kv_heads) &&
        (a->n_kv_heads < 1 || a->n_heads % a->n_kv_heads))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld heads of Q are no multiple of %lld of K",
                       (long long)a->n_heads, (long long)a->n_kv_heads);
    const ig_info *past = input(c, IN_PAST_K), *past_v = input(c, IN_PAST_V);
    IG_TRY(check_past(c, a, IN_PAST_K, a->d_k));
    IG_TRY(check_past(c, a, IN_PAST_V, a->d_v));
    if (past && past_v && past->rank == 4 && past_v->rank == 4 &&
        differ(past->dims[2], past_v->dims[2]))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld past keys, but %lld past values",
                       (long long)past->dims[2], (long long)past_v->dims[2]);
    a->n_past = !past ? 0 : past->rank == 4 ? past->dims[2] : ig_dim_born(c->dims);
    return check_lengths(c, a->batch);
}

static ig_status infer(ig_infer *c)
{
    attention_dims a;
    const ig_info *q = c->in[IN_Q], *mask = input(c, IN_MASK);
    const ingot_dtype v_type = c->in[IN_V]->type.dtype;
    IG_TRY(check_options(c));
    if (c->in[IN_K]->type.dtype != q->type.dtype || !(IG_T(v_type) & IG_T_FLOATS))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "Q, K, V are %s, %s, %s",
                       ingot_dtype_name(q->type.dtype), ingot_dtype_name(c->in[IN_K]->type.dtype),
                       ingot_dtype_name(v_type));
    if (c->n_out > OUT_V) c->out[OUT_V].type.dtype = v_type;
    if (q->rank < 0 || c->in[IN_K]->rank < 0 || c->in[IN_V]->rank < 0) return INGOT_OK;
    IG_TRY(read_dims(c, &a));
    const ig_dim n_kv = ig_dim_add(c->dims, a.n_past, a.n_new);
    const ig_dim scores[4] = { a.batch, a.n_heads, a.n_q, n_kv };
    const ig_dim keys[4] = { a.batch, a.n_kv_heads, n_kv, a.d_k };
    const ig_dim values[4] = { a.batch, a.n_kv_heads, n_kv, a.d_v };
    const ig_dim y4[4] = { a.batch, a.n_heads, a.n_q, a.d_v };
    const ig_dim y3[3] = { a.batch, a.n_q, ig_dim_mul(c->dims, a.n_heads, a.d_v) };
    if (mask) IG_TRY(ig_attn_check_mask(mask, scores, c->opset >= 24, c->err));
    ig_info_set_shape(&c->out[OUT_Y], q->type.dtype, q->rank, q->rank == 3 ? y3 : y4);
    if (c->n_out > OUT_K) ig_info_set_shape(&c->out[OUT_K], q->type.dtype, 4, keys);
    if (c->n_out > OUT_V) ig_info_set_shape(&c->out[OUT_V], v_type, 4, values);
    if (c->n_out > OUT_SCORES) ig_info_set_shape(&c->out[OUT_SCORES], q->type.dtype, 4, scores);
    return INGOT_OK;
}

/* Concrete shapes, which infer has checked. dims: of each input, rank 0 where absent. */
typedef struct operand_dims {
    int rank;
    const int64_t *dims;
} operand_dims;

static void read_shape(const ig_node *node, int opset, const operand_dims *in, ig_attn_shape *s)
{
    const int rank = in[IN_Q].rank;
    const int64_t *q = in[IN_Q].dims, *k = in[IN_K].dims, *v = in[IN_V].dims;
    const int64_t n_past = in[IN_PAST_K].rank ? in[IN_PAST_K].dims[2] : 0;
    *s = (ig_attn_shape){ .n_batch = q[0], .left = -1, .right = -1, .offset = n_past };
    s->n_heads = rank == 4 ? q[1] : ig_attr_int(node, "q_num_heads", 0);
    s->n_kv_heads = rank == 4 ? k[1] : ig_attr_int(node, "kv_num_heads", 0);
    s->n_q = q[rank - 2];
    const int64_t n_new = k[rank - 2];
    s->n_kv = n_past + n_new;
    s->d_k = rank == 4 ? q[3] : q[2] / s->n_heads;
    s->d_v = rank == 4 ? v[3] : v[2] / s->n_kv_heads;
    s->scale = ig_attn_scale(node, s->d_k);
    s->softcap = ig_attr_float(node, "softcap", 0);
    s->is_causal = ig_attr_int(node, "is_causal", 0) != 0;
    if (opset >= 25) {
        s->left = ig_attr_int(node, "left_window_size", -1);
        s->right = ig_attr_int(node, "right_window_size", -1);
    }
    s->q = ig_attn_dense(rank, s->n_heads, s->n_q, s->d_k);
    s->k = ig_attn_dense(rank, s->n_kv_heads, n_new, s->d_k);
    s->v = ig_attn_dense(rank, s->n_kv_heads, n_new, s->d_v);
    s->y = ig_attn_dense(rank, s->n_heads, s->n_q, s->d_v);
    if (in[IN_MASK].rank)
        s->mask = ig_attn_mask_of(in[IN_MASK].rank, in[IN_MASK].dims, s->n_kv, opset >= 24);
}

/* ---- reference ---- */

static const ig_tensor *tensor(const ig_call *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static ig_tensor *wanted(const ig_call *c, int o) { return o < c->n_out ? c->out[o] : NULL; }

/* Past and new rows in one dense block: the output `o` if it is wanted. Fresh rows may be read in
 * place when there is no past. */
static ig_status append(ig_call *c, int i, int i_past, int o, const ig_attn_shape *s, int64_t d,
                        ig_attn_strides *at, const void **data)
{
    const ig_tensor *fresh = c->in[i], *past = tensor(c, i_past);
    const int64_t dims[4] = { s->n_batch, s->n_kv_heads, s->n_kv, d };
    const int64_t n_past = past ? past->dims[2] : 0;
    ig_tensor *t = wanted(c, o);
    *data = fresh->data;
    if (!t && !past) return INGOT_OK;
    if (past && past->dtype != fresh->dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "past rows are %s, new ones %s",
                       ingot_dtype_name(past->dtype), ingot_dtype_name(fresh->dtype));
    if (!t) IG_TRY(ig_tensor_in_arena(c->scratch, fresh->dtype, 4, dims, NULL, &t, c->err));
    ig_attn_append(t->data, past ? past->data : NULL, n_past, fresh->data, at, s->n_kv - n_past,
                   s->n_kv_heads, d, ig_dtype_size(fresh->dtype), 0,
                   ig_tensor_count(t) ? s->n_batch * s->n_kv_heads : 0);
    *at = ig_attn_dense(4, s->n_kv_heads, s->n_kv, d);
    *data = t->data;
    return INGOT_OK;
}

/* Lengths beyond the cache mean all of it. */
static ig_status offsets_of(ig_call *c, ig_attn_ref *r)
{
    const ig_tensor *lengths = tensor(c, IN_LENGTHS);
    const size_t n_batch = (size_t)r->shape.n_batch;
    if (!lengths) return INGOT_OK;
    int64_t *offset = ig_arena_array(c->scratch, n_batch + 1, sizeof *offset);
    int64_t *n_valid = ig_arena_array(c->scratch, n_batch + 1, sizeof *n_valid);
    if (!offset || !n_valid) return IG_NOMEM(c->err, n_batch * sizeof *offset);
    for (int64_t b = 0; b < r->shape.n_batch; b++) {
        const int64_t n = ((const int64_t *)lengths->data)[b];
        n_valid[b] = n < 0 ? 0 : n > r->shape.n_kv ? r->shape.n_kv : n;
        offset[b] = n_valid[b] - r->shape.n_q;
    }
    r->offset = offset;
    r->n_valid = n_valid;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    operand_dims in[N_INPUTS] = { 0 };
    for (int i = 0; i < N_INPUTS; i++)
        if (tensor(c, i)) in[i] = (operand_dims){ c->in[i]->rank, c->in[i]->dims };
    const ig_tensor *mask = tensor(c, IN_MASK);
    ig_attn_ref r = { .q_type = c->in[IN_Q]->dtype,
                      .k_type = c->in[IN_K]->dtype,
                      .v_type = c->in[IN_V]->dtype,
                      .y_type = c->in[IN_Q]->dtype,
                      .q = c->in[IN_Q]->data,
                      .mask = mask ? mask->data : NULL,
                      .mask_type = mask ? mask->dtype : INGOT_UNDEFINED,
                      .scores = wanted(c, OUT_SCORES) };
    read_shape(c->node, c->opset, in, &r.shape);
    r.round_type = (ingot_dtype)ig_attr_int(c->node, "softmax_precision", INGOT_DOUBLE);
    r.scores_are = (ig_attn_scores)ig_attr_int(c->node, "qk_matmul_output_mode", 0);
    IG_TRY(append(c, IN_K, IN_PAST_K, OUT_K, &r.shape, r.shape.d_k, &r.shape.k, &r.k));
    IG_TRY(append(c, IN_V, IN_PAST_V, OUT_V, &r.shape, r.shape.d_v, &r.shape.v, &r.v));
    IG_TRY(offsets_of(c, &r));
    r.y = wanted(c, OUT_Y) ? c->out[OUT_Y]->data : NULL;
    if (!r.y && !r.scores) return INGOT_OK;
    return ig_attn_run_ref(c, &r);
}

static ig_status lower(ig_lower *l)
{
    int64_t dims[N_INPUTS][IG_MAX_RANK];
    operand_dims in[N_INPUTS] = { 0 };
    ig_attn_shape s;
    const int64_t type = ig_attr_int(l->node, "softmax_precision", INGOT_FLOAT);
    if (type != INGOT_FLOAT || (l->n_out > OUT_SCORES && l->out[OUT_SCORES].rank >= 0) ||
        l->out[OUT_Y].rank < 0)
        return INGOT_OK;
    for (int i = 0; i < l->n_in && i < N_INPUTS; i++) {
        if (!l->in[i]) continue;
        if (!ig_info_is_static(l->in[i], dims[i])) return INGOT_OK;
        in[i] = (operand_dims){ l->in[i]->rank, dims[i] };
    }
    if (l->out[OUT_Y].rank == 3 && ig_count(3, l->out[OUT_Y].dims) == 0) return INGOT_OK;
    read_shape(l->node, l->opset, in, &s);
    return ig_attn_lower(l, &s);
}

static int64_t flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    int64_t y[IG_MAX_RANK], k[IG_MAX_RANK], q[IG_MAX_RANK];
    (void)node;
    if (!ig_info_is_static(&out[OUT_Y], y) || !ig_info_is_static(in[IN_K], k) ||
        !ig_info_is_static(in[IN_Q], q))
        return 0;
    const int rank = in[IN_Q]->rank;
    int64_t n = 0;
    if (__builtin_add_overflow(ig_count(rank, y), ig_count(rank, q), &n) ||
        __builtin_mul_overflow(n, k[rank - 2], &n) || __builtin_mul_overflow(n, 2, &n))
        return 0;
    return n;
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,-1} f32[1,1,3,2]{1,0,0,1,-1,2} f32[1,1,3,1]{1,2,3} @23 = "
    "f32[1,1,2,1]{2.435946,1.062199}",
    "f32[1,2,4]{1,2,3,-1,0,1,2,1} f32[1,3,2]{1,0,0,1,-1,2} f32[1,3,2]{1,2,3,4,5,6} @23 "
    "q_num_heads=2 kv_num_heads=1 scale=0.5 is_causal=1 softcap=2.0 = "
    "f32[1,2,4]{1,2,1,2,2.240136,3.240136,1.786154,2.786154}",
    "f32[1,1,2,1]{1,2} f32[1,1,1,1]{2} f32[1,1,1,1]{7} f32[2,3]{0,-1,-inf,-inf,-inf,-inf} "
    "f32[1,1,2,1]{1,-1} f32[1,1,2,1]{3,5} @23 qk_matmul_output_mode=2 -> 4 = "
    "f32[1,1,2,1]{3.094852,0} f32[1,1,3,1]{1,-1,2} f32[1,1,3,1]{3,5,7} "
    "f32[1,1,2,3]{1,-2,-inf,-inf,-inf,-inf}",
    "f32[1,1,2,1]{1,2} f32[1,1,2,1]{2,1} f32[1,1,2,1]{7,3} bool[2,2]{1,0,0,0} @23 "
    "qk_matmul_output_mode=3 -> 4 = f32[1,1,2,1]{7,0} f32[1,1,2,1]{2,1} f32[1,1,2,1]{7,3} "
    "f32[1,1,2,2]{1,0,0,0}",
    "f32[2,1,2,1]{1,2,-1,3} f32[2,1,3,1]{2,1,1,0,1,2} f32[2,1,3,1]{7,3,1,4,5,6} "
    "f32[2,2]{0.5,-0.5,0.5,-0.5} _ _ i64[2]{2,1} @24 is_causal=1 = f32[2,1,2,1]{7,6.810297,0,4}",
    "f64[1,1,1,1]{1} f64[1,1,2,1]{2,1} f64[1,1,2,1]{7,3} @24 qk_matmul_output_mode=1 softcap=1.5 "
    "softmax_precision=1 -> 4 = f64[1,1,1,1]{5.424372} f64[1,1,2,1]{2,1} f64[1,1,2,1]{7,3} "
    "f64[1,1,1,2]{1.305092,0.8741744}",
    "f32[1,1,4,1]{1,2,3,4} f32[1,1,6,1]{1,0,2,-1,0.5,1} f32[1,1,6,1]{1,2,4,8,16,32} @25 "
    "left_window_size=2 right_window_size=1 = f32[1,1,4,1]{1.268941,3.616317,3.853833,4.029016}",
    "f32[1,1,2,1]{1,2} f32[1,1,2,1]{1,0} f32[1,1,2,1]{1,2} _ f32[1,1,2,1]{3,1} f32[1,1,2,1]{4,8} "
    "@25 left_window_size=1 is_causal=1 -> 3 = f32[1,1,2,1]{4.5,1.119203} f32[1,1,4,1]{3,1,1,0} "
    "f32[1,1,4,1]{4,8,1,2}",
    "f32[1,2,1,2]{1,2,3,-1} f32[1,1,2,2]{1,0,0,1} f32[1,1,2,1]{1,2} f32[2,1,2]{0,1,1,0} @23 = "
    "f32[1,2,1,1]{1.846461,1.021281}",
    "f16[1,1,1,2]{1,2} f16[1,1,2,2]{1,0,0.5,1} f16[1,1,2,2]{1,2,3,4} @24 = "
    "f16[1,1,1,2]{2.486328,3.488281}",
    "f32[2,4,5,8] f32[2,2,7,8] f32[2,2,7,6] @23",
    "f32[2,70,24] f32[2,133,12] f32[2,133,6] q_num_heads=4 kv_num_heads=2 is_causal=1 @24",
    "f32[1,2,70,8] f32[1,1,70,8] f32[1,1,70,8] left_window_size=9 right_window_size=3 softcap=3.0",
    "f32[2,2,3,4] f32[2,2,5,4] f32[2,2,5,4] bool[3,5] f32[2,2,2,4] f32[2,2,2,4] @24",
    "f32[2,2,3,4] f32[2,2,5,4] f32[2,2,5,4] f32[2,1,1,5] @24",
    "f32[2,2,3,4] f32[2,2,5,4] f32[2,2,5,4] bool[2,2,3,1] @23",
    "f32[2,2,3,4] f32[2,2,5,4] f32[2,2,5,4] f32[3,4] _ _ i64[2]{5,2} is_causal=1",
    "f32[2,2,1,4] f32[2,1,5,4] f32[2,1,5,4] _ f32[2,1,40,4] f32[2,1,40,4] -> 3 @24",
    "f32[2,2,3,4] f32[2,2,5,4] f32[2,2,5,4] i32[3,5] qk_matmul_output_mode=3 softmax_precision=10 "
    "-> 4",
    "f64[2,2,3,4] f64[2,2,5,4] f64[2,2,5,4] f64[3,5] -> 4",
    "bf16[1,2,3,4] bf16[1,2,5,4] bf16[1,2,5,4] bool[3,5] -> 3",
    "f16[1,2,3,4] f16[1,2,5,4] f32[1,2,5,4] softmax_precision=11 -> 4",
    "f32[0,2,3,4] f32[0,2,5,4] f32[0,2,5,4]",
    "f32[1,2,0,4] f32[1,2,5,4] f32[1,2,5,4] -> 3",
    "f32[1,2,3,4] f32[1,2,0,4] f32[1,2,0,3] = f32[1,2,3,3]{0}",
    "f32[1,2,3,0] f32[1,2,2,0] f32[1,2,2,3]",
    "f32[1,3,8] f32[1,3,8] f32[1,3,8] ! needs q_num_heads above 0",
    "f32[1,3,8] f32[1,3,8] f32[1,3,8] q_num_heads=3 kv_num_heads=1 ! no multiple of 3 heads",
    "f32[1,3,3,8] f32[1,2,3,8] f32[1,2,3,8] ! 3 heads of Q are no multiple of 2",
    "f32[1,2,3,8] f32[1,2,3,4] f32[1,2,3,8] ! a head of K has 4 elements",
    "f32[1,2,3,8] f32[1,2,3,8] f32[1,2,4,8] ! V has not the heads and rows of K",
    "f32[1,2,3,8] f32[2,2,3,8] f32[1,2,4,8] ! have 1, 2, 1 samples",
    "f32[1,2,3,8] f32[1,3,8] f32[1,2,4,8] ! not all 3 or all 4",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] f32[3,3] @23 ! the mask has 3 keys",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] f32[2,4] ! the mask has 2 queries",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] _ f32[1,2,4,8] ! come together",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] _ f32[1,2,4,8] f32[1,2,3,8] ! 4 past keys, but 3 past "
    "values",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] _ f32[1,2,4,7] f32[1,2,4,8] ! past keys do not fit",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] _ f32[1,2,4,8] f32[1,2,4,8] i64[1]{2} ! exclude each "
    "other",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] _ _ _ i64[1]{5}",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] _ _ _ i64[2]{1,2} ! not one number a sample",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] left_window_size=-2 ! left_window_size is -2",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] left_window_size=9223372036854775807 "
    "right_window_size=9223372036854775807",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] qk_matmul_output_mode=4 ! is 4, not 0 to 3",
    "f32[1,2,3,8] f32[1,2,4,8] f32[1,2,4,8] softmax_precision=7 ! no float type",
    "f32[1000000000000,1,1,0] f32[1000000000000,1,1,0] f32[1000000000000,1,1,0] -> 3",
    "f32[1,1,0] f32[1,1,0] f32[1,1,0] q_num_heads=1000000000000 kv_num_heads=1000000000000 -> 3",
    "f32[1,2,600,8] f32[1,1,600,8] f32[1,1,600,8] left_window_size=20 right_window_size=5",
    "f32[1,1,30,300] f32[1,1,600,300] f32[1,1,600,70] f32[30,300]",
    "f32[2,4,1,24] f32[2,1,300,24] f32[2,1,300,17] bool[2,4,1,300]",
    "f32[2,12,1,24] f32[2,2,300,24] f32[2,2,300,17] f32[2,12,1,300] softcap=2.0 "
    "left_window_size=50 is_causal=1",
    "f32[2,3,24] f32[2,9,12] f32[2,9,12] f32[2,1,3,9] q_num_heads=4 kv_num_heads=2",
    "f32[3,2,9,8] f32[3,1,300,8] f32[3,1,300,8] f32[9,300] _ _ i64[3]{300,257,4} is_causal=1",
    "f32[3,6,1,8] f32[3,2,300,8] f32[3,2,300,8] _ _ _ i64[3]{300,257,0} left_window_size=7",
    "f32[1,1,5,1]{1} f32[1,1,4,1]{1,1,nan,nan} f32[1,1,4,1]{2,4,nan,nan} _ _ _ i64[1]{2} = "
    "f32[1,1,5,1]{3}",
    "f32[1,1,1,1]{1} f32[1,1,4,1]{1,1,nan,nan} f32[1,1,4,1]{2,4,nan,nan} _ _ _ i64[1]{2} = "
    "f32[1,1,1,1]{3}",
    "f32[1,1,6,4] f32[1,1,3,4]{nan} f32[1,1,3,4]{1} bool[6,3]{0} = f32[1,1,6,4]{0}",
    "f32[1,2,9,8] f32[1,2,20,8] f32[1,2,20,8] _ f32[1,2,3,8] f32[1,2,3,8] is_causal=1",
    "f32[1,9,16] f32[1,20,16] f32[1,20,16] _ f32[1,2,3,8] f32[1,2,3,8] q_num_heads=2 "
    "kv_num_heads=2 -> 2",
    "f32[1,1,2,4] _ f32[1,1,2,4] ! input 1 of Attention is missing",
    NULL,
};

const ig_op ig_op_attention = {
    .onnx = "Attention",
    .since = { 23, 24, 25 },
    .n_in = { 3, 7 },
    .n_out = { 1, 4 },
    .types = IG_T_FLOATS,
    .flags = IG_OWN_HALF, /* types of values and keys may differ */
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = flops,
    .cases = cases,
};
