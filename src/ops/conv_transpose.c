/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv_transpose.c: the gradient of a convolution by its input: each input pixel adds its weights,
 * times the pixel, to a window of the output.
 *
 *     out = stride * (in - 1) + output_padding + dilation * (kernel - 1) + 1 - pad_begin - pad_end
 *
 * W is [C, M/group, k…] in either layout of X. output_shape gives the size instead and decides the
 * padding. Passes may add the activation.
 */
#include <string.h>

#include "kernels/act.h"
#include "kernels/conv/conv.h"
#include "ops/convolution.h"
#include "ops/plain_conv.h"
#include "ops/window.h"

enum { IN_X, IN_W, IN_BIAS };

typedef struct upsampling {
    ig_window w;
    int64_t output_padding[3], output_shape[3]; /* output_shape 0: not given */
    int64_t group;
    bool has_kernel; /* else its size is not known yet */
} upsampling;

static ig_status read_list(const ig_node *node, const char *name, int n, int64_t *out,
                           ig_error *err)
{
    size_t have;
    const int64_t *v = ig_attr_ints(node, name, &have);
    if (!v) return INGOT_OK;
    /* output_shape may include batch and channels. */
    const size_t skip = have == (size_t)n + 2 ? 2 : 0;
    if (have - skip != (size_t)n)
        return ig_fail(err, INGOT_ERR_INVALID, "%s has %zu entries, %d are needed", name, have, n);
    for (int i = 0; i < n; i++) {
        out[3 - n + i] = v[skip + (size_t)i];
        if (out[3 - n + i] < 0 || out[3 - n + i] > INT32_MAX)
            return ig_fail(err, INGOT_ERR_INVALID, "%s[%d] = %lld is out of range", name, i,
                           (long long)v[skip + (size_t)i]);
    }
    return INGOT_OK;
}

static ig_status read_node(const ig_node *node, const ig_info *x, const ig_info *w, upsampling *u,
                           ig_error *err)
{
    int64_t kernel[IG_MAX_RANK] = { 0 };
    bool has_kernel = w->rank == x->rank && w->rank > 2;
    memset(u, 0, sizeof *u);
    for (int d = 2; has_kernel && d < w->rank; d++) {
        has_kernel = ig_dim_is_const(w->dims[d]);
        kernel[d - 2] = w->dims[d];
    }
    u->has_kernel = has_kernel || ig_node_attr(node, "kernel_shape");
    for (int d = 0; !u->has_kernel && d < IG_MAX_RANK; d++) kernel[d] = 1;
    IG_TRY(ig_window_read(node, x->rank, has_kernel || !u->has_kernel ? kernel : NULL, &u->w, err));
    IG_TRY(read_list(node, "output_padding", u->w.n_spatial, u->output_padding, err));
    IG_TRY(read_list(node, "output_shape", u->w.n_spatial, u->output_shape, err));
    u->group = ig_attr_int(node, "group", 1);
    if (u->group < 1) return ig_fail(err, INGOT_ERR_INVALID, "group is %lld", (long long)u->group);
    return INGOT_OK;
}

/* Output size of spatial dimension k. */
static ig_dim out_dim(const upsampling *u, int k, ig_dims *t, ig_dim in)
{
    const ig_window *w = &u->w;
    const int at = ig_window_at(w, k);
    if (u->output_shape[at]) return u->output_shape[at];
    if (w->auto_pad == IG_PAD_SAME_UPPER || w->auto_pad == IG_PAD_SAME_LOWER)
        return ig_dim_mul(t, in, w->stride[at]);
    if (!u->has_kernel) return ig_dim_born(t);
    const ig_dim span = ig_dim_mul(t, ig_dim_sub(t, in, 1), w->stride[at]);
    return ig_dim_add(t, span,
                      u->output_padding[at] + (w->kernel[at] - 1) * w->dilation[at] + 1 -
                          w->pad[at] - w->pad_end[at]);
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *wi = c->in[IN_W];
    upsampling u;
    ig_dim dims[IG_MAX_RANK];
    if (x->rank < 0 || wi->rank < 0) return INGOT_OK;
    if (x->rank != wi->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, weights have rank %d", x->rank,
                       wi->rank);
    IG_TRY(read_node(c->node, x, wi, &u, c->err));
    const int c_axis = ig_window_channel_axis(&u.w);
    const ig_dim c_in = x->dims[c_axis], c_w = wi->dims[0];
    if (ig_dim_is_const(c_in) && ig_dim_is_const(c_w) && (c_in != c_w || c_in % u.group))
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "weights take %lld channels in %lld groups, the input has %lld",
                       (long long)c_w, (long long)u.group, (long long)c_in);
    dims[0] = x->dims[0];
    dims[c_axis] = ig_dim_mul(c->dims, wi->dims[1], u.group);
    IG_TRY(ig_conv_check_bias(c, IN_BIAS, dims[c_axis]));
    for (int k = 0; k < u.w.n_spatial; k++)
        dims[ig_window_axis(&u.w, k)] = out_dim(&u, k, c->dims, x->dims[ig_window_axis(&u.w, k)]);
    ig_info_set_shape(&c->out[0], x->type.dtype, x->rank, dims);
    return INGOT_OK;
}

/* Sizes with everything resolved. */
typedef struct geometry {
    upsampling u;
    int64_t batch, c, m, in[3], out[3];
    int64_t x_n, x_c, x_s[3], y_n, y_c, y_s[3];
} geometry;

/* Where the size is given, the padding follows from it. */
static void resolve_pads(geometry *g)
{
    ig_window *w = &g->u.w;
    const bool is_same = w->auto_pad == IG_PAD_SAME_UPPER || w->auto_pad == IG_PAD_SAME_LOWER;
    for (int i = 3 - w->n_spatial; i < 3; i++) {
        if (!g->u.output_shape[i] && !is_same) continue;
        int64_t total = w->stride[i] * (g->in[i] - 1) + g->u.output_padding[i] +
                        (w->kernel[i] - 1) * w->dilation[i] + 1 - g->out[i];
        if (total < 0) total = 0;
        /* Of an odd total the end gets more with SAME_UPPER, the beginning otherwise. */
        w->pad[i] = w->auto_pad == IG_PAD_SAME_UPPER ? total / 2 : total - total / 2;
        w->pad_end[i] = total - w->pad[i];
    }
}

static ig_status read_geometry(const ig_node *node, const ig_info *x, const ig_info *w,
                               const int64_t *y, geometry *g, ig_error *err)
{
    memset(g, 0, sizeof *g);
    IG_TRY(read_node(node, x, w, &g->u, err));
    for (int i = 0; i < 3; i++) g->in[i] = g->out[i] = 1;
    for (int k = 0; k < g->u.w.n_spatial; k++) {
        const int axis = ig_window_axis(&g->u.w, k), at = ig_window_at(&g->u.w, k);
        g->in[at] = x->dims[axis];
        g->out[at] = y[axis];
    }
    resolve_pads(g);
    g->batch = x->dims[0];
    g->c = x->dims[ig_window_channel_axis(&g->u.w)];
    g->m = w->dims[1] * g->u.group;
    ig_window_strides(&g->u.w, x->dims, &g->x_n, &g->x_c, g->x_s);
    ig_window_strides(&g->u.w, y, &g->y_n, &g->y_c, g->y_s);
    return INGOT_OK;
}

/* ---- reference: gather over the taps that reach an output pixel ---- */

typedef struct ref_job {
    geometry g;
    const ig_tensor *x, *w, *bias;
    ig_tensor *y;
    ig_epilogue ep;
} ref_job;

/* Input index that tap k of an output index comes from, or -1. */
static int64_t source(const geometry *g, int d, int64_t o, int64_t k)
{
    const ig_window *w = &g->u.w;
    const int64_t at = o + w->pad[d] - k * w->dilation[d];
    if (at < 0 || at % w->stride[d]) return -1;
    return at / w->stride[d] < g->in[d] ? at / w->stride[d] : -1;
}

static double dot(const ref_job *j, int64_t n, int64_t m, const int64_t o[3])
{
    const geometry *g = &j->g;
    const int64_t *k = g->u.w.kernel, m_group = g->m / g->u.group, c_group = g->c / g->u.group,
                  i_group = m / m_group;
    double sum = 0;
    for (int64_t a = 0; a < k[0]; a++) {
        const int64_t z = source(g, 0, o[0], a);
        for (int64_t b = 0; z >= 0 && b < k[1]; b++) {
            const int64_t row = source(g, 1, o[1], b);
            for (int64_t d = 0; row >= 0 && d < k[2]; d++) {
                const int64_t col = source(g, 2, o[2], d);
                if (col < 0) continue;
                for (int64_t c = i_group * c_group; c < (i_group + 1) * c_group; c++) {
                    const int64_t xi =
                        n * g->x_n + c * g->x_c + z * g->x_s[0] + row * g->x_s[1] + col * g->x_s[2];
                    const int64_t wi =
                        (((c * m_group + m % m_group) * k[0] + a) * k[1] + b) * k[2] + d;
                    sum += ig_get_f64(j->x->dtype, j->x->data, xi) *
                           ig_get_f64(j->w->dtype, j->w->data, wi);
                }
            }
        }
    }
    return sum;
}

static void ref_part(void *ctx, ig_part part)
{
    const ref_job *j = ctx;
    const geometry *g = &j->g;
    for (int64_t p = part.begin; p < part.end; p++) {
        const int64_t n = p / g->m, m = p % g->m;
        int64_t o[3];
        for (o[0] = 0; o[0] < g->out[0]; o[0]++)
            for (o[1] = 0; o[1] < g->out[1]; o[1]++)
                for (o[2] = 0; o[2] < g->out[2]; o[2]++) {
                    double v = dot(j, n, m, o);
                    if (j->bias) v += ig_get_f64(j->bias->dtype, j->bias->data, m);
                    ig_set_f64(j->y->dtype, j->y->data,
                               n * g->y_n + m * g->y_c + o[0] * g->y_s[0] + o[1] * g->y_s[1] +
                                   o[2] * g->y_s[2],
                               ig_act_ref(&j->ep, v));
                }
    }
}

static void info_of(const ig_tensor *t, ig_info *info)
{
    *info = (ig_info){ .rank = t->rank };
    memcpy(info->dims, t->dims, sizeof info->dims);
}

static ig_status ref(ig_call *c)
{
    ig_info x, w;
    ref_job job = { .x = c->in[IN_X],
                    .w = c->in[IN_W],
                    .bias = c->n_in > IN_BIAS ? c->in[IN_BIAS] : NULL,
                    .y = c->out[0],
                    .ep = ig_node_epilogue(c->node) };
    info_of(job.x, &x);
    info_of(job.w, &w);
    IG_TRY(read_geometry(c->node, &x, &w, job.y->dims, &job.g, c->err));
    if (ig_tensor_count(job.y) > 0) ig_team_run(c->team, ref_part, &job, job.g.batch * job.g.m, 1);
    return INGOT_OK;
}

/* ---- lowering ---- */

static void pack(const void *ctx, const ig_tensor *src, void *dst)
{
    ig_conv_pack_w(ctx, src->data, dst);
}

/* Channels last. */
static ig_status lower_last(ig_lower *l, const void *geometry_)
{
    const geometry *g = geometry_;
    ig_conv_shape s;
    ig_conv_shape_init(&s);
    s.is_transposed = true;
    s.batch = g->batch, s.c_in = g->c, s.c_out = g->m, s.groups = g->u.group;
    s.x_pitch = g->c, s.y_pitch = s.r_pitch = g->m;
    for (int i = 0; i < 3; i++) {
        s.in[i] = g->in[i], s.out[i] = g->out[i], s.kernel[i] = g->u.w.kernel[i];
        s.stride[i] = g->u.w.stride[i], s.dilation[i] = g->u.w.dilation[i],
        s.pad[i] = g->u.w.pad[i];
    }
    s.has_bias = l->n_in > IN_BIAS && l->in[IN_BIAS];
    s.w_is_packed = l->in[IN_W]->data != NULL;
    s.epilogue = ig_node_epilogue(l->node);
    ig_conv_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    const ig_gemm_kernel *kernel = ig_conv_choose(&s, l->isa);
    IG_TRY(ig_conv_plan(&s, kernel, p, l->err));
    const char *name = ig_gemm_kernel_name(kernel);
    if (s.w_is_packed) {
        /* The order of packed taps depends on strides and padding. */
        uint64_t key = ig_hash(name, strlen(name), (uint64_t)p->is_merged);
        key = ig_hash(s.stride, sizeof s.stride, key);
        key = ig_hash(s.dilation, sizeof s.dilation, key);
        key = ig_hash(s.pad, sizeof s.pad, key);
        IG_TRY(ig_lower_pack(l, IN_W, key, ig_conv_packed_bytes(p), pack, p));
    }
    l->params = p;
    l->kernel = ig_k_conv;
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_conv_transpose%s", name + strlen("ig_k_gemm"));
    l->n_operand_in = 4;
    l->n_work = p->n_work;
    l->grain = p->grain;
    l->scratch_bytes = p->scratch_bytes_per_thread * (size_t)l->n_threads;
    return INGOT_OK;
}

static ig_status lower(ig_lower *l)
{
    geometry g;
    int64_t y[IG_MAX_RANK];
    if (l->in[IN_X]->type.dtype != INGOT_FLOAT) return INGOT_OK;
    if (!ig_info_is_static(l->in[IN_X], NULL) || !ig_info_is_static(l->in[IN_W], NULL) ||
        !ig_info_is_static(&l->out[0], y) || ig_count(l->out[0].rank, y) == 0)
        return INGOT_OK;
    IG_TRY(read_geometry(l->node, l->in[IN_X], l->in[IN_W], y, &g, l->err));
    return g.u.w.channels_last ? lower_last(l, &g) : ig_lower_plain_conv(l, lower_last, &g);
}

static int64_t flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    int64_t x[IG_MAX_RANK], w[IG_MAX_RANK];
    (void)node, (void)out;
    if (!ig_info_is_static(in[IN_X], x) || !ig_info_is_static(in[IN_W], w) || w[0] == 0) return 0;
    return 2 * ig_count(in[IN_X]->rank, x) * (ig_count(in[IN_W]->rank, w) / w[0]);
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,4} f32[1,1,2,2]{1} strides=[2,2] = "
    "f32[1,1,4,4]{1,1,2,2,1,1,2,2,3,3,4,4,3,3,4,4}",
    "f32[1,1,3]{1,2,3} f32[1,1,3]{1,1,1} = f32[1,1,5]{1,3,6,5,3}",
    "f32[2,3,5,4] c:f32[3,4,3,3] c:f32[4] strides=[2,2] pads=[1,1,1,1] output_padding=[1,1]",
    "f32[1,4,5,5] c:f32[4,3,2,2] group=2 dilations=[2,1]",
    "f32[1,2,5,5] c:f32[2,3,3,3] strides=[2,2] output_shape=[10,10]",
    "f32[1,2,5,5] c:f32[2,3,3,3] strides=[2,2] auto_pad=\"SAME_UPPER\"",
    "f32[1,5,4,3] c:f32[3,4,2,2] c:f32[4] channels_last=1 strides=[2,2] ep_act=1",
    "f32[1,5,4,6] c:f32[6,4,3,3] channels_last=1 strides=[2,1] pads=[1,0,1,1] group=2",
    "f32[1,2,3,4,3] c:f32[2,2,2,2,2] strides=[2,2,2]",
    "f32[1,3,4,4] f32[2,4,1,1] ! weights take 2 channels",
    "f32[1,2,4,4] f32[2,4,1,1] f32[3] ! bias is not a vector",
    "f32[1,2,4,4] i8[2,4,1,1] ! element types float32 and int8",
    NULL,
};

const ig_op ig_op_conv_transpose = {
    .onnx = "ConvTranspose",
    .since = { 1, 11, 22 },
    .n_in = { 2, 3 },
    .same_type = 0xe,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_EPILOGUE | IG_CHANNELS_LAST,
    .bias_input = IN_BIAS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .flops = flops,
    .cases = cases,
};
