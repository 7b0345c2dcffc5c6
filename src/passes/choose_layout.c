/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose_layout.c: floods channels-last from the nodes that want it.
 *
 * A value is transposed once where a user works in the other layout than its producer; the cost of
 * a choice is the number of elements so moved. Regions of connected nodes that do not care are
 * first put into the cheaper layout as a whole, then single nodes change sides while that helps.
 */
#include <string.h>

#include "passes/layout.h"

#define MAX_REFINED_USES 256

/* Stands in for dimensions that are not known. */
#define ASSUMED_DIM 64

void ig_layout_perm(int rank, bool to_last, int perm[IG_MAX_RANK])
{
    perm[0] = 0;
    for (int d = 1; d < rank; d++) {
        if (to_last)
            perm[d] = d + 1 < rank ? d + 1 : 1;
        else
            perm[d] = d == 1 ? rank - 1 : d - 1;
    }
}

/* ---- kinds ---- */

static const ig_info *info_of(const ig_graph *g, uint32_t value)
{
    return value == IG_NONE ? NULL : &g->values[value]->info;
}

static bool has_one_output(const ig_graph *g, const ig_node *node)
{
    for (uint32_t i = 1; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE && g->values[node->outputs[i]]->n_uses) return false;
    return node->n_outputs > 0 && node->outputs[0] != IG_NONE;
}

static bool wants_last(const ig_graph *g, const ig_node *node, int *rank)
{
    const ig_info *in = info_of(g, ig_node_input(node, 0));
    if (!(node->op->flags & IG_CHANNELS_LAST) || !in || in->rank < 3) return false;
    const ig_dtype_set fast = IG_T(INGOT_FLOAT) | IG_T(INGOT_INT8) | IG_T(INGOT_UINT8);
    if (!(IG_T(in->type.dtype) & fast) || ig_attr_int(node, "channels_last", 0)) return false;
    if (!has_one_output(g, node) || info_of(g, node->outputs[0])->rank != in->rank) return false;
    *rank = in->rank;
    return true;
}

/* All tensors of known rank. */
static bool are_ranks_known(const ig_graph *g, const ig_node *node)
{
    for (uint32_t i = 0; i < node->n_inputs; i++) {
        const ig_info *in = info_of(g, node->inputs[i]);
        if (in && (in->type.kind != INGOT_KIND_TENSOR || in->rank < 0)) return false;
    }
    return true;
}

/* A copy whose inputs and attributes can be changed. */
static ig_node *copy_node(ig_graph *g, const ig_node *node)
{
    ig_node *copy = ig_arena_copy(g->arena, node, sizeof *node);
    if (!copy) return NULL;
    if (node->n_inputs)
        copy->inputs = ig_arena_copy(g->arena, node->inputs, node->n_inputs * sizeof *node->inputs);
    if (node->n_attrs)
        copy->attrs = ig_arena_copy(g->arena, node->attrs, node->n_attrs * sizeof *node->attrs);
    return copy->inputs && (copy->attrs || !node->n_attrs) ? copy : NULL;
}

static bool is_elementwise(const ig_graph *g, const ig_node *node, int *rank)
{
    if (!(node->op->flags & IG_ELEMENTWISE) || !has_one_output(g, node)) return false;
    *rank = info_of(g, node->outputs[0])->rank;
    return *rank >= 3;
}

static bool can_rename(const ig_graph *g, const ig_node *node, int *rank)
{
    const ig_info *in = info_of(g, ig_node_input(node, 0));
    if (!node->op->permute || !in || in->rank < 3) return false;
    *rank = in->rank;
    for (uint32_t i = 0; i < node->n_outputs; i++)
        if (node->outputs[i] != IG_NONE && info_of(g, node->outputs[i])->rank != *rank)
            return false;
    return true;
}

static ig_status classify(ig_layout *l, uint32_t i, ig_error *err)
{
    ig_graph *g = l->g;
    ig_node *node = g->nodes[i];
    ig_layout_node *n = &l->nodes[i];
    int perm[IG_MAX_RANK];
    if (wants_last(g, node, &n->rank)) {
        if (node->op->permute) { /* it may refuse for its attributes */
            ig_node *copy = copy_node(g, node);
            if (!copy) return IG_NOMEM(err, sizeof *node);
            ig_layout_perm(n->rank, true, perm);
            if (!node->op->permute(g, copy, perm, n->rank)) return INGOT_OK;
        }
        n->kind = IG_LAYOUT_WANTS_LAST;
        n->is_last = true;
        return INGOT_OK;
    }
    if (!are_ranks_known(g, node) || node->op->flags & IG_CONTROL_FLOW) return INGOT_OK;
    if (!is_elementwise(g, node, &n->rank) && !can_rename(g, node, &n->rank)) return INGOT_OK;
    if (node->op->permute) {
        n->renamed = copy_node(g, node);
        if (!n->renamed) return IG_NOMEM(err, sizeof *node);
        ig_layout_perm(n->rank, true, perm);
        if (!node->op->permute(g, n->renamed, perm, n->rank)) return INGOT_OK;
    }
    n->kind = IG_LAYOUT_EITHER;
    return INGOT_OK;
}

ig_layout_operand ig_layout_operand_of(const ig_layout *l, uint32_t node, uint32_t input)
{
    const ig_layout_node *n = &l->nodes[node];
    const ig_node *x = l->g->nodes[node];
    const ig_info *info = info_of(l->g, x->inputs[input]);
    if (!info) return IG_OPERAND_AS_IS;
    if (n->kind == IG_LAYOUT_WANTS_LAST) {
        const bool is_residual = x->op->residual_input && (int)input == x->op->residual_input;
        return input == 0 || is_residual ? IG_OPERAND_TRANSPOSED : IG_OPERAND_AS_IS;
    }
    if (info->rank == n->rank) return IG_OPERAND_TRANSPOSED;
    if (!(x->op->flags & IG_ELEMENTWISE) || info->rank >= n->rank) return IG_OPERAND_AS_IS;
    for (int d = 0; d < info->rank; d++)
        if (info->dims[d] != 1) return IG_OPERAND_EXTENDED;
    return IG_OPERAND_AS_IS; /* one element: the same everywhere */
}

/* ---- cost ---- */

/* Elements that a transpose between the layouts moves; 0 where it is a view. */
static double weight(const ig_info *info)
{
    double n = 1, spatial = 1;
    for (int d = 0; d < info->rank; d++) {
        const double dim = ig_dim_is_const(info->dims[d]) ? (double)info->dims[d] : ASSUMED_DIM;
        n *= dim;
        if (d >= 2) spatial *= dim;
    }
    const bool one_channel = info->rank > 1 && info->dims[1] == 1;
    return spatial == 1 || one_channel ? 0 : n;
}

static bool is_producer_last(const ig_layout *l, uint32_t value)
{
    const uint32_t producer = l->g->values[value]->producer;
    return producer != IG_NONE && l->nodes[producer].is_last;
}

/* Constants are transposed at compile time; other values once per layout that users want. */
static double value_cost(const ig_layout *l, uint32_t value)
{
    const ig_value *v = l->g->values[value];
    double cost = 0;
    bool needs_other = false;
    if (v->info.data && v->producer == IG_NONE) return 0;
    const bool is_last = is_producer_last(l, value);
    needs_other = is_last && l->is_output[value];
    for (uint32_t u = l->first_use[value]; u < l->first_use[value + 1]; u++) {
        const uint32_t user = l->uses[u], input = l->use_inputs[u];
        const ig_layout_operand how =
            l->nodes[user].is_last ? ig_layout_operand_of(l, user, input) : IG_OPERAND_AS_IS;
        if (how == IG_OPERAND_EXTENDED) cost += weight(&v->info);
        needs_other |= (how == IG_OPERAND_TRANSPOSED) != is_last;
    }
    return cost + (needs_other ? weight(&v->info) : 0);
}

/* Cost of the values that a node touches. */
static double node_cost(const ig_layout *l, uint32_t i)
{
    const ig_node *node = l->g->nodes[i];
    double cost = 0;
    for (uint32_t k = 0; k < node->n_inputs; k++) {
        bool is_seen = node->inputs[k] == IG_NONE;
        for (uint32_t j = 0; j < k; j++) is_seen |= node->inputs[j] == node->inputs[k];
        if (!is_seen) cost += value_cost(l, node->inputs[k]);
    }
    for (uint32_t k = 0; k < node->n_outputs; k++)
        if (node->outputs[k] != IG_NONE) cost += value_cost(l, node->outputs[k]);
    return cost;
}

/* ---- regions ---- */

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Join nodes that do not care and share a value of their rank. */
static void join_regions(const ig_layout *l, uint32_t *parent)
{
    const ig_graph *g = l->g;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        parent[i] = i;
        if (l->nodes[i].kind != IG_LAYOUT_EITHER) continue;
        for (uint32_t k = 0; k < g->nodes[i]->n_inputs; k++) {
            const uint32_t value = g->nodes[i]->inputs[k];
            const uint32_t from = value == IG_NONE ? IG_NONE : g->values[value]->producer;
            if (from == IG_NONE || from >= i || l->nodes[from].kind != IG_LAYOUT_EITHER) continue;
            if (ig_layout_operand_of(l, i, k) == IG_OPERAND_TRANSPOSED)
                parent[find_root(parent, i)] = find_root(parent, from);
        }
    }
}

/* Cost of all values next to a region, counting those inside several times in the same way for
 * both layouts would skew the comparison: each is counted by its first toucher. */
static double region_cost(const ig_layout *l, const uint32_t *members, size_t n, uint32_t *mark,
                          uint32_t stamp)
{
    double cost = 0;
    for (size_t m = 0; m < n; m++) {
        const ig_node *node = l->g->nodes[members[m]];
        for (uint32_t k = 0; k < node->n_inputs + node->n_outputs; k++) {
            const uint32_t v =
                k < node->n_inputs ? node->inputs[k] : node->outputs[k - node->n_inputs];
            if (v == IG_NONE || mark[v] == stamp) continue;
            mark[v] = stamp;
            cost += value_cost(l, v);
        }
    }
    return cost;
}

static void set_region(ig_layout *l, const uint32_t *members, size_t n, bool is_last)
{
    for (size_t m = 0; m < n; m++) l->nodes[members[m]].is_last = is_last;
}

/* Is a node that wants channels-last next to the region? Without one, flooding has no point. */
static bool touches_last(const ig_layout *l, const uint32_t *members, size_t n)
{
    const ig_graph *g = l->g;
    for (size_t m = 0; m < n; m++) {
        const ig_node *node = g->nodes[members[m]];
        for (uint32_t k = 0; k < node->n_inputs; k++)
            if (node->inputs[k] != IG_NONE && is_producer_last(l, node->inputs[k])) return true;
        for (uint32_t k = 0; k < node->n_outputs; k++) {
            const uint32_t v = node->outputs[k];
            for (uint32_t u = v == IG_NONE ? 0 : l->first_use[v];
                 v != IG_NONE && u < l->first_use[v + 1]; u++)
                if (l->nodes[l->uses[u]].kind == IG_LAYOUT_WANTS_LAST) return true;
        }
    }
    return false;
}

static void choose_region(ig_layout *l, const uint32_t *members, size_t n, uint32_t *mark,
                          uint32_t *stamp)
{
    if (!touches_last(l, members, n)) return;
    const double plain = region_cost(l, members, n, mark, ++*stamp);
    set_region(l, members, n, true);
    const double last = region_cost(l, members, n, mark, ++*stamp);
    if (last > plain) set_region(l, members, n, false);
}

static ig_status choose_regions(ig_pass_ctx *ctx, ig_layout *l)
{
    const size_t n = l->g->n_nodes;
    uint32_t stamp = 0;
    uint32_t *parent = ig_arena_array(ctx->scratch, n + 1, sizeof *parent);
    uint32_t *first = ig_arena_array(ctx->scratch, n + 2, sizeof *first);
    uint32_t *members = ig_arena_array(ctx->scratch, n + 1, sizeof *members);
    uint32_t *mark = ig_arena_array(ctx->scratch, l->g->n_values + 1, sizeof *mark);
    if (!parent || !first || !members || !mark) return IG_NOMEM(ctx->err, n * sizeof *parent);
    join_regions(l, parent);
    for (uint32_t i = 0; i < n; i++) first[find_root(parent, i) + 1]++;
    for (size_t i = 0; i < n; i++) first[i + 1] += first[i];
    for (uint32_t i = 0; i < n; i++) members[first[find_root(parent, i)]++] = i;
    /* Filling moved each begin to the next region's. */
    for (size_t i = 0; i < n; i++) {
        const size_t begin = i ? first[i - 1] : 0, end = first[i];
        if (end > begin && l->nodes[members[begin]].kind == IG_LAYOUT_EITHER)
            choose_region(l, members + begin, end - begin, mark, &stamp);
    }
    return INGOT_OK;
}

/* A node whose cost is quick to tell: what few others have to do with. */
static bool is_refinable(const ig_layout *l, uint32_t i)
{
    const ig_node *node = l->g->nodes[i];
    uint32_t n = node->n_inputs;
    for (uint32_t k = 0; k < node->n_inputs && n <= MAX_REFINED_USES; k++)
        if (node->inputs[k] != IG_NONE)
            n += l->first_use[node->inputs[k] + 1] - l->first_use[node->inputs[k]];
    return n <= MAX_REFINED_USES;
}

/* Change single nodes while that lowers the cost. */
static void refine(ig_layout *l)
{
    bool has_changed = true;
    for (int sweep = 0; sweep < 8 && has_changed; sweep++) {
        has_changed = false;
        for (uint32_t i = 0; i < l->g->n_nodes; i++) {
            ig_layout_node *n = &l->nodes[i];
            if (n->kind != IG_LAYOUT_EITHER || !is_refinable(l, i)) continue;
            const double before = node_cost(l, i);
            n->is_last = !n->is_last;
            if (node_cost(l, i) < before)
                has_changed = true;
            else
                n->is_last = !n->is_last;
        }
    }
}

/* ---- all ---- */

static ig_status list_uses(ig_pass_ctx *ctx, ig_layout *l)
{
    const ig_graph *g = l->g;
    size_t n = 0;
    for (size_t i = 0; i < g->n_nodes; i++) n += g->nodes[i]->n_inputs;
    l->first_use = ig_arena_array(ctx->scratch, g->n_values + 2, sizeof *l->first_use);
    l->uses = ig_arena_array(ctx->scratch, n + 1, sizeof *l->uses);
    l->use_inputs = ig_arena_array(ctx->scratch, n + 1, sizeof *l->use_inputs);
    l->is_output = ig_arena_array(ctx->scratch, g->n_values + 1, 1);
    uint32_t *at = ig_arena_array(ctx->scratch, g->n_values + 2, sizeof *at);
    if (!l->first_use || !l->uses || !l->use_inputs || !l->is_output || !at)
        return IG_NOMEM(ctx->err, g->n_values * sizeof *at);
    for (size_t i = 0; i < g->n_outputs; i++) l->is_output[g->outputs[i]] = 1;
    for (size_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i]->n_inputs; k++)
            if (g->nodes[i]->inputs[k] != IG_NONE) l->first_use[g->nodes[i]->inputs[k] + 1]++;
    for (size_t v = 0; v < g->n_values; v++) l->first_use[v + 1] += l->first_use[v];
    memcpy(at, l->first_use, (g->n_values + 1) * sizeof *at);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i]->n_inputs; k++) {
            if (g->nodes[i]->inputs[k] == IG_NONE) continue;
            const uint32_t u = at[g->nodes[i]->inputs[k]]++;
            l->uses[u] = i;
            l->use_inputs[u] = k;
        }
    return INGOT_OK;
}

ig_status ig_layout_choose(ig_pass_ctx *ctx, ig_graph *g, ig_layout *l)
{
    memset(l, 0, sizeof *l);
    l->g = g;
    l->nodes = ig_arena_array(ctx->scratch, g->n_nodes + 1, sizeof *l->nodes);
    if (!l->nodes) return IG_NOMEM(ctx->err, g->n_nodes * sizeof *l->nodes);
    IG_TRY(list_uses(ctx, l));
    const size_t n = g->n_nodes;
    for (uint32_t i = 0; i < n; i++) IG_TRY(classify(l, i, ctx->err));
    IG_TRY(choose_regions(ctx, l));
    refine(l);
    return INGOT_OK;
}
