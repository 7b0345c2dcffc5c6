/* SPDX-License-Identifier: Apache-2.0 */
/*
 * svm.h: support vector machines, what SVMClassifier and SVMRegressor share: the attributes and the
 * kernels K(row, vector). Without support vectors a model is linear: its coefficients are the
 * vectors, and K is their dot product with the row.
 */
#ifndef IG_OPS_SVM_H
#define IG_OPS_SVM_H

#include "ops/ml_scores.h"

typedef enum ig_svm_kernel {
    IG_SVM_LINEAR = 0, /* x v */
    IG_SVM_POLY,       /* (gamma x v + coef0)^degree */
    IG_SVM_RBF,        /* exp(-gamma |x - v|^2) */
    IG_SVM_SIGMOID     /* tanh(gamma x v + coef0) */
} ig_svm_kernel;

typedef struct ig_svm {
    ig_svm_kernel kernel;
    double gamma, coef0, degree;
    bool is_linear;                /* no support vectors */
    int64_t n_features, n_vectors; /* linear: n_vectors rows of coefficients */
    float *columns;                /* [n_features, n_vectors]: the vectors, transposed */
    const float *coefficients, *rho;
    int64_t n_coefficients, n_rho;
} ig_svm;

/* n_supports support vectors, or 0: linear with n_outputs rows. All in arena or the node.
 * INGOT_ERR_INVALID for lists whose lengths do not fit, and unknown kernels. */
ig_status ig_svm_read(const ig_node *node, int64_t n_supports, int64_t n_outputs, ig_arena *arena,
                      ig_svm *s, ig_error *err) IG_MUST_USE;
/* Rows of the input must have the model's features. */
ig_status ig_svm_check_features(const ig_svm *s, int64_t n_features, ig_error *err) IG_MUST_USE;
/* k[v] = K(row i of x, vector v). */
void ig_svm_kernels(const ig_svm *s, ingot_dtype dtype, const void *x, int64_t i, double *k);
/* Rows that a thread should take at once. */
int64_t ig_svm_grain(const ig_svm *s);

#endif
