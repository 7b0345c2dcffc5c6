/* SPDX-License-Identifier: Apache-2.0 */
/* match.c: the matcher walks pattern and graph together, going back where an order fails. */
#include "passes/match.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct matcher {
    const ig_pass_ctx *ctx;
    const ig_graph *g;
} matcher;

static const char *skip_spaces(const char *s)
{
    while (*s == ' ') s++;
    return s;
}

/* End of one expression of the pattern. */
static const char *skip_expr(const char *s)
{
    int depth = 0;
    for (s = skip_spaces(s); *s; s++) {
        if (*s == '(') depth++;
        if (*s == ')' && depth-- <= 0) break;
        if (*s == ',' && depth == 0) break;
        if (*s == ')' && depth == 0) return s + 1;
    }
    return s;
}

static bool match_expr(const matcher *x, const char *s, uint32_t value, ig_match *m);

static bool bind(ig_match *m, char letter, uint32_t value)
{
    uint32_t *var = &m->vars[letter - 'a'];
    if (*var != IG_NONE) return *var == value;
    *var = value;
    return true;
}

static bool match_number(const matcher *x, const char *s, uint32_t value)
{
    const double want = strtod(s, NULL);
    float have;
    if (!ig_known_scalar(x->ctx, x->g, value, &have)) return false;
    return fabs((double)have - want) <= 1e-3 * fabs(want);
}

/* Operands from pattern text on, in order or (commutative) the first two exchanged. */
static bool match_operands(const matcher *x, const char *s, const ig_node *node, bool is_swapped,
                           ig_match *m)
{
    for (int i = 0;; i++) {
        const int at = is_swapped && i < 2 ? 1 - i : i;
        const uint32_t value = ig_node_input(node, at);
        if (value == IG_NONE || !match_expr(x, s, value, m)) return false;
        s = skip_expr(s);
        if (*s != ',') return true;
        s++;
    }
}

/* The pattern's operator name up to '('. */
static bool is_operator(const ig_node *node, const char *name, size_t n)
{
    const char *colons = memchr(name, ':', n);
    const size_t domain = colons ? (size_t)(colons - name) : 0;
    const char *op = colons ? colons + 2 : name;
    const size_t op_bytes = n - (size_t)(op - name);
    return strlen(node->domain) == domain && !memcmp(node->domain, name, domain) &&
           strlen(node->op_type) == op_bytes && !memcmp(node->op_type, op, op_bytes);
}

static bool match_node(const matcher *x, const char *s, ig_node *node, ig_match *m)
{
    const char *open = strchr(s, '(');
    if (!open || !is_operator(node, s, (size_t)(open - s)) || m->n_nodes == IG_MATCH_MAX_NODES)
        return false;
    m->nodes[m->n_nodes++] = node;
    const ig_match before = *m;
    if (match_operands(x, open + 1, node, false, m)) return true;
    *m = before;
    if (node->op->flags & IG_COMMUTATIVE && node->n_inputs == 2)
        return match_operands(x, open + 1, node, true, m);
    return false;
}

static bool match_expr(const matcher *x, const char *s, uint32_t value, ig_match *m)
{
    s = skip_spaces(s);
    if (*s == '#') return match_number(x, s + 1, value);
    if (*s == '$') return ig_known(x->ctx, x->g, value) && bind(m, s[1], value);
    const bool is_letter = *s >= 'a' && *s <= 'z';
    if (is_letter && (s[1] == ',' || s[1] == ')' || !s[1])) return bind(m, *s, value);
    if (is_letter && s[1] == '=') {
        if (!bind(m, *s, value)) return false;
        s += 2;
    }
    ig_node *node = ig_producer(x->g, value);
    return node && node->outputs[0] == value && match_node(x, s, node, m);
}

/* Uses of a value by the nodes of the match, each counted once. */
static uint32_t count_uses(const ig_match *m, uint32_t value)
{
    uint32_t n = 0;
    for (int i = 0; i < m->n_nodes; i++) {
        bool is_seen = false;
        for (int k = 0; k < i; k++) is_seen |= m->nodes[k] == m->nodes[i];
        for (uint32_t k = 0; !is_seen && k < m->nodes[i]->n_inputs; k++)
            n += m->nodes[i]->inputs[k] == value;
    }
    return n;
}

bool ig_match_at(const ig_pass_ctx *ctx, const ig_graph *g, ig_node *root, const char *pattern,
                 ig_match *m)
{
    const matcher x = { ctx, g };
    *m = (ig_match){ 0 };
    memset(m->vars, 0xff, sizeof m->vars);
    if (!match_node(&x, pattern, root, m)) return false;
    for (int i = 1; i < m->n_nodes; i++) {
        const uint32_t value = m->nodes[i]->outputs[0];
        if (count_uses(m, value) != g->values[value]->n_uses) return false;
    }
    return true;
}
