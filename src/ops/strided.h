/* SPDX-License-Identifier: Apache-2.0 */
/*
 * strided.h: what the references of data-movement operators share: strided copies, axis lists,
 * and elements of small integer tensors in inference.
 */
#ifndef IG_OPS_STRIDED_H
#define IG_OPS_STRIDED_H

#include "ops/op.h"

/* Row-major strides in elements. dims may hold zeros. */
void ig_row_major(int rank, const int64_t *dims, int64_t *strides);

/* Copy dims[0] x … x dims[rank-1] elements between two strided arrays. Strides are in elements
 * and may be 0 (repeat the source) or negative. rank <= IG_COPY_MAX_RANK; elem_bytes 1 … 16. The
 * arrays must not overlap. */
#define IG_COPY_MAX_RANK (2 * IG_MAX_RANK)
void ig_copy_box(size_t elem_bytes, int rank, const int64_t *dims, void *dst,
                 const int64_t *dst_strides, const void *src, const int64_t *src_strides);

/* Write n copies of the element at `value`. */
void ig_fill(size_t elem_bytes, void *dst, int64_t n, const void *value);

/* Bytes of an element that can be moved one by one; INGOT_ERR_UNSUPPORTED for types below a byte.
 */
ig_status ig_movable_bytes(ingot_dtype dtype, size_t *out, ig_error *err) IG_MUST_USE;

/* Output 0 = the bytes of input 0: the reference of all views. */
ig_status ig_ref_copy(ig_call *c);
/* lower() of operators that only change the shape. */
ig_status ig_lower_view(ig_lower *l);
/* The same where output 0 begins offset_bytes into input 0. */
ig_status ig_lower_view_at(ig_lower *l, size_t offset_bytes) IG_MUST_USE;
/* Pieces along `axis` of a tensor lie one after the other when all dimensions before it are 1: then
 * *offsets is where each of n begins, in bytes, else NULL. infos of other types or ranks: NULL. */
ig_status ig_piece_offsets(ig_lower *l, int axis, const ig_info *whole,
                           const ig_info *const *pieces, int n, const size_t **offsets) IG_MUST_USE;
/* is_identity of the same: the shapes are equal. */
bool ig_same_shape(const ig_node *node, const ig_info *const *in, const ig_info *out);

/* Elements of integer input i (int32 or int64), at most IG_MAX_ELEMS, exactly: false when unknown,
 * of another type, or when a constant was clamped. */
bool ig_infer_elems(const ig_infer *c, int i, ig_dim *out, int *n);
/* Output 0 has the elements of input 0 (in the same order), if they are known. The output's shape
 * must be set. */
ig_status ig_infer_keep_elems(ig_infer *c) IG_MUST_USE;
/* Set the elements of output i when its type is int32 or int64 and its shape is constant; n must
 * be its count. */
ig_status ig_infer_give_elems(ig_infer *c, int i, const ig_dim *elems, int n) IG_MUST_USE;

/* The first n inputs must be there, and all that are there must be tensors. First thing in infer.
 */
ig_status ig_infer_tensors(const ig_infer *c, int n) IG_MUST_USE;
/* Input i, if it is there, must hold integers. */
ig_status ig_infer_is_int(const ig_infer *c, int i, const char *what) IG_MUST_USE;
/* Output 0 must have its memory: a shape that inference could not find out has a cause in wrong
 * types of inputs. First thing in references whose output shapes are always inferred. */
ig_status ig_call_ready(const ig_call *c) IG_MUST_USE;

/* An inference context that sees a call's inputs as known data: lets references read parameters
 * with the code that inference uses. infos and ins have room for `max` inputs; more are cut off.
 */
void ig_infer_of_call(const ig_call *c, ig_info *infos, const ig_info **ins, int max,
                      ig_infer *out);

/* A list of ints that is an attribute, or else input i_in (< 0: none) when attr is absent. */
typedef struct ig_ints {
    int n; /* -1: absent, -2: present, but the contents are unknown (n_known tells the length) */
    int n_known; /* of an unknown list: its length, or -1 */
    int64_t v[2 * IG_MAX_RANK];
} ig_ints;
ig_status ig_infer_list(const ig_infer *c, const char *attr, int i_in, ig_ints *out) IG_MUST_USE;

/* Normalise a list of axes for rank; INGOT_ERR_INVALID when out of range or twice the same. */
ig_status ig_axes(const ig_ints *list, int rank, int *axes, ig_error *err) IG_MUST_USE;

/* One integer of an input of one element: *known false when only a run can tell. Absent inputs
 * give `fallback`. */
ig_status ig_infer_scalar(const ig_infer *c, int i, int64_t fallback, bool *known,
                          int64_t *out) IG_MUST_USE;
ig_status ig_call_scalar(const ig_call *c, int i, int64_t fallback, int64_t *out) IG_MUST_USE;

/* NumPy broadcasting of two dimensions; INGOT_ERR_SHAPE when both are constant and do not fit. */
ig_status ig_dim_broadcast(ig_dims *t, ig_dim a, ig_dim b, ig_dim *out, ig_error *err) IG_MUST_USE;
/* Two dimensions that must be equal: the constant one, or the first. */
ig_status ig_dim_unify(ig_dim a, ig_dim b, const char *what, ig_dim *out,
                       ig_error *err) IG_MUST_USE;

/* Run rows [0, n) of a copy on the team: ig_team_run with a grain that makes pieces of about 64 kB.
 */
void ig_run_rows(ig_team *team, ig_team_fn fn, void *ctx, int64_t n, size_t row_bytes);

/* Rename axes for `permute`: position of old axis in perm. */
int ig_renamed_axis(const int *perm, int rank, int axis);
/* Rewrite the attribute `axis` (with this default) for permute. */
bool ig_permute_axis(ig_graph *g, ig_node *node, const int *perm, int rank, int64_t fallback);
/* Replace input i by a new int64 constant of n elements; false when out of memory. */
bool ig_set_ints_input(ig_graph *g, ig_node *node, int i, const int64_t *v, int n) IG_MUST_USE;
/* Constant ints of input i of a node; false when absent or not constant. */
bool ig_node_ints(const ig_graph *g, const ig_node *node, int i, int64_t *out, int max, int *n);

/* An order-preserving map of any number to uint64: a < b means key(a) < key(b), equal numbers have
 * equal keys, -0 equals 0 and NaN is above all. Returns false for types without an order. */
bool ig_sort_keys(ingot_dtype dtype, const void *data, int64_t first, int64_t step, int64_t n,
                  uint64_t *keys);

#endif
