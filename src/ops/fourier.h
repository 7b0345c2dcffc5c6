/* SPDX-License-Identifier: Apache-2.0 */
/* fourier.h: discrete Fourier transforms for the references of DFT and STFT. */
#ifndef IG_OPS_FOURIER_H
#define IG_OPS_FOURIER_H

#include "ops/op.h"

/* A transform of n points. */
typedef struct ig_fourier {
    int64_t n;
    double *cos, *sin; /* of 2 pi k / n */
    double *re, *im;   /* n points to transform, set by the caller */
} ig_fourier;

ig_status ig_fourier_init(ig_fourier *f, int64_t n, ig_arena *arena, ig_error *err) IG_MUST_USE;
/* Term k of the transform of re, im; sign -1 forward, +1 backward (not divided by n). */
void ig_fourier_term(const ig_fourier *f, int64_t k, int sign, double *re, double *im);

#endif
