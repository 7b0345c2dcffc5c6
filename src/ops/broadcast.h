/* SPDX-License-Identifier: Apache-2.0 */
/*
 * broadcast.h: what elementwise operators of two and more inputs share.
 *
 * Shapes broadcast as NumPy's do. Before opset 7 the binary operators had attributes instead:
 * broadcast=1 lets input 1 repeat along input 0, its dimensions starting at input 0's `axis`
 * (default: as a suffix). Such an input is seen here with ones appended to its shape.
 */
#ifndef IG_OPS_BROADCAST_H
#define IG_OPS_BROADCAST_H

#include "ops/op.h"

/* ---- inference ---- */

/* Two inputs of the same element type; out[0] has it too (…_bool: bool). */
ig_status ig_infer_binary(ig_infer *c);
ig_status ig_infer_binary_bool(ig_infer *c);
/* Element types may differ; that of input 0. */
ig_status ig_infer_binary_mixed(ig_infer *c);
/* Any number of inputs of one element type. */
ig_status ig_infer_variadic(ig_infer *c);
/* INGOT_ERR_SHAPE unless inputs i and j, where present and known, have the same element type. */
ig_status ig_infer_same_type(ig_infer *c, int i, int j) IG_MUST_USE;

/* One element of arithmetic on shapes; false: cannot tell. Constants are within ±IG_DIM_MAX. */
typedef bool (*ig_elem_fn)(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out);
/* After the shape is known: the integer contents of out[0] as fn of those of inputs 0 and 1 (only
 * input 0, given twice, when there is no other), if they are known. */
ig_status ig_infer_elementwise(ig_infer *c, ig_elem_fn fn);
/* Is d >= 0 whatever the dimensions of the inputs are? */
bool ig_dim_is_natural(const ig_dims *t, ig_dim d);
/* Element i of input k's broadcast to out[0], whose shape is constant: an index into its contents.
 */
int64_t ig_broadcast_index(const ig_info *out, const ig_info *in, int64_t i);

/* ---- properties ---- */

/* Does the node broadcast as NumPy does (always from opset 7 on)? */
bool ig_broadcast_is_numpy(const ig_node *node, const ig_info *const *in);
/* prim_params of binary operators without parameters: false where the alignment is not NumPy's. */
bool ig_binary_prim_params(const ig_node *node, const ig_info *const *in,
                           float p[IG_PRIM_N_PARAMS]);
/* permute of binary operators: nothing to rewrite, but no node with an `axis`. */
bool ig_binary_permute(ig_graph *g, ig_node *node, const int *perm, int rank);
/* lower of variadic operators: the prim folded over all inputs; the last one gets params[0] = n if
 * by_count, all others 1. */
ig_status ig_lower_variadic(ig_lower *l, bool by_count);
/* A program operand that is a value of the node. */
void ig_eltwise_set_operand(ig_eltwise_operand *operand, const ig_info *info);
/* Lower to this program, whose operands are the node's first inputs, then its outputs; `name`
 * as in ig_k_eltwise_<name>_f32__avx2. */
ig_status ig_lower_program(ig_lower *l, const ig_eltwise_program *program,
                           const char *name) IG_MUST_USE;
/* float32, float16, bfloat16: types that programs compute without loss. */
bool ig_is_float_operand(const ig_info *info);

/* ---- references ---- */

/* Walks a broadcast by rows: runs of output elements along which each input either steps by one or
 * stays. Dimensions that are contiguous in all are merged, so equal shapes are one row. */
typedef struct ig_rows {
    int n_in, rank;
    int64_t n_cols, n_left; /* elements of a row; rows left, this one included */
    int64_t step[3];        /* 0 or 1 */
    int64_t at[3], out_at;  /* of the row's start, in elements */
    int64_t dims[IG_MAX_RANK], index[IG_MAX_RANK], strides[3][IG_MAX_RANK];
} ig_rows;
/* in[0..n_in), n_in <= 3, broadcast to shape dims[rank]. */
void ig_rows_begin(ig_rows *r, int rank, const int64_t *dims, const ig_tensor *const *in, int n_in);
void ig_rows_next(ig_rows *r);

/* Broadcast the shapes of in[0..n) (n >= 1); INGOT_ERR_SHAPE when they do not. */
ig_status ig_tensors_broadcast(const ig_tensor *const *in, int n, int *rank,
                               int64_t dims[IG_MAX_RANK], ig_error *err) IG_MUST_USE;
/* Begin a reference of two inputs: output 0 gets its shape and this type, r walks it. */
ig_status ig_binary_begin(ig_call *c, ingot_dtype out_dtype, ig_rows *r) IG_MUST_USE;

/* Loop over the rows r with T *x, *y and U *z on in[0], in[1] and out[0]: z = expr of `T a`, `T b`.
 * Plain loops for the common steps, so that the compiler makes vector code of them. */
#define IG_BINARY_ROWS(c, r, U, expr)                                                              \
    for (; (r).n_left > 0; ig_rows_next(&(r))) {                                                   \
        const T *x_ = (const T *)(c)->in[0]->data + (r).at[0];                                     \
        const T *y_ = (const T *)(c)->in[1]->data + (r).at[1];                                     \
        U *z_ = (U *)(c)->out[0]->data + (r).out_at;                                               \
        if ((r).step[0] && (r).step[1])                                                            \
            for (int64_t i_ = 0; i_ < (r).n_cols; i_++) {                                          \
                const T a = x_[i_], b = y_[i_];                                                    \
                z_[i_] = (U)(expr);                                                                \
            }                                                                                      \
        else if ((r).step[0]) {                                                                    \
            const T b = y_[0];                                                                     \
            for (int64_t i_ = 0; i_ < (r).n_cols; i_++) {                                          \
                const T a = x_[i_];                                                                \
                z_[i_] = (U)(expr);                                                                \
            }                                                                                      \
        } else {                                                                                   \
            const T a = x_[0];                                                                     \
            for (int64_t i_ = 0; i_ < (r).n_cols; i_++) {                                          \
                const T b = y_[i_ * (r).step[1]];                                                  \
                z_[i_] = (U)(expr);                                                                \
            }                                                                                      \
        }                                                                                          \
    }

/* The reference of z = x op y, with one expression for floats and one for integers. */
#define IG_BINARY_REF(float_expr, int_expr)                                                        \
    static ig_status ref(ig_call *c)                                                               \
    {                                                                                              \
        ig_rows r;                                                                                 \
        IG_TRY(ig_binary_begin(c, c->in[0]->dtype, &r));                                           \
        switch ((int)c->in[0]->dtype) {                                                            \
            IG_CASES_FLOAT_(IG_BINARY_ROWS(c, r, T, float_expr))                                   \
            IG_CASES_INT_(IG_BINARY_ROWS(c, r, T, int_expr))                                       \
        default:                                                                                   \
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",      \
                           ingot_dtype_name(c->in[0]->dtype));                                     \
        }                                                                                          \
        return INGOT_OK;                                                                           \
    }

/* The reference of a comparison: IG_SWITCH_…, an expression that is 0 or 1. */
#define IG_COMPARE_REF(SWITCH, expr)                                                               \
    static ig_status ref(ig_call *c)                                                               \
    {                                                                                              \
        ig_rows r;                                                                                 \
        IG_TRY(ig_binary_begin(c, INGOT_BOOL, &r));                                                \
        SWITCH(c, c->in[0]->dtype, IG_BINARY_ROWS(c, r, uint8_t, expr))                            \
        return INGOT_OK;                                                                           \
    }

/* The reference of a variadic operator: a = a op b over all inputs, then `last` of a (floats). */
ig_status ig_variadic_begin(ig_call *c, void **acc);
ig_status ig_variadic_end(ig_call *c, void *acc);
#define IG_VARIADIC_ROWS(c, acc, expr)                                                             \
    for (int k_ = 0; k_ < (c)->n_in; k_++) {                                                       \
        ig_rows r_;                                                                                \
        ig_rows_begin(&r_, (c)->out[0]->rank, (c)->out[0]->dims, &(c)->in[k_], 1);                 \
        for (; r_.n_left > 0; ig_rows_next(&r_)) {                                                 \
            const T *x_ = (const T *)(c)->in[k_]->data + r_.at[0];                                 \
            T *y_ = (T *)(acc) + r_.out_at;                                                        \
            for (int64_t i_ = 0; i_ < r_.n_cols; i_++) {                                           \
                const T b = x_[i_ * r_.step[0]];                                                   \
                const T a = k_ ? y_[i_] : b;                                                       \
                y_[i_] = k_ ? (T)(expr) : b;                                                       \
            }                                                                                      \
        }                                                                                          \
    }
#define IG_VARIADIC_REF(float_expr, int_expr, last)                                                \
    static ig_status ref(ig_call *c)                                                               \
    {                                                                                              \
        void *acc = NULL;                                                                          \
        if (!c->out[0]) return INGOT_OK;                                                           \
        IG_TRY(ig_variadic_begin(c, &acc));                                                        \
        const int64_t n_elems = ig_tensor_count(c->out[0]);                                        \
        switch ((int)c->in[0]->dtype) {                                                            \
            IG_CASES_FLOAT_(                                                                       \
                IG_VARIADIC_ROWS(c, acc, float_expr) for (int64_t i_ = 0; i_ < n_elems; i_++) {    \
                    const T a = ((T *)acc)[i_];                                                    \
                    ((T *)acc)[i_] = (T)(last);                                                    \
                })                                                                                 \
            IG_CASES_INT_(IG_VARIADIC_ROWS(c, acc, int_expr))                                      \
        default:                                                                                   \
            return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",      \
                           ingot_dtype_name(c->in[0]->dtype));                                     \
        }                                                                                          \
        return ig_variadic_end(c, acc);                                                            \
    }

/* The record of a binary operator with a prim of the same name; the arguments are what differs. */
#define IG_BINARY_OP(name, onnx_, ...)                                                             \
    IG_PRIM_DECLARE(name)                                                                          \
    static const ig_prim prim = IG_PRIM_TABLE(name, 2);                                            \
    const ig_op ig_op_##name = { .onnx = (onnx_),                                                  \
                                 .n_in = { 2, 2 },                                                 \
                                 .n_out = { 1, 1 },                                                \
                                 .ref = ref,                                                       \
                                 .prim = &prim,                                                    \
                                 .permute = ig_binary_permute,                                     \
                                 .cases = cases,                                                   \
                                 __VA_ARGS__ };

/* The same of a variadic operator. Its prim takes two operands and, as p0, their number. */
bool ig_variadic_prim_params(const ig_node *node, const ig_info *const *in,
                             float p[IG_PRIM_N_PARAMS]);
bool ig_variadic_is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out);
#define IG_VARIADIC_OP(name, onnx_, ...)                                                           \
    IG_PRIM_DECLARE(name)                                                                          \
    static const ig_prim prim = IG_PRIM_TABLE(name, 2);                                            \
    const ig_op ig_op_##name = { .onnx = (onnx_),                                                  \
                                 .n_in = { 1, -1 },                                                \
                                 .n_out = { 1, 1 },                                                \
                                 .flags = IG_ELEMENTWISE | IG_INPLACE | IG_COMMUTATIVE,            \
                                 .ref = ref,                                                       \
                                 .lower = lower,                                                   \
                                 .prim = &prim,                                                    \
                                 .prim_params = ig_variadic_prim_params,                           \
                                 .is_identity = ig_variadic_is_identity,                           \
                                 .cases = cases,                                                   \
                                 __VA_ARGS__ };

#endif
