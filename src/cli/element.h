/* SPDX-License-Identifier: Apache-2.0 */
/* element.h: single elements of tensors as doubles, for reports and for what is made up. */
#ifndef IG_CLI_ELEMENT_H
#define IG_CLI_ELEMENT_H

#include "base/error.h"

/* The bits of `value` as an element of this type, in the low bytes; integers are rounded and
 * clamped. False for strings, complex numbers and types below a byte or of eight-bit floats. */
bool ig_element_encode(ingot_dtype dtype, double value, uint64_t *bits);

/* Element i of an array of this type; false for types that have no double. */
bool ig_element_decode(ingot_dtype dtype, const void *data, int64_t i, double *value);

/* float16, bfloat16, float32 or float64? */
bool ig_dtype_is_float(ingot_dtype dtype);

#endif
