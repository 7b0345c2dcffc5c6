/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fft.h: fast Fourier transforms, for the kernels of DFT and STFT. They compute in double: where
 * terms cancel, as those of a sampled wave do, float32 would leave noise that others do not have.
 *
 * A transform of n points runs in one pass for each factor of n: 4, 2, 3, 5 and other primes p,
 * which cost n p. Points are complex: real and imaginary part next to each other.
 */
#ifndef IG_OPS_FFT_H
#define IG_OPS_FFT_H

#include "ops/op.h"

typedef struct ig_fft ig_fft;

/* The plan of n >= 1 points, in the arena. */
ig_status ig_fft_create(int64_t n, ig_arena *arena, const ig_fft **out, ig_error *err) IG_MUST_USE;
/* Points k = sum over j of x[j] e^(2 pi i j k / n): backward, not divided by n. (Forward is the
 * same with real and imaginary parts swapped before and after.) x and other hold n points each and
 * are both written; the result is where the function says. */
double *ig_fft_run(const ig_fft *fft, double *x, double *other);

#endif
