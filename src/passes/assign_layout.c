/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assign_layout.c: rewrites the graph as choose_layout.c decided.
 *
 * Values become what they physically are: the result of a channels-last node is a new value with
 * dimensions N, spatial…, C; where the plain one is needed, a transpose makes it (under the old id,
 * so that graph outputs stay). No layout is hidden in a value.
 */
#include <string.h>

#include "passes/layout.h"

typedef struct assigner {
    ig_pass_ctx *ctx;
    ig_graph *g;
    ig_layout layout;
    uint32_t *last_of;  /* [n_values]: the channels-last form of a value, or IG_NONE */
    uint8_t *is_absent; /* [n_values]: the plain form does not exist (yet) */
    size_t n_values;    /* before the pass */
} assigner;

/* dims of `from` in the order of the other layout. */
static void permute_info(ig_info *info, bool to_last)
{
    int perm[IG_MAX_RANK];
    ig_dim dims[IG_MAX_RANK];
    ig_layout_perm(info->rank, to_last, perm);
    for (int d = 0; d < info->rank; d++) dims[d] = info->dims[perm[d]];
    memcpy(info->dims, dims, sizeof dims);
    info->data = NULL;
    info->elems = NULL;
    info->n_elems = 0;
}

static ig_status make_transpose(assigner *a, uint32_t input, int rank, bool to_last,
                                uint32_t *output)
{
    int perm[IG_MAX_RANK];
    ig_node *node;
    ig_layout_perm(rank, to_last, perm);
    IG_TRY(ig_build_transpose(a->ctx, a->g, input, perm, rank, *output, &node));
    *output = node->outputs[0];
    a->ctx->n_changes++;
    return INGOT_OK;
}

/* The plain form of a value, made now where it does not exist. */
static ig_status use_plain(assigner *a, uint32_t value)
{
    if (value == IG_NONE || value >= a->n_values || !a->is_absent[value]) return INGOT_OK;
    a->is_absent[value] = 0;
    return make_transpose(a, a->last_of[value], a->g->values[value]->info.rank, false, &value);
}

/* The channels-last form. */
static ig_status use_last(assigner *a, uint32_t value, uint32_t *last)
{
    if (a->last_of[value] == IG_NONE)
        IG_TRY(make_transpose(a, value, a->g->values[value]->info.rank, true, &a->last_of[value]));
    *last = a->last_of[value];
    return INGOT_OK;
}

static ig_status use_extended(assigner *a, uint32_t value, int rank, uint32_t *last)
{
    ig_node *node;
    IG_TRY(use_plain(a, value));
    IG_TRY(ig_build_unsqueeze(a->ctx, a->g, value, rank - a->g->values[value]->info.rank, &node));
    *last = IG_NONE;
    return make_transpose(a, node->outputs[0], rank, true, last);
}

static ig_status take_inputs(assigner *a, uint32_t i, ig_node *node)
{
    const ig_layout_node *n = &a->layout.nodes[i];
    const uint32_t n_inputs = a->layout.g->nodes[i]->n_inputs;
    for (uint32_t k = 0; k < node->n_inputs; k++) {
        const ig_layout_operand how =
            n->is_last && k < n_inputs ? ig_layout_operand_of(&a->layout, i, k) : IG_OPERAND_AS_IS;
        if (how == IG_OPERAND_AS_IS)
            IG_TRY(use_plain(a, node->inputs[k]));
        else if (how == IG_OPERAND_TRANSPOSED)
            IG_TRY(use_last(a, node->inputs[k], &node->inputs[k]));
        else
            IG_TRY(use_extended(a, node->inputs[k], n->rank, &node->inputs[k]));
    }
    return INGOT_OK;
}

/* Results of a channels-last node are new values; the old ids stand for the plain form. */
static ig_status give_outputs(assigner *a, ig_node *node)
{
    for (uint32_t k = 0; k < node->n_outputs; k++) {
        const uint32_t plain = node->outputs[k];
        if (plain == IG_NONE) continue;
        const uint32_t last = ig_fresh_value(a->g, &a->g->values[plain]->info);
        if (last == IG_NONE) return IG_NOMEM(a->ctx->err, sizeof(ig_value));
        permute_info(&a->g->values[last]->info, true);
        node->outputs[k] = last;
        a->last_of[plain] = last;
        a->is_absent[plain] = 1;
    }
    return INGOT_OK;
}

static ig_status emit(assigner *a, uint32_t i, ig_node *node)
{
    const ig_layout_node *n = &a->layout.nodes[i];
    /* The copy with renamed axes has the same inputs, and perhaps more. */
    ig_node *form = n->is_last && n->renamed ? n->renamed : node;
    IG_TRY(take_inputs(a, i, form));
    if (n->is_last) {
        IG_TRY(give_outputs(a, form));
        if (n->kind == IG_LAYOUT_WANTS_LAST && !ig_node_set_int(a->g, form, "channels_last", 1))
            return IG_NOMEM(a->ctx->err, sizeof(ig_attr));
        a->ctx->n_changes++;
    }
    if (!IG_ARENA_PUSH(a->g->arena, a->g->nodes, a->g->n_nodes, a->g->cap_nodes, form))
        return IG_NOMEM(a->ctx->err, sizeof form);
    return INGOT_OK;
}

/* Where only the channels-last form is left, it takes the name. */
static void move_names(assigner *a)
{
    for (size_t v = 0; v < a->n_values; v++) {
        if (!a->is_absent[v]) continue;
        a->g->values[a->last_of[v]]->name = a->g->values[v]->name;
        a->g->values[v]->name = "";
    }
}

static bool has_work(const ig_layout *l)
{
    for (size_t i = 0; i < l->g->n_nodes; i++)
        if (l->nodes[i].kind == IG_LAYOUT_WANTS_LAST) return true;
    return false;
}

static ig_status rewrite(assigner *a)
{
    ig_graph *g = a->g;
    const size_t n = g->n_nodes;
    ig_node **old = ig_arena_copy(a->ctx->scratch, g->nodes, (n + 1) * sizeof *old);
    /* The choice is asked about nodes by number while the graph's list grows anew. */
    ig_graph *frozen = ig_arena_copy(a->ctx->scratch, g, sizeof *g);
    ig_node *originals = ig_arena_array(a->ctx->scratch, n + 1, sizeof *originals);
    ig_node **list = ig_arena_array(a->ctx->scratch, n + 1, sizeof *list);
    if (!old || !frozen || !originals || !list) return IG_NOMEM(a->ctx->err, n * sizeof *old);
    for (size_t i = 0; i < n; i++) {
        originals[i] = *old[i];
        list[i] = &originals[i];
        originals[i].inputs = ig_arena_copy(a->ctx->scratch, old[i]->inputs,
                                            old[i]->n_inputs * sizeof *old[i]->inputs);
        if (!originals[i].inputs) return IG_NOMEM(a->ctx->err, old[i]->n_inputs);
    }
    frozen->nodes = list;
    a->layout.g = frozen;
    g->n_nodes = 0;
    for (uint32_t i = 0; i < n; i++) IG_TRY(emit(a, i, old[i]));
    for (size_t i = 0; i < g->n_outputs; i++) IG_TRY(use_plain(a, g->outputs[i]));
    move_names(a);
    return INGOT_OK;
}

ig_status ig_pass_assign_layout(ig_pass_ctx *ctx, ig_graph *g)
{
    assigner a = { .ctx = ctx, .g = g };
    IG_TRY(ig_layout_choose(ctx, g, &a.layout));
    if (!has_work(&a.layout)) return INGOT_OK;
    a.n_values = g->n_values;
    a.last_of = ig_arena_array(ctx->scratch, g->n_values + 1, sizeof *a.last_of);
    a.is_absent = ig_arena_array(ctx->scratch, g->n_values + 1, 1);
    if (!a.last_of || !a.is_absent) return IG_NOMEM(ctx->err, g->n_values * sizeof *a.last_of);
    memset(a.last_of, 0xff, (g->n_values + 1) * sizeof *a.last_of);
    IG_TRY(rewrite(&a));
    ig_graph_index(g);
    for (size_t i = 0; i < g->n_nodes; i++) IG_TRY(ig_reinfer(ctx, g, g->nodes[i]));
    return INGOT_OK;
}
