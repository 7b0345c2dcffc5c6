/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trees_read_leaves.c: the attributes of TreeEnsemble (version 5): a table of branches, whose two
 * ways lead to rows of the same table or of a table of leaves, and sets of values for
 * BRANCH_MEMBER.
 */
#include <math.h>
#include <stdlib.h>

#include "ops/key_map.h"
#include "ops/trees.h"

typedef struct reader {
    const ig_node *node;
    ig_trees *t;
    ig_arena *arena;
    ig_error *err;
    int64_t n_branches, n_leaves;
    int32_t *trees; /* [n_branches]: which tree a branch is part of, -1: none */
} reader;

/* ---- columns ---- */

static ig_status ints(const reader *r, const char *name, int64_t n, const int64_t **out)
{
    size_t have;
    *out = ig_attr_ints(r->node, name, &have);
    if ((int64_t)have == n) return INGOT_OK;
    return ig_fail(r->err, INGOT_ERR_INVALID, "%s has %zu entries, %lld are wanted", name, have,
                   (long long)n);
}

static ig_status tensor(const reader *r, const char *name, ig_dtype_set types, int64_t n,
                        ig_list *out)
{
    IG_TRY(ig_list_read(r->node, name, r->arena, out, r->err));
    if (!out->dtype) return ig_fail(r->err, INGOT_ERR_INVALID, "attribute %s is missing", name);
    if (!(IG_T(out->dtype) & types))
        return ig_fail(r->err, INGOT_ERR_INVALID, "%s has element type %s", name,
                       ingot_dtype_name(out->dtype));
    if (n < 0 || out->n == n) return INGOT_OK;
    return ig_fail(r->err, INGOT_ERR_INVALID, "%s has %lld entries, %lld are wanted", name,
                   (long long)out->n, (long long)n);
}

#define REALS (IG_T(INGOT_FLOAT) | IG_T(INGOT_DOUBLE) | IG_T(INGOT_FLOAT16))

/* ---- branches ---- */

static ig_status way(const reader *r, const char *name, int64_t i, int64_t to, bool is_leaf,
                     int32_t *out)
{
    const int64_t n = is_leaf ? r->n_leaves : r->n_branches;
    if (to < 0 || to >= n)
        return ig_fail(r->err, INGOT_ERR_INVALID, "%s[%lld] is %lld, there are %lld %s", name,
                       (long long)i, (long long)to, (long long)n, is_leaf ? "leaves" : "nodes");
    *out = (int32_t)(is_leaf ? r->n_branches + to : to);
    return INGOT_OK;
}

static ig_status read_ways(const reader *r)
{
    const int64_t *yes, *no, *yes_is_leaf, *no_is_leaf, n = r->n_branches;
    IG_TRY(ints(r, "nodes_truenodeids", n, &yes));
    IG_TRY(ints(r, "nodes_falsenodeids", n, &no));
    IG_TRY(ints(r, "nodes_trueleafs", n, &yes_is_leaf));
    IG_TRY(ints(r, "nodes_falseleafs", n, &no_is_leaf));
    for (int64_t i = 0; i < n; i++) {
        ig_tree_node *to = &r->t->nodes[i];
        IG_TRY(way(r, "nodes_truenodeids", i, yes[i], yes_is_leaf[i] != 0, &to->yes));
        IG_TRY(way(r, "nodes_falsenodeids", i, no[i], no_is_leaf[i] != 0, &to->no));
    }
    return INGOT_OK;
}

static ig_status read_branches(const reader *r)
{
    static const uint8_t modes[] = { IG_TREE_LEQ, IG_TREE_LT,  IG_TREE_GTE,   IG_TREE_GT,
                                     IG_TREE_EQ,  IG_TREE_NEQ, IG_TREE_MEMBER };
    ig_list codes, splits;
    size_t n_missing;
    const int64_t *features, n = r->n_branches;
    const int64_t *missing = ig_attr_ints(r->node, "nodes_missing_value_tracks_true", &n_missing);
    IG_TRY(ints(r, "nodes_featureids", n, &features));
    if (n_missing) IG_TRY(ints(r, "nodes_missing_value_tracks_true", n, &missing));
    IG_TRY(tensor(r, "nodes_modes", IG_T(INGOT_UINT8), n, &codes));
    IG_TRY(tensor(r, "nodes_splits", REALS, n, &splits));
    for (int64_t i = 0; i < n; i++) {
        ig_tree_node *to = &r->t->nodes[i];
        const uint8_t code = ((const uint8_t *)codes.data)[i];
        if (code >= IG_COUNT(modes))
            return ig_fail(r->err, INGOT_ERR_INVALID, "nodes_modes[%lld] is %d, they end at %zu",
                           (long long)i, code, IG_COUNT(modes) - 1);
        if (features[i] < 0 || features[i] > INT32_MAX)
            return ig_fail(r->err, INGOT_ERR_INVALID, "nodes_featureids[%lld] is %lld",
                           (long long)i, (long long)features[i]);
        if (features[i] > r->t->max_feature) r->t->max_feature = features[i];
        to->mode = modes[code];
        to->feature = (int32_t)features[i];
        to->value = ig_get_f64(splits.dtype, splits.data, i);
        to->missing_is_true = missing && missing[i] != 0;
    }
    return read_ways(r);
}

/* ---- sets ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Values of all sets in the order of their branches, each set ended by a NaN; the last NaN may be
 * missing. */
static ig_status read_sets(const reader *r)
{
    ig_list values = { .dtype = INGOT_UNDEFINED };
    int64_t at = 0;
    if (ig_node_attr(r->node, "membership_values"))
        IG_TRY(tensor(r, "membership_values", REALS, -1, &values));
    if (values.n > INT32_MAX)
        return ig_fail(r->err, INGOT_ERR_LIMIT, "membership_values has %lld entries",
                       (long long)values.n);
    double *members = ig_arena_array(r->arena, (size_t)values.n + 1, sizeof *members);
    if (!members) return IG_NOMEM(r->err, (size_t)values.n * sizeof *members);
    for (int64_t i = 0; i < values.n; i++) members[i] = ig_get_f64(values.dtype, values.data, i);
    for (int64_t i = 0, n_sets = 0; i < r->n_branches; i++) {
        ig_tree_node *node = &r->t->nodes[i];
        if (node->mode != IG_TREE_MEMBER) continue;
        if (at > values.n || (at == values.n && n_sets == 0))
            return ig_fail(r->err, INGOT_ERR_INVALID,
                           "membership_values has %lld sets, node %lld wants another",
                           (long long)n_sets, (long long)i);
        node->set.first = (int32_t)at;
        while (at < values.n && !isnan(members[at])) at++;
        node->set.n = (int32_t)at - node->set.first;
        qsort(members + node->set.first, (size_t)node->set.n, sizeof *members, compare);
        at++, n_sets++;
    }
    if (at < values.n)
        return ig_fail(r->err, INGOT_ERR_INVALID,
                       "membership_values has more sets than there are nodes for them");
    r->t->members = members;
    return INGOT_OK;
}

/* ---- leaves and roots ---- */

static ig_status read_leaves(const reader *r)
{
    ig_trees *t = r->t;
    const int64_t *targets, n = r->n_leaves;
    ig_list weights;
    IG_TRY(ints(r, "leaf_targetids", n, &targets));
    IG_TRY(tensor(r, "leaf_weights", REALS, n, &weights));
    t->n_weights = (size_t)n;
    t->weights = ig_arena_array(r->arena, (size_t)n + 1, sizeof *t->weights);
    if (!t->weights) return IG_NOMEM(r->err, (size_t)n * sizeof *t->weights);
    for (int64_t i = 0; i < n; i++) {
        if (targets[i] < 0 || targets[i] >= t->n_targets)
            return ig_fail(r->err, INGOT_ERR_INVALID,
                           "leaf_targetids[%lld] is %lld, there are %lld", (long long)i,
                           (long long)targets[i], (long long)t->n_targets);
        t->nodes[r->n_branches + i] =
            (ig_tree_node){ .mode = IG_TREE_LEAF, .yes = (int32_t)i, .no = 1 };
        t->weights[i] =
            (ig_tree_weight){ (int32_t)targets[i], ig_get_f64(weights.dtype, weights.data, i) };
    }
    return INGOT_OK;
}

static ig_status claim(const reader *r, int32_t node, int32_t tree)
{
    if (node >= r->n_branches || r->trees[node] == tree) return INGOT_OK;
    if (r->trees[node] >= 0)
        return ig_fail(r->err, INGOT_ERR_INVALID, "node %d is part of the trees %d and %d", node,
                       r->trees[node], tree);
    r->trees[node] = tree;
    return INGOT_OK;
}

/* Every branch is part of one tree at most, so that a row passes each once at most: trees that
 * share branches could make a short file run for years. */
static ig_status read_roots(reader *r)
{
    ig_trees *t = r->t;
    size_t n, n_first;
    int64_t in_cycle;
    const int64_t *roots = ig_attr_ints(r->node, "tree_roots", &n);
    int32_t *order = ig_arena_array(r->arena, t->n_nodes + 1, sizeof *order);
    r->trees = ig_arena_array(r->arena, (size_t)r->n_branches + 1, sizeof *r->trees);
    t->roots = ig_arena_array(r->arena, n + 1, sizeof *t->roots);
    if (!order || !r->trees || !t->roots) return IG_NOMEM(r->err, t->n_nodes * sizeof *order);
    if (n == 0 || n > INT32_MAX)
        return ig_fail(r->err, INGOT_ERR_INVALID, "tree_roots has %zu entries", n);
    IG_TRY(ig_trees_order(t, r->arena, order, &n_first, &in_cycle, r->err));
    if (in_cycle >= 0)
        return ig_fail(r->err, INGOT_ERR_INVALID, "node %lld is part of a cycle",
                       (long long)in_cycle);
    for (int64_t i = 0; i < r->n_branches; i++) r->trees[i] = -1;
    for (size_t i = 0; i < n; i++) {
        IG_TRY(way(r, "tree_roots", (int64_t)i, roots[i], false, &t->roots[i]));
        IG_TRY(claim(r, t->roots[i], (int32_t)i));
    }
    t->n_roots = n;
    for (size_t i = 0; i < t->n_nodes; i++) {
        const int32_t at = order[i];
        if (at >= r->n_branches || r->trees[at] < 0) continue;
        IG_TRY(claim(r, t->nodes[at].yes, r->trees[at]));
        IG_TRY(claim(r, t->nodes[at].no, r->trees[at]));
    }
    return INGOT_OK;
}

/* ---- the rest ---- */

static ig_status read_numbers(const reader *r)
{
    static const ig_tree_aggregate aggregates[] = { IG_TREE_AVERAGE, IG_TREE_SUM, IG_TREE_MIN,
                                                    IG_TREE_MAX };
    static const ig_post_transform posts[] = { IG_POST_NONE, IG_POST_SOFTMAX, IG_POST_LOGISTIC,
                                               IG_POST_SOFTMAX_ZERO, IG_POST_PROBIT };
    ig_trees *t = r->t;
    const int64_t aggregate = ig_attr_int(r->node, "aggregate_function", 1);
    const int64_t post = ig_attr_int(r->node, "post_transform", 0);
    t->n_targets = ig_attr_int(r->node, "n_targets", 1);
    if (t->n_targets < 1 || t->n_targets > INT32_MAX)
        return ig_fail(r->err, INGOT_ERR_INVALID, "n_targets is %lld", (long long)t->n_targets);
    if (aggregate < 0 || aggregate >= (int64_t)IG_COUNT(aggregates))
        return ig_fail(r->err, INGOT_ERR_INVALID, "aggregate_function is %lld, not 0 to 3",
                       (long long)aggregate);
    if (post < 0 || post >= (int64_t)IG_COUNT(posts))
        return ig_fail(r->err, INGOT_ERR_INVALID, "post_transform is %lld, not 0 to 4",
                       (long long)post);
    t->aggregate = aggregates[aggregate];
    t->post = posts[post];
    return INGOT_OK;
}

ig_status ig_trees_read_ensemble(const ig_node *node, ig_arena *arena, ig_trees *t, ig_error *err)
{
    reader r = { .node = node, .t = t, .arena = arena, .err = err };
    size_t n_branches, n_leaves;
    *t = (ig_trees){ .max_feature = -1 };
    (void)ig_attr_ints(node, "nodes_featureids", &n_branches);
    (void)ig_attr_ints(node, "leaf_targetids", &n_leaves);
    if (n_branches == 0 || n_leaves == 0 || n_branches > INT32_MAX / 2 || n_leaves > INT32_MAX / 2)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "nodes_featureids has %zu entries and leaf_targetids %zu", n_branches,
                       n_leaves);
    r.n_branches = (int64_t)n_branches, r.n_leaves = (int64_t)n_leaves;
    t->n_nodes = n_branches + n_leaves;
    t->nodes = ig_arena_array(arena, t->n_nodes, sizeof *t->nodes);
    if (!t->nodes) return IG_NOMEM(err, t->n_nodes * sizeof *t->nodes);
    IG_TRY(read_numbers(&r));
    IG_TRY(read_branches(&r));
    IG_TRY(read_sets(&r));
    IG_TRY(read_leaves(&r));
    return read_roots(&r);
}
