/* SPDX-License-Identifier: Apache-2.0 */
/* pooling.c: shapes, reference walk and lowering of pools. */
#include "ops/pooling.h"

#include <string.h>

ig_status ig_infer_pool(ig_infer *c)
{
    const ig_info *x = c->in[0];
    ig_window w;
    if (c->n_out > 1) c->out[1].type.dtype = INGOT_INT64; /* known without the rank, too */
    if (x->rank < 0) return INGOT_OK;
    IG_TRY(ig_window_read(c->node, x->rank, NULL, &w, c->err));
    for (int o = 0; o < c->n_out; o++) {
        ig_dim dims[IG_MAX_RANK];
        memcpy(dims, x->dims, sizeof dims);
        for (int k = 0; k < w.n_spatial; k++) {
            const int axis = ig_window_axis(&w, k);
            dims[axis] = ig_window_out(&w, k, c->dims, x->dims[axis]);
        }
        ig_info_set_shape(&c->out[o], o == 0 ? x->type.dtype : INGOT_INT64, x->rank, dims);
    }
    return INGOT_OK;
}

ig_status ig_infer_global_pool(ig_infer *c)
{
    const ig_info *x = c->in[0];
    ig_dim dims[IG_MAX_RANK];
    if (x->rank < 0) return INGOT_OK;
    if (x->rank < 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, at least 2 is needed", x->rank);
    const bool last = ig_attr_int(c->node, "channels_last", 0) != 0;
    const int c_axis = last ? x->rank - 1 : 1;
    for (int d = 0; d < x->rank; d++) dims[d] = d == 0 || d == c_axis ? x->dims[d] : 1;
    ig_info_set_shape(&c->out[0], x->type.dtype, x->rank, dims);
    return INGOT_OK;
}

/* A global pool is a window of the size of the picture; ranks other than 3 to 5 become one spatial
 * dimension. */
static void global_window(const ig_node *node, int rank, const int64_t *x, ig_window *w,
                          int64_t *x_dims)
{
    const bool last = ig_attr_int(node, "channels_last", 0) != 0;
    int64_t pixels = 1;
    for (int d = 1; d < rank; d++)
        if (d != (last ? rank - 1 : 1)) pixels *= x[d];
    *w = (ig_window){ .n_spatial = 1, .channels_last = last };
    for (int i = 0; i < 3; i++) w->kernel[i] = w->stride[i] = w->dilation[i] = 1;
    w->kernel[2] = pixels;
    x_dims[0] = x[0];
    x_dims[ig_window_axis(w, 0)] = pixels;
    x_dims[ig_window_channel_axis(w)] = x[last ? rank - 1 : 1];
}

ig_status ig_pool_view_of(const ig_node *node, bool is_global, int rank, const int64_t *x,
                          const int64_t *y, ig_pool_view *v, ig_error *err)
{
    int64_t x_dims[IG_MAX_RANK], y_dims[IG_MAX_RANK], spatial[3] = { 0 };
    memset(v, 0, sizeof *v);
    if (is_global) {
        global_window(node, rank, x, &v->w, x_dims);
        memcpy(y_dims, x_dims, sizeof y_dims);
        y_dims[ig_window_axis(&v->w, 0)] = 1;
    } else {
        IG_TRY(ig_window_read(node, rank, NULL, &v->w, err));
        memcpy(x_dims, x, (size_t)rank * sizeof *x);
        memcpy(y_dims, y, (size_t)rank * sizeof *y);
    }
    for (int i = 0; i < 3; i++) v->in[i] = v->out[i] = 1;
    for (int k = 0; k < v->w.n_spatial; k++) {
        const int axis = ig_window_axis(&v->w, k), at = ig_window_at(&v->w, k);
        spatial[k] = v->in[at] = x_dims[axis];
        v->out[at] = y_dims[axis];
    }
    ig_window_resolve(&v->w, spatial);
    v->batch = x_dims[0];
    v->channels = x_dims[ig_window_channel_axis(&v->w)];
    ig_window_strides(&v->w, x_dims, &v->x_n, &v->x_c, v->x_s);
    ig_window_strides(&v->w, y_dims, &v->y_n, &v->y_c, v->y_s);
    return INGOT_OK;
}

/* Taps of dimension d inside the picture, for a window that starts at `start`. */
static void clip_taps(const ig_pool_view *v, int d, int64_t start, int64_t *from, int64_t *to)
{
    const int64_t dil = v->w.dilation[d];
    *from = start >= 0 ? 0 : (-start + dil - 1) / dil;
    *to = start >= v->in[d] ? 0 : (v->in[d] - start + dil - 1) / dil;
    if (*to > v->w.kernel[d]) *to = v->w.kernel[d];
    if (*to < *from) *to = *from;
}

typedef struct pool_job {
    const ig_call *c;
    ig_pool_view v;
    ig_pool_fn fn;
    int64_t *index;
} pool_job;

static void pool_plane(void *ctx, ig_part part)
{
    const pool_job *j = ctx;
    const ig_pool_view *v = &j->v;
    const ig_tensor *y = j->c->out[0];
    for (int64_t p = part.begin; p < part.end; p++) {
        const int64_t n = p / v->channels, ch = p % v->channels;
        int64_t o[3], start[3], from[3], to[3];
        for (o[0] = 0; o[0] < v->out[0]; o[0]++)
            for (o[1] = 0; o[1] < v->out[1]; o[1]++)
                for (o[2] = 0; o[2] < v->out[2]; o[2]++) {
                    int64_t at = n * v->y_n + ch * v->y_c, index = 0;
                    for (int d = 0; d < 3; d++) {
                        start[d] = o[d] * v->w.stride[d] - v->w.pad[d];
                        clip_taps(v, d, start[d], &from[d], &to[d]);
                        at += o[d] * v->y_s[d];
                    }
                    const double r =
                        j->fn(j->c, v, n * v->x_n + ch * v->x_c, start, from, to, &index);
                    if (y) ig_set_f64(y->dtype, y->data, at, r);
                    if (j->index) j->index[at] = index;
                }
    }
}

ig_status ig_ref_pool(ig_call *c, bool is_global, ig_pool_fn fn)
{
    const ig_tensor *x = c->in[0];
    const ig_tensor *shape = c->out[0] ? c->out[0] : c->out[1];
    pool_job job = { .c = c, .fn = fn };
    IG_TRY(ig_pool_view_of(c->node, is_global, x->rank, x->dims, shape->dims, &job.v, c->err));
    if (c->n_out > 1 && c->out[1]) job.index = c->out[1]->data;
    if (ig_tensor_count(shape) > 0)
        ig_team_run(c->team, pool_plane, &job, job.v.batch * job.v.channels, 1);
    return INGOT_OK;
}

ig_status ig_lower_pool(ig_lower *l, ig_pool_op op, bool is_global)
{
    int64_t x[IG_MAX_RANK], y[IG_MAX_RANK];
    ig_pool_view v;
    if (!ig_attr_int(l->node, "channels_last", 0) || l->n_out > 1) return INGOT_OK;
    if (l->in[0]->type.dtype != INGOT_FLOAT || !ig_info_is_static(l->in[0], x) ||
        !ig_info_is_static(&l->out[0], y) || ig_count(l->out[0].rank, y) == 0)
        return INGOT_OK;
    if (is_global && ig_count(l->in[0]->rank, x) == 0) return INGOT_OK; /* a window of no pixels */
    IG_TRY(ig_pool_view_of(l->node, is_global, l->in[0]->rank, x, y, &v, l->err));
    ig_pool_shape s = { .op = op,
                        .count_include_pad = ig_attr_int(l->node, "count_include_pad", 0) != 0,
                        .batch = v.batch,
                        .channels = v.channels,
                        .x_pitch = v.channels,
                        .y_pitch = v.channels };
    for (int i = 0; i < 3; i++) {
        s.in[i] = v.in[i], s.out[i] = v.out[i], s.kernel[i] = v.w.kernel[i],
        s.stride[i] = v.w.stride[i];
        s.dilation[i] = v.w.dilation[i], s.pad[i] = v.w.pad[i], s.pad_end[i] = v.w.pad_end[i];
    }
    ig_pool_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_pool_plan(&s, l->isa, p, &l->kernel, l->err));
    l->params = p;
    l->kernel_name = p->name;
    l->n_work = p->n_work;
    l->grain = p->grain;
    return INGOT_OK;
}
