/* SPDX-License-Identifier: Apache-2.0 */
/*
 * linear_attention.c: attention without softmax, as a recurrence over a state S [d_k, d_v] of each
 * key head. With the decay g and the rate beta of step t,
 *
 *     S *= exp(g)                              gated, gated_delta
 *     v  = beta * (v - S^T k)                  delta, gated_delta
 *     S += k v^T        y = scale * S^T q
 *
 * Operands are packed [batch, steps, heads * d]; query head h reads the state of key head
 * h / (q_num_heads / kv_num_heads).
 */
#include <math.h>

#include "ops/op.h"

enum { IN_Q, IN_K, IN_V, IN_STATE, IN_DECAY, IN_BETA };
enum { OUT_Y, OUT_STATE };

static const ig_info *input(const ig_infer *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static bool differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

static ig_status read_rule(const ig_node *node, bool *is_gated, bool *is_delta, ig_error *err)
{
    *is_gated = ig_attr_is(node, "update_rule", "gated", false);
    *is_delta = ig_attr_is(node, "update_rule", "delta", false);
    if (ig_attr_is(node, "update_rule", "gated_delta", true)) *is_gated = *is_delta = true;
    if (*is_gated || *is_delta || ig_attr_is(node, "update_rule", "linear", false)) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_INVALID,
                   "update_rule is not linear, gated, delta or gated_delta");
}

/* An input that the rule needs or forbids. */
static ig_status check_presence(ig_infer *c, int i, const char *name, bool is_needed)
{
    if ((input(c, i) != NULL) == is_needed) return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_INVALID, "update_rule %s the input %s",
                   is_needed ? "needs" : "does not take", name);
}

/* [batch, steps, n columns]; columns -1: any. */
static ig_status check_packed(ig_infer *c, int i, const char *name, int64_t n_heads)
{
    const ig_info *x = input(c, i), *q = c->in[IN_Q];
    if (!x) return INGOT_OK;
    if (x->type.dtype != q->type.dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s is %s, query %s", name,
                       ingot_dtype_name(x->type.dtype), ingot_dtype_name(q->type.dtype));
    if (x->rank < 0) return INGOT_OK;
    if (x->rank != 3)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has rank %d, not 3", name, x->rank);
    if (q->rank == 3 && (differ(x->dims[0], q->dims[0]) || differ(x->dims[1], q->dims[1])))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has not the samples and steps of query", name);
    if (n_heads && ig_dim_is_const(x->dims[2]) && x->dims[2] % n_heads)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has %lld columns, no multiple of %lld heads",
                       name, (long long)x->dims[2], (long long)n_heads);
    return INGOT_OK;
}

static ig_status check_gates(ig_infer *c, int64_t n_kv, ig_dim d_k)
{
    const ig_info *decay = input(c, IN_DECAY), *beta = input(c, IN_BETA);
    if (decay && decay->rank == 3 && ig_dim_is_const(decay->dims[2]) && ig_dim_is_const(d_k) &&
        decay->dims[2] != n_kv && decay->dims[2] != n_kv * d_k)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "decay has %lld columns, not %lld or %lld",
                       (long long)decay->dims[2], (long long)n_kv, (long long)(n_kv * d_k));
    if (beta && beta->rank == 3 && ig_dim_is_const(beta->dims[2]) && beta->dims[2] != n_kv &&
        beta->dims[2] != 1)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "beta has %lld columns, not 1 or %lld",
                       (long long)beta->dims[2], (long long)n_kv);
    return INGOT_OK;
}

static ig_status check_state(ig_infer *c, const ig_dim *want)
{
    const ig_info *state = input(c, IN_STATE);
    if (!state || state->rank < 0) return INGOT_OK;
    bool is_ok = state->rank == 4;
    for (int d = 0; is_ok && d < 4; d++) is_ok = !differ(state->dims[d], want[d]);
    if (is_ok) return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_SHAPE, "past_state is not [batch, kv_num_heads, d_k, d_v]");
}

static ig_status infer(ig_infer *c)
{
    const ig_info *q = c->in[IN_Q], *k = c->in[IN_K], *v = c->in[IN_V];
    const ig_info *state = input(c, IN_STATE);
    const int64_t n_q = ig_attr_int(c->node, "q_num_heads", 0);
    const int64_t n_kv = ig_attr_int(c->node, "kv_num_heads", 0);
    bool is_gated = false, is_delta = false;
    IG_TRY(read_rule(c->node, &is_gated, &is_delta, c->err));
    if (n_q < 1 || n_kv < 1 || n_q % n_kv || n_q > IG_DIM_MAX)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "q_num_heads %lld is no multiple of kv_num_heads %lld", (long long)n_q,
                       (long long)n_kv);
    IG_TRY(check_presence(c, IN_DECAY, "decay", is_gated));
    IG_TRY(check_presence(c, IN_BETA, "beta", is_delta));
    IG_TRY(check_packed(c, IN_Q, "query", n_q));
    IG_TRY(check_packed(c, IN_K, "key", n_kv));
    IG_TRY(check_packed(c, IN_V, "value", n_kv));
    IG_TRY(check_packed(c, IN_DECAY, "decay", 0));
    IG_TRY(check_packed(c, IN_BETA, "beta", 0));
    const ingot_dtype state_type = state ? state->type.dtype : q->type.dtype;
    if (!(IG_T(state_type) & IG_T_FLOATS))
        return ig_fail(c->err, INGOT_ERR_SHAPE, "past_state is %s", ingot_dtype_name(state_type));
    if (c->n_out > OUT_STATE) c->out[OUT_STATE].type.dtype = state_type;
    if (q->rank < 0 || k->rank < 0 || v->rank < 0) return INGOT_OK;
    const ig_dim d_k = ig_dim_floor_div(c->dims, q->dims[2], n_q);
    const ig_dim d_v = ig_dim_floor_div(c->dims, v->dims[2], n_kv);
    if (differ(ig_dim_floor_div(c->dims, k->dims[2], n_kv), d_k))
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "a head of key has not the %lld elements of query's", (long long)d_k);
    IG_TRY(check_gates(c, n_kv, d_k));
    const ig_dim y[3] = { q->dims[0], q->dims[1], ig_dim_mul(c->dims, n_q, d_v) };
    const ig_dim s[4] = { q->dims[0], n_kv, d_k, d_v };
    IG_TRY(check_state(c, s));
    ig_info_set_shape(&c->out[OUT_Y], q->type.dtype, 3, y);
    if (c->n_out > OUT_STATE) ig_info_set_shape(&c->out[OUT_STATE], state_type, 4, s);
    return INGOT_OK;
}

/* ---- reference ---- */

typedef struct recurrence {
    const ig_call *c;
    int64_t n_steps, n_q, n_kv, d_k, d_v; /* n_q, n_kv: heads */
    double scale, *states, *values;       /* [threads][d_k][d_v], [threads][d_v] */
} recurrence;

static const ig_tensor *tensor(const ig_call *c, int i) { return i < c->n_in ? c->in[i] : NULL; }

static double at(const ig_tensor *t, int64_t i) { return ig_get_f64(t->dtype, t->data, i); }

/* Decay, then the new key and value. row: of [batch, steps]; g: key head. */
static void update(const recurrence *r, int64_t row, int64_t g, double *s, double *v)
{
    const ig_tensor *decay = tensor(r->c, IN_DECAY), *beta = tensor(r->c, IN_BETA);
    const ig_tensor *k = r->c->in[IN_K];
    const int64_t key = (row * r->n_kv + g) * r->d_k, value = (row * r->n_kv + g) * r->d_v;
    for (int64_t i = 0; decay && i < r->d_k; i++) {
        const bool is_per_head = decay->dims[2] == r->n_kv;
        const double f = exp(at(decay, is_per_head ? row * r->n_kv + g : key + i));
        for (int64_t j = 0; j < r->d_v; j++) s[i * r->d_v + j] *= f;
    }
    for (int64_t j = 0; j < r->d_v; j++) v[j] = at(r->c->in[IN_V], value + j);
    if (beta) {
        const double rate = at(beta, beta->dims[2] == 1 ? row : row * r->n_kv + g);
        for (int64_t i = 0; i < r->d_k; i++)
            for (int64_t j = 0; j < r->d_v; j++) v[j] -= s[i * r->d_v + j] * at(k, key + i);
        for (int64_t j = 0; j < r->d_v; j++) v[j] *= rate;
    }
    for (int64_t i = 0; i < r->d_k; i++)
        for (int64_t j = 0; j < r->d_v; j++) s[i * r->d_v + j] += at(k, key + i) * v[j];
}

static void read_out(const recurrence *r, int64_t row, int64_t h, const double *s)
{
    ig_tensor *y = r->c->out[OUT_Y];
    for (int64_t j = 0; y && j < r->d_v; j++) {
        double sum = 0;
        for (int64_t i = 0; i < r->d_k; i++)
            sum += at(r->c->in[IN_Q], (row * r->n_q + h) * r->d_k + i) * s[i * r->d_v + j];
        ig_set_f64(y->dtype, y->data, (row * r->n_q + h) * r->d_v + j, r->scale * sum);
    }
}

/* An index is a key head of a sample. */
static void run_heads(void *ctx, ig_part part)
{
    const recurrence *r = ctx;
    const ig_tensor *past = tensor(r->c, IN_STATE);
    ig_tensor *present = r->c->n_out > OUT_STATE ? r->c->out[OUT_STATE] : NULL;
    const int64_t n_state = r->d_k * r->d_v, group = r->n_q / r->n_kv;
    double *s = r->states + part.i_thread * n_state, *v = r->values + part.i_thread * r->d_v;
    for (int64_t head = part.begin; head < part.end; head++) {
        const int64_t b = head / r->n_kv, g = head % r->n_kv;
        for (int64_t i = 0; i < n_state; i++) s[i] = past ? at(past, head * n_state + i) : 0;
        for (int64_t t = 0; t < r->n_steps; t++) {
            const int64_t row = b * r->n_steps + t;
            update(r, row, g, s, v);
            for (int64_t h = g * group; h < (g + 1) * group; h++) read_out(r, row, h, s);
        }
        for (int64_t i = 0; present && i < n_state; i++)
            ig_set_f64(present->dtype, present->data, head * n_state + i, s[i]);
    }
}

/* Where nothing is stored, the numbers of heads, steps and samples may be of any size. */
static bool is_empty(const ig_call *c, int o)
{
    return o >= c->n_out || !c->out[o] || ig_tensor_count(c->out[o]) == 0;
}

static ig_status ref(ig_call *c)
{
    const int64_t *q = c->in[IN_Q]->dims;
    recurrence r = { .c = c,
                     .n_steps = q[1],
                     .n_q = ig_attr_int(c->node, "q_num_heads", 1),
                     .n_kv = ig_attr_int(c->node, "kv_num_heads", 1),
                     .scale = (double)ig_attr_float(c->node, "scale", 0) };
    r.d_k = q[2] / r.n_q;
    r.d_v = c->in[IN_V]->dims[2] / r.n_kv;
    if (is_empty(c, OUT_Y) && is_empty(c, OUT_STATE)) return INGOT_OK;
    if (r.scale == 0 && r.d_k > 0) r.scale = 1 / sqrt((double)r.d_k);
    const size_t n_threads = c->team ? (size_t)ig_team_n_threads(c->team) : 1;
    size_t n = 0;
    if (!ig_size_mul((size_t)r.d_k + 1, (size_t)r.d_v, &n) || !ig_size_mul(n, n_threads, &n))
        return IG_NOMEM(c->err, SIZE_MAX);
    r.states = ig_arena_array(c->scratch, n + 1, sizeof *r.states);
    if (!r.states) return IG_NOMEM(c->err, n * sizeof *r.states);
    r.values = r.states + (int64_t)n_threads * r.d_k * r.d_v;
    ig_team_run(c->team, run_heads, &r, q[0] * r.n_kv, 1);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,2,2]{1,2,3,-1} f32[1,2,2]{1,0,0.5,1} f32[1,2,1]{2,3} @27 q_num_heads=1 kv_num_heads=1 "
    "update_rule=\"linear\" scale=0.5 -> 2 = f32[1,2,1]{1,3.75} f32[1,1,2,1]{3.5,3}",
    "f32[1,2,4]{1,2,3,-1,0,1,1,2} f32[1,2,2]{1,0,0.5,1} f32[1,2,1]{2,3} _ f32[1,2,1]{-0.5,-1} @27 "
    "q_num_heads=2 kv_num_heads=1 update_rule=\"gated\" -> 2 = "
    "f32[1,2,2]{1.414214,4.24264,2.12132,5.823561} f32[1,1,2,1]{2.235759,3}",
    "f32[1,2,2]{1,2,3,-1} f32[1,2,2]{1,0,0.5,1} f32[1,2,1]{2,3} f32[1,1,2,1]{1,-1} _ "
    "f32[1,2,1]{0.5,1} @27 q_num_heads=1 kv_num_heads=1 update_rule=\"delta\" -> 2 = "
    "f32[1,2,1]{-0.3535534,5.038136} f32[1,1,2,1]{3.125,2.25}",
    "f32[1,2,2]{1,2,3,-1} f32[1,2,2]{1,0,0.5,1} f32[1,2,2]{2,3,1,-1} f32[1,2,1,1]{1,-1} "
    "f32[1,2,2]{-0.5,-1,0,-2} f32[1,2,2]{0.5,1,0.25,2} @27 q_num_heads=2 kv_num_heads=2 -> 2 = "
    "f32[1,2,2]{1.303265,-0.7357588,4.040434,1.950213} f32[1,2,1,1]{1.346811,-1.950213}",
    "f16[1,1,2]{1,2} f16[1,1,2]{1,0.5} f16[1,1,2]{2,3} f32[1,1,2,2]{1,-1,0,2} f16[1,1,2]{-0.5,0} "
    "f16[1,1,1]{0.5} @27 q_num_heads=1 kv_num_heads=1 update_rule=\"gated_delta\" -> 2 = "
    "f16[1,1,2]{1.414062,4.242188} f32[1,1,2,2]{1.303265,0.6967347,0.3483673,2.651633}",
    "f32[2,5,24] f32[2,5,12] f32[2,5,6] f32[2,2,6,3] f32[2,5,12] f32[2,5,1] q_num_heads=4 "
    "kv_num_heads=2 -> 2",
    "bf16[1,3,4] bf16[1,3,4] bf16[1,3,4] q_num_heads=1 kv_num_heads=1 update_rule=\"linear\" -> 2",
    "f32[1,0,4] f32[1,0,4] f32[1,0,4] f32[1,2,2,2] q_num_heads=2 kv_num_heads=2 "
    "update_rule=\"linear\" -> 2",
    "f32[0,3,4] f32[0,3,4] f32[0,3,4] q_num_heads=2 kv_num_heads=2 update_rule=\"linear\" -> 2",
    "f32[1,3,4] f32[1,3,4] f32[1,3,4] ! no multiple of kv_num_heads",
    "f32[1,3,4] f32[1,3,4] f32[1,3,4] q_num_heads=3 kv_num_heads=2 update_rule=\"linear\" ! "
    "q_num_heads 3 is no multiple of kv_num_heads 2",
    "f32[1,3,4] f32[1,3,4] f32[1,3,4] q_num_heads=1 kv_num_heads=1 update_rule=\"other\" ! "
    "update_rule is not",
    "f32[1,3,4] f32[1,3,4] f32[1,3,4] q_num_heads=1 kv_num_heads=1 ! needs the input decay",
    "f32[1,3,4] f32[1,3,4] f32[1,3,4] _ f32[1,3,1] q_num_heads=1 kv_num_heads=1 "
    "update_rule=\"linear\" ! does not take the input decay",
    "f32[1,3,4] f32[1,3,4] f32[1,3,4] _ f32[1,3,2] f32[1,3,1] q_num_heads=1 kv_num_heads=1 ! decay "
    "has 2 columns, not 1 or 4",
    "f32[1,3,4] f32[1,3,4] f32[1,3,4] _ f32[1,3,1] f32[1,3,2] q_num_heads=1 kv_num_heads=1 ! beta "
    "has 2 columns, not 1 or 1",
    "f32[1,3,4] f32[1,3,4] f32[1,3,4] f32[1,1,4,3] q_num_heads=1 kv_num_heads=1 "
    "update_rule=\"linear\" ! past_state is not",
    "f32[1,3,4] f32[1,3,3] f32[1,3,4] q_num_heads=2 kv_num_heads=2 update_rule=\"linear\" ! key "
    "has 3 columns, no multiple of 2 heads",
    "f32[1,3,4] f32[1,2,4] f32[1,3,4] q_num_heads=2 kv_num_heads=2 update_rule=\"linear\" ! key "
    "has not the samples and steps",
    "f32[1,3,4] f32[1,3,6] f32[1,3,4] q_num_heads=2 kv_num_heads=2 update_rule=\"linear\" ! a head "
    "of key has not the 2 elements",
    "f32[3,4] f32[1,3,4] f32[1,3,4] q_num_heads=2 kv_num_heads=2 update_rule=\"linear\" ! query "
    "has rank 2",
    "f32[1,3,4] f64[1,3,4] f32[1,3,4] q_num_heads=2 kv_num_heads=2 update_rule=\"linear\" ! key is "
    "float64, query float32",
    "f32[1,1,0] f32[1,1,0] f32[1,1,0] q_num_heads=1000000000000 kv_num_heads=1000000000000 "
    "update_rule=\"linear\" -> 2",
    NULL,
};

const ig_op ig_op_linear_attention = {
    .onnx = "LinearAttention",
    .since = { 27 },
    .n_in = { 3, 6 },
    .n_out = { 1, 2 },
    .types = IG_T_FLOATS,
    .flags = IG_OWN_HALF, /* the state may be of another type */
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
