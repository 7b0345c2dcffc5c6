/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flex_attention.c: attention over [batch, heads, rows, d] with a graph between the stages:
 *
 *     p = prob_mod(softmax(score_mod(scale * q k^T)))        y = p v
 *
 * Both graphs are optional; they take and give one tensor [batch, heads, queries, keys] of the type
 * softmax_precision. A row of scores that are all -infinity gives zeros.
 */
#include "ops/attention_core.h"
#include "ops/control.h"

enum { IN_Q, IN_K, IN_V, N_INPUTS };

static ingot_dtype score_type(const ig_node *node, ingot_dtype q)
{
    return (ingot_dtype)ig_attr_int(node, "softmax_precision",
                                    q == INGOT_DOUBLE ? INGOT_DOUBLE : INGOT_FLOAT);
}

static bool differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

/* Ranks and dimensions of Q, K, V; a run checks again, because control flow is not inferred with
 * its shapes. */
static ig_status check_shapes(const int rank[3], const ig_dim *const dims[3], ig_error *err)
{
    const ig_dim *q = dims[IN_Q], *k = dims[IN_K], *v = dims[IN_V];
    if (rank[IN_Q] != 4 || rank[IN_K] != 4 || rank[IN_V] != 4)
        return ig_fail(err, INGOT_ERR_SHAPE, "Q, K, V have rank %d, %d, %d, not 4", rank[IN_Q],
                       rank[IN_K], rank[IN_V]);
    if (differ(q[0], k[0]) || differ(q[0], v[0]))
        return ig_fail(err, INGOT_ERR_SHAPE, "Q, K, V have %lld, %lld, %lld samples",
                       (long long)q[0], (long long)k[0], (long long)v[0]);
    if (differ(q[3], k[3]))
        return ig_fail(err, INGOT_ERR_SHAPE, "a head of K has %lld elements, one of Q %lld",
                       (long long)k[3], (long long)q[3]);
    if (differ(k[1], v[1]) || differ(k[2], v[2]))
        return ig_fail(err, INGOT_ERR_SHAPE, "V has not the heads and rows of K");
    if (ig_dim_is_const(q[1]) && ig_dim_is_const(k[1]) && (k[1] < 1 || q[1] % k[1]))
        return ig_fail(err, INGOT_ERR_SHAPE, "%lld heads of Q are no multiple of %lld of K",
                       (long long)q[1], (long long)k[1]);
    return INGOT_OK;
}

/* What a graph makes of the scores must have their type and shape. */
static ig_status infer_modifier(ig_infer *c, const char *name, const ig_info *scores)
{
    const ig_attr *graph = NULL;
    ig_info out = { .rank = -1 };
    if (!ig_node_attr(c->node, name)) return INGOT_OK;
    IG_TRY(ig_control_graph(c->node, name, &graph, c->err));
    if (graph->g->n_outputs != 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "%s gives %zu outputs, not 1", name,
                       graph->g->n_outputs);
    const ig_info **in = ig_arena_array(c->arena, graph->g->n_inputs + 1, sizeof *in);
    if (!in) return IG_NOMEM(c->err, graph->g->n_inputs * sizeof *in);
    IG_TRY(ig_infer_captures(c, graph, in, 1));
    in[0] = scores;
    IG_TRY(c->graph(c, graph->g, in, &out));
    if (out.type.dtype != scores->type.dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s gives %s, the scores are %s", name,
                       ingot_dtype_name(out.type.dtype), ingot_dtype_name(scores->type.dtype));
    bool is_same = out.rank < 0 || out.rank == 4;
    for (int d = 0; d < out.rank && is_same; d++) is_same = !differ(out.dims[d], scores->dims[d]);
    if (!is_same)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s changes the shape of the scores", name);
    return INGOT_OK;
}

static size_t n_captures(const ig_node *node, const char *name)
{
    const ig_attr *graph = ig_node_attr(node, name);
    return graph && graph->kind == IG_ATTR_GRAPH ? graph->g->n_captures : 0;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *q = c->in[IN_Q];
    const ingot_dtype type = score_type(c->node, q ? q->type.dtype : INGOT_FLOAT);
    const size_t n_in =
        N_INPUTS + n_captures(c->node, "score_mod") + n_captures(c->node, "prob_mod");
    if ((size_t)c->n_in > n_in)
        return ig_fail(c->err, INGOT_ERR_INVALID, "%d inputs, %zu expected", c->n_in, n_in);
    for (int i = 0; i < N_INPUTS; i++)
        if (!c->in[i]) return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", i);
    for (int i = IN_K; i < N_INPUTS; i++)
        if (c->in[i]->type.dtype != q->type.dtype)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "Q is %s, %s is %s",
                           ingot_dtype_name(q->type.dtype), i == IN_K ? "K" : "V",
                           ingot_dtype_name(c->in[i]->type.dtype));
    const int64_t given = ig_attr_int(c->node, "softmax_precision", type);
    if (given < 0 || given > 31 || !(IG_T(given) & IG_T_FLOATS))
        return ig_fail(c->err, INGOT_ERR_INVALID, "softmax_precision %lld is no float type",
                       (long long)given);
    ig_info scores = { .type = { .kind = INGOT_KIND_TENSOR, .dtype = type }, .rank = -1 };
    const bool is_known = q->rank >= 0 && c->in[IN_K]->rank >= 0 && c->in[IN_V]->rank >= 0;
    if (is_known) {
        const int ranks[] = { q->rank, c->in[IN_K]->rank, c->in[IN_V]->rank };
        const ig_dim *const all[] = { q->dims, c->in[IN_K]->dims, c->in[IN_V]->dims };
        IG_TRY(check_shapes(ranks, all, c->err));
        const ig_dim *k = c->in[IN_K]->dims;
        const ig_dim dims[4] = { q->dims[0], q->dims[1], q->dims[2], k[2] };
        const ig_dim y[4] = { q->dims[0], q->dims[1], q->dims[2], c->in[IN_V]->dims[3] };
        ig_info_set_shape(&scores, type, 4, dims);
        ig_info_set_shape(&c->out[0], q->type.dtype, 4, y);
    }
    IG_TRY(infer_modifier(c, "score_mod", &scores));
    return infer_modifier(c, "prob_mod", &scores);
}

/* ---- reference ---- */

/* *t becomes what the graph makes of it. */
static ig_status modify(ig_call *c, const char *name, const ig_tensor **t)
{
    const ig_attr *graph = NULL;
    const ig_tensor *out = NULL;
    if (!ig_node_attr(c->node, name)) return INGOT_OK;
    IG_TRY(ig_control_graph(c->node, name, &graph, c->err));
    const ig_tensor **in = ig_arena_array(c->scratch, graph->g->n_inputs + 1, sizeof *in);
    if (!in) return IG_NOMEM(c->err, graph->g->n_inputs * sizeof *in);
    IG_TRY(ig_control_captures(c, graph, in, 1));
    in[0] = *t;
    IG_TRY(c->run_graph(c, graph, in, graph->g->n_inputs, &out, 1));
    bool is_same = out && out->kind == INGOT_KIND_TENSOR && out->dtype == (*t)->dtype &&
                   out->rank == (*t)->rank;
    for (int d = 0; is_same && d < out->rank; d++) is_same = out->dims[d] == (*t)->dims[d];
    if (!is_same)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s changes type or shape of the scores", name);
    *t = out;
    return INGOT_OK;
}

static void weigh_values(const ig_call *c, const ig_attn_shape *s, const ig_tensor *p)
{
    const ig_tensor *v = c->in[IN_V];
    ig_tensor *y = c->out[0];
    for (int64_t row = 0; row < s->n_batch * s->n_heads * s->n_q; row++) {
        const int64_t h = row / s->n_q % s->n_heads, b = row / s->n_q / s->n_heads;
        const int64_t at = b * s->v.batch + h / (s->n_heads / s->n_kv_heads) * s->v.head;
        for (int64_t e = 0; e < s->d_v; e++) {
            double sum = 0;
            for (int64_t j = 0; j < s->n_kv; j++)
                sum += ig_get_f64(p->dtype, p->data, row * s->n_kv + j) *
                       ig_get_f64(v->dtype, v->data, at + j * s->v.row + e);
            ig_set_f64(y->dtype, y->data, row * s->d_v + e, sum);
        }
    }
}

static void read_shape(const ig_call *c, ig_attn_shape *s)
{
    const int64_t *q = c->in[IN_Q]->dims, *k = c->in[IN_K]->dims, *v = c->in[IN_V]->dims;
    *s = (ig_attn_shape){ .n_batch = q[0],
                          .n_heads = q[1],
                          .n_kv_heads = k[1],
                          .n_q = q[2],
                          .n_kv = k[2],
                          .d_k = q[3],
                          .d_v = v[3],
                          .left = -1,
                          .right = -1 };
    s->scale = ig_attn_scale(c->node, s->d_k);
    s->q = ig_attn_dense(4, q[1], q[2], q[3]);
    s->k = ig_attn_dense(4, k[1], k[2], k[3]);
    s->v = ig_attn_dense(4, v[1], v[2], v[3]);
}

/* The core gives the products; then, with the modified scores in place of a mask on vectors of no
 * elements, their softmax. */
static ig_status ref(ig_call *c)
{
    ig_attn_ref r = { .q_type = c->in[IN_Q]->dtype,
                      .k_type = c->in[IN_K]->dtype,
                      .v_type = c->in[IN_V]->dtype,
                      .q = c->in[IN_Q]->data,
                      .k = c->in[IN_K]->data,
                      .v = c->in[IN_V]->data,
                      .round_type = score_type(c->node, c->in[IN_Q]->dtype) };
    const int ranks[] = { c->in[IN_Q]->rank, c->in[IN_K]->rank, c->in[IN_V]->rank };
    const ig_dim *const all[] = { c->in[IN_Q]->dims, c->in[IN_K]->dims, c->in[IN_V]->dims };
    IG_TRY(check_shapes(ranks, all, c->err));
    read_shape(c, &r.shape);
    const ig_attn_shape s = r.shape;
    const int64_t y[4] = { s.n_batch, s.n_heads, s.n_q, s.d_v };
    const int64_t dims[4] = { s.n_batch, s.n_heads, s.n_q, s.n_kv };
    ig_tensor *raw = NULL;
    IG_TRY(ig_call_output(c, 0, r.q_type, 4, y));
    if (!c->out[0] || ig_tensor_count(c->out[0]) == 0) return INGOT_OK;
    IG_TRY(ig_tensor_in_arena(c->scratch, r.round_type, 4, dims, NULL, &raw, c->err));
    const ig_tensor *t = raw;
    r.scores = raw;
    r.scores_are = IG_ATTN_SCORES_RAW;
    IG_TRY(ig_attn_run_ref(c, &r));
    IG_TRY(modify(c, "score_mod", &t));

    IG_TRY(ig_tensor_in_arena(c->scratch, r.round_type, 4, dims, NULL, &r.scores, c->err));
    r.scores_are = IG_ATTN_SCORES_SOFTMAX;
    r.shape.d_k = r.shape.d_v = 0;
    r.shape.mask = ig_attn_mask_of(4, dims, s.n_kv, true);
    r.mask = t->data;
    r.mask_type = t->dtype;
    IG_TRY(ig_attn_run_ref(c, &r));
    t = r.scores;
    IG_TRY(modify(c, "prob_mod", &t));
    weigh_values(c, &s, t);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,-1} f32[1,1,3,2]{1,0,0,1,-1,2} f32[1,1,3,1]{1,2,3} = "
    "f32[1,1,2,1]{2.435946,1.062199}",
    "f32[1,1,2,2]{1,2,3,-1} f32[1,1,3,2]{1,0,0,1,-1,2} f32[1,1,3,1]{1,2,3} score_mod=graph @1 "
    "\"s\" (opset ai.onnx 21) (%x) -> (%y) { %y = Neg \"\" (%x) } prob_mod=graph @1 \"p\" (opset "
    "ai.onnx 21) (%u) -> (%v) { %v = Add \"\" (%u, %u) } = f32[1,1,2,1]{3.128108,5.875602}",
    "f32[1,1,1,2]{1,2} f32[1,1,2,2]{1,0,0,1} f32[1,1,2,1]{1,2} f32[2]{0.5,-inf} score_mod=graph @3 "
    "\"s\" (opset ai.onnx 21) (%x; %c) -> (%y) { %y = Add \"\" (%x, %c) } = f32[1,1,1,1]{1}",
    "f32[1,1,1,2]{1,2} f32[1,1,2,2]{1,0,0,1} f32[1,1,2,1]{1,2} f32[1]{-inf} f32[1]{3} "
    "score_mod=graph @3 \"s\" (opset ai.onnx 21) (%x; %c) -> (%y) { %y = Add \"\" (%x, %c) } "
    "prob_mod=graph @4 \"p\" (opset ai.onnx 21) (%u; %d) -> (%v) { %v = Add \"\" (%u, %d) } = "
    "f32[1,1,1,1]{9}",
    "f32[2,4,5,8] f32[2,2,7,8] f32[2,2,7,6] scale=0.25",
    "f64[2,4,5,8] f64[2,2,7,8] f64[2,2,7,6] softmax_precision=1",
    "f16[2,4,5,8] f16[2,2,7,8] f16[2,2,7,6] softmax_precision=10",
    "bf16[1,1,5,8] bf16[1,1,7,8] bf16[1,1,7,6]",
    "f32[1,2,0,4] f32[1,2,5,4] f32[1,2,5,4]",
    "f32[1,2,3,4] f32[1,2,0,4] f32[1,2,0,3] = f32[1,2,3,3]{0}",
    "f32[1,3,3,8] f32[1,2,3,8] f32[1,2,3,8] ! 3 heads of Q are no multiple of 2",
    "f32[1,2,3,8] f32[1,2,3,4] f32[1,2,3,8] ! a head of K has 4 elements",
    "f32[1,2,3,8] f32[1,2,3,8] f32[1,2,4,8] ! V has not the heads and rows of K",
    "f32[1,2,3,8] f32[2,2,3,8] f32[1,2,4,8] ! have 1, 2, 1 samples",
    "f32[2,3,8] f32[1,2,3,8] f32[1,2,4,8] ! have rank 3, 4, 4, not 4",
    "f32[1,2,3,8] f64[1,2,3,8] f32[1,2,4,8] ! Q is float32, K is float64",
    "f32[1,1,3,8] f32[1,1,3,8] f32[1,1,3,8] f32[1] ! 4 inputs, 3 expected",
    "f32[1,1,3,8] f32[1,1,3,8] f32[1,1,3,8] softmax_precision=6 ! no float type",
    "f32[1,1,2,2] f32[1,1,3,2] f32[1,1,3,1] score_mod=graph @1 \"s\" (opset ai.onnx 21) (%x) -> "
    "(%y) { %y = Transpose \"\" (%x) } ! score_mod changes",
    "f32[1,1,2,2] f32[1,1,3,2] f32[1,1,3,1] prob_mod=graph @1 \"s\" (opset ai.onnx 21) (%x) -> "
    "(%y) { %y = Cast \"\" (%x) { to = 11 } } ! prob_mod gives float64",
    "f32[1,1,2,2] f32[1,1,3,2] f32[1,1,3,1] prob_mod=graph @1 \"s\" (opset ai.onnx 21) (%x) -> "
    "(%x, %x) { } ! prob_mod gives 2 outputs",
    "f32[1,1,2,2] f32[1,1,3,2] f32[1,1,3,1] prob_mod=graph @1 \"s\" (opset ai.onnx 21) (%x, %z) -> "
    "(%y) { %y = Add \"\" (%x, %z) } ! takes 2 inputs",
    "f32[1,1,2,2] f32[1,1,3,2] f32[1,1,3,1] score_mod=1 ! missing or no graph",
    "f32[1000000000000,1,1,0] f32[1000000000000,1,1,0] f32[1000000000000,1,1,0]",
    NULL,
};

const ig_op ig_op_flex_attention = {
    .onnx = "FlexAttention",
    .domain = "ai.onnx.preview",
    .since = { 1 },
    .n_in = { 3, -1 }, /* captures of the graphs follow */
    .any_kind = UINT16_MAX & ~7,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_CONTROL_FLOW,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
