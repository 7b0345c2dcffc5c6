/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conv.c: Y = act(X * W + B + residual), cross-correlation with groups over 1 to 3 spatial
 * dimensions.
 *
 * W is [M, C/group, k…] in either layout of X. Passes may add the residual as input 3, and the
 * activation as ep_… attributes.
 */
#include <string.h>

#include "kernels/act.h"
#include "kernels/conv/conv.h"
#include "kernels/depthwise/depthwise.h"
#include "ops/choices.h"
#include "ops/convolution.h"
#include "ops/plain_conv.h"

enum { IN_X, IN_W, IN_BIAS, IN_RESIDUAL };

static ig_status infer(ig_infer *c)
{
    return ig_conv_infer(c, IN_X, IN_W, IN_BIAS, c->in[IN_X]->type.dtype);
}

/* ---- reference ---- */

typedef struct ref_job {
    ig_conv_geometry g;
    ingot_dtype dtype;
    const void *x, *w, *bias, *residual;
    void *y;
    double *planes; /* one output plane of sums a thread */
    ig_epilogue ep;
} ref_job;

/* Output positions of one dimension whose pixel under tap `tap` is inside the picture: [*from,
 * *to). */
static void inside(const ig_conv_geometry *g, int d, int64_t tap, int64_t *from, int64_t *to)
{
    const int64_t stride = g->w.stride[d], offset = tap * g->w.dilation[d] - g->w.pad[d];
    *from = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
    *to = offset >= g->in[d] ? 0 : (g->in[d] - offset + stride - 1) / stride;
    if (*to > g->out[d]) *to = g->out[d];
}

/* sums[o] += weight * x[…] for all outputs o that tap (a, b, d) of one input channel reaches. */
#define ADD_TAP_(T)                                                                                \
    static void add_tap_##T(const ig_conv_geometry *g, const T *x, double weight,                  \
                            const int64_t tap[3], double *sums)                                    \
    {                                                                                              \
        int64_t from[3], to[3], at[3];                                                             \
        for (int d = 0; d < 3; d++) {                                                              \
            inside(g, d, tap[d], &from[d], &to[d]);                                                \
            at[d] = tap[d] * g->w.dilation[d] - g->w.pad[d];                                       \
        }                                                                                          \
        const int64_t step = g->w.stride[2] * g->x_s[2];                                           \
        for (int64_t o0 = from[0]; o0 < to[0]; o0++)                                               \
            for (int64_t o1 = from[1]; o1 < to[1]; o1++) {                                         \
                const T *row = x + (o0 * g->w.stride[0] + at[0]) * g->x_s[0] +                     \
                               (o1 * g->w.stride[1] + at[1]) * g->x_s[1] + at[2] * g->x_s[2];      \
                double *sum = sums + (o0 * g->out[1] + o1) * g->out[2];                            \
                for (int64_t o2 = from[2]; o2 < to[2]; o2++)                                       \
                    sum[o2] += weight * (double)row[o2 * step];                                    \
            }                                                                                      \
    }
ADD_TAP_(float)
ADD_TAP_(double)
#undef ADD_TAP_

static double element(ingot_dtype dtype, const void *data, int64_t i)
{
    return dtype == INGOT_FLOAT ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void sum_plane(const ref_job *j, int64_t n, int64_t m, double *sums)
{
    const ig_conv_geometry *g = &j->g;
    const int64_t *k = g->w.kernel, c_group = g->c / g->group;
    int64_t wi = m * c_group * k[0] * k[1] * k[2], tap[3];
    for (int64_t c = 0; c < c_group; c++) {
        const int64_t x0 = n * g->x_n + (m / (g->m / g->group) * c_group + c) * g->x_c;
        for (tap[0] = 0; tap[0] < k[0]; tap[0]++)
            for (tap[1] = 0; tap[1] < k[1]; tap[1]++)
                for (tap[2] = 0; tap[2] < k[2]; tap[2]++, wi++) {
                    const double weight = element(j->dtype, j->w, wi);
                    if (j->dtype == INGOT_FLOAT)
                        add_tap_float(g, (const float *)j->x + x0, weight, tap, sums);
                    else
                        add_tap_double(g, (const double *)j->x + x0, weight, tap, sums);
                }
    }
}

static void ref_part(void *ctx, ig_part part)
{
    const ref_job *j = ctx;
    const ig_conv_geometry *g = &j->g;
    const int64_t n_plane = g->out[0] * g->out[1] * g->out[2];
    double *sums = j->planes + part.i_thread * n_plane;
    for (int64_t p = part.begin; p < part.end; p++) {
        const int64_t n = p / g->m, m = p % g->m;
        memset(sums, 0, (size_t)n_plane * sizeof *sums);
        sum_plane(j, n, m, sums);
        int64_t i = 0, o[3];
        for (o[0] = 0; o[0] < g->out[0]; o[0]++)
            for (o[1] = 0; o[1] < g->out[1]; o[1]++)
                for (o[2] = 0; o[2] < g->out[2]; o[2]++, i++) {
                    const int64_t yi = n * g->y_n + m * g->y_c + o[0] * g->y_s[0] +
                                       o[1] * g->y_s[1] + o[2] * g->y_s[2];
                    double v = sums[i];
                    if (j->bias) v += element(j->dtype, j->bias, m);
                    if (j->residual) v += element(j->dtype, j->residual, yi);
                    v = ig_act_ref(&j->ep, v);
                    if (j->dtype == INGOT_FLOAT)
                        ((float *)j->y)[yi] = (float)v;
                    else
                        ((double *)j->y)[yi] = v;
                }
    }
}

static const void *data_of(const ig_call *c, int i)
{
    return i < c->n_in && c->in[i] ? c->in[i]->data : NULL;
}

ig_status ig_conv_ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *w = c->in[IN_W], *y = c->out[0];
    ref_job job = { .dtype = x->dtype, .ep = ig_node_epilogue(c->node) };
    if (w->dtype != x->dtype)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input is %s, weights are %s",
                       ingot_dtype_name(x->dtype), ingot_dtype_name(w->dtype));
    IG_TRY(ig_conv_geometry_read(c->node, x->dims, x->rank, w->dims, y->dims, &job.g, c->err));
    const ig_conv_geometry *g = &job.g;
    const size_t n_threads = c->team ? (size_t)ig_team_n_threads(c->team) : 1;
    const size_t n_plane = (size_t)(g->out[0] * g->out[1] * g->out[2]);
    if (ig_tensor_count(y) == 0) return INGOT_OK;
    job.x = x->data;
    job.w = w->data;
    job.bias = data_of(c, IN_BIAS);
    job.residual = data_of(c, IN_RESIDUAL);
    job.y = y->data;
    job.planes = ig_arena_array(c->scratch, n_plane * n_threads, sizeof *job.planes);
    if (!job.planes) return IG_NOMEM(c->err, n_plane * n_threads * sizeof *job.planes);
    ig_team_run(c->team, ref_part, &job, g->batch * g->m, 1);
    return INGOT_OK;
}

/* ---- lowering: float32 ---- */

static void pack_conv(const void *ctx, const ig_tensor *src, void *dst)
{
    ig_conv_pack_w(ctx, src->data, dst);
}
static void pack_winograd(const void *ctx, const ig_tensor *src, void *dst)
{
    ig_winograd_pack_w(ctx, src->data, dst);
}
static void pack_depthwise(const void *ctx, const ig_tensor *src, void *dst)
{
    ig_depthwise_pack_w(ctx, src->data, dst);
}

static bool has_input(const ig_lower *l, int i) { return i < l->n_in && l->in[i]; }

static ig_status lower_depthwise(ig_lower *l, const ig_conv_geometry *g)
{
    ig_depthwise_shape s = { .batch = g->batch,
                             .channels = g->c,
                             .multiplier = g->m / g->c,
                             .x_pitch = g->c,
                             .y_pitch = g->m,
                             .r_pitch = g->m,
                             .has_bias = has_input(l, IN_BIAS),
                             .has_residual = has_input(l, IN_RESIDUAL),
                             .epilogue = ig_node_epilogue(l->node) };
    for (int i = 0; i < 3; i++) {
        s.in[i] = g->in[i], s.out[i] = g->out[i], s.kernel[i] = g->w.kernel[i];
        s.stride[i] = g->w.stride[i], s.dilation[i] = g->w.dilation[i], s.pad[i] = g->w.pad[i];
    }
    ig_depthwise_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_depthwise_plan(&s, l->isa, p, &l->kernel, l->err));
    const size_t bytes =
        (size_t)(g->m * g->w.kernel[0] * g->w.kernel[1] * g->w.kernel[2]) * sizeof(float);
    IG_TRY(ig_lower_pack(l, IN_W, ig_hash("depthwise", 9, 0), bytes, pack_depthwise, &p->shape));
    l->params = p;
    l->kernel_name = p->name;
    l->n_work = p->n_work;
    l->grain = p->grain;
    return INGOT_OK;
}

static ig_conv_shape shape_of(const ig_lower *l, const ig_conv_geometry *g)
{
    ig_conv_shape s;
    ig_conv_shape_init(&s);
    s.batch = g->batch, s.c_in = g->c, s.c_out = g->m, s.groups = g->group;
    s.x_pitch = g->c, s.y_pitch = s.r_pitch = g->m;
    for (int i = 0; i < 3; i++) {
        s.in[i] = g->in[i], s.out[i] = g->out[i], s.kernel[i] = g->w.kernel[i];
        s.stride[i] = g->w.stride[i], s.dilation[i] = g->w.dilation[i], s.pad[i] = g->w.pad[i];
    }
    s.has_bias = has_input(l, IN_BIAS);
    s.has_residual = has_input(l, IN_RESIDUAL);
    s.w_is_packed = l->in[IN_W]->data != NULL;
    s.epilogue = ig_node_epilogue(l->node);
    return s;
}

static ig_status lower_direct(ig_lower *l, const ig_conv_shape *s)
{
    ig_conv_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    const ig_gemm_kernel *kernel = ig_conv_choose(s, l->isa);
    IG_TRY(ig_conv_plan(s, kernel, p, l->err));
    if (s->w_is_packed) {
        const char *name = ig_gemm_kernel_name(kernel);
        const uint64_t key =
            ig_hash(name, strlen(name), (uint64_t)p->is_merged * 2 + (uint64_t)p->k_taps * 4);
        IG_TRY(ig_lower_pack(l, IN_W, key, ig_conv_packed_bytes(p), pack_conv, p));
    }
    l->params = p;
    l->kernel = ig_k_conv;
    l->kernel_name =
        ig_arena_printf(l->arena, "ig_k_conv%s", ig_gemm_kernel_name(kernel) + strlen("ig_k_gemm"));
    l->n_work = p->n_work;
    l->grain = p->grain;
    l->scratch_bytes = p->scratch_bytes_per_thread * (size_t)l->n_threads;
    return INGOT_OK;
}

static ig_status lower_winograd(ig_lower *l, const ig_conv_shape *s, ig_conv_algorithm algorithm)
{
    ig_winograd_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    const ig_gemm_kernel *kernel = ig_winograd_kernel(s, algorithm, l->isa);
    const char *tile = ig_gemm_kernel_name(kernel) + strlen("ig_k_gemm_f32_");
    IG_TRY(ig_winograd_plan(s, algorithm, kernel, p, l->err));
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_winograd_f32_f%d_%s", p->tile, tile);
    if (!l->kernel_name) return IG_NOMEM(l->err, 0);
    const uint64_t key = ig_hash(l->kernel_name, strlen(l->kernel_name), 0);
    IG_TRY(ig_lower_pack(l, IN_W, key, ig_winograd_packed_bytes(p), pack_winograd, p));
    l->params = p;
    l->kernel = ig_k_winograd;
    l->n_work = p->n_work;
    l->grain = p->grain;
    l->scratch_bytes = p->scratch_bytes_per_thread * (size_t)l->n_threads;
    return INGOT_OK;
}

static ig_status lower_conv(ig_lower *l, const ig_conv_geometry *g)
{
    const ig_conv_shape s = shape_of(l, g);
    const ig_conv_algorithm algorithm = ig_winograd_choose(&s, l->isa, ig_choices_conv(l->choices));
    return algorithm ? lower_winograd(l, &s, algorithm) : lower_direct(l, &s);
}

/* Channels last. */
static ig_status lower_last(ig_lower *l, const void *geometry)
{
    const ig_conv_geometry *g = geometry;
    const bool is_depthwise = g->group == g->c && g->group > 1 && l->in[IN_W]->data;
    return is_depthwise ? lower_depthwise(l, g) : lower_conv(l, g);
}

ig_status ig_conv_lower(ig_lower *l)
{
    ig_conv_geometry g;
    int64_t x[IG_MAX_RANK], w[IG_MAX_RANK], y[IG_MAX_RANK];
    if (l->in[IN_X]->type.dtype != INGOT_FLOAT || l->in[IN_W]->type.dtype != INGOT_FLOAT)
        return INGOT_OK;
    if (!ig_info_is_static(l->in[IN_X], x) || !ig_info_is_static(l->in[IN_W], w) ||
        !ig_info_is_static(&l->out[0], y))
        return INGOT_OK;
    if (ig_count(l->out[0].rank, y) == 0) return INGOT_OK;
    IG_TRY(ig_conv_geometry_read(l->node, x, l->in[IN_X]->rank, w, y, &g, l->err));
    l->n_operand_in = 4;
    if (g.w.channels_last) return lower_last(l, &g);
    return has_input(l, IN_RESIDUAL) ? INGOT_OK : ig_lower_plain_conv(l, lower_last, &g);
}

/* ---- for passes ---- */

int64_t ig_conv_flops(const ig_node *node, const ig_info *const *in, const ig_info *out)
{
    (void)node;
    int64_t w[IG_MAX_RANK], y[IG_MAX_RANK];
    if (!ig_info_is_static(in[IN_W], w) || !ig_info_is_static(&out[0], y) || w[0] == 0) return 0;
    return 2 * ig_count(out[0].rank, y) * (ig_count(in[IN_W]->rank, w) / w[0]);
}

/* y*scale + shift: W[m] *= scale[m], B = B*scale + shift. */
static ig_status absorb_affine(ig_graph *g, ig_node *node, const float *scale, const float *shift,
                               int64_t n, bool *done, ig_error *err)
{
    const ig_tensor *w = g->values[node->inputs[IN_W]]->info.data;
    const bool has_bias = node->n_inputs > IN_BIAS && node->inputs[IN_BIAS] != IG_NONE;
    const ig_tensor *b = has_bias ? g->values[node->inputs[IN_BIAS]]->info.data : NULL;
    ig_tensor *new_w = NULL, *new_b = NULL;
    *done = false;
    if (!w || w->dtype != INGOT_FLOAT || w->rank < 1 || w->dims[0] != n || (has_bias && !b))
        return INGOT_OK;
    if (ig_attr_int(node, "ep_act", 0) ||
        (node->n_inputs > IN_RESIDUAL && node->inputs[IN_RESIDUAL] != IG_NONE))
        return INGOT_OK;
    IG_TRY(ig_tensor_in_arena(g->arena, INGOT_FLOAT, w->rank, w->dims, NULL, &new_w, err));
    IG_TRY(ig_tensor_in_arena(g->arena, INGOT_FLOAT, 1, &n, NULL, &new_b, err));
    const int64_t per_channel = n ? ig_tensor_count(w) / n : 0;
    /* The source may be misaligned. */
    if (per_channel > 0) memcpy(new_w->data, w->data, (size_t)(n * per_channel) * sizeof(float));
    for (int64_t m = 0; m < n; m++) {
        float *to = (float *)new_w->data + m * per_channel;
        for (int64_t i = 0; i < per_channel; i++) to[i] *= scale[m];
        const float bias = b ? (float)ig_get_f64(INGOT_FLOAT, b->data, m) : 0;
        ((float *)new_b->data)[m] = bias * scale[m] + shift[m];
    }
    const uint32_t vw = ig_graph_add_constant(g, "", new_w),
                   vb = ig_graph_add_constant(g, "", new_b);
    if (vw == IG_NONE || vb == IG_NONE || !ig_node_set_input(g, node, IN_BIAS, vb))
        return IG_NOMEM(err, 0);
    node->inputs[IN_W] = vw;
    *done = true;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,3,3]{1,2,3,4,5,6,7,8,9} f32[1,1,2,2]{1,0,0,1} = f32[1,1,2,2]{6,8,12,14}",
    "f32[1,1,3,3]{1,2,3,4,5,6,7,8,9} f32[1,1,3,3]{1} pads=[1,1,1,1] "
    "= f32[1,1,3,3]{12,21,16,27,45,33,24,39,28}",
    "f32[2,3,7,5] c:f32[4,3,3,3] c:f32[4] strides=[2,2] pads=[1,1,1,1]",
    "f32[1,4,9,8] c:f32[6,2,3,2] group=2 dilations=[2,1] pads=[0,1,2,0]",
    "f32[1,3,8,8] c:f32[5,3,3,3] c:f32[5] auto_pad=\"SAME_UPPER\" strides=[2,2]",
    "f32[1,3,7,8] c:f32[5,3,4,4] auto_pad=\"SAME_LOWER\"",
    "f32[2,3,11] c:f32[4,3,5] c:f32[4] pads=[2,2]",
    "f32[1,2,4,5,6] c:f32[3,2,3,3,3] pads=[1,1,1,1,1,1]",
    "f32[1,8,6,6] c:f32[8,1,3,3] c:f32[8] group=8 pads=[1,1,1,1]",
    "f32[1,4,6,6] c:f32[8,1,3,3] group=4",
    "f32[1,5,5,3] c:f32[4,3,3,3] c:f32[4] channels_last=1 pads=[1,1,1,1] ep_act=1",
    "f32[1,5,5,8] c:f32[8,1,3,3] c:f32[8] f32[1,5,5,8] channels_last=1 group=8 pads=[1,1,1,1] "
    "ep_act=2 ep_beta=6.0",
    "f32[1,24,23,32] c:f32[40,32,3,3] c:f32[40] f32[1,24,23,40] channels_last=1 pads=[1,1,1,1] "
    "ep_act=1",
    "f32[2,24,17,19] c:f32[40,24,3,3] pads=[2,0,1,2]",
    "f32[1,1,2,2] f32[1,1,3,3] = f32[1,1,0,0]{}",
    "f64[1,2,5,5] f64[2,2,3,3]",
    "f32[1,3,4,4] f32[2,4,1,1] ! weights take 4 channels",
    "f32[1,2,4,4] f32[3,2,1,1] f32[2] ! bias is not a vector",
    "f32[1,2,4,4] f32[3,2,1,1] _ f32[1,1,1,1] ! another shape than the output",
    "f32[1,2,4,4] f16[3,2,1,1] ! element types float32 and float16",
    NULL,
};

const ig_op ig_op_conv = {
    .onnx = "Conv",
    .since = { 1, 11, 22 },
    .n_in = { 2, 4 },
    .same_type = 0xe,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .flags = IG_EPILOGUE | IG_CHANNELS_LAST | IG_CHANNEL_AFFINE_OUT,
    .bias_input = IN_BIAS,
    .residual_input = IN_RESIDUAL,
    .infer = infer,
    .ref = ig_conv_ref,
    .lower = ig_conv_lower,
    .absorb_affine = absorb_affine,
    .flops = ig_conv_flops,
    .cases = cases,
};
