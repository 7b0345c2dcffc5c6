/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trees.h: decision trees, as TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble have
 * them.
 *
 * The attributes are columns of a table of nodes. They are checked and turned into a flat array
 * once; whatever that accepts, evaluation ends and stays inside its arrays.
 */
#ifndef IG_OPS_TREES_H
#define IG_OPS_TREES_H

#include "ops/ml_scores.h"

typedef enum ig_tree_mode {
    IG_TREE_LEAF = 0,
    IG_TREE_LEQ,
    IG_TREE_LT,
    IG_TREE_GTE,
    IG_TREE_GT,
    IG_TREE_EQ,
    IG_TREE_NEQ,
    IG_TREE_MEMBER /* is the feature one of a set? */
} ig_tree_mode;

typedef enum ig_tree_aggregate {
    IG_TREE_SUM = 0,
    IG_TREE_AVERAGE,
    IG_TREE_MIN,
    IG_TREE_MAX
} ig_tree_aggregate;

typedef struct ig_tree_node {
    union {
        double value;
        struct {
            int32_t first, n; /* MEMBER: members [first, first + n), ascending */
        } set;
    };
    int32_t feature;
    int32_t yes, no;      /* leaves: first weight, number of weights */
    uint8_t mode;         /* ig_tree_mode */
    bool missing_is_true; /* NaN takes the true branch */
} ig_tree_node;

typedef struct ig_tree_weight {
    int32_t target;
    double weight;
} ig_tree_weight;

/* Which operator's attributes these are. */
typedef enum ig_trees_kind {
    IG_TREES_REGRESSOR = 0,
    IG_TREES_CLASSIFIER,
    IG_TREES_ENSEMBLE /* TreeEnsemble of version 5 */
} ig_trees_kind;

typedef struct ig_trees {
    size_t n_nodes, n_roots, n_weights;
    ig_tree_node *nodes;
    int32_t *roots;
    ig_tree_weight *weights;
    double *members;
    int64_t n_targets, max_feature; /* largest feature index, -1 without any branch */
    double *base;                   /* [n_base] */
    int64_t n_base;
    ig_tree_aggregate aggregate;
    ig_post_transform post;
    /* classifiers */
    bool is_classifier;
    ig_labels labels;
    bool has_one_class; /* two labels, and weights of only one class */
    bool all_weights_positive;
} ig_trees;

/* Everything in arena. INGOT_ERR_INVALID names the node that is wrong: ids that do not exist or
 * exist twice, cycles, no root or several, unknown modes, columns of different lengths. */
ig_status ig_trees_read(const ig_node *node, ig_trees_kind kind, ig_arena *arena, ig_trees *t,
                        ig_error *err) IG_MUST_USE;
/* The same for IG_TREES_ENSEMBLE, whose leaves have a table of their own. */
ig_status ig_trees_read_ensemble(const ig_node *node, ig_arena *arena, ig_trees *t,
                                 ig_error *err) IG_MUST_USE;

/* Nodes so that parents come before children: order has room for n_nodes. The first *n_first of
 * them have no parent. *in_cycle: a node of a cycle, -1 if there is none. */
ig_status ig_trees_order(const ig_trees *t, ig_arena *arena, int32_t *order, size_t *n_first,
                         int64_t *in_cycle, ig_error *err) IG_MUST_USE;

/* One row of features; scores and has_score have n_targets (at least 2) entries, scratch of the
 * caller; the first n_targets scores are the result. *label: index of the class. */
void ig_trees_row(const ig_trees *t, ingot_dtype dtype, const void *x, int64_t first,
                  double *scores, bool *has_score, int64_t *label);

/* Its two halves: the weights of a leaf; all that follows the last leaf. */
void ig_trees_add_leaf(const ig_trees *t, const ig_tree_node *leaf, double *scores,
                       bool *has_score);
void ig_trees_finish(const ig_trees *t, double *scores, const bool *has_score, int64_t *label);

/* A form for many rows of float32; *out is NULL where the trees do not suit it. */
typedef struct ig_trees_packed ig_trees_packed;
ig_status ig_trees_pack(const ig_trees *t, ig_arena *arena, const ig_trees_packed **out,
                        ig_error *err) IG_MUST_USE;
/* The weights of the leaves of n_rows rows, at most IG_TREES_BLOCK, into scores and has_score
 * (zeros before), which go pitch entries from row to row. n_features is 1 at least. */
#define IG_TREES_BLOCK 64
void ig_trees_batch(const ig_trees *t, const ig_trees_packed *p, const float *rows,
                    int64_t n_features, int n_rows, double *scores, bool *has_score, int64_t pitch);

ig_status ig_trees_infer(ig_infer *c, ig_trees_kind kind);
ig_status ig_trees_ref(ig_call *c, ig_trees_kind kind);
ig_status ig_trees_lower(ig_lower *l, ig_trees_kind kind);

#endif
