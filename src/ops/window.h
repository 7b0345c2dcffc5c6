/* SPDX-License-Identifier: Apache-2.0 */
/*
 * window.h: sliding windows of convolutions and pools: attributes, padding, output sizes.
 *
 * Arrays have three entries: depth, height, width; operators with fewer spatial dimensions use the
 * last ones, the others are 1 (pads 0), which is what the kernels want.
 */
#ifndef IG_OPS_WINDOW_H
#define IG_OPS_WINDOW_H

#include "ops/op.h"

typedef enum ig_auto_pad {
    IG_PAD_EXPLICIT = 0,
    IG_PAD_SAME_UPPER,
    IG_PAD_SAME_LOWER,
    IG_PAD_VALID
} ig_auto_pad;

typedef struct ig_window {
    int n_spatial; /* 1 to 3 */
    bool channels_last;
    bool ceil_mode;
    ig_auto_pad auto_pad;
    int64_t kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
} ig_window;

/* Axis of spatial dimension k (0 … n_spatial-1), and of the channels, in the node's layout. */
static inline int ig_window_axis(const ig_window *w, int k)
{
    return w->channels_last ? 1 + k : 2 + k;
}
static inline int ig_window_channel_axis(const ig_window *w)
{
    return w->channels_last ? 1 + w->n_spatial : 1;
}
/* Index of spatial dimension k in the arrays of three. */
static inline int ig_window_at(const ig_window *w, int k) { return 3 - w->n_spatial + k; }

/* Read strides, dilations, pads, auto_pad, ceil_mode and channels_last of a node whose input has
 * this rank. `kernel` has n_spatial entries (from the weights), or is NULL: from kernel_shape.
 * Everything is checked. */
ig_status ig_window_read(const ig_node *node, int rank, const int64_t *kernel, ig_window *w,
                         ig_error *err) IG_MUST_USE;

/* Output size of spatial dimension k for an input size that may be symbolic. */
ig_dim ig_window_out(const ig_window *w, int k, ig_dims *t, ig_dim in);

/* With concrete sizes: resolve auto_pad into pad and pad_end. in: by spatial dimension. */
void ig_window_resolve(ig_window *w, const int64_t *in);

/* Element strides of a dense tensor in the window's layout: of batch, channel, and each of the
 * three dimensions (0 for those that the operator lacks). */
void ig_window_strides(const ig_window *w, const int64_t *dims, int64_t *n, int64_t *c,
                       int64_t s[3]);

#endif
