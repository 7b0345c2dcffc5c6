/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_words.h: what the mutator puts in: operators, and their attributes as their cases write
 * them. */
#ifndef IG_TESTS_ONNX_WORDS_H
#define IG_TESTS_ONNX_WORDS_H

#include <stddef.h>

#include "ops/op.h"

/* An attribute of a case's text: name=value. Neither is terminated. */
typedef struct onnx_word {
    const char *name, *value;
    size_t name_bytes, value_bytes;
} onnx_word;

/* The operator that a model calls so; NULL: none. */
const ig_op *onnx_words_operator(const char *name, size_t bytes);
/* Attribute number `choice` (modulo how many there are) in the cases of op, NULL: of all operators.
 * False when there is none. */
bool onnx_words_attribute(const ig_op *op, uint32_t choice, onnx_word *out);

#endif
