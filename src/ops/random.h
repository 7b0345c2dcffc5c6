/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random.h: the generator of all random operators, Philox4x32-10 (Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", 2011). Number i is a function of the key and i alone: no state, any
 * order, the same on every machine.
 *
 * The key is the node's `seed` attribute where it has one (its float bits: runs repeat exactly),
 * else the call's seed. What comes out differs from other engines; only distributions are portable.
 */
#ifndef IG_OPS_RANDOM_H
#define IG_OPS_RANDOM_H

#include "ops/op.h"

uint64_t ig_random_key(const ig_call *c);
/* Four words for counter i. */
void ig_random_words(uint64_t key, uint64_t i, uint32_t out[4]);
/* Number i: uniform in [0, 1), a multiple of 2^-53. */
double ig_random_uniform(uint64_t key, uint64_t i);
/* Number i: standard normal (Box-Muller on its own two uniforms). */
double ig_random_normal(uint64_t key, uint64_t i);

/* What RandomNormal, RandomUniform and their Like forms share: output 0 of shape dims filled with
 * offset + factor * number, rounded to its type; or its inference. */
ig_status ig_random_fill(ig_call *c, ingot_dtype dtype, int rank, const int64_t *dims,
                         double (*number)(uint64_t key, uint64_t i), double offset,
                         double factor) IG_MUST_USE;
/* Attribute dtype, else fallback; a float type or an error. */
ig_status ig_random_dtype(const ig_node *node, ingot_dtype fallback, ingot_dtype *out,
                          ig_error *err) IG_MUST_USE;
/* Attribute shape. */
ig_status ig_random_shape(const ig_node *node, int *rank, int64_t dims[IG_MAX_RANK],
                          ig_error *err) IG_MUST_USE;

#endif
