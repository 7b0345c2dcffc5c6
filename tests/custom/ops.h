/* SPDX-License-Identifier: Apache-2.0 */
/* ops.h: operators of the domain "test", for test_custom.c. */
#ifndef IG_TESTS_CUSTOM_OPS_H
#define IG_TESTS_CUSTOM_OPS_H

#include <stdatomic.h>

#include "ingot.h"

/* What the callbacks did: their `user`. */
typedef struct counts {
    atomic_int n_created, n_destroyed, n_scaled, n_ticked;
} counts;

/* Register all. Scale: times the attribute factor, on threads; pure. Tick: the same, not pure.
 * Later: version 3 gives twice the input, version 5 five times. Keep: the elements above 0. Repeat:
 * input 0 as often as input 1 says. Upper: strings. Attributes: checks one of each kind. Operands:
 * absent inputs and outputs. Trouble: fails as the attribute how says. */
ingot_status register_test_ops(ingot_ops *ops, counts *c, ingot_error *err);

#endif
