/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dim.h: dimensions that may be unknown.
 *
 * An ig_dim is an int64. Constants are themselves; everything below IG_DIM_MIN_CONST names an
 * expression (INT64_MIN + id) in a table of hash-consed expressions, so that equal means same
 * number. The same type carries the elements of integer tensors (a Shape, a Reshape's target),
 * whose constants may be negative; readers clamp constants to ±IG_DIM_MAX.
 */
#ifndef IG_IR_DIM_H
#define IG_IR_DIM_H

#include "base/arena.h"
#include "base/str.h"

typedef int64_t ig_dim;

#define IG_DIM_MAX ((int64_t)1 << 61)
#define IG_DIM_MIN_CONST (-IG_DIM_MAX)

static inline bool ig_dim_is_const(ig_dim d) { return d >= IG_DIM_MIN_CONST; }
/* Are they different for sure? */
static inline bool ig_dims_differ(ig_dim a, ig_dim b)
{
    return a != b && ig_dim_is_const(a) && ig_dim_is_const(b);
}

typedef enum ig_dim_op {
    IG_DIM_INPUT, /* a named dimension of a graph input */
    IG_DIM_BORN,  /* known only once a run produced it; every one is different */
    IG_DIM_ADD,   /* commutative: operands sorted */
    IG_DIM_MUL,
    IG_DIM_FLOOR_DIV, /* rounds towards minus infinity */
    IG_DIM_MAX_OP,
    IG_DIM_MIN_OP
} ig_dim_op;

typedef struct ig_dim_expr {
    ig_dim_op op;
    ig_dim a, b;
    const char *name; /* IG_DIM_INPUT, IG_DIM_BORN ("?3") */
    uint32_t size;    /* terms in all; bounds recursion over expressions */
    bool is_nonneg;   /* known to be >= 0 */
} ig_dim_expr;

/* An expression that would grow beyond this many terms becomes a born dimension instead. */
#define IG_DIM_MAX_SIZE 200

/* The table. Shared by a graph and its subgraphs; one thread at a time. Overflow and lack of memory
 * stick in `has_failed` (functions then return 0), which whoever drives inference checks once a
 * node. */
typedef struct ig_dims {
    ig_arena *arena;
    ig_dim_expr *exprs;
    size_t n, cap;
    uint32_t *buckets; /* id + 1, open addressing */
    size_t n_buckets;
    bool has_failed, is_out_of_memory; /* the second implies the first */
} ig_dims;

void ig_dims_init(ig_dims *t, ig_arena *arena);
const ig_dim_expr *ig_dim_expr_of(const ig_dims *t, ig_dim d); /* NULL for constants */

ig_dim ig_dim_input(ig_dims *t, const char *name,
                    size_t name_bytes); /* the same name gives the same dim */
ig_dim ig_dim_born(ig_dims *t);
/* The born dimension that prints as this name ("?3"): for reading a graph's text. */
ig_dim ig_dim_born_named(ig_dims *t, const char *name, size_t name_bytes);
/* These fold constants and simplify: x+0, x*1, x*0, x/1, x-x, (x+c)+d, (x*c)/c, c*(x/c) stays, like
 * terms of sums; max and min of equals. Dimensions (INPUT, BORN) are taken to be >= 0. */
ig_dim ig_dim_add(ig_dims *t, ig_dim a, ig_dim b);
ig_dim ig_dim_sub(ig_dims *t, ig_dim a, ig_dim b);
ig_dim ig_dim_mul(ig_dims *t, ig_dim a, ig_dim b);
ig_dim ig_dim_floor_div(ig_dims *t, ig_dim a,
                        ig_dim b); /* b a constant != 0, or an expression taken to be > 0 */
ig_dim ig_dim_ceil_div(ig_dims *t, ig_dim a, ig_dim b);
ig_dim ig_dim_max(ig_dims *t, ig_dim a, ig_dim b);
ig_dim ig_dim_min(ig_dims *t, ig_dim a, ig_dim b);

/* "224", "batch", "(height+1)//2", "?3" */
void ig_dim_print(const ig_dims *t, ig_dim d, ig_str *out);

#endif
