/* SPDX-License-Identifier: Apache-2.0 */
/* pooling.h: what MaxPool, AveragePool, LpPool and the global pools share. */
#ifndef IG_OPS_POOLING_H
#define IG_OPS_POOLING_H

#include "kernels/pool/pool.h"
#include "ops/window.h"

/* Output shape of a windowed pool (all outputs alike), or of a global one (spatial dimensions 1).
 */
ig_status ig_infer_pool(ig_infer *c);
ig_status ig_infer_global_pool(ig_infer *c);

/* One pooling, with strides in elements, for references. */
typedef struct ig_pool_view {
    ig_window w;
    int64_t batch, channels, in[3], out[3];
    int64_t x_n, x_c, x_s[3], y_n, y_c, y_s[3];
} ig_pool_view;
/* Of a node with concrete shapes x and y. */
ig_status ig_pool_view_of(const ig_node *node, bool is_global, int rank, const int64_t *x,
                          const int64_t *y, ig_pool_view *v, ig_error *err) IG_MUST_USE;

/* Combines the pixels of a window. x: first element of the picture and channel; from[d] … to[d]:
 * taps inside the picture, as indices of the kernel; start: first input pixel. Returns the result;
 * *index (may be ignored) is the flat index of a chosen pixel. */
typedef double (*ig_pool_fn)(const ig_call *c, const ig_pool_view *v, int64_t x,
                             const int64_t start[3], const int64_t from[3], const int64_t to[3],
                             int64_t *index);
/* Runs fn over all windows of a float, double, int8 or uint8 input; is_global takes the whole
 * picture as one window. */
ig_status ig_ref_pool(ig_call *c, bool is_global, ig_pool_fn fn);

/* Channels-last float32, through kernels/pool. */
ig_status ig_lower_pool(ig_lower *l, ig_pool_op op, bool is_global);

#endif
