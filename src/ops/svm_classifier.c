/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svm_classifier.c: ai.onnx.ml SVMClassifier: one machine for each pair of classes votes for the
 * label. Scores: of the pairs; or, with prob_a and prob_b, probabilities of the classes, coupled
 * from those of the pairs (Wu, Lin, Weng: Probability estimates for multi-class classification by
 * pairwise coupling, second method). Without support vectors: a score for each class.
 *
 * Where the specification is silent, labels and scores of two classes are as in ONNX Runtime.
 */
#include <math.h>
#include <string.h>

#include "ops/strided.h"
#include "ops/svm.h"

#define MAX_COUPLING_ROUNDS 100
#define COUPLING_TOLERANCE 0.005 /* divided by the number of classes */
#define LEAST_PROBABILITY 1e-7

typedef struct classifier {
    ig_svm svm;
    ig_labels labels;
    ig_post_transform post;
    int64_t n_pairs, n_scores;
    const int64_t *per_class;     /* support vectors of each class; linear: NULL */
    const float *prob_a, *prob_b; /* [n_pairs], or NULL */
    bool has_only_positive_weights;
    ingot_dtype dtype;
} classifier;

/* ---- attributes ---- */

/* Number of support vectors. */
static ig_status read_per_class(const ig_node *node, classifier *m, int64_t *total, ig_error *err)
{
    size_t n;
    m->per_class = ig_attr_ints(node, "vectors_per_class", &n);
    *total = 0;
    for (size_t i = 0; i < n; i++)
        if (m->per_class[i] < 0 || __builtin_add_overflow(*total, m->per_class[i], total) ||
            *total > INT32_MAX)
            return ig_fail(err, INGOT_ERR_INVALID, "vectors_per_class[%zu] is %lld", i,
                           (long long)m->per_class[i]);
    if (*total == 0) {
        m->per_class = NULL;
        return INGOT_OK;
    }
    if ((int64_t)n != m->labels.n || n < 2)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "vectors_per_class has %zu entries for %lld class labels, as many are "
                       "wanted, and two at least",
                       n, (long long)m->labels.n);
    return INGOT_OK;
}

static ig_status read_probabilities(const ig_node *node, classifier *m, ig_error *err)
{
    size_t n_a, n_b;
    m->prob_a = ig_attr_floats(node, "prob_a", &n_a);
    m->prob_b = ig_attr_floats(node, "prob_b", &n_b);
    if (n_a != n_b || (n_a && m->per_class && (int64_t)n_a < m->n_pairs))
        return ig_fail(err, INGOT_ERR_INVALID,
                       "prob_a has %zu entries and prob_b %zu, for %lld pairs of classes", n_a, n_b,
                       (long long)m->n_pairs);
    return INGOT_OK;
}

static ig_status check_sizes(const classifier *m, ig_error *err)
{
    const ig_svm *s = &m->svm;
    if (s->is_linear) return INGOT_OK;
    if (s->n_coefficients % s->n_vectors || s->n_coefficients / s->n_vectors != m->labels.n - 1)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "coefficients has %lld entries for %lld support vectors and %lld classes",
                       (long long)s->n_coefficients, (long long)s->n_vectors,
                       (long long)m->labels.n);
    if (s->n_rho < m->n_pairs)
        return ig_fail(err, INGOT_ERR_INVALID, "rho has %lld entries for %lld pairs of classes",
                       (long long)s->n_rho, (long long)m->n_pairs);
    return INGOT_OK;
}

/* Labels and the number of scores: all that inference needs. */
static ig_status read_outline(const ig_node *node, classifier *m, int64_t *n_supports,
                              ig_error *err)
{
    ig_labels_read(node, "classlabels_ints", "classlabels_strings", &m->labels);
    const int64_t n = m->labels.n;
    if (n < 1 || n > INT32_MAX)
        return ig_fail(err, INGOT_ERR_INVALID, "there are %lld class labels", (long long)n);
    IG_TRY(read_per_class(node, m, n_supports, err));
    m->n_pairs = n * (n - 1) / 2;
    IG_TRY(read_probabilities(node, m, err));
    const bool has_pairs = m->per_class && !m->prob_a;
    m->n_scores = has_pairs && n > 2 ? m->n_pairs : n;
    return INGOT_OK;
}

static ig_status read(const ig_node *node, ig_arena *arena, classifier *m, ig_error *err)
{
    int64_t n_supports;
    IG_TRY(read_outline(node, m, &n_supports, err));
    IG_TRY(ig_post_transform_read(node, &m->post, err));
    IG_TRY(ig_svm_read(node, n_supports, m->labels.n, arena, &m->svm, err));
    m->has_only_positive_weights = true;
    for (int64_t i = 0; i < m->svm.n_coefficients; i++)
        if (!(m->svm.coefficients[i] >= 0)) m->has_only_positive_weights = false;
    return check_sizes(m, err);
}

/* ---- one row ---- */

/* What a thread needs for a row, as doubles. */
static size_t scratch_count(const classifier *m)
{
    const size_t n = (size_t)m->labels.n;
    if (m->svm.is_linear) return n;
    const size_t coupling = m->prob_a ? 2 * n * n + 2 * n : 0;
    return (size_t)m->svm.n_vectors + (size_t)m->n_pairs + n + coupling;
}

/* The machine of classes i < j: coefficients of i against j are in row j - 1, those of j against i
 * in row i. */
static double pair_score(const classifier *m, const double *k, int64_t i, int64_t first_i,
                         int64_t j, int64_t first_j)
{
    const float *against_j = m->svm.coefficients + (j - 1) * m->svm.n_vectors;
    const float *against_i = m->svm.coefficients + i * m->svm.n_vectors;
    double sum = 0;
    for (int64_t v = first_i; v < first_i + m->per_class[i]; v++)
        sum += k[v] * (double)against_j[v];
    for (int64_t v = first_j; v < first_j + m->per_class[j]; v++)
        sum += k[v] * (double)against_i[v];
    return sum;
}

/* pairs[n_pairs] from kernels; votes[n]: pairs that each class won. */
static void score_pairs(const classifier *m, const double *k, double *pairs, double *votes)
{
    const int64_t n = m->labels.n;
    int64_t first_i = 0, at = 0;
    memset(votes, 0, (size_t)n * sizeof *votes);
    for (int64_t i = 0; i < n; first_i += m->per_class[i++]) {
        int64_t first_j = first_i + m->per_class[i];
        for (int64_t j = i + 1; j < n; first_j += m->per_class[j++], at++) {
            pairs[at] = pair_score(m, k, i, first_i, j, first_j) + (double)m->svm.rho[at];
            votes[pairs[at] > 0 ? i : j] += 1;
        }
    }
}

/* r[i, j]: probability of i where it is i or j. */
static void pair_probabilities(const classifier *m, const double *pairs, double *r)
{
    const int64_t n = m->labels.n;
    for (int64_t i = 0, at = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++, at++) {
            double p = ig_logistic(-(pairs[at] * (double)m->prob_a[at] + (double)m->prob_b[at]));
            if (p < LEAST_PROBABILITY) p = LEAST_PROBABILITY;
            if (p > 1 - LEAST_PROBABILITY) p = 1 - LEAST_PROBABILITY;
            r[i * n + j] = p;
            r[j * n + i] = 1 - p;
        }
}

/* One round over all classes of the fixed point of q p = (p q p) 1, sum p = 1; false: it is
 * reached. qp: n doubles of scratch. */
static bool improve(const double *q, double *p, double *qp, int64_t n)
{
    double pqp = 0, worst = 0;
    for (int64_t i = 0; i < n; i++) {
        qp[i] = 0;
        for (int64_t j = 0; j < n; j++) qp[i] += q[i * n + j] * p[j];
        pqp += p[i] * qp[i];
    }
    for (int64_t i = 0; i < n; i++) worst = fabs(qp[i] - pqp) > worst ? fabs(qp[i] - pqp) : worst;
    if (worst < COUPLING_TOLERANCE / (double)n) return false;
    for (int64_t i = 0; i < n; i++) {
        const double own = q[i * n + i], step = (pqp - qp[i]) / own, shrink = 1 / (1 + step);
        p[i] += step;
        pqp = (pqp + step * (step * own + 2 * qp[i])) * shrink * shrink;
        for (int64_t j = 0; j < n; j++) {
            qp[j] = (qp[j] + step * q[i * n + j]) * shrink;
            p[j] *= shrink;
        }
    }
    return true;
}

/* p[n] from r[n, n]; q, qp: scratch of n x n and n. */
static void couple(const double *r, int64_t n, double *q, double *qp, double *p)
{
    for (int64_t i = 0; i < n; i++) {
        p[i] = 1 / (double)n;
        q[i * n + i] = 0;
        for (int64_t j = 0; j < n; j++) {
            if (j == i) continue;
            q[i * n + i] += r[j * n + i] * r[j * n + i];
            q[i * n + j] = -r[j * n + i] * r[i * n + j];
        }
    }
    for (int round = 0; round < MAX_COUPLING_ROUNDS; round++)
        if (!improve(q, p, qp, n)) break;
}

static int64_t largest(const double *x, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) best = x[i] > x[best] ? i : best;
    return best;
}

/* Linear models of two classes: a score above the threshold stands for the second. */
static int64_t linear_label(const classifier *m, const double *scores)
{
    const int64_t best = largest(scores, m->labels.n);
    if (m->labels.n != 2 || m->prob_a) return best;
    const bool is_second = m->has_only_positive_weights ? scores[best] >= 0.5 : scores[best] > 0;
    return is_second ? 1 : best;
}

/* z: n_scores floats or NULL. Returns the label's index. */
static int64_t classify(const classifier *m, const void *x, int64_t i, double *scratch, float *z)
{
    const int64_t n = m->labels.n;
    double *k = scratch, *scores = k;
    int64_t label;
    ig_svm_kernels(&m->svm, m->dtype, x, i, k);
    if (m->svm.is_linear) {
        for (int64_t c = 0; c < n; c++) scores[c] += (double)m->svm.rho[0];
        label = linear_label(m, scores);
    } else {
        double *votes = k + m->svm.n_vectors, *r = votes + n, *q = r + n * n;
        double *pairs = m->prob_a ? q + n * n + 2 * n : votes + n;
        score_pairs(m, k, pairs, votes);
        label = largest(votes, n);
        scores = m->prob_a ? q + n * n : pairs;
        if (m->prob_a) {
            pair_probabilities(m, pairs, r);
            couple(r, n, q, scores + n, scores);
        }
    }
    if (m->per_class && !m->prob_a && n == 2)
        ig_two_class_scores(m->post, m->post != IG_POST_NONE, scores);
    else if (n > 1 || m->post == IG_POST_PROBIT)
        ig_post_transform_apply(m->post, scores, m->n_scores);
    for (int64_t c = 0; z && c < m->n_scores; c++) z[c] = (float)scores[c];
    return label;
}

/* ---- the operator ---- */

static ig_status infer(ig_infer *c)
{
    classifier m = { 0 };
    int64_t n_supports;
    IG_TRY(ig_infer_tensors(c, 1));
    IG_TRY(read_outline(c->node, &m, &n_supports, c->err));
    return ig_ml_infer(c, &m.labels, m.n_scores);
}

static void run(const classifier *m, const void *x, void *labels, float *z, double *scratch,
                ig_part part)
{
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t label = classify(m, x, i, scratch, z ? z + i * m->n_scores : NULL);
        if (labels) ig_labels_put(&m->labels, labels, i, label);
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[0];
    classifier m = { .dtype = x->dtype };
    int64_t dims[2], n_features;
    IG_TRY(read(c->node, c->scratch, &m, c->err));
    ig_ml_rows(x->rank, x->dims, &dims[0], &n_features);
    dims[1] = m.n_scores;
    IG_TRY(ig_svm_check_features(&m.svm, n_features, c->err));
    IG_TRY(ig_call_output(c, 0, ig_labels_dtype(&m.labels), 1, dims));
    IG_TRY(ig_call_output(c, 1, INGOT_FLOAT, 2, dims));
    double *scratch = ig_arena_array(c->scratch, scratch_count(&m) + 2, sizeof *scratch);
    if (!scratch) return IG_NOMEM(c->err, scratch_count(&m) * sizeof *scratch);
    run(&m, x->data, c->out[0] ? c->out[0]->data : NULL, c->out[1] ? c->out[1]->data : NULL,
        scratch, (ig_part){ 0, dims[0], 0 });
    return INGOT_OK;
}

static void k_svm_classifier(const void *params, void *const *operands, ig_part part)
{
    const classifier *m = params;
    double *scratch = (double *)operands[3] + (size_t)part.i_thread * (scratch_count(m) + 2);
    run(m, operands[0], operands[1], operands[2], scratch, part);
}

static ig_status lower(ig_lower *l)
{
    int64_t dims[IG_MAX_RANK], n_features;
    if (!ig_info_is_static(l->in[0], dims)) return INGOT_OK;
    if (l->out[0].type.dtype == INGOT_STRING) return INGOT_OK; /* the reference owns strings */
    classifier *m = ig_arena_get(l->arena, sizeof *m);
    if (!m) return IG_NOMEM(l->err, sizeof *m);
    m->dtype = l->in[0]->type.dtype;
    IG_TRY(read(l->node, l->arena, m, l->err));
    ig_ml_rows(l->in[0]->rank, dims, &l->n_work, &n_features);
    IG_TRY(ig_svm_check_features(&m->svm, n_features, l->err));
    l->params = m;
    l->kernel = k_svm_classifier;
    l->kernel_name = "ig_k_svm_classifier";
    l->n_operand_in = 1;
    l->n_operand_out = 2;
    l->grain = ig_svm_grain(&m->svm);
    l->scratch_bytes = (scratch_count(m) + 2) * (size_t)l->n_threads * sizeof(double);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[2,2]{0.23,-0.35,-0.28,-0.67} kernel_type=\"LINEAR\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1] support_vectors=[2.04,-2.56,0.42,-0.57,-0.45,-0.22] "
    "coefficients=[-2.02,-0.23,-0.87] rho=[3.32] post_transform=\"NONE\" classlabels_ints=[7,"
    "-2] -> 2 = i64[2]{7,7} f32[2,2]{-0.517248,0.517248,-0.710473,0.710473}",
    "f32[2,2]{-0.18,0.54,1.94,-0.27} kernel_type=\"POLY\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1] support_vectors=[-1.06,-0.39,0.48,-0.24,0.96,-0.2] "
    "coefficients=[0.02,1.55,0.55] rho=[-0.51] post_transform=\"LOGISTIC\" "
    "classlabels_strings=[\"a\",\"b\"] -> 2 = str[2]{\"b\",\"a\"} f32[2,2]{0.615617,0.384383,"
    "0.236743,0.763257}",
    "f32[2,2]{-0.96,-1.67,0.28,0.7} kernel_type=\"RBF\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1] support_vectors=[-0.24,1.0,-0.89,-0.29,0.88,0.58] "
    "coefficients=[0.09,0.67,-2.83] rho=[1.02] post_transform=\"SOFTMAX\" "
    "classlabels_ints=[7,-2] -> 2 = i64[2]{7,-2} f32[2,2]{-0.238452,1.23845,2.04468,-1.04468}",
    "f32[2,2]{0.58,0.58,-0.21,-0.78} kernel_type=\"SIGMOID\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1] support_vectors=[-0.44,-1.08,0.03,-0.05,1.41,0.75] "
    "coefficients=[0.19,1.11,-0.21] rho=[-0.93] post_transform=\"SOFTMAX_ZERO\" "
    "classlabels_ints=[7,-2] -> 2 = i64[2]{-2,-2} f32[2,2]{1.84799,-0.847987,1.48471,"
    "-0.484706}",
    "f32[2,2]{-2.16,-0.5,0.33,-0.61} kernel_type=\"RBF\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1] support_vectors=[0.23,-2.49,0.69,0.49,-1.64,0.06] "
    "coefficients=[-0.96,0.76,-2.03] rho=[-0.91] post_transform=\"NONE\" prob_a=[-0.81] "
    "prob_b=[1.16] classlabels_ints=[7,-2] -> 2 = i64[2]{-2,-2} f32[2,2]{0.0420607,0.957939,"
    "0.129635,0.870365}",
    "f32[4,2]{-0.32,0.22,0.58,-1.25,-1.73,-0,1.21,0.76} kernel_type=\"RBF\" "
    "kernel_params=[0.5,0.25,2.0] vectors_per_class=[2,1,1] support_vectors=[1.59,-1.19,0.35,"
    "-1.05,1.41,-0.02,-0.37,-1.72] coefficients=[1.68,0.75,0.75,1.14,0.35,-0.64,-0.8,-0.8] "
    "rho=[1.37,-1.46,-0.6] post_transform=\"NONE\" classlabels_strings=[\"a\",\"b\",\"c\"] "
    "-> 2 = str[4]{\"c\",\"c\",\"c\",\"c\"} f32[4,3]{1.90102,-1.49395,-0.895754,3.34236,"
    "-1.21109,-1.32225,1.42845,-1.39869,-0.678066,2.24652,-1.48219,-1.18909}",
    "f32[3,2]{2.05,-0.2,0.77,0.16,1.76,0.74} kernel_type=\"POLY\" kernel_params=[0.5,0.25,"
    "2.0] vectors_per_class=[2,1,1] support_vectors=[0.22,-0.32,0.29,-0.24,0.82,-0.79,0.13,"
    "-0.11] coefficients=[0.54,0.22,2.55,1.5,1.5,-2.04,-0.34,-0.61] rho=[0.53,-2.28,1.17] "
    "post_transform=\"SOFTMAX\" prob_a=[-1.17,-1.4,-1.08] prob_b=[-0.8,0.04,0.64] "
    "classlabels_ints=[7,-2,9] -> 2 = i64[3]{7,7,7} f32[3,3]{0.267692,0.28887,0.443438,"
    "0.284973,0.312727,0.4023,0.281044,0.305216,0.41374}",
    "f32[2,2]{0.16,1.61,-0.28,-0.14} kernel_type=\"RBF\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1,1,1] support_vectors=[1.37,-1.08,-0.19,-0.81,1.5,0.66,-0.31,"
    "-0.45,0.48,-0.7] coefficients=[-0.93,0.48,2.46,-0.25,-0.56,-1.17,-1.34,0.52,0.85,0.01,"
    "0.33,0.12,0.14,-1.53,-0.46] rho=[0.11,-0.78,-0.48,-0.82,-0.33,0.85] "
    "post_transform=\"LOGISTIC\" prob_a=[-0.51,-0.25,-0.91,-0.74,-1.8,-2.19] prob_b=[0.86,"
    "-0.48,0.13,0.84,1.08,1.04] classlabels_ints=[7,-2,9,4] -> 2 = i64[2]{9,4} f32[2,"
    "4]{0.553157,0.53039,0.582707,0.581993,0.544825,0.531105,0.52364,0.645886}",
    "f32[2,2]{-0.01,1.13,-0.07,-0.82} kernel_type=\"LINEAR\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1,1,1] support_vectors=[0.8,-0.55,2.16,1.02,2.18,-0.03,-0.38,0.17,"
    "0.73,-0.59] coefficients=[0.38,-0.02,1.62,-0.66,1.05,-0.64,-0.96,-0.71,-1.19,0.15,1.03,"
    "0.16,0.62,1.63,0.27] rho=[0.2,-0.28,-1.61,0.76,-1.76,0.65] post_transform=\"SOFTMAX\" "
    "classlabels_ints=[7,-2,9,4] -> 2 = i64[2]{-2,7} f32[2,6]{0.160074,0.0625224,0.0115026,"
    "0.328365,0.0279961,0.40954,0.149843,0.207854,0.0514321,0.34111,0.0215988,0.228162}",
    "f64[2,2]{0.74,-1.15,-0.66,-0.08} kernel_type=\"RBF\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1,1] support_vectors=[0.36,-0.56,-0.18,0.04,-0.13,-0.19,-0.83,"
    "-0.19] coefficients=[-2.14,-0.16,-1.2,1.12,1.27,-1.95,0.14,-0.13] rho=[-1.05,0.53,"
    "-0.46] post_transform=\"NONE\" prob_a=[-1.87,-0.37,-0.25] prob_b=[0.11,-1.23,0.62] "
    "classlabels_ints=[7,-2,9] -> 2 = i64[2]{7,7} f32[2,3]{0.185265,0.477139,0.337597,"
    "0.184732,0.464784,0.350485}",
    "i64[2,2]{2,2,0,0} kernel_type=\"LINEAR\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1,1] support_vectors=[-0.57,1.74,0.21,-1.01,-0.79,-0.06,2.3,-0.18] "
    "coefficients=[0.13,0.51,-0.04,2.28,-0.53,0.74,0.16,0.62] rho=[-1.18,1.77,-0.12] "
    "post_transform=\"NONE\" classlabels_ints=[7,-2,9] -> 2 = i64[2]{-2,7} f32[2,3]{-1.6238,"
    "9.013,2.2368,-1.18,1.77,-0.12}",
    "i32[2,2]{2,-2,2,-2} kernel_type=\"LINEAR\" kernel_params=[0.5,0.25,2.0] "
    "vectors_per_class=[2,1] support_vectors=[-0.73,0.56,0.99,0.75,1.21,0.71] "
    "coefficients=[0.03,0.84,0.59] rho=[-0.1] post_transform=\"NONE\" prob_a=[-0.83] "
    "prob_b=[1.29] classlabels_strings=[\"a\",\"b\"] -> 2 = str[2]{\"a\",\"a\"} f32[2,"
    "2]{0.351401,0.648599,0.351401,0.648599}",
    "f32[3,2]{-0.14,1.22,-1.84,0.37,1.19,-0.81} kernel_type=\"LINEAR\" kernel_params=[0.0,"
    "0.0,0.0] coefficients=[0.72,1.9,-0.21,-0.09] rho=[0.1,0.1] post_transform=\"NONE\" "
    "classlabels_ints=[7,-2] -> 2 = i64[3]{-2,-2,-2} f32[3,2]{2.3172,0.0196,-0.5218,0.4531,"
    "-0.5822,-0.077}",
    "f32[3,2]{-1.53,-0.57,1.83,-0.89,1.84,-0.08} kernel_type=\"LINEAR\" kernel_params=[0.0,"
    "0.0,0.0] coefficients=[1.49,0.54,0.55,0.2] rho=[0.1,0.1] post_transform=\"LOGISTIC\" "
    "classlabels_ints=[7,-2] -> 2 = i64[3]{-2,-2,-2} f32[3,2]{0.0767391,0.29828,0.912624,"
    "0.716771,0.942589,0.74951}",
    "f32[3,2]{-1.35,0.37,-0.65,-1.7,-0.68,0.86} kernel_type=\"LINEAR\" kernel_params=[0.0,"
    "0.0,0.0] coefficients=[0.99,0.04,-2.24,-0.57,0.19,-1.15] rho=[0.1,0.1,0.1] "
    "post_transform=\"SOFTMAX\" classlabels_strings=[\"a\",\"b\",\"c\"] -> 2 = str[3]{\"b\","
    "\"b\",\"b\"} f32[3,3]{0.0152968,0.955702,0.0290015,0.0272176,0.626635,0.346147,0.144074,"
    "0.766722,0.0892039}",
    "f32[2]{0.5,0.25} kernel_type=\"LINEAR\" kernel_params=[0.0,0.0,0.0] coefficients=[0.5,"
    "-1.0,2.0,1.0] rho=[0.25,0.5] classlabels_ints=[7,-2] -> 2 = i64[1]{-2} f32[1,2]{0.25,"
    "1.5}",
    "f32[0,2] kernel_type=\"LINEAR\" kernel_params=[0.0,0.0,0.0] coefficients=[0.5,-1.0,2.0,1.0] "
    "rho=[0.25,0.5] classlabels_ints=[7,-2] -> 2",
    "f32[2,2] coefficients=[0.5,-1.0,2.0] rho=[0.25] classlabels_ints=[7,-2] -> 2 ! coefficients "
    "has 3 entries for 2 classes",
    "f32[2,2] coefficients=[0.5,-1.0,2.0,1.0] classlabels_ints=[7,-2] -> 2 ! and rho 0",
    "f32[2,3] coefficients=[0.5,-1.0,2.0,1.0] rho=[0.25] classlabels_ints=[7,-2] -> 2 ! rows have "
    "3 "
    "features, the model 2",
    "f32[2,1] coefficients=[0.5] rho=[0.25] -> 2 ! there are 0 class labels",
    "f32[2,1] support_vectors=[1.0,2.0] vectors_per_class=[1,1] coefficients=[0.5] rho=[0.25] "
    "classlabels_ints=[7,-2] -> 2 ! coefficients has 1 entries for 2 support vectors",
    "f32[2,1] support_vectors=[1.0,2.0] vectors_per_class=[1,1,0] coefficients=[0.5,0.5] "
    "rho=[0.25] "
    "classlabels_ints=[7,-2] -> 2 ! vectors_per_class has 3 entries for 2 class labels",
    "f32[2,1] support_vectors=[1.0,2.0] vectors_per_class=[3,-1] coefficients=[0.5,0.5] rho=[0.25] "
    "classlabels_ints=[7,-2] -> 2 ! vectors_per_class[1] is -1",
    "f32[2,1] support_vectors=[1.0,2.0] "
    "vectors_per_class=[9223372036854775807,9223372036854775807] coefficients=[0.5,0.5] rho=[0.25] "
    "classlabels_ints=[7,-2] -> 2 ! vectors_per_class[0] is",
    "f32[2,1] support_vectors=[1.0,2.0,3.0] vectors_per_class=[1,1,1] "
    "coefficients=[0.5,0.5,1.0,2.0,"
    "3.0,4.0] rho=[0.25] classlabels_ints=[7,-2,3] -> 2 ! rho has 1 entries for 3 pairs",
    "f32[2,1] support_vectors=[1.0,2.0] vectors_per_class=[1,1] coefficients=[0.5,0.5] rho=[0.25] "
    "prob_a=[1.0] classlabels_ints=[7,-2] -> 2 ! prob_a has 1 entries and prob_b 0",
    "f32[2,1] support_vectors=[1.0,2.0,3.0] vectors_per_class=[1,1] coefficients=[0.5,0.5] "
    "rho=[0.25] classlabels_ints=[7,-2] -> 2 ! support_vectors has 3 entries for 2",
    "f32[2,1] support_vectors=[1.0,2.0] vectors_per_class=[1,1] coefficients=[0.5,0.5] rho=[0.25] "
    "classlabels_ints=[7,-2] kernel_type=\"GAUSS\" -> 2 ! kernel_type is none of",
    "f32[2,1] support_vectors=[1.0,2.0] vectors_per_class=[1,1] coefficients=[0.5,0.5] rho=[0.25] "
    "classlabels_ints=[7,-2] kernel_params=[1.0] -> 2 ! kernel_params has 1 entries",
    NULL,
};

const ig_op ig_op_svm_classifier = {
    .onnx = "SVMClassifier",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .n_out = { 2, 2 },
    .types = IG_T_ML_INPUT,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
