/* SPDX-License-Identifier: Apache-2.0 */
/* trees_read.c: from attributes to a checked, flat array of nodes. */
#include <stdlib.h>
#include <string.h>

#include "ops/key_map.h"
#include "ops/trees.h"

/* A node's place in the file by its ids; sorted for look-ups. */
typedef struct entry {
    int64_t tree, id;
    int32_t index;
} entry;

typedef struct reader {
    const ig_node *node;
    ig_trees *t;
    ig_arena *arena;
    ig_error *err;
    const int64_t *tree_ids, *node_ids;
    entry *entries;
} reader;

/* ---- columns ---- */

static ig_status ints(const reader *r, const char *name, size_t n, bool is_optional,
                      const int64_t **out)
{
    size_t have;
    *out = ig_attr_ints(r->node, name, &have);
    if (have == n || (is_optional && have == 0)) return INGOT_OK;
    return ig_fail(r->err, INGOT_ERR_INVALID, "%s has %zu entries, %zu are wanted", name, have, n);
}

/* A list of floats, or (since version 3) a tensor under the name with _as_tensor. */
static ig_status reals(const reader *r, const char *name, const char *as_tensor, ig_list *out)
{
    IG_TRY(ig_list_read(r->node, as_tensor, r->arena, out, r->err));
    if (out->dtype && out->dtype != INGOT_FLOAT && out->dtype != INGOT_DOUBLE)
        return ig_fail(r->err, INGOT_ERR_INVALID, "%s has element type %s", as_tensor,
                       ingot_dtype_name(out->dtype));
    if (out->n > 0) return INGOT_OK;
    return ig_list_read(r->node, name, r->arena, out, r->err);
}

static double real(const ig_list *l, size_t i) { return ig_get_f64(l->dtype, l->data, (int64_t)i); }

/* ---- ids ---- */

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->tree != y->tree) return x->tree < y->tree ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return 0;
}

static ig_status sort_ids(reader *r)
{
    const size_t n = r->t->n_nodes;
    r->entries = ig_arena_array(r->arena, n + 1, sizeof *r->entries);
    if (!r->entries) return IG_NOMEM(r->err, n * sizeof *r->entries);
    for (size_t i = 0; i < n; i++)
        r->entries[i] = (entry){ r->tree_ids[i], r->node_ids[i], (int32_t)i };
    qsort(r->entries, n, sizeof *r->entries, compare);
    for (size_t i = 1; i < n; i++)
        if (compare(&r->entries[i - 1], &r->entries[i]) == 0)
            return ig_fail(r->err, INGOT_ERR_INVALID, "tree %lld has node %lld twice",
                           (long long)r->entries[i].tree, (long long)r->entries[i].id);
    return INGOT_OK;
}

static ig_status find(const reader *r, int64_t tree, int64_t id, const char *what, int32_t *index)
{
    const entry key = { tree, id, 0 };
    const entry *e = bsearch(&key, r->entries, r->t->n_nodes, sizeof *r->entries, compare);
    if (!e)
        return ig_fail(r->err, INGOT_ERR_INVALID, "%s names node %lld of tree %lld: there is none",
                       what, (long long)id, (long long)tree);
    *index = e->index;
    return INGOT_OK;
}

/* ---- nodes ---- */

static ig_status mode_of(const reader *r, const ingot_string *s, uint8_t *mode)
{
    static const char *const names[] = {
        [IG_TREE_LEAF] = "LEAF",      [IG_TREE_LEQ] = "BRANCH_LEQ", [IG_TREE_LT] = "BRANCH_LT",
        [IG_TREE_GTE] = "BRANCH_GTE", [IG_TREE_GT] = "BRANCH_GT",   [IG_TREE_EQ] = "BRANCH_EQ",
        [IG_TREE_NEQ] = "BRANCH_NEQ"
    };
    for (size_t k = 0; k < IG_COUNT(names); k++)
        if (s->bytes == strlen(names[k]) && memcmp(s->data, names[k], s->bytes) == 0) {
            *mode = (uint8_t)k;
            return INGOT_OK;
        }
    return ig_fail(r->err, INGOT_ERR_INVALID, "node mode '%.*s' is not known",
                   (int)(s->bytes < 40 ? s->bytes : 40), s->data);
}

static ig_status read_nodes(reader *r)
{
    ig_trees *t = r->t;
    const size_t n = t->n_nodes;
    const int64_t *features, *yes, *no, *missing;
    const ig_attr *modes = ig_node_attr(r->node, "nodes_modes");
    ig_list values;
    IG_TRY(ints(r, "nodes_featureids", n, false, &features));
    IG_TRY(ints(r, "nodes_truenodeids", n, false, &yes));
    IG_TRY(ints(r, "nodes_falsenodeids", n, false, &no));
    IG_TRY(ints(r, "nodes_missing_value_tracks_true", n, true, &missing));
    IG_TRY(reals(r, "nodes_values", "nodes_values_as_tensor", &values));
    if (!modes || modes->kind != IG_ATTR_STRINGS || modes->n != n || (size_t)values.n != n)
        return ig_fail(r->err, INGOT_ERR_INVALID,
                       "nodes_modes and nodes_values must have %zu entries", n);
    for (size_t i = 0; i < n; i++) {
        ig_tree_node *to = &t->nodes[i];
        IG_TRY(mode_of(r, &modes->strings[i], &to->mode));
        if (to->mode == IG_TREE_LEAF) continue;
        if (features[i] < 0 || features[i] > INT32_MAX)
            return ig_fail(r->err, INGOT_ERR_INVALID, "nodes_featureids[%zu] is %lld", i,
                           (long long)features[i]);
        to->feature = (int32_t)features[i];
        to->value = real(&values, i);
        to->missing_is_true = missing && missing[i] != 0;
        IG_TRY(find(r, r->tree_ids[i], yes[i], "nodes_truenodeids", &to->yes));
        IG_TRY(find(r, r->tree_ids[i], no[i], "nodes_falsenodeids", &to->no));
        if (features[i] > t->max_feature) t->max_feature = features[i];
    }
    return INGOT_OK;
}

ig_status ig_trees_order(const ig_trees *t, ig_arena *arena, int32_t *order, size_t *n_first,
                         int64_t *in_cycle, ig_error *err)
{
    size_t n_done = 0, n_ready = 0;
    int32_t *n_parents = ig_arena_array(arena, t->n_nodes + 1, sizeof *n_parents);
    if (!n_parents) return IG_NOMEM(err, t->n_nodes * sizeof *n_parents);
    for (size_t i = 0; i < t->n_nodes; i++)
        if (t->nodes[i].mode != IG_TREE_LEAF) {
            n_parents[t->nodes[i].yes]++;
            n_parents[t->nodes[i].no]++;
        }
    for (size_t i = 0; i < t->n_nodes; i++)
        if (n_parents[i] == 0) order[n_ready++] = (int32_t)i;
    *n_first = n_ready;
    while (n_done < n_ready) {
        const ig_tree_node *node = &t->nodes[order[n_done++]];
        if (node->mode == IG_TREE_LEAF) continue;
        if (--n_parents[node->yes] == 0) order[n_ready++] = node->yes;
        if (--n_parents[node->no] == 0) order[n_ready++] = node->no;
    }
    *in_cycle = -1;
    for (size_t i = 0; n_done < t->n_nodes && *in_cycle < 0; i++)
        if (n_parents[i] > 0) *in_cycle = (int64_t)i;
    return INGOT_OK;
}

/* A node may have several parents (chains of equalities share a branch), but there must be an
 * order in which parents come before children. */
static ig_status check_order(const reader *r)
{
    ig_trees *t = r->t;
    int64_t in_cycle;
    int32_t *order = ig_arena_array(r->arena, t->n_nodes + 1, sizeof *order);
    if (!order) return IG_NOMEM(r->err, t->n_nodes * sizeof *order);
    IG_TRY(ig_trees_order(t, r->arena, order, &t->n_roots, &in_cycle, r->err));
    if (in_cycle >= 0)
        return ig_fail(r->err, INGOT_ERR_INVALID, "node %lld of tree %lld is part of a cycle",
                       (long long)r->node_ids[in_cycle], (long long)r->tree_ids[in_cycle]);
    memcpy(t->roots, order, t->n_roots * sizeof *order);
    return INGOT_OK;
}

static ig_status check_roots(reader *r)
{
    ig_trees *t = r->t;
    entry *roots = ig_arena_array(r->arena, t->n_roots + 1, sizeof *roots);
    if (!roots) return IG_NOMEM(r->err, t->n_roots * sizeof *roots);
    for (size_t i = 0; i < t->n_roots; i++)
        roots[i] = (entry){ r->tree_ids[t->roots[i]], r->node_ids[t->roots[i]], t->roots[i] };
    qsort(roots, t->n_roots, sizeof *roots, compare);
    for (size_t i = 1; i < t->n_roots; i++)
        if (roots[i].tree == roots[i - 1].tree)
            return ig_fail(r->err, INGOT_ERR_INVALID,
                           "tree %lld has two roots, nodes %lld and %lld", (long long)roots[i].tree,
                           (long long)roots[i - 1].id, (long long)roots[i].id);
    return INGOT_OK;
}

/* ---- weights of leaves ---- */

typedef struct weight_columns {
    const int64_t *trees, *nodes, *targets;
    ig_list weights;
} weight_columns;

static ig_status read_weight_columns(const reader *r, bool is_classifier, weight_columns *w)
{
    size_t n;
    if (is_classifier) {
        IG_TRY(reals(r, "class_weights", "class_weights_as_tensor", &w->weights));
        n = (size_t)w->weights.n;
        IG_TRY(ints(r, "class_treeids", n, false, &w->trees));
        IG_TRY(ints(r, "class_nodeids", n, false, &w->nodes));
        return ints(r, "class_ids", n, false, &w->targets);
    }
    IG_TRY(reals(r, "target_weights", "target_weights_as_tensor", &w->weights));
    n = (size_t)w->weights.n;
    IG_TRY(ints(r, "target_treeids", n, false, &w->trees));
    IG_TRY(ints(r, "target_nodeids", n, false, &w->nodes));
    return ints(r, "target_ids", n, false, &w->targets);
}

/* Put the weights behind their leaves, in the order of the file. */
static ig_status read_weights(reader *r, bool is_classifier)
{
    ig_trees *t = r->t;
    weight_columns w;
    int32_t total = 0;
    IG_TRY(read_weight_columns(r, is_classifier, &w));
    const size_t n = (size_t)w.weights.n;
    if (n > INT32_MAX) return ig_fail(r->err, INGOT_ERR_LIMIT, "%zu weights", n);
    int32_t *leaf = ig_arena_array(r->arena, n + 1, sizeof *leaf);
    t->weights = ig_arena_array(r->arena, n + 1, sizeof *t->weights);
    if (!leaf || !t->weights) return IG_NOMEM(r->err, n * sizeof *t->weights);
    t->n_weights = n;
    t->all_weights_positive = true;
    t->has_one_class = t->n_targets == 2;
    for (size_t i = 0; i < n; i++) {
        IG_TRY(find(r, w.trees[i], w.nodes[i], is_classifier ? "class_nodeids" : "target_nodeids",
                    &leaf[i]));
        if (w.targets[i] < 0 || w.targets[i] >= t->n_targets)
            return ig_fail(r->err, INGOT_ERR_INVALID, "%s[%zu] is %lld, there are %lld",
                           is_classifier ? "class_ids" : "target_ids", i, (long long)w.targets[i],
                           (long long)t->n_targets);
        if (w.targets[i] != w.targets[0]) t->has_one_class = false;
        if (real(&w.weights, i) < 0) t->all_weights_positive = false;
        if (t->nodes[leaf[i]].mode == IG_TREE_LEAF) t->nodes[leaf[i]].no++;
    }
    for (size_t i = 0; i < t->n_nodes; i++)
        if (t->nodes[i].mode == IG_TREE_LEAF) {
            t->nodes[i].yes = total;
            total += t->nodes[i].no;
            t->nodes[i].no = 0;
        }
    for (size_t i = 0; i < n; i++) {
        ig_tree_node *node = &t->nodes[leaf[i]];
        if (node->mode != IG_TREE_LEAF) continue; /* a weight that no row reaches */
        t->weights[node->yes + node->no++] =
            (ig_tree_weight){ (int32_t)w.targets[i], real(&w.weights, i) };
    }
    return INGOT_OK;
}

/* ---- the rest ---- */

static ig_status read_aggregate(const reader *r, ig_tree_aggregate *out)
{
    static const char *const names[] = { "SUM", "AVERAGE", "MIN", "MAX" };
    for (size_t i = 0; i < IG_COUNT(names); i++)
        if (ig_attr_is(r->node, "aggregate_function", names[i], i == 0)) {
            *out = (ig_tree_aggregate)i;
            return INGOT_OK;
        }
    return ig_fail(r->err, INGOT_ERR_INVALID,
                   "aggregate_function is none of SUM, AVERAGE, MIN, MAX");
}

static ig_status read_base(reader *r)
{
    ig_trees *t = r->t;
    ig_list base;
    IG_TRY(reals(r, "base_values", "base_values_as_tensor", &base));
    const bool fits = base.n == 0 || base.n == t->n_targets ||
                      (base.n == 1 && t->is_classifier && t->n_targets == 2);
    if (!fits)
        return ig_fail(r->err, INGOT_ERR_INVALID, "base_values has %lld entries for %lld targets",
                       (long long)base.n, (long long)t->n_targets);
    t->base = ig_arena_array(r->arena, (size_t)base.n + 1, sizeof *t->base);
    if (!t->base) return IG_NOMEM(r->err, (size_t)base.n * sizeof *t->base);
    for (size_t i = 0; i < (size_t)base.n; i++) t->base[i] = real(&base, i);
    t->n_base = base.n;
    return INGOT_OK;
}

ig_status ig_trees_read(const ig_node *node, ig_trees_kind kind, ig_arena *arena, ig_trees *t,
                        ig_error *err)
{
    const bool is_classifier = kind == IG_TREES_CLASSIFIER;
    reader r = { .node = node, .t = t, .arena = arena, .err = err };
    size_t n;
    *t = (ig_trees){ .max_feature = -1, .is_classifier = is_classifier };
    r.tree_ids = ig_attr_ints(node, "nodes_treeids", &n);
    if (n == 0 || n > INT32_MAX)
        return ig_fail(err, INGOT_ERR_INVALID, "nodes_treeids has %zu entries", n);
    t->n_nodes = n;
    IG_TRY(ints(&r, "nodes_nodeids", n, false, &r.node_ids));
    if (is_classifier) {
        ig_labels_read(node, "classlabels_int64s", "classlabels_strings", &t->labels);
        t->n_targets = t->labels.n;
    } else {
        t->n_targets = ig_attr_int(node, "n_targets", 1);
        IG_TRY(read_aggregate(&r, &t->aggregate));
    }
    if (t->n_targets < 1 || t->n_targets > INT32_MAX)
        return ig_fail(err, INGOT_ERR_INVALID, "%lld %s", (long long)t->n_targets,
                       is_classifier ? "class labels" : "targets");
    IG_TRY(ig_post_transform_read(node, &t->post, err));
    t->nodes = ig_arena_array(arena, n, sizeof *t->nodes);
    t->roots = ig_arena_array(arena, n, sizeof *t->roots);
    if (!t->nodes || !t->roots) return IG_NOMEM(err, n * sizeof *t->nodes);
    IG_TRY(sort_ids(&r));
    IG_TRY(read_nodes(&r));
    IG_TRY(check_order(&r));
    IG_TRY(check_roots(&r));
    IG_TRY(read_weights(&r, is_classifier));
    return read_base(&r);
}
