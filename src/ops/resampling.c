/* SPDX-License-Identifier: Apache-2.0 */
/* resampling.c: shapes, reference and lowering of Resize and Upsample. */
#include "ops/resampling.h"

#include <math.h>
#include <string.h>

#include "kernels/resize/resize.h"
#include "ops/strided.h"

ig_status ig_resample_init(const ig_node *node, int rank, ig_resample *r, ig_error *err)
{
    const bool is_last = ig_attr_int(node, "channels_last", 0) != 0 && rank > 2;
    memset(r, 0, sizeof *r);
    r->rank = r->n_axes = rank;
    r->in_scales = r->in_sizes = r->in_roi = -1;
    for (int d = 0; d < rank; d++) r->axes[d] = !is_last || d == 0 ? d : d == 1 ? rank - 1 : d - 1;
    if (ig_attr_is(node, "mode", "nearest", true))
        r->mode = IG_RESAMPLE_NEAREST;
    else if (ig_attr_is(node, "mode", "linear", false) ||
             ig_attr_is(node, "mode", "bilinear", false))
        r->mode = IG_RESAMPLE_LINEAR;
    else if (ig_attr_is(node, "mode", "cubic", false))
        r->mode = IG_RESAMPLE_CUBIC;
    else
        return ig_fail(err, INGOT_ERR_INVALID, "mode is none of nearest, linear, cubic");
    return INGOT_OK;
}

/* ---- what the inputs say ---- */

typedef struct parameters {
    bool has_scales, has_sizes; /* given */
    bool known;                 /* and their contents are known */
    float scales[IG_MAX_RANK];
    ig_dim sizes[IG_MAX_RANK]; /* sizes may be symbolic */
    bool has_roi;
    float roi[2 * IG_MAX_RANK];
} parameters;

static bool is_given(const ig_infer *c, int i)
{
    if (i < 0 || i >= c->n_in || !c->in[i]) return false;
    return !(c->in[i]->rank == 1 && c->in[i]->dims[0] == 0);
}

static bool read_floats(const ig_info *info, float *out, int n)
{
    if (!info->data || ig_tensor_count(info->data) != n) return false;
    for (int i = 0; i < n; i++) out[i] = (float)ig_get_f64(info->data->dtype, info->data->data, i);
    return true;
}

static ig_status check_count(const ig_infer *c, int i, int n, const char *what)
{
    const ig_info *info = c->in[i];
    if (info->rank == 1 && ig_dim_is_const(info->dims[0]) && info->dims[0] != n)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%lld %s for %d axes", (long long)info->dims[0],
                       what, n);
    return INGOT_OK;
}

static ig_status read_parameters(const ig_infer *c, const ig_resample *r, parameters *p)
{
    memset(p, 0, sizeof *p);
    if (r->n_attr_scales) {
        p->has_scales = p->known = true;
        memcpy(p->scales, r->attr_scales, sizeof p->scales);
    } else if (is_given(c, r->in_sizes)) {
        int n = 0;
        p->has_sizes = true;
        IG_TRY(check_count(c, r->in_sizes, r->n_axes, "sizes"));
        p->known = ig_infer_ints(c, r->in_sizes, p->sizes, IG_MAX_RANK, &n) && n == r->n_axes;
    } else if (is_given(c, r->in_scales)) {
        p->has_scales = true;
        IG_TRY(check_count(c, r->in_scales, r->n_axes, "scales"));
        p->known = read_floats(c->in[r->in_scales], p->scales, r->n_axes);
    } else {
        return ig_fail(c->err, INGOT_ERR_INVALID, "neither scales nor sizes are given");
    }
    for (int i = 0; p->has_scales && p->known && i < r->n_axes; i++)
        if (!(p->scales[i] > 0) || !isfinite(p->scales[i]))
            return ig_fail(c->err, INGOT_ERR_INVALID, "scale %g is not positive",
                           (double)p->scales[i]);
    for (int i = 0; p->has_sizes && p->known && i < r->n_axes; i++)
        if (ig_dim_is_const(p->sizes[i]) && p->sizes[i] < 0)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "size %lld is negative",
                           (long long)p->sizes[i]);
    p->has_roi = is_given(c, r->in_roi) && read_floats(c->in[r->in_roi], p->roi, 2 * r->n_axes);
    return INGOT_OK;
}

/* ---- output shape ---- */

/* floor(dim * scale); symbolic when the scale is a fraction with a small power of two. */
static ig_status scaled(ig_dims *t, ig_dim dim, float scale, ig_dim *out, ig_error *err)
{
    if (ig_dim_is_const(dim)) {
        const float size = floorf((float)dim * scale);
        if (!(size < 9.0e18f))
            return ig_fail(err, INGOT_ERR_SHAPE, "%lld elements scaled by %g are too many",
                           (long long)dim, (double)scale);
        *out = (ig_dim)size;
        return INGOT_OK;
    }
    for (int64_t q = 1; q <= 64; q *= 2)
        if (scale * (float)q == floorf(scale * (float)q) && scale * (float)q <= 65536) {
            *out = ig_dim_floor_div(t, ig_dim_mul(t, dim, (int64_t)(scale * (float)q)), q);
            return INGOT_OK;
        }
    *out = ig_dim_born(t);
    return INGOT_OK;
}

/* The one scale that keeps the aspect ratio. */
static float common_scale(const ig_resample *r, const parameters *p, const int64_t *dims)
{
    float best = 0;
    for (int i = 0; i < r->n_axes; i++) {
        const float s = (float)p->sizes[i] / (float)dims[r->axes[i]];
        const bool is_better = r->aspect == IG_ASPECT_NOT_LARGER ? s < best : s > best;
        if (i == 0 || is_better) best = s;
    }
    return best;
}

static bool is_all_const(const ig_info *x, const ig_resample *r, const parameters *p)
{
    for (int i = 0; i < r->n_axes; i++)
        if (!ig_dim_is_const(p->sizes[i]) || !ig_dim_is_const(x->dims[r->axes[i]])) return false;
    return true;
}

static ig_status output_dims(const ig_infer *c, const ig_resample *r, const parameters *p,
                             ig_dim *dims)
{
    const ig_info *x = c->in[0];
    for (int d = 0; d < r->rank; d++) dims[d] = x->dims[d];
    const bool keeps = p->has_sizes && p->known && r->aspect != IG_ASPECT_STRETCH;
    const bool is_const = keeps && is_all_const(x, r, p);
    const float scale = is_const ? common_scale(r, p, x->dims) : 0;
    for (int i = 0; i < r->n_axes; i++) {
        ig_dim *d = &dims[r->axes[i]];
        if (!p->known || (keeps && !is_const)) {
            *d = ig_dim_born(c->dims);
        } else if (keeps) {
            const float size = floorf(scale * (float)*d + 0.5f);
            if (!(size < 9.0e18f)) return ig_fail(c->err, INGOT_ERR_SHAPE, "sizes are too large");
            *d = (ig_dim)size;
        } else if (p->has_sizes) {
            *d = p->sizes[i];
        } else {
            IG_TRY(scaled(c->dims, *d, p->scales[i], d, c->err));
        }
    }
    return INGOT_OK;
}

ig_status ig_infer_resample(ig_infer *c, ig_resample_read read)
{
    const ig_info *x = c->in[0];
    ig_resample r;
    parameters p;
    ig_dim dims[IG_MAX_RANK];
    IG_TRY(ig_infer_tensors(c, 1));
    if (x->rank < 0) return INGOT_OK;
    IG_TRY(read(c->node, x->rank, &r, c->err));
    IG_TRY(read_parameters(c, &r, &p));
    IG_TRY(output_dims(c, &r, &p, dims));
    for (int d = 0; d < x->rank; d++)
        if (x->dims[d] == 0 && ig_dim_is_const(dims[d]) && dims[d] > 0)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "axis %d is empty and cannot be resized", d);
    ig_info_set_shape(&c->out[0], x->type.dtype, x->rank, dims);
    return INGOT_OK;
}

/* ---- all axes with numbers ---- */

/* false: what is needed is not known. in, out: constant shapes. */
static bool resolve(const ig_resample *r, const parameters *p, const int64_t *in,
                    const int64_t *out, ig_resample_axis *axes)
{
    const bool keeps = p->has_sizes && r->aspect != IG_ASPECT_STRETCH;
    if ((p->has_scales || keeps) && !p->known) return false;
    if (r->coords == IG_COORDS_TF_CROP_AND_RESIZE && !p->has_roi) return false;
    const float common = keeps ? common_scale(r, p, in) : 0;
    for (int d = 0; d < r->rank; d++)
        axes[d] = (ig_resample_axis){ .in = in[d],
                                      .out = out[d],
                                      .scale = 1,
                                      .length = (float)out[d],
                                      .roi_end = 1,
                                      .is_same = true };
    for (int i = 0; i < r->n_axes; i++) {
        ig_resample_axis *a = &axes[r->axes[i]];
        a->scale = keeps ? common : p->has_scales ? p->scales[i] : (float)a->out / (float)a->in;
        a->length = p->has_sizes && !keeps ? (float)a->out : a->scale * (float)a->in;
        a->roi_begin = p->has_roi ? p->roi[i] : 0;
        a->roi_end = p->has_roi ? p->roi[r->n_axes + i] : 1;
        a->is_same = a->in == a->out && a->scale == 1;
        if (r->coords == IG_COORDS_TF_CROP_AND_RESIZE && (a->roi_begin != 0 || a->roi_end != 1))
            a->is_same = false;
    }
    return true;
}

/* ---- reference ---- */

/* [n_outer, in, n_inner] to [n_outer, out, n_inner] */
static void resample_axis(const ig_resample *r, const ig_resample_axis *a,
                          const ig_resample_taps *taps, int64_t n_outer, int64_t n_inner,
                          const double *x, double *y)
{
    for (int64_t k = 0; k < n_outer; k++)
        for (int64_t o = 0; o < a->out; o++)
            for (int64_t i = 0; i < n_inner; i++) {
                double sum = 0;
                for (int t = 0; t < taps->n; t++)
                    sum += taps->weight[t * a->out + o] *
                           x[(k * a->in + taps->index[t * a->out + o]) * n_inner + i];
                if (taps->is_outside && taps->is_outside[o]) sum = (double)r->extrapolation;
                y[(k * a->out + o) * n_inner + i] = sum;
            }
}

/* One axis after the other, in double. Integers are rounded to the nearest. */
static ig_status ref_weighted(ig_call *c, const ig_resample *r, const ig_resample_axis *axes,
                              const ig_resample_taps *taps)
{
    const ig_tensor *in = c->in[0];
    int64_t dims[IG_MAX_RANK];
    const int64_t n = ig_tensor_count(in), n_out = ig_tensor_count(c->out[0]);
    const double *x;
    double *first = ig_arena_array(c->scratch, (size_t)n, sizeof *first);
    if (!first) return IG_NOMEM(c->err, (size_t)n * sizeof *first);
    for (int64_t i = 0; i < n; i++) first[i] = ig_get_f64(in->dtype, in->data, i);
    x = first;
    memcpy(dims, in->dims, sizeof dims);
    for (int d = 0; d < r->rank; d++) {
        if (axes[d].is_same) continue;
        const int64_t n_outer = ig_count(d, dims),
                      n_inner = ig_count(r->rank - d - 1, dims + d + 1);
        dims[d] = axes[d].out;
        const int64_t count = ig_count(r->rank, dims);
        double *y = count < 0 ? NULL : ig_arena_array(c->scratch, (size_t)count, sizeof *y);
        if (!y) return IG_NOMEM(c->err, (size_t)n_out * sizeof *y);
        resample_axis(r, &axes[d], &taps[d], n_outer, n_inner, x, y);
        x = y;
    }
    const bool is_float = (IG_T(in->dtype) & IG_T_FLOATS) != 0;
    for (int64_t i = 0; i < n_out; i++)
        ig_set_f64(in->dtype, c->out[0]->data, i, is_float ? x[i] : rint(x[i]));
    return INGOT_OK;
}

static ig_status ref_nearest(ig_call *c, const ig_resample *r, const ig_resample_taps *taps)
{
    const ig_tensor *in = c->in[0];
    ig_tensor *out = c->out[0];
    int64_t strides[IG_MAX_RANK], index[IG_MAX_RANK] = { 0 };
    const int64_t n = ig_tensor_count(out);
    ig_row_major(r->rank, in->dims, strides);
    IG_SWITCH_SIZE(c, in->dtype, {
        const T *x = in->data;
        T *y = out->data;
        for (int64_t i = 0; i < n; i++) {
            int64_t at = 0;
            bool is_outside = false;
            for (int d = 0; d < r->rank; d++) {
                at += taps[d].index[index[d]] * strides[d];
                is_outside |= taps[d].is_outside && taps[d].is_outside[index[d]];
            }
            y[i] = x[at];
            if (is_outside && in->dtype != INGOT_STRING)
                ig_set_f64(in->dtype, y, i, (double)r->extrapolation);
            for (int d = r->rank - 1; d >= 0; d--) {
                if (++index[d] < out->dims[d]) break;
                index[d] = 0;
            }
        }
    })
    return INGOT_OK;
}

ig_status ig_ref_resample(ig_call *c, ig_resample_read read)
{
    const ig_tensor *x = c->in[0];
    ig_info infos[4];
    const ig_info *ins[4];
    ig_infer f;
    ig_resample r;
    parameters p;
    ig_resample_axis axes[IG_MAX_RANK];
    ig_resample_taps taps[IG_MAX_RANK];
    IG_TRY(ig_call_ready(c));
    ig_infer_of_call(c, infos, ins, 4, &f);
    IG_TRY(read(c->node, x->rank, &r, c->err));
    IG_TRY(read_parameters(&f, &r, &p));
    if (!resolve(&r, &p, x->dims, c->out[0]->dims, axes))
        return ig_fail(c->err, INGOT_ERR_INVALID, "tf_crop_and_resize needs a roi of %d elements",
                       2 * r.n_axes);
    if (ig_tensor_count(c->out[0]) == 0) return INGOT_OK;
    if (x->rank == 0) return ig_ref_copy(c);
    if (r.mode != IG_RESAMPLE_NEAREST && !(IG_T(x->dtype) & IG_T_NUMERIC))
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "cannot interpolate %s",
                       ingot_dtype_name(x->dtype));
    for (int d = 0; d < x->rank; d++)
        IG_TRY(ig_resample_make_taps(&r, &axes[d], c->scratch, &taps[d], c->err));
    return r.mode == IG_RESAMPLE_NEAREST ? ref_nearest(c, &r, taps)
                                         : ref_weighted(c, &r, axes, taps);
}

/* ---- lowering ---- */

static ig_status add_axis(ig_lower *l, const ig_resample *r, const ig_resample_axis *a,
                          ig_resize_params *p, bool *is_possible)
{
    ig_resample_taps taps;
    IG_TRY(ig_resample_make_taps(r, a, l->arena, &taps, l->err));
    for (int64_t o = 0; taps.is_outside && o < a->out; o++)
        if (taps.is_outside[o]) *is_possible = false;
    ig_resize_axis *to = &p->axes[p->n_axes++];
    *to = (ig_resize_axis){ .in = a->in, .out = a->out, .n_taps = taps.n, .index = taps.index };
    if (!taps.weight || a->is_same) {
        /* weights of an axis that stays are all on one tap: tap 0 of nearest, and of the others
         * the one in the middle */
        to->index += taps.weight ? (taps.n / 2 - 1) * a->out : 0;
        to->n_taps = 1;
        return INGOT_OK;
    }
    const size_t n = (size_t)taps.n * (size_t)a->out;
    float *weight = ig_arena_array(l->arena, n, sizeof *weight);
    if (!weight) return IG_NOMEM(l->err, n * sizeof *weight);
    for (size_t i = 0; i < n; i++) weight[i] = (float)taps.weight[i];
    to->weight = weight;
    return INGOT_OK;
}

/* Axes that stay are merged: leading ones into n_outer, trailing ones into n_inner, others with
 * their neighbours. */
static ig_status plan_axes(ig_lower *l, const ig_resample *r, const ig_resample_axis *axes,
                           ig_resize_params *p, bool *is_possible)
{
    int first = 0, end = r->rank;
    while (first < end && axes[first].is_same) first++;
    while (end > first && axes[end - 1].is_same) end--;
    p->n_outer = p->n_inner = 1;
    for (int d = 0; d < first; d++) p->n_outer *= axes[d].in;
    for (int d = end; d < r->rank; d++) p->n_inner *= axes[d].in;
    for (int d = first; d < end; d++) {
        ig_resample_axis a = axes[d];
        while (a.is_same && axes[d + 1].is_same) a.in *= axes[++d].in, a.out = a.in;
        if (p->n_axes == IG_RESIZE_MAX_AXES || a.in > INT32_MAX) {
            *is_possible = false;
            return INGOT_OK;
        }
        IG_TRY(add_axis(l, r, &a, p, is_possible));
    }
    if (first == end) *is_possible = false; /* a copy */
    return INGOT_OK;
}

ig_status ig_lower_resample(ig_lower *l, ig_resample_read read)
{
    int64_t in[IG_MAX_RANK], out[IG_MAX_RANK];
    const ig_info *x = l->in[0];
    ig_infer f = {
        .node = l->node, .opset = l->opset, .n_in = l->n_in, .in = l->in, .err = l->err
    };
    ig_resample r;
    parameters p;
    ig_resample_axis axes[IG_MAX_RANK];
    bool is_possible = true;
    IG_TRY(read(l->node, x->rank, &r, l->err));
    IG_TRY(read_parameters(&f, &r, &p));
    const size_t bytes = x->type.dtype == INGOT_STRING ? 0 : ig_dtype_size(x->type.dtype);
    if (!ig_info_is_static(x, in) || !ig_info_is_static(&l->out[0], out) ||
        ig_count(x->rank, in) <= 0 || ig_count(x->rank, out) <= 0 || bytes == 0)
        return INGOT_OK;
    if (r.mode != IG_RESAMPLE_NEAREST && x->type.dtype != INGOT_FLOAT) return INGOT_OK;
    if (!resolve(&r, &p, in, out, axes)) return INGOT_OK;
    ig_resize_params *k = ig_arena_get(l->arena, sizeof *k);
    if (!k) return IG_NOMEM(l->err, sizeof *k);
    k->elem_bytes = bytes;
    IG_TRY(plan_axes(l, &r, axes, k, &is_possible));
    if (!is_possible) return INGOT_OK;
    IG_TRY(ig_resize_plan(k, l->isa, &l->kernel, l->err));
    l->kernel_name = k->scratch_bytes_per_thread
                         ? ig_arena_printf(l->arena, "ig_k_resize_f32__%s", ig_isa_name(l->isa))
                         : "ig_k_resize_nearest";
    l->params = k;
    l->n_operand_in = 1;
    l->n_work = k->n_work;
    l->grain = k->grain;
    l->scratch_bytes = k->scratch_bytes_per_thread * (size_t)l->n_threads;
    return INGOT_OK;
}

/* ---- for passes ---- */

bool ig_permute_resample(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    const bool is_last = ig_attr_int(node, "channels_last", 0) != 0;
    if (rank < 3 || perm[0] != 0) return false;
    for (int d = 1; d < rank; d++) {
        const int want = is_last ? (d == 1 ? rank - 1 : d - 1) : (d + 1 < rank ? d + 1 : 1);
        if (perm[d] != want) return false;
    }
    if (!is_last) return ig_node_set_int(g, node, "channels_last", 1);
    ig_node_remove_attr(node, "channels_last");
    return true;
}

bool ig_resample_is_identity(const ig_node *node, const ig_info *const *in, const ig_info *out,
                             ig_resample_read read)
{
    ig_infer f = { .node = node, .opset = node->opset, .n_in = (int)node->n_inputs, .in = in };
    ig_resample r;
    parameters p;
    (void)out;
    if (in[0]->rank < 0 || read(node, in[0]->rank, &r, NULL) || read_parameters(&f, &r, &p))
        return false;
    if (!p.known || r.coords == IG_COORDS_TF_CROP_AND_RESIZE) return false;
    for (int i = 0; i < r.n_axes; i++)
        if (p.has_scales ? p.scales[i] != 1 : p.sizes[i] != in[0]->dims[r.axes[i]]) return false;
    return true;
}
