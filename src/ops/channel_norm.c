/* SPDX-License-Identifier: Apache-2.0 */
/* channel_norm.c: y = (x - mean) / sqrt(variance + epsilon) * scale + bias, with the statistics of
 * a picture's groups of channels. */
#include "ops/channel_norm.h"

#include <math.h>

#include "kernels/reduce/reduce.h"

enum { IN_X, IN_SCALE, IN_BIAS };

static bool is_last(const ig_node *node, int rank)
{
    return rank > 2 && ig_attr_int(node, "channels_last", 0) != 0;
}

static ig_status check(const ig_node *node, int rank, const ig_dim *dims, int64_t n_groups,
                       ig_error *err)
{
    if (rank < 2)
        return ig_fail(err, INGOT_ERR_SHAPE, "input has rank %d, at least 2 needed", rank);
    const ig_dim channels = dims[is_last(node, rank) ? rank - 1 : 1];
    if (n_groups < 0 || (n_groups > 0 && ig_dim_is_const(channels) && channels % n_groups != 0))
        return ig_fail(err, INGOT_ERR_INVALID, "%lld channels do not make %lld groups",
                       (long long)channels, (long long)n_groups);
    return INGOT_OK;
}

ig_status ig_infer_channel_norm(ig_infer *c, int64_t n_groups, bool scales_groups)
{
    const ig_info *x = c->in[IN_X];
    IG_TRY(ig_infer_same(c));
    if (x->rank < 0) return INGOT_OK;
    IG_TRY(check(c->node, x->rank, x->dims, n_groups, c->err));
    const ig_dim want =
        scales_groups ? n_groups : x->dims[is_last(c->node, x->rank) ? x->rank - 1 : 1];
    for (int i = IN_SCALE; i <= IN_BIAS; i++) {
        const ig_info *s = c->in[i];
        if (s->rank < 0) continue;
        if (s->rank != 1 ||
            (ig_dim_is_const(want) && ig_dim_is_const(s->dims[0]) && s->dims[0] != want))
            return ig_fail(c->err, INGOT_ERR_SHAPE, "%s must hold %lld elements",
                           i == IN_SCALE ? "scale" : "bias", (long long)want);
    }
    return INGOT_OK;
}

static ig_channel_norm sizes(const ig_node *node, int rank, const int64_t *dims, int64_t n_groups,
                             bool scales_groups)
{
    ig_channel_norm s = { .n_batch = dims[0],
                          .n_spatial = 1,
                          .is_channels_last = is_last(node, rank) };
    const int axis = s.is_channels_last ? rank - 1 : 1;
    s.n_channels = dims[axis];
    for (int d = 1; d < rank; d++)
        if (d != axis) s.n_spatial *= dims[d];
    s.n_groups = n_groups > 0 ? n_groups : s.n_channels;
    s.n_scales = scales_groups ? s.n_groups : s.n_channels;
    return s;
}

typedef struct ref_job {
    const ig_call *c;
    ig_channel_norm s;
    double epsilon;
} ref_job;

static int64_t element(const ig_channel_norm *s, int64_t batch, int64_t channel, int64_t pixel)
{
    return s->is_channels_last ? (batch * s->n_spatial + pixel) * s->n_channels + channel
                               : (batch * s->n_channels + channel) * s->n_spatial + pixel;
}

static void ref_group(void *ctx, ig_part part)
{
    const ref_job *j = ctx;
    const ig_channel_norm *s = &j->s;
    const ig_tensor *x = j->c->in[IN_X], *scale = j->c->in[IN_SCALE], *bias = j->c->in[IN_BIAS];
    const int64_t width = s->n_channels / s->n_groups, n = width * s->n_spatial;
    for (int64_t w = part.begin; w < part.end; w++) {
        const int64_t b = w / s->n_groups, first = w % s->n_groups * width;
        double mean = 0, variance = 0;
        for (int64_t k = 0; k < n; k++)
            mean += ig_get_f64(x->dtype, x->data,
                               element(s, b, first + k / s->n_spatial, k % s->n_spatial));
        mean /= (double)n;
        for (int64_t k = 0; k < n; k++) {
            const double d = ig_get_f64(x->dtype, x->data,
                                        element(s, b, first + k / s->n_spatial, k % s->n_spatial)) -
                             mean;
            variance += d * d;
        }
        const double inverse = 1 / sqrt(variance / (double)n + j->epsilon);
        for (int64_t k = 0; k < n; k++) {
            const int64_t c = first + k / s->n_spatial;
            const int64_t at = element(s, b, c, k % s->n_spatial);
            const int64_t i = s->n_scales == s->n_channels ? c : c / width;
            ig_set_f64(x->dtype, j->c->out[0]->data, at,
                       (ig_get_f64(x->dtype, x->data, at) - mean) * inverse *
                               ig_get_f64(scale->dtype, scale->data, i) +
                           ig_get_f64(bias->dtype, bias->data, i));
        }
    }
}

ig_status ig_ref_channel_norm(ig_call *c, int64_t n_groups, bool scales_groups)
{
    const ig_tensor *x = c->in[IN_X];
    ref_job job = { .c = c, .epsilon = (double)ig_attr_float(c->node, "epsilon", 1e-5f) };
    IG_TRY(check(c->node, x->rank, x->dims, n_groups, c->err));
    job.s = sizes(c->node, x->rank, x->dims, n_groups, scales_groups);
    if (ig_tensor_count(x) == 0) return INGOT_OK;
    ig_team_run(c->team, ref_group, &job, job.s.n_batch * job.s.n_groups, 1);
    return INGOT_OK;
}

ig_status ig_lower_channel_norm(ig_lower *l, int64_t n_groups, bool scales_groups)
{
    int64_t dims[IG_MAX_RANK];
    const ig_info *x = l->in[IN_X];
    for (int i = 0; i <= IN_BIAS; i++)
        if (l->in[i]->type.dtype != INGOT_FLOAT || !ig_info_is_static(l->in[i], dims))
            return INGOT_OK;
    if (!ig_info_is_static(x, dims) || ig_count(x->rank, dims) <= 0) return INGOT_OK;
    const ig_channel_norm n = sizes(l->node, x->rank, dims, n_groups, scales_groups);
    if (n.n_scales != n.n_channels) return INGOT_OK;
    const ig_group_norm_shape s = { .n_batch = n.n_batch,
                                    .n_channels = n.n_channels,
                                    .n_groups = n.n_groups,
                                    .n_spatial = n.n_spatial,
                                    .is_channels_last = n.is_channels_last,
                                    .x_pitch = n.n_channels,
                                    .y_pitch = n.n_channels,
                                    .epsilon = ig_attr_float(l->node, "epsilon", 1e-5f) };
    ig_group_norm_params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    IG_TRY(ig_group_norm_plan(&s, l->isa, p, &l->kernel, l->err));
    l->kernel_name = ig_arena_printf(l->arena, "ig_k_group_norm_f32__%s", ig_isa_name(l->isa));
    l->params = p;
    l->n_work = p->n_work;
    l->grain = p->grain;
    return INGOT_OK;
}

bool ig_permute_channel_norm(ig_graph *g, ig_node *node, const int *perm, int rank)
{
    const bool last = is_last(node, rank);
    if (rank < 3 || perm[0] != 0) return false;
    if (!last && perm[rank - 1] == 1) return ig_node_set_int(g, node, "channels_last", 1);
    if (!last || perm[1] != rank - 1) return false;
    ig_node_remove_attr(node, "channels_last");
    return true;
}
