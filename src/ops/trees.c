/* SPDX-License-Identifier: Apache-2.0 */
/* trees.c: evaluation of decision trees; see trees.h. */
#include "ops/trees.h"

#include <math.h>
#include <string.h>

/* ---- one row ---- */

static inline double feature_of(ingot_dtype dtype, const void *x, int64_t i)
{
    switch ((int)dtype) {
    case INGOT_FLOAT: return (double)((const float *)x)[i];
    case INGOT_DOUBLE: return ((const double *)x)[i];
    case INGOT_INT64: return (double)((const int64_t *)x)[i];
    default: return (double)((const int32_t *)x)[i];
    }
}

static bool is_member(const double *members, int32_t n, double x)
{
    int32_t low = 0, high = n;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (members[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && members[low] == x;
}

static inline bool is_taken(const ig_trees *t, const ig_tree_node *n, double x)
{
    bool taken = false;
    switch ((ig_tree_mode)n->mode) {
    case IG_TREE_LEQ: taken = x <= n->value; break;
    case IG_TREE_LT: taken = x < n->value; break;
    case IG_TREE_GTE: taken = x >= n->value; break;
    case IG_TREE_GT: taken = x > n->value; break;
    case IG_TREE_EQ: taken = x == n->value; break;
    case IG_TREE_NEQ: taken = x != n->value; break;
    case IG_TREE_MEMBER: taken = is_member(t->members + n->set.first, n->set.n, x); break;
    case IG_TREE_LEAF: break;
    }
    return taken || (n->missing_is_true && isnan(x));
}

void ig_trees_add_leaf(const ig_trees *t, const ig_tree_node *leaf, double *scores, bool *has_score)
{
    for (int32_t k = 0; k < leaf->no; k++) {
        const ig_tree_weight *w = &t->weights[leaf->yes + k];
        double *s = &scores[w->target];
        if (!has_score[w->target])
            *s = w->weight;
        else if (t->aggregate == IG_TREE_MIN)
            *s = w->weight < *s ? w->weight : *s;
        else if (t->aggregate == IG_TREE_MAX)
            *s = w->weight > *s ? w->weight : *s;
        else
            *s += w->weight;
        has_score[w->target] = true;
    }
}

/* Two classes. Where only one has weights, its score stands for both: a probability if no weight
 * is negative. Base values as ONNX Runtime has them. Returns the number of scores: 1 or 2. */
static int finish_two(const ig_trees *t, double *s, const bool *has_score, int64_t *label)
{
    const bool has_second = has_score[1];
    int n = 2;
    if (t->n_base == 2 && has_second) {
        s[1] = t->base[1] + s[0];
        s[0] = has_score[0] ? -s[1] : 0;
    } else if (t->n_base == 2) {
        s[0] += t->base[0]; /* the other class keeps 0 */
    } else {
        if (t->n_base == 1) s[0] += t->base[0];
        if (!has_second) n = 1;
    }
    if (t->has_one_class)
        *label = (has_second ? s[1] : s[0]) > (t->all_weights_positive ? 0.5 : 0);
    else
        *label = has_second ? s[1] > s[0] : s[0] > 0;
    return n;
}

static void finish_classes(const ig_trees *t, double *s, const bool *has_score, int64_t *label)
{
    *label = -1;
    for (int64_t k = 0; k < t->n_targets; k++) {
        if (t->n_base) s[k] += t->base[k];
        if (!has_score[k] && !t->n_base) continue;
        if (*label < 0 || s[k] > s[*label]) *label = k;
    }
    if (*label < 0) *label = 0;
}

void ig_trees_finish(const ig_trees *t, double *scores, const bool *has_score, int64_t *label)
{
    const int64_t n = t->n_targets;
    if (t->is_classifier && n == 2) {
        if (finish_two(t, scores, has_score, label) == 1)
            ig_two_class_scores(t->post, t->has_one_class && t->all_weights_positive, scores);
        else
            ig_post_transform_apply(t->post, scores, n);
    } else if (t->is_classifier && n == 1) {
        /* One label: 1 or 0, whatever its name, and a bare score. */
        if (t->n_base) scores[0] += t->base[0];
        *label = scores[0] > 0;
        if (t->post == IG_POST_PROBIT) ig_post_transform_apply(t->post, scores, n);
    } else if (t->is_classifier) {
        finish_classes(t, scores, has_score, label);
        ig_post_transform_apply(t->post, scores, n);
    } else {
        for (int64_t k = 0; k < n; k++) {
            if (t->aggregate == IG_TREE_AVERAGE) scores[k] /= (double)t->n_roots;
            if (t->n_base) scores[k] += t->base[k];
        }
        /* ONNX Runtime transforms a single target by PROBIT only, and converters count on that. */
        if (n > 1 || t->post == IG_POST_PROBIT) ig_post_transform_apply(t->post, scores, n);
    }
}

void ig_trees_row(const ig_trees *t, ingot_dtype dtype, const void *x, int64_t first,
                  double *scores, bool *has_score, int64_t *label)
{
    const int64_t n = t->n_targets;
    memset(scores, 0, (size_t)(n < 2 ? 2 : n) * sizeof *scores);
    memset(has_score, 0, (size_t)(n < 2 ? 2 : n) * sizeof *has_score);
    for (size_t r = 0; r < t->n_roots; r++) {
        const ig_tree_node *node = &t->nodes[t->roots[r]];
        while (node->mode != IG_TREE_LEAF) {
            const double value = feature_of(dtype, x, first + node->feature);
            node = &t->nodes[is_taken(t, node, value) ? node->yes : node->no];
        }
        ig_trees_add_leaf(t, node, scores, has_score);
    }
    ig_trees_finish(t, scores, has_score, label);
}

/* ---- the operators ---- */

ig_status ig_trees_infer(ig_infer *c, ig_trees_kind kind)
{
    ig_labels labels;
    if (kind == IG_TREES_CLASSIFIER) {
        ig_labels_read(c->node, "classlabels_int64s", "classlabels_strings", &labels);
        if (labels.n < 1) return ig_fail(c->err, INGOT_ERR_INVALID, "there are no class labels");
        return ig_ml_infer(c, &labels, labels.n);
    }
    const int64_t n = ig_attr_int(c->node, "n_targets", 1);
    if (n < 1) return ig_fail(c->err, INGOT_ERR_INVALID, "n_targets is %lld", (long long)n);
    IG_TRY(ig_ml_infer(c, NULL, n));
    if (kind == IG_TREES_ENSEMBLE) c->out[0].type.dtype = c->in[0]->type.dtype;
    return INGOT_OK;
}

typedef struct trees_params {
    ig_trees t;
    ingot_dtype dtype, z_dtype; /* of features and scores */
    int64_t n_features;
    const ig_trees_packed *packed; /* or NULL */
    int block;                     /* rows at once */
    size_t scratch_bytes;          /* of a thread */
} trees_params;

static ig_status check_features(const ig_trees *t, int64_t n_features, ig_error *err)
{
    if (t->max_feature < n_features) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_SHAPE, "a node asks for feature %lld, rows have %lld",
                   (long long)t->max_feature, (long long)n_features);
}

/* Scores of a row; two classes may share one. */
static int64_t row_pitch(const ig_trees *t) { return t->n_targets < 2 ? 2 : t->n_targets; }

static void set_block(trees_params *p, int n_rows)
{
    const size_t n = (size_t)row_pitch(&p->t) * (size_t)n_rows;
    p->block = n_rows;
    p->scratch_bytes = (n * (sizeof(double) + sizeof(bool)) + 63) / 64 * 64;
}

static ig_status read_params(const ig_node *node, ig_trees_kind kind, const ig_tensor *x,
                             ig_arena *arena, trees_params *p, int64_t *n_rows, ig_error *err)
{
    p->dtype = x->dtype;
    p->z_dtype = kind == IG_TREES_ENSEMBLE ? x->dtype : INGOT_FLOAT;
    if (kind == IG_TREES_ENSEMBLE)
        IG_TRY(ig_trees_read_ensemble(node, arena, &p->t, err));
    else
        IG_TRY(ig_trees_read(node, kind, arena, &p->t, err));
    ig_ml_rows(x->rank, x->dims, n_rows, &p->n_features);
    set_block(p, 1);
    return check_features(&p->t, p->n_features, err);
}

static void put_row(const trees_params *p, int64_t i, const double *scores, int64_t label,
                    void *labels, void *z)
{
    const ig_trees *t = &p->t;
    const int64_t n = t->n_targets;
    for (int64_t k = 0; z && k < n; k++)
        if (p->z_dtype == INGOT_DOUBLE)
            ((double *)z)[i * n + k] = scores[k];
        else
            ((float *)z)[i * n + k] = (float)scores[k];
    if (labels && n == 1 && !t->labels.strings)
        ((int64_t *)labels)[i] = label;
    else if (labels)
        ig_labels_put(&t->labels, labels, i, n == 1 ? 0 : label);
}

static void run_rows(const trees_params *p, const void *x, void *labels, void *z, void *scratch,
                     ig_part part)
{
    const int64_t pitch = row_pitch(&p->t);
    double *scores = scratch;
    bool *has_score = (bool *)(scores + pitch * p->block);
    for (int64_t i = part.begin; i < part.end; i += p->block) {
        const int64_t left = part.end - i;
        const int n = left < p->block ? (int)left : p->block;
        int64_t label = 0;
        if (!p->packed) { /* a block is one row */
            ig_trees_row(&p->t, p->dtype, x, i * p->n_features, scores, has_score, &label);
            put_row(p, i, scores, label, labels, z);
            continue;
        }
        memset(scratch, 0, p->scratch_bytes);
        ig_trees_batch(&p->t, p->packed, (const float *)x + i * p->n_features, p->n_features, n,
                       scores, has_score, pitch);
        for (int r = 0; r < n; r++) {
            ig_trees_finish(&p->t, scores + r * pitch, has_score + r * pitch, &label);
            put_row(p, i + r, scores + r * pitch, label, labels, z);
        }
    }
}

ig_status ig_trees_ref(ig_call *c, ig_trees_kind kind)
{
    const ig_tensor *x = c->in[0];
    trees_params p = { .packed = NULL };
    int64_t dims[2];
    const bool is_classifier = kind == IG_TREES_CLASSIFIER;
    ig_tensor *labels = is_classifier ? c->out[0] : NULL;
    const int i_scores = is_classifier ? 1 : 0;
    IG_TRY(read_params(c->node, kind, x, c->scratch, &p, &dims[0], c->err));
    dims[1] = p.t.n_targets;
    if (labels) IG_TRY(ig_call_output(c, 0, ig_labels_dtype(&p.t.labels), 1, dims));
    IG_TRY(ig_call_output(c, i_scores, p.z_dtype, 2, dims));
    const ig_tensor *z = i_scores < c->n_out ? c->out[i_scores] : NULL;
    void *scratch = ig_arena_get(c->scratch, p.scratch_bytes);
    if (!scratch) return IG_NOMEM(c->err, p.scratch_bytes);
    run_rows(&p, x->data, labels ? labels->data : NULL, z ? z->data : NULL, scratch,
             (ig_part){ 0, dims[0], 0 });
    return INGOT_OK;
}

/* Operands: X, labels (classifiers), scores, scratch. */
static void k_trees(const void *params, void *const *operands, ig_part part)
{
    const trees_params *p = params;
    const int at = p->t.is_classifier ? 2 : 1;
    char *scratch = (char *)operands[at + 1] + (size_t)part.i_thread * p->scratch_bytes;
    run_rows(p, operands[0], p->t.is_classifier ? operands[1] : NULL, operands[at], scratch, part);
}

ig_status ig_trees_lower(ig_lower *l, ig_trees_kind kind)
{
    ig_tensor x = { .dtype = l->in[0]->type.dtype, .rank = l->in[0]->rank };
    if (!ig_info_is_static(l->in[0], x.dims)) return INGOT_OK;
    /* The reference owns strings, and is called with 16-bit floats widened. */
    if (l->out[0].type.dtype == INGOT_STRING || x.dtype == INGOT_FLOAT16) return INGOT_OK;
    trees_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(read_params(l->node, kind, &x, l->arena, p, &l->n_work, l->err));
    if (p->dtype == INGOT_FLOAT && p->n_features > 0)
        IG_TRY(ig_trees_pack(&p->t, l->arena, &p->packed, l->err));
    if (p->packed) set_block(p, p->t.n_targets > 256 ? 8 : IG_TREES_BLOCK);
    l->params = p;
    l->kernel = k_trees;
    l->kernel_name = p->packed ? "ig_k_trees_batch" : "ig_k_trees";
    l->n_operand_in = 1;
    l->n_operand_out = kind == IG_TREES_CLASSIFIER ? 2 : 1;
    l->grain = (int64_t)(1 + 1000 / p->t.n_roots);
    l->scratch_bytes = p->scratch_bytes * (size_t)l->n_threads;
    return INGOT_OK;
}
