/* SPDX-License-Identifier: Apache-2.0 */
/* text.h: what printing and parsing graphs share. */
#ifndef IG_IR_TEXT_H
#define IG_IR_TEXT_H

#include "ir/graph.h"

/* May the character stand in a name without quotes? */
static inline bool ig_text_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == ':' || c == '-';
}

/* Element types that hold fractions (complex ones excluded). */
bool ig_text_is_real(ingot_dtype dtype);
/* Bits of a real element, and those of its usual NaN. */
uint64_t ig_text_element_bits(ingot_dtype dtype, const void *data, int64_t i);
uint64_t ig_text_nan_bits(ingot_dtype dtype);
void ig_text_set_bits(ingot_dtype dtype, void *data, int64_t i, uint64_t bits);

/* Change the first decimal separator of the locale to a dot (to_dot) or back, in place. */
void ig_text_dot_to_locale(char *number, bool to_dot);
/* Value of a decimal with a dot, rounded once to float or double. `number` is changed. */
double ig_text_real(char *number, bool is_float);

/* Version of the domain that the graph states, 0: none. "" and "ai.onnx" are the same. */
int ig_text_opset(const ig_graph *g, const char *domain);

#endif
