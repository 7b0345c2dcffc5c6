/* SPDX-License-Identifier: Apache-2.0 */
/*
 * merge_duplicates.c: equal constants, and nodes with the same operator, attributes and inputs,
 * become one.
 *
 * Each is spelled as a string of bytes; equal strings mean equal results.
 */
#include <string.h>

#include "passes/rewrite.h"

static void put(ig_str *key, const void *data, size_t bytes) { ig_str_append(key, data, bytes); }
static void put_int(ig_str *key, int64_t x) { put(key, &x, sizeof x); }
static void put_text(ig_str *key, const char *s)
{
    put_int(key, (int64_t)strlen(s));
    ig_str_puts(key, s);
}

static void put_string(ig_str *key, const ingot_string *s)
{
    put_int(key, (int64_t)s->bytes);
    if (s->bytes) put(key, s->data, s->bytes);
}

/* Contents in full up to this size; of more, a sample (constants) or two hashes (attributes). */
#define SHORT_BYTES 64
#define SAMPLE_BYTES 1024

static void put_hashes(ig_str *key, const char *data, size_t bytes)
{
    put_int(key, (int64_t)ig_hash(data, bytes, 1));
    put_int(key, (int64_t)ig_hash(data, bytes, 2));
}

/* Reading all weights would cost more than it brings: they are compared in full where samples are
 * equal. */
static void put_sample(ig_str *key, const char *data, size_t bytes)
{
    if (bytes <= 2 * SAMPLE_BYTES) {
        put_hashes(key, data, bytes);
        return;
    }
    put_hashes(key, data, SAMPLE_BYTES);
    put_hashes(key, data + bytes - SAMPLE_BYTES, SAMPLE_BYTES);
}

/* Type, shape and contents; is_sampled: equal keys need not mean equal tensors. */
static bool put_tensor(ig_str *key, const ig_tensor *t, bool is_sampled)
{
    size_t bytes = 0;
    if (t->kind != INGOT_KIND_TENSOR || !ig_tensor_bytes(t, &bytes)) return false;
    put_int(key, (int64_t)t->dtype);
    put_int(key, t->rank);
    put(key, t->dims, (size_t)t->rank * sizeof t->dims[0]);
    if (t->dtype == INGOT_STRING) {
        const ingot_string *s = t->data;
        for (size_t i = 0; i < bytes / sizeof *s; i++) put_string(key, &s[i]);
    } else if (bytes <= SHORT_BYTES) {
        put(key, t->data, bytes);
    } else if (is_sampled) {
        put_sample(key, t->data, bytes);
    } else {
        put_hashes(key, t->data, bytes);
    }
    return true;
}

/* false for attributes that are never equal. */
static bool put_attr(ig_str *key, const ig_attr *attr)
{
    put_text(key, attr->name);
    put_int(key, (int64_t)attr->kind);
    put_int(key, (int64_t)attr->n);
    switch (attr->kind) {
    case IG_ATTR_INT: put_int(key, attr->i); return true;
    case IG_ATTR_FLOAT: put(key, &attr->f, sizeof attr->f); return true;
    case IG_ATTR_STRING: put_string(key, &attr->s); return true;
    case IG_ATTR_TENSOR: return put_tensor(key, attr->t, false);
    case IG_ATTR_INTS: put(key, attr->ints, attr->n * sizeof *attr->ints); return true;
    case IG_ATTR_FLOATS: put(key, attr->floats, attr->n * sizeof *attr->floats); return true;
    case IG_ATTR_STRINGS:
        for (size_t i = 0; i < attr->n; i++) put_string(key, &attr->strings[i]);
        return true;
    case IG_ATTR_TYPE: put(key, &attr->type, sizeof attr->type); return true;
    default: return false;
    }
}

static bool put_node(ig_str *key, const ig_node *node)
{
    const bool is_commutative = node->op->flags & IG_COMMUTATIVE && node->n_inputs == 2;
    put_text(key, node->domain);
    put_text(key, node->op_type);
    put_int(key, node->opset);
    put_int(key, node->n_inputs);
    put_int(key, node->n_outputs);
    if (is_commutative && node->inputs[0] > node->inputs[1]) {
        put_int(key, node->inputs[1]);
        put_int(key, node->inputs[0]);
    } else {
        for (uint32_t i = 0; i < node->n_inputs; i++) put_int(key, node->inputs[i]);
    }
    for (uint32_t i = 0; i < node->n_attrs; i++)
        if (!put_attr(key, &node->attrs[i])) return false;
    return true;
}

/* The first with this key: its number, or `self` when there was none yet. */
static ig_status find_first(ig_pass_ctx *ctx, ig_map *map, const ig_str *key, uint32_t self,
                            uint32_t *first)
{
    *first = self;
    if (!ig_str_ok(key)) return IG_NOMEM(ctx->err, key->n);
    const uint32_t found = ig_map_get(map, key->data, key->n);
    if (found != IG_MAP_NONE) {
        *first = found;
        return INGOT_OK;
    }
    const char *copy = ig_arena_copy(ctx->scratch, key->data, key->n);
    if (!copy || !ig_map_put(map, copy, key->n, self)) return IG_NOMEM(ctx->err, key->n);
    return INGOT_OK;
}

static bool is_same_tensor(const ig_tensor *a, const ig_tensor *b)
{
    size_t bytes = 0;
    if (a->dtype == INGOT_STRING || a->data == b->data) return true;
    return ig_tensor_bytes(a, &bytes) && !memcmp(a->data, b->data, bytes);
}

static ig_status merge_constants(ig_pass_ctx *ctx, ig_graph *g, ig_aliases *aliases, ig_map *map,
                                 ig_str *key)
{
    for (size_t i = 0; i < g->n_values; i++) {
        const ig_value *value = g->values[i];
        uint32_t first;
        if (!value->info.data || value->producer != IG_NONE || !value->n_uses ||
            ig_is_graph_input(g, value->id))
            continue;
        ig_str_clear(key);
        if (!put_tensor(key, value->info.data, true)) continue;
        IG_TRY(find_first(ctx, map, key, value->id, &first));
        if (first == value->id || !is_same_tensor(g->values[first]->info.data, value->info.data))
            continue;
        (void)ig_alias(g, aliases, value->id, first);
        ctx->n_changes++;
    }
    return INGOT_OK;
}

/* Every result of `node` is that of `first`; an absent one of first is taken from node. */
static void merge_node(ig_graph *g, ig_aliases *aliases, ig_node *first, ig_node *node)
{
    bool is_unused = true;
    for (uint32_t i = 0; i < node->n_outputs; i++) {
        if (node->outputs[i] == IG_NONE) continue;
        if (first->outputs[i] == IG_NONE)
            is_unused = false;
        else
            is_unused &= ig_alias(g, aliases, node->outputs[i], first->outputs[i]);
    }
    node->is_dead = is_unused;
}

static ig_status merge_nodes(ig_pass_ctx *ctx, ig_graph *g, ig_aliases *aliases, ig_map *map,
                             ig_str *key)
{
    for (size_t i = 0; i < g->n_nodes; i++) {
        ig_node *node = g->nodes[i];
        uint32_t first;
        ig_aliases_apply(aliases, node);
        if (node->op->flags & (IG_RANDOM | IG_CONTROL_FLOW)) continue;
        ig_str_clear(key);
        if (!put_node(key, node)) continue;
        IG_TRY(find_first(ctx, map, key, (uint32_t)i, &first));
        if (first == i) continue;
        merge_node(g, aliases, g->nodes[first], node);
        ctx->n_changes += node->is_dead;
    }
    return INGOT_OK;
}

ig_status ig_pass_merge_duplicates(ig_pass_ctx *ctx, ig_graph *g)
{
    ig_map constants, nodes;
    ig_str key;
    ig_aliases aliases;
    if (!ig_aliases_init(ctx, g, &aliases)) return IG_NOMEM(ctx->err, g->n_values);
    ig_map_init(&constants, ctx->scratch);
    ig_map_init(&nodes, ctx->scratch);
    ig_str_init(&key, g->arena->alloc);
    ig_status status = merge_constants(ctx, g, &aliases, &constants, &key);
    if (status == INGOT_OK) status = merge_nodes(ctx, g, &aliases, &nodes, &key);
    ig_str_deinit(&key);
    ig_aliases_finish(g, &aliases);
    ig_graph_sweep(g);
    return status;
}
