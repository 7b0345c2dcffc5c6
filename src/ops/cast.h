/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cast.h: conversion between element types, for Cast and CastLike.
 *
 * Integers to narrower integers keep the low bits. Floats to integers truncate towards zero and
 * saturate, NaN gives 0 (C leaves both undefined); to 4- and 2-bit integers they truncate and keep
 * the low bits, as ONNX's own tests have it. Anything to bool is x != 0. Floats round to nearest
 * even, once. To 8-bit floats: out of range gives the largest finite value, or with saturate=0 what
 * the type has for infinity or NaN. Strings: numbers as in C, "NaN", "INF"; from floats the
 * shortest digits that read back the same.
 */
#ifndef IG_OPS_CAST_H
#define IG_OPS_CAST_H

#include "ops/op.h"

/* out[0] like in[0] with element type `to` (which is checked). */
ig_status ig_infer_cast(ig_infer *c, ingot_dtype to) IG_MUST_USE;
/* Reference; attributes saturate and round_mode of the node. Output 0 is in[0] as `to`. */
ig_status ig_ref_cast(ig_call *c, ingot_dtype to) IG_MUST_USE;
/* A program where one is exact; else nothing. */
ig_status ig_lower_cast(ig_lower *l);

/* Strings; cast_text.c. */
ig_status ig_cast_from_strings(ig_call *c, ingot_dtype to) IG_MUST_USE;
ig_status ig_cast_to_strings(ig_call *c) IG_MUST_USE;

/* The code of x in an 8-bit float type where out of range is not to saturate. */
uint8_t ig_float8_no_saturate(ingot_dtype dtype, double x);

#endif
