/* SPDX-License-Identifier: Apache-2.0 */
/* light.h: what the tests and benchmarks of the light kernel families share. */
#ifndef IG_TESTS_KERNELS_LIGHT_H
#define IG_TESTS_KERNELS_LIGHT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

/* Random numbers that are the same in every run. */
uint64_t light_rng(void);
int64_t light_int(int64_t lo, int64_t hi); /* lo … hi, both included */
float light_float(float lo, float hi);
/* Mostly in [-4, 4], sometimes zero, -0, NaN, infinite, denormal or huge. */
float light_special(void);

/* Memory whose end is followed by a page that must not be touched and whose beginning is preceded
 * by bytes that light_free checks. Filled with 0xa5. */
void *light_alloc(size_t bytes);
void light_free(void *ptr);

/* Counts; prints the message of a failed check (the first 20). Returns ok. */
bool light_check(bool ok, const char *format, ...) IG_PRINTF(2, 3);
int light_n_failed(void);
int64_t light_n_checks(void);

/* The i-th instruction set that this executable can run, or -1: those of the CPU; with
 * IG_SIMD_EMULATE the emulated 16 lanes. */
int light_isa(int i);

/* Run the kernel over [0, n_work): in one part, or in random ones out of order. */
void light_run(ig_kernel_fn fn, const void *params, void *const *operands, int64_t n_work,
               bool in_parts);

/* |got - want| <= atol + rtol |want|; NaN equals NaN, infinities themselves. */
bool light_close(float got, double want, double rtol, double atol);

/* Seconds of one call, the best of several; the kernel runs as one part. */
double light_time(ig_kernel_fn fn, const void *params, void *const *operands, int64_t n_work);

#endif
