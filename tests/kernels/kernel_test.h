/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_test.h: what tests and benchmarks of kernel families share. A family has a test.c with
 * ig_test_<family> and a bench.c with ig_bench_<family>; families.inc lists them.
 */
#ifndef IG_TESTS_KERNEL_TEST_H
#define IG_TESTS_KERNEL_TEST_H

#include "kernels/kernel.h"

#define IG_FAMILY(name)                                                                            \
    void ig_test_##name(void);                                                                     \
    void ig_bench_##name(ig_isa isa, double peak_gflops);
#include <families.inc>
#undef IG_FAMILY

/* Does the list of a family hold kernels of this level that can run here? Compiled for emulation,
 * the AVX-512 ones are emulated and AVX2 is left out. */
#ifdef IG_SIMD_EMULATE
#define KT_CAN_RUN(isa) ((isa) == IG_ISA_PORTABLE || (isa) == IG_ISA_AVX512)
#else
#define KT_CAN_RUN(isa) (ig_cpu_get()->has_isa[isa])
#endif

/* Memory between two pages that fault: [n] floats end exactly at the second one. Freed by
 * kt_free_all. Exits when out of memory. */
float *kt_floats(int64_t n);
/* 64-byte aligned bytes (so up to 63 after them do not fault), filled with NaNs. */
void *kt_scratch(size_t bytes);
void kt_free_all(void);

/* Random numbers: the same sequence after the same seed. */
void kt_seed(uint64_t seed);
uint32_t kt_random(uint32_t n); /* 0 … n-1 */
/* Small multiples of 1/4: sums of a few thousand products of them are exact. */
void kt_fill_exact(float *p, int64_t n);
/* In [-1, 1). */
void kt_fill_uniform(float *p, int64_t n);
/* Now and then a NaN or infinity. */
void kt_sprinkle(float *p, int64_t n, uint32_t one_in);

/* Run the whole space, then again in random pieces in random order by random threads (0 …
 * n_threads-1), into y of n floats; false (and a failed test) if the bits differ. y starts as
 * NaN, or as `start` if not NULL. */
bool kt_run_split(const char *what, ig_kernel_fn fn, const void *params, void *const *operands,
                  int64_t n_work, int n_threads, float *y, int64_t n, const float *start);

/* Count a pass, or a failure with a line. */
bool kt_check(bool is_ok, const char *format, ...) IG_PRINTF(2, 3);
/* All of rows x cols (pitch apart) within |got - want| <= tolerance * max(1, |want|); NaN equals
 * NaN; what is between the rows must be NaN still. Tolerance 0: equal values. */
bool kt_compare(const char *what, const float *got, const float *want, int64_t rows, int64_t cols,
                int64_t pitch, double tolerance);

/* Seconds of a call, the best of some tries. */
double kt_time(void (*fn)(void *), void *ctx);

#endif
