/* SPDX-License-Identifier: Apache-2.0 */
/*
 * patterns.c: idioms of model files, as rows of (expression, guard, operator that it is).
 *
 * Exporters spell operators out that their target version lacked. Longer expressions stand before
 * those that are part of them.
 */
#include <math.h>
#include <string.h>

#include "passes/match.h"

typedef struct pattern pattern;
struct pattern {
    const char *expr;
    const char *domain, *op_type;
    int opset;
    const char *inputs;                                                          /* letters */
    bool (*guard)(const ig_pass_ctx *ctx, const ig_graph *g, const ig_match *m); /* NULL: none */
    /* Set attributes of the new node. NULL: none. */
    bool (*finish)(const ig_pass_ctx *ctx, ig_graph *g, const ig_match *m, ig_node *node);
};

/* ---- activations ---- */

/* Some node of the match is a clip to 0…6. */
static bool has_clip_0_6(const ig_pass_ctx *ctx, const ig_graph *g, const ig_match *m)
{
    for (int i = 0; i < m->n_nodes; i++) {
        const ig_node *node = m->nodes[i];
        const ig_info *in[8] = { 0 };
        ig_epilogue ep = { 0 };
        if (!node->op->activation || node->n_inputs > IG_COUNT(in)) continue;
        for (uint32_t k = 0; k < node->n_inputs; k++)
            if (node->inputs[k] != IG_NONE) in[k] = &g->values[node->inputs[k]]->info;
        if (node->op->activation(node, in, &ep) && ep.act == IG_ACT_CLIP && ep.alpha == 0 &&
            ep.beta == 6)
            return true;
    }
    (void)ctx;
    return false;
}

static bool set_hard_sigmoid(const ig_pass_ctx *ctx, ig_graph *g, const ig_match *m, ig_node *node)
{
    (void)ctx, (void)m;
    return ig_node_set_float(g, node, "alpha", 1.0f / 6) &&
           ig_node_set_float(g, node, "beta", 0.5f);
}

/* Mul(x, HardSigmoid(x)) is HardSwish only with alpha 1/6 and beta 1/2. */
static bool is_hard_swish(const ig_pass_ctx *ctx, const ig_graph *g, const ig_match *m)
{
    (void)ctx, (void)g;
    const float alpha = ig_attr_float(m->nodes[1], "alpha", 0.2f);
    return fabsf(alpha - 1.0f / 6) < 1e-6f && ig_attr_float(m->nodes[1], "beta", 0.5f) == 0.5f;
}

static bool set_alpha_from_s(const ig_pass_ctx *ctx, ig_graph *g, const ig_match *m, ig_node *node)
{
    float alpha;
    return ig_known_scalar(ctx, g, m->vars['s' - 'a'], &alpha) &&
           ig_node_set_float(g, node, "alpha", alpha);
}

static bool is_scalar_s(const ig_pass_ctx *ctx, const ig_graph *g, const ig_match *m)
{
    float s;
    return ig_known_scalar(ctx, g, m->vars['s' - 'a'], &s);
}

static bool set_tanh(const ig_pass_ctx *ctx, ig_graph *g, const ig_match *m, ig_node *node)
{
    (void)ctx, (void)m;
    return ig_node_set_string(g, node, "approximate", "tanh");
}

/* ---- layer normalization ---- */

/* Does the node reduce the last dimension alone, and keep it as 1? */
static bool reduces_last(const ig_pass_ctx *ctx, const ig_graph *g, const ig_node *node)
{
    const int rank = g->values[node->inputs[0]]->info.rank;
    size_t n = 0;
    int64_t axis = 0;
    const int64_t *axes = ig_attr_ints(node, "axes", &n);
    const ig_tensor *t = ig_known(ctx, g, ig_node_input(node, 1));
    if (axes && n == 1)
        axis = axes[0];
    else if (t && ig_tensor_count(t) == 1)
        axis = ig_get_i64(t->dtype, t->data, 0);
    else
        return false;
    return rank >= 1 && (axis == -1 || axis == rank - 1) && ig_attr_int(node, "keepdims", 1);
}

/* A vector as long as the last dimension of x. */
static bool is_last_vector(const ig_graph *g, uint32_t value, uint32_t x)
{
    const ig_info *v = &g->values[value]->info, *in = &g->values[x]->info;
    return v->rank == 1 && in->rank >= 1 && v->dims[0] == in->dims[in->rank - 1];
}

static bool is_layer_norm(const ig_pass_ctx *ctx, const ig_graph *g, const ig_match *m)
{
    float epsilon;
    const uint32_t x = m->vars['x' - 'a'], s = m->vars['s' - 'a'], b = m->vars['b' - 'a'];
    for (int i = 0; i < m->n_nodes; i++)
        if (ig_is_named(m->nodes[i], "ReduceMean") && !reduces_last(ctx, g, m->nodes[i]))
            return false;
    return ig_known_scalar(ctx, g, m->vars['e' - 'a'], &epsilon) && is_last_vector(g, s, x) &&
           (b == IG_NONE || is_last_vector(g, b, x));
}

static bool set_layer_norm(const ig_pass_ctx *ctx, ig_graph *g, const ig_match *m, ig_node *node)
{
    float epsilon;
    return ig_known_scalar(ctx, g, m->vars['e' - 'a'], &epsilon) &&
           ig_node_set_float(g, node, "epsilon", epsilon) && ig_node_set_int(g, node, "axis", -1);
}

/* ---- the table ---- */

#define ERF_GELU(product)                                                                          \
    {                                                                                              \
        .expr = (product), .op_type = "Gelu", .opset = 20, .inputs = "x"                           \
    }
#define TANH_GELU(product)                                                                         \
    {                                                                                              \
        .expr = (product), .op_type = "Gelu", .opset = 20, .inputs = "x", .finish = set_tanh       \
    }
#define LAYER_NORM(expr_, inputs_)                                                                 \
    {                                                                                              \
        .expr = (expr_), .op_type = "LayerNormalization", .opset = 17, .inputs = (inputs_),        \
        .guard = is_layer_norm, .finish = set_layer_norm                                           \
    }
#define NORMALIZED(square) "Div(d=Sub(x, ReduceMean(x)), Sqrt(Add(ReduceMean(" square "), $e)))"
#define TANH_PART(cube) "Tanh(Mul(Add(x, Mul(" cube ", #0.044715)), #0.7978846))"

static const pattern patterns[] = {
    LAYER_NORM("Add(Mul(" NORMALIZED("Pow(d, #2)") ", s), b)", "xsb"),
    LAYER_NORM("Add(Mul(" NORMALIZED("Mul(d, d)") ", s), b)", "xsb"),
    LAYER_NORM("Mul(" NORMALIZED("Pow(d, #2)") ", s)", "xs"),
    LAYER_NORM("Mul(" NORMALIZED("Mul(d, d)") ", s)", "xs"),
    ERF_GELU("Mul(Mul(x, Add(Erf(Div(x, #1.4142135)), #1)), #0.5)"),
    ERF_GELU("Mul(Mul(x, Add(Erf(Mul(x, #0.70710677)), #1)), #0.5)"),
    ERF_GELU("Mul(x, Mul(Add(Erf(Div(x, #1.4142135)), #1), #0.5))"),
    ERF_GELU("Mul(x, Mul(Add(Erf(Mul(x, #0.70710677)), #1), #0.5))"),
    ERF_GELU("Mul(Mul(x, #0.5), Add(Erf(Div(x, #1.4142135)), #1))"),
    ERF_GELU("Mul(Mul(x, #0.5), Add(Erf(Mul(x, #0.70710677)), #1))"),
    TANH_GELU("Mul(Mul(x, #0.5), Add(" TANH_PART("Pow(x, #3)") ", #1))"),
    TANH_GELU("Mul(Mul(x, Add(" TANH_PART("Pow(x, #3)") ", #1)), #0.5)"),
    TANH_GELU("Mul(x, Mul(Add(" TANH_PART("Pow(x, #3)") ", #1), #0.5))"),
    TANH_GELU("Mul(Mul(x, #0.5), Add(" TANH_PART("Mul(x, Mul(x, x))") ", #1))"),
    { .expr = "Div(Mul(x, Clip(Add(x, #3))), #6)",
      .op_type = "HardSwish",
      .opset = 14,
      .inputs = "x",
      .guard = has_clip_0_6 },
    { .expr = "Mul(Mul(x, Clip(Add(x, #3))), #0.16666667)",
      .op_type = "HardSwish",
      .opset = 14,
      .inputs = "x",
      .guard = has_clip_0_6 },
    { .expr = "Mul(x, Div(Clip(Add(x, #3)), #6))",
      .op_type = "HardSwish",
      .opset = 14,
      .inputs = "x",
      .guard = has_clip_0_6 },
    { .expr = "Mul(x, Mul(Clip(Add(x, #3)), #0.16666667))",
      .op_type = "HardSwish",
      .opset = 14,
      .inputs = "x",
      .guard = has_clip_0_6 },
    { .expr = "Div(Clip(Add(x, #3)), #6)",
      .op_type = "HardSigmoid",
      .opset = 6,
      .inputs = "x",
      .guard = has_clip_0_6,
      .finish = set_hard_sigmoid },
    { .expr = "Mul(Clip(Add(x, #3)), #0.16666667)",
      .op_type = "HardSigmoid",
      .opset = 6,
      .inputs = "x",
      .guard = has_clip_0_6,
      .finish = set_hard_sigmoid },
    { .expr = "Mul(x, HardSigmoid(x))",
      .op_type = "HardSwish",
      .opset = 14,
      .inputs = "x",
      .guard = is_hard_swish },
    { .expr = "Mul(x, Sigmoid(x))", .op_type = "Swish", .opset = 24, .inputs = "x" },
    { .expr = "Mul(x, Sigmoid(Mul(x, $s)))",
      .op_type = "Swish",
      .opset = 24,
      .inputs = "x",
      .guard = is_scalar_s,
      .finish = set_alpha_from_s },
    { .expr = "Mul(x, Tanh(Softplus(x)))", .op_type = "Mish", .opset = 18, .inputs = "x" },
};

/* ---- the pass ---- */

static bool is_float32(const ig_graph *g, const ig_match *m, const pattern *p)
{
    for (const char *letter = p->inputs; *letter; letter++)
        if (g->values[m->vars[*letter - 'a']]->info.type.dtype != INGOT_FLOAT) return false;
    return true;
}

/* The new node takes the place of the match's root. */
static ig_status replace(ig_pass_ctx *ctx, ig_graph *g, uint32_t at, const pattern *p,
                         const ig_match *m)
{
    uint32_t inputs[8];
    size_t n = 0;
    ig_node *node, *root = m->nodes[0];
    for (const char *letter = p->inputs; *letter; letter++) inputs[n++] = m->vars[*letter - 'a'];
    IG_TRY(ig_build_node(ctx, g, p->domain ? p->domain : "", p->op_type, p->opset, root->name,
                         inputs, n, root->outputs[0], &node));
    if (p->finish && !p->finish(ctx, g, m, node)) return IG_NOMEM(ctx->err, sizeof(ig_attr));
    ig_replace_node(g, at);
    for (int i = 0; i < m->n_nodes; i++) ig_kill(g, m->nodes[i]);
    ctx->n_changes++;
    return ig_reinfer(ctx, g, node);
}

static ig_status replace_at(ig_pass_ctx *ctx, ig_graph *g, uint32_t at)
{
    ig_match m;
    for (size_t k = 0; k < IG_COUNT(patterns); k++) {
        const pattern *p = &patterns[k];
        if (!ig_match_at(ctx, g, g->nodes[at], p->expr, &m) || !is_float32(g, &m, p)) continue;
        if (p->guard && !p->guard(ctx, g, &m)) continue;
        if (!ig_ops_find(p->domain ? p->domain : "", p->op_type, p->opset, NULL)) continue;
        return replace(ctx, g, at, p, &m);
    }
    return INGOT_OK;
}

ig_status ig_pass_fuse_patterns(ig_pass_ctx *ctx, ig_graph *g)
{
    /* From the end: the longest expression ends last. */
    for (uint32_t i = (uint32_t)g->n_nodes; i-- > 0;)
        if (!g->nodes[i]->is_dead) IG_TRY(replace_at(ctx, g, i));
    ig_graph_sweep(g);
    return INGOT_OK;
}
