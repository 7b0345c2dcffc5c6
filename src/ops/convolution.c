/* SPDX-License-Identifier: Apache-2.0 */
/* convolution.c: shapes of convolutions (see convolution.h). */
#include "ops/convolution.h"

#include <string.h>

/* *known false: neither the weights nor an attribute tell the size of the window. */
static ig_status read_window(const ig_node *node, const ig_info *x, const ig_info *w_info,
                             ig_window *w, bool *known, ig_error *err)
{
    int64_t kernel[IG_MAX_RANK] = { 0 };
    bool has_kernel = w_info->rank > 2 && w_info->rank == x->rank;
    for (int d = 2; has_kernel && d < w_info->rank; d++) {
        has_kernel = ig_dim_is_const(w_info->dims[d]);
        kernel[d - 2] = w_info->dims[d];
    }
    *known = has_kernel || ig_node_attr(node, "kernel_shape");
    for (int d = 0; !*known && d < IG_MAX_RANK; d++) kernel[d] = 1;
    return ig_window_read(node, x->rank, has_kernel || !*known ? kernel : NULL, w, err);
}

static ig_status check_channels(ig_infer *c, ig_dim c_in, ig_dim c_group, ig_dim m, int64_t group)
{
    if (group < 1) return ig_fail(c->err, INGOT_ERR_INVALID, "group is %lld", (long long)group);
    if (ig_dim_is_const(m) && m % group)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "%lld output channels do not divide into %lld groups", (long long)m,
                       (long long)group);
    if (ig_dim_is_const(c_in) && ig_dim_is_const(c_group) &&
        (c_in % group || c_in / group != c_group))
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "weights take %lld channels in %lld group%s, the input has %lld",
                       (long long)c_group, (long long)group, group == 1 ? "" : "s",
                       (long long)c_in);
    return INGOT_OK;
}

ig_status ig_conv_check_bias(ig_infer *c, int i_bias, ig_dim n_channels)
{
    const ig_info *b = i_bias >= 0 && c->n_in > i_bias ? c->in[i_bias] : NULL;
    if (!b || b->rank < 0) return INGOT_OK;
    if (b->rank == 1 && !ig_dims_differ(b->dims[0], n_channels)) return INGOT_OK;
    return ig_fail(c->err, INGOT_ERR_SHAPE,
                   "the bias is not a vector of one value an output channel");
}

ig_status ig_conv_infer(ig_infer *c, int i_x, int i_w, int i_bias, ingot_dtype y_dtype)
{
    const ig_info *x = c->in[i_x], *wi = c->in[i_w];
    ig_window w;
    ig_dim dims[IG_MAX_RANK];
    if (!x || !wi) return ig_fail(c->err, INGOT_ERR_INVALID, "input %d is missing", x ? i_w : i_x);
    if (x->rank < 0 || wi->rank < 0) return INGOT_OK;
    if (x->rank != wi->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, weights have rank %d", x->rank,
                       wi->rank);
    bool known;
    IG_TRY(read_window(c->node, x, wi, &w, &known, c->err));
    const int c_axis = ig_window_channel_axis(&w);
    IG_TRY(check_channels(c, x->dims[c_axis], wi->dims[1], wi->dims[0],
                          ig_attr_int(c->node, "group", 1)));
    IG_TRY(ig_conv_check_bias(c, i_bias, wi->dims[0]));
    dims[0] = x->dims[0];
    dims[c_axis] = wi->dims[0];
    for (int k = 0; k < w.n_spatial; k++) {
        const int axis = ig_window_axis(&w, k);
        dims[axis] = known ? ig_window_out(&w, k, c->dims, x->dims[axis]) : ig_dim_born(c->dims);
    }
    ig_info_set_shape(&c->out[0], y_dtype, x->rank, dims);
    return INGOT_OK;
}

ig_status ig_conv_geometry_read(const ig_node *node, const int64_t *x_dims, int rank,
                                const int64_t *w_dims, const int64_t *y_dims, ig_conv_geometry *g,
                                ig_error *err)
{
    int64_t spatial[3] = { 0 };
    memset(g, 0, sizeof *g);
    IG_TRY(ig_window_read(node, rank, w_dims + 2, &g->w, err));
    for (int i = 0; i < 3; i++) g->in[i] = g->out[i] = 1;
    for (int k = 0; k < g->w.n_spatial; k++) {
        const int axis = ig_window_axis(&g->w, k), at = ig_window_at(&g->w, k);
        spatial[k] = g->in[at] = x_dims[axis];
        g->out[at] = y_dims[axis];
    }
    ig_window_resolve(&g->w, spatial);
    g->batch = x_dims[0];
    g->c = x_dims[ig_window_channel_axis(&g->w)];
    g->m = w_dims[0];
    g->group = ig_attr_int(node, "group", 1);
    ig_window_strides(&g->w, x_dims, &g->x_n, &g->x_c, g->x_s);
    ig_window_strides(&g->w, y_dims, &g->y_n, &g->y_c, g->y_s);
    return INGOT_OK;
}
