/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h: how far the outputs of one engine are from those of another. */
#ifndef IG_BENCH_COMPARE_H
#define IG_BENCH_COMPARE_H

#include "bench/driver.h"

typedef struct ig_difference {
    double max_error; /* absolute, the largest of all outputs */
    double rms_error; /* relative to the rms of the reference, the largest of all outputs */
    double top1;      /* share of rows of the first output with the same largest element; NaN where
                         it has no rows of at least two floats */
    char why[200];    /* the first output that is missing or of another shape or type; "": none */
} ig_difference;

/* Outputs are found by name, else by place. A missing one, another shape, a NaN that the reference
 * has not: infinite errors. Fails where files cannot be read. */
ig_status ig_compare_outputs(const ig_driver_tensor *reference, size_t n_reference,
                             const ig_driver_tensor *outputs, size_t n_outputs, ig_difference *out,
                             ig_error *err) IG_MUST_USE;

/* The same of two arrays of n elements: adds to squares of the difference and of the reference, and
 * raises *max_error. */
void ig_compare_arrays(ingot_dtype dtype, const void *reference, const void *other, size_t n,
                       double *max_error, double *difference_sq, double *reference_sq);

#endif
