/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trees_batch.c: decision trees over many rows of float32.
 *
 * Trees are walked one after the other for a block of rows, so that a tree stays in the cache, and
 * eight rows go down side by side without a branch that depends on data: a step of one does not
 * wait for the others. Sums are added in the order of the trees, as for a row alone.
 */
#include "ops/trees.h"

typedef struct step {
    float value;
    int32_t feature;
    int32_t left;     /* where the comparison holds; a leaf: itself */
    uint16_t to_no;   /* 1: the other way is the step after it; a leaf: 0 */
    uint16_t missing; /* 1: NaN goes left */
} step;

struct ig_trees_packed {
    step *steps;
    int32_t *nodes; /* [steps]: the node that a step stands for */
    int32_t *roots; /* [n_roots] */
    ig_tree_mode mode;
};

/* ---- packing ---- */

/* One comparison for all branches, with thresholds that are float32 exactly. */
static bool can_be_packed(const ig_trees *t, ig_tree_mode *mode)
{
    *mode = IG_TREE_LEAF;
    for (size_t i = 0; i < t->n_nodes; i++) {
        const ig_tree_node *node = &t->nodes[i];
        if (node->mode == IG_TREE_LEAF) continue;
        if (*mode == IG_TREE_LEAF) *mode = (ig_tree_mode)node->mode;
        if (node->mode != *mode || (double)(float)node->value != node->value) return false;
    }
    return *mode >= IG_TREE_LEQ && *mode <= IG_TREE_GT;
}

/* Breadth first, so that both ways of a branch lie side by side. false: a branch has two parents,
 * and its steps would have to be there twice. */
static bool lay_out(const ig_trees *t, ig_trees_packed *p, uint8_t *is_seen)
{
    int32_t n = 0, at = 0;
    for (size_t r = 0; r < t->n_roots; r++) {
        p->roots[r] = n;
        p->nodes[n++] = t->roots[r];
        for (; at < n; at++) {
            const ig_tree_node *node = &t->nodes[p->nodes[at]];
            p->steps[at] = (step){ .left = at };
            if (node->mode == IG_TREE_LEAF) continue;
            if (is_seen[p->nodes[at]]++) return false;
            p->steps[at] = (step){ .value = (float)node->value,
                                   .feature = node->feature,
                                   .left = n,
                                   .to_no = 1,
                                   .missing = node->missing_is_true };
            p->nodes[n++] = node->yes;
            p->nodes[n++] = node->no;
        }
    }
    return true;
}

ig_status ig_trees_pack(const ig_trees *t, ig_arena *arena, const ig_trees_packed **out,
                        ig_error *err)
{
    ig_tree_mode mode;
    *out = NULL;
    /* At most a step for each root and two for each branch. */
    const size_t n = 2 * t->n_nodes + t->n_roots;
    if (n > INT32_MAX || !can_be_packed(t, &mode)) return INGOT_OK;
    ig_trees_packed *p = ig_arena_get(arena, sizeof *p);
    uint8_t *is_seen = ig_arena_array(arena, t->n_nodes, sizeof *is_seen);
    if (!p || !is_seen) return IG_NOMEM(err, t->n_nodes);
    p->mode = mode;
    p->steps = ig_arena_array(arena, n, sizeof *p->steps);
    p->nodes = ig_arena_array(arena, n, sizeof *p->nodes);
    p->roots = ig_arena_array(arena, t->n_roots, sizeof *p->roots);
    if (!p->steps || !p->nodes || !p->roots) return IG_NOMEM(err, n * sizeof *p->steps);
    if (lay_out(t, p, is_seen)) *out = p;
    return INGOT_OK;
}

/* ---- walking ---- */

static inline int32_t next(const step *s, const float *row, ig_tree_mode mode)
{
    const float x = row[s->feature];
    const int taken = mode == IG_TREE_LEQ   ? x <= s->value
                      : mode == IG_TREE_LT  ? x < s->value
                      : mode == IG_TREE_GTE ? x >= s->value
                                            : x > s->value;
    return s->left + (s->to_no & ~(taken | (s->missing & (x != x))));
}

static inline void walk_one(const step *steps, const float *row, ig_tree_mode mode, int32_t *at)
{
    while (steps[*at].to_no) *at = next(&steps[*at], row, mode);
}

/* Rows of n floats; at: where each of the eight begins, and then its leaf. */
static inline void walk_eight(const step *steps, const float *rows, int64_t n, ig_tree_mode mode,
                              int32_t at[8])
{
    int32_t a = at[0], b = at[1], c = at[2], d = at[3], e = at[4], f = at[5], g = at[6], h = at[7];
    int moves;
    do {
        const step *sa = &steps[a], *sb = &steps[b], *sc = &steps[c], *sd = &steps[d];
        const step *se = &steps[e], *sf = &steps[f], *sg = &steps[g], *sh = &steps[h];
        moves = sa->to_no | sb->to_no | sc->to_no | sd->to_no | se->to_no | sf->to_no | sg->to_no |
                sh->to_no;
        a = next(sa, rows, mode), b = next(sb, rows + n, mode);
        c = next(sc, rows + 2 * n, mode), d = next(sd, rows + 3 * n, mode);
        e = next(se, rows + 4 * n, mode), f = next(sf, rows + 5 * n, mode);
        g = next(sg, rows + 6 * n, mode), h = next(sh, rows + 7 * n, mode);
    } while (moves);
    at[0] = a, at[1] = b, at[2] = c, at[3] = d, at[4] = e, at[5] = f, at[6] = g, at[7] = h;
}

static inline void walk(const step *steps, const float *rows, int64_t n, int n_rows,
                        ig_tree_mode mode, int32_t *at)
{
    int i = 0;
    for (; i + 8 <= n_rows; i += 8) walk_eight(steps, rows + i * n, n, mode, at + i);
    for (; i < n_rows; i++) walk_one(steps, rows + i * n, mode, at + i);
}

void ig_trees_batch(const ig_trees *t, const ig_trees_packed *p, const float *rows,
                    int64_t n_features, int n_rows, double *scores, bool *has_score, int64_t pitch)
{
    int32_t at[IG_TREES_BLOCK];
    for (size_t r = 0; r < t->n_roots; r++) {
        for (int i = 0; i < n_rows; i++) at[i] = p->roots[r];
        switch (p->mode) { /* one copy of the loops for each comparison */
        case IG_TREE_LEQ: walk(p->steps, rows, n_features, n_rows, IG_TREE_LEQ, at); break;
        case IG_TREE_LT: walk(p->steps, rows, n_features, n_rows, IG_TREE_LT, at); break;
        case IG_TREE_GTE: walk(p->steps, rows, n_features, n_rows, IG_TREE_GTE, at); break;
        default: walk(p->steps, rows, n_features, n_rows, IG_TREE_GT, at); break;
        }
        for (int i = 0; i < n_rows; i++)
            ig_trees_add_leaf(t, &t->nodes[p->nodes[at[i]]], scores + i * pitch,
                              has_score + i * pitch);
    }
}
