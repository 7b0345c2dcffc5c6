/* SPDX-License-Identifier: Apache-2.0 */
/* svm.c: see svm.h. */
#include "ops/svm.h"

#include <math.h>
#include <string.h>

static ig_status read_kernel(const ig_node *node, ig_svm *s, ig_error *err)
{
    static const char *const names[] = { [IG_SVM_LINEAR] = "LINEAR",
                                         [IG_SVM_POLY] = "POLY",
                                         [IG_SVM_RBF] = "RBF",
                                         [IG_SVM_SIGMOID] = "SIGMOID" };
    size_t n, k = 0;
    const float *params = ig_attr_floats(node, "kernel_params", &n);
    if (n != 0 && n != 3)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "kernel_params has %zu entries, gamma, coef0 and degree are wanted", n);
    while (k < IG_COUNT(names) && !ig_attr_is(node, "kernel_type", names[k], k == IG_SVM_LINEAR))
        k++;
    if (k == IG_COUNT(names))
        return ig_fail(err, INGOT_ERR_INVALID, "kernel_type is none of LINEAR, POLY, RBF, SIGMOID");
    s->kernel = s->is_linear ? IG_SVM_LINEAR : (ig_svm_kernel)k;
    if (n) s->gamma = (double)params[0], s->coef0 = (double)params[1];
    if (n) s->degree = (double)params[2];
    return INGOT_OK;
}

/* Vectors go side by side, so that a row is compared with many of them at once. */
static ig_status transpose(const float *vectors, ig_arena *arena, ig_svm *s, ig_error *err)
{
    const size_t n = (size_t)s->n_vectors, n_features = (size_t)s->n_features;
    s->columns = ig_arena_array(arena, n * n_features + 1, sizeof *s->columns);
    if (!s->columns) return IG_NOMEM(err, n * n_features * sizeof *s->columns);
    for (size_t v = 0; v < n; v++)
        for (size_t f = 0; f < n_features; f++) s->columns[f * n + v] = vectors[v * n_features + f];
    return INGOT_OK;
}

ig_status ig_svm_read(const ig_node *node, int64_t n_supports, int64_t n_outputs, ig_arena *arena,
                      ig_svm *s, ig_error *err)
{
    size_t n, n_coefficients, n_rho;
    const float *vectors = ig_attr_floats(node, "support_vectors", &n);
    *s = (ig_svm){ .is_linear = n_supports == 0, .n_vectors = n_supports ? n_supports : n_outputs };
    s->coefficients = ig_attr_floats(node, "coefficients", &n_coefficients);
    s->rho = ig_attr_floats(node, "rho", &n_rho);
    s->n_coefficients = (int64_t)n_coefficients, s->n_rho = (int64_t)n_rho;
    if (n_coefficients == 0 || n_rho == 0)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "coefficients has %zu entries and rho %zu, both must have some",
                       n_coefficients, n_rho);
    if (s->is_linear) vectors = s->coefficients, n = n_coefficients;
    if ((int64_t)n % s->n_vectors != 0 || n == 0)
        return ig_fail(err, INGOT_ERR_INVALID, "%s has %zu entries for %lld %s",
                       s->is_linear ? "coefficients" : "support_vectors", n,
                       (long long)s->n_vectors, s->is_linear ? "classes" : "support vectors");
    s->n_features = (int64_t)n / s->n_vectors;
    IG_TRY(read_kernel(node, s, err));
    return transpose(vectors, arena, s, err);
}

ig_status ig_svm_check_features(const ig_svm *s, int64_t n_features, ig_error *err)
{
    if (n_features == s->n_features) return INGOT_OK;
    return ig_fail(err, INGOT_ERR_SHAPE, "rows have %lld features, the model %lld",
                   (long long)n_features, (long long)s->n_features);
}

void ig_svm_kernels(const ig_svm *s, ingot_dtype dtype, const void *x, int64_t i, double *k)
{
    const int64_t n = s->n_vectors;
    memset(k, 0, (size_t)n * sizeof *k);
    for (int64_t f = 0; f < s->n_features; f++) {
        const double value = ig_get_f64(dtype, x, i * s->n_features + f);
        const float *column = s->columns + f * n;
        if (s->kernel == IG_SVM_RBF)
            for (int64_t v = 0; v < n; v++) {
                const double d = value - (double)column[v];
                k[v] += d * d;
            }
        else
            for (int64_t v = 0; v < n; v++) k[v] += value * (double)column[v];
    }
    for (int64_t v = 0; s->kernel != IG_SVM_LINEAR && v < n; v++) {
        if (s->kernel == IG_SVM_RBF)
            k[v] = exp(-s->gamma * k[v]);
        else if (s->kernel == IG_SVM_POLY)
            k[v] = pow(s->gamma * k[v] + s->coef0, s->degree);
        else
            k[v] = tanh(s->gamma * k[v] + s->coef0);
    }
}

int64_t ig_svm_grain(const ig_svm *s)
{
    const double work = (double)s->n_features * (double)s->n_vectors;
    return work > 20000 ? 1 : (int64_t)(20000 / (work + 1)) + 1;
}
