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

typedef double (*ig_random_number)(uint64_t key, uint64_t i);

/* RandomNormal and RandomUniform, whose attributes say type and shape: inference, and the reference
 * that fills output 0 with offset + factor * number, rounded to its type. */
ig_status ig_random_infer(ig_infer *c) IG_MUST_USE;
ig_status ig_random_ref(ig_call *c, ig_random_number number, double offset,
                        double factor) IG_MUST_USE;
/* The same of their Like forms: the shape is the input's, and so is the type if it is a float. */
ig_status ig_random_like_infer(ig_infer *c) IG_MUST_USE;
ig_status ig_random_like_ref(ig_call *c, ig_random_number number, double offset,
                             double factor) IG_MUST_USE;

#endif
