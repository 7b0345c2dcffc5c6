/* SPDX-License-Identifier: Apache-2.0 */
/* window.c: attributes and sizes of sliding windows (ONNX Conv, MaxPool and their kin). */
#include "ops/window.h"

#include <string.h>

#define MAX_WINDOW_VALUE ((int64_t)1 << 31)

static ig_status read_list(const ig_node *node, const char *name, size_t n, int64_t least,
                           int64_t *out, ig_error *err)
{
    size_t have;
    const int64_t *v = ig_attr_ints(node, name, &have);
    if (!v) return INGOT_OK;
    if (have != n)
        return ig_fail(err, INGOT_ERR_INVALID, "%s has %zu entries, %zu are needed", name, have, n);
    for (size_t i = 0; i < n; i++) {
        if (v[i] < least || v[i] > MAX_WINDOW_VALUE)
            return ig_fail(err, INGOT_ERR_INVALID, "%s[%zu] = %lld is out of range", name, i,
                           (long long)v[i]);
        out[i] = v[i];
    }
    return INGOT_OK;
}

static ig_status read_auto_pad(const ig_node *node, ig_window *w, ig_error *err)
{
    static const struct {
        const char *name;
        ig_auto_pad value;
    } known[] = { { "NOTSET", IG_PAD_EXPLICIT },
                  { "", IG_PAD_EXPLICIT },
                  { "SAME_UPPER", IG_PAD_SAME_UPPER },
                  { "SAME_LOWER", IG_PAD_SAME_LOWER },
                  { "VALID", IG_PAD_VALID } };
    if (!ig_node_attr(node, "auto_pad")) return INGOT_OK;
    for (size_t i = 0; i < IG_COUNT(known); i++)
        if (ig_attr_is(node, "auto_pad", known[i].name, false)) {
            w->auto_pad = known[i].value;
            return INGOT_OK;
        }
    return ig_fail(err, INGOT_ERR_INVALID,
                   "auto_pad is none of NOTSET, SAME_UPPER, SAME_LOWER, VALID");
}

ig_status ig_window_read(const ig_node *node, int rank, const int64_t *kernel, ig_window *w,
                         ig_error *err)
{
    const int n = rank - 2;
    int64_t list[6] = { 0 };
    *w = (ig_window){ .n_spatial = n,
                      .channels_last = ig_attr_int(node, "channels_last", 0) != 0,
                      .ceil_mode = ig_attr_int(node, "ceil_mode", 0) != 0 };
    if (n < 1 || n > 3)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                       "input has rank %d; 1 to 3 spatial dimensions (rank 3 to 5) are supported",
                       rank);
    for (int i = 0; i < 3; i++) w->kernel[i] = w->stride[i] = w->dilation[i] = 1;
    const size_t count = (size_t)n;
    int64_t *const at_kernel = w->kernel + 3 - n;
    if (kernel) {
        memcpy(at_kernel, kernel, count * sizeof *kernel);
        for (int i = 0; i < n; i++) list[i] = kernel[i];
        IG_TRY(read_list(node, "kernel_shape", count, 1, list, err));
        for (int i = 0; i < n; i++)
            if (list[i] != kernel[i])
                return ig_fail(err, INGOT_ERR_SHAPE,
                               "kernel_shape[%d] is %lld, the weights have %lld", i,
                               (long long)list[i], (long long)kernel[i]);
    } else {
        if (!ig_node_attr(node, "kernel_shape"))
            return ig_fail(err, INGOT_ERR_INVALID, "attribute kernel_shape is missing");
        IG_TRY(read_list(node, "kernel_shape", count, 1, at_kernel, err));
    }
    IG_TRY(read_list(node, "strides", count, 1, w->stride + 3 - n, err));
    IG_TRY(read_list(node, "dilations", count, 1, w->dilation + 3 - n, err));
    IG_TRY(read_auto_pad(node, w, err));
    if (w->auto_pad != IG_PAD_EXPLICIT) return INGOT_OK;
    memset(list, 0, sizeof list);
    IG_TRY(read_list(node, "pads", 2 * count, 0, list, err));
    for (int i = 0; i < n; i++) {
        w->pad[3 - n + i] = list[i];
        w->pad_end[3 - n + i] = list[n + i];
    }
    return INGOT_OK;
}

static int64_t extent(const ig_window *w, int at)
{
    return (w->kernel[at] - 1) * w->dilation[at] + 1;
}

ig_dim ig_window_out(const ig_window *w, int k, ig_dims *t, ig_dim in)
{
    const int at = ig_window_at(w, k);
    if (w->auto_pad == IG_PAD_SAME_UPPER || w->auto_pad == IG_PAD_SAME_LOWER)
        return ig_dim_ceil_div(t, in, w->stride[at]);
    const int64_t pads = w->pad[at] + w->pad_end[at] - extent(w, at);
    const ig_dim span = ig_dim_add(t, in, pads);
    /* A window larger than the padded input gives nothing (a constant may be negative here). */
    if (ig_dim_is_const(span) && span < 0) return 0;
    if (!w->ceil_mode) return ig_dim_add(t, ig_dim_floor_div(t, span, w->stride[at]), 1);
    ig_dim out = ig_dim_add(t, ig_dim_ceil_div(t, span, w->stride[at]), 1);
    /* The last window must start inside the input or the padding before it. */
    if (ig_dim_is_const(in) && ig_dim_is_const(out) && (out - 1) * w->stride[at] >= in + w->pad[at])
        out--;
    return out;
}

void ig_window_resolve(ig_window *w, const int64_t *in)
{
    if (w->auto_pad != IG_PAD_SAME_UPPER && w->auto_pad != IG_PAD_SAME_LOWER) return;
    for (int k = 0; k < w->n_spatial; k++) {
        const int at = ig_window_at(w, k);
        const int64_t out = (in[k] + w->stride[at] - 1) / w->stride[at];
        int64_t total = (out - 1) * w->stride[at] + extent(w, at) - in[k];
        if (total < 0) total = 0;
        w->pad[at] = w->auto_pad == IG_PAD_SAME_UPPER ? total / 2 : total - total / 2;
        w->pad_end[at] = total - w->pad[at];
    }
}

void ig_window_strides(const ig_window *w, const int64_t *dims, int64_t *n, int64_t *c,
                       int64_t s[3])
{
    int64_t stride[IG_MAX_RANK], total = 1;
    for (int d = w->n_spatial + 1; d >= 0; d--) stride[d] = total, total *= dims[d];
    *n = stride[0];
    *c = stride[ig_window_channel_axis(w)];
    for (int i = 0; i < 3; i++) s[i] = 0;
    for (int k = 0; k < w->n_spatial; k++) s[ig_window_at(w, k)] = stride[ig_window_axis(w, k)];
}
