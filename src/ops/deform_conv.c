/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deform_conv.c: a convolution whose taps are moved: each tap of each output position reads the
 * picture at its place plus an offset, linearly between pixels, and counts by a mask.
 *
 * X [N, C, d…], W [M, C/group, k…], offset [N, offset_group * taps * n, o…] with the n coordinates
 * of a tap next to each other, bias [M], mask [N, offset_group * taps, o…]. Pixels outside are 0.
 */
#include <math.h>

#include "ops/convolution.h"
#include "ops/strided.h"

enum { IN_X, IN_W, IN_OFFSET, IN_BIAS, IN_MASK };

/* Offsets (per_tap = n) or mask (1): [N, groups * taps * per_tap, o…]. */
static ig_status check_positions(ig_infer *c, int i, const char *what, ig_dim groups, int per_tap)
{
    const ig_info *in = i < c->n_in ? c->in[i] : NULL, *w = c->in[IN_W];
    ig_info *out = &c->out[0];
    ig_dim n = ig_dim_mul(c->dims, groups, per_tap);
    if (!in || in->rank < 0) return INGOT_OK;
    if (in->rank != out->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "%s has rank %d, input has rank %d", what, in->rank,
                       out->rank);
    for (int d = 2; d < w->rank; d++) n = ig_dim_mul(c->dims, n, w->dims[d]);
    IG_TRY(ig_dim_unify(n, in->dims[1], what, &n, c->err));
    for (int d = 0; d < out->rank; d++)
        if (d != 1) IG_TRY(ig_dim_unify(out->dims[d], in->dims[d], what, &out->dims[d], c->err));
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X];
    const int64_t groups = ig_attr_int(c->node, "offset_group", 1);
    IG_TRY(ig_infer_tensors(c, 3));
    if (groups < 1 || groups > IG_DIM_MAX)
        return ig_fail(c->err, INGOT_ERR_INVALID, "offset_group is %lld", (long long)groups);
    IG_TRY(ig_conv_infer(c, IN_X, IN_W, IN_BIAS, x->type.dtype));
    if (c->out[0].rank < 0) return INGOT_OK;
    if (ig_dim_is_const(x->dims[1]) && x->dims[1] % groups)
        return ig_fail(c->err, INGOT_ERR_SHAPE,
                       "%lld channels do not divide into %lld offset groups", (long long)x->dims[1],
                       (long long)groups);
    IG_TRY(check_positions(c, IN_OFFSET, "offset", groups, x->rank - 2));
    return check_positions(c, IN_MASK, "mask", groups, 1);
}

typedef struct job {
    ig_conv_geometry g;
    ingot_dtype dtype;
    int64_t n_taps, n_out, offset_group;
    const void *x, *w, *offset, *bias, *mask;
    void *y;
    double *columns; /* channels x taps of one output position a thread */
} job;

/* The pixels around a place and their shares: at most 2^3. */
typedef struct corners {
    int n;
    int64_t at[8];
    double share[8];
} corners;

static void locate(const ig_conv_geometry *g, const double place[3], corners *out)
{
    *out = (corners){ .n = 1, .share = { 1 } };
    for (int d = 3 - g->w.n_spatial; d < 3; d++) {
        const bool is_inside = place[d] > -1 && place[d] < (double)g->in[d];
        const int64_t low = is_inside ? (int64_t)floor(place[d]) : -1;
        const double part = place[d] - (double)low;
        int n = 0;
        corners next = { 0 };
        for (int k = 0; is_inside && k < 2 * out->n; k++) {
            const int64_t pixel = low + k % 2;
            if (pixel < 0 || pixel >= g->in[d]) continue;
            next.at[n] = out->at[k / 2] + pixel * g->x_s[d];
            next.share[n++] = out->share[k / 2] * (k % 2 ? part : 1 - part);
        }
        next.n = n;
        *out = next;
    }
}

/* Where tap `tap` of offset group q reads for output position o. */
static void place_of(const job *j, int64_t n, int64_t q, int64_t tap, const int64_t o[3],
                     int64_t i_out, double place[3])
{
    const ig_conv_geometry *g = &j->g;
    const int n_spatial = g->w.n_spatial;
    int64_t rest = tap, k[3];
    for (int d = 2; d >= 0; d--) k[d] = rest % g->w.kernel[d], rest /= g->w.kernel[d];
    const int64_t first = ((n * j->offset_group + q) * j->n_taps + tap) * n_spatial;
    for (int s = 0; s < n_spatial; s++) {
        const int d = 3 - n_spatial + s;
        place[d] = (double)(o[d] * g->w.stride[d] + k[d] * g->w.dilation[d] - g->w.pad[d]) +
                   ig_get_f64(j->dtype, j->offset, (first + s) * j->n_out + i_out);
    }
}

static void gather(const job *j, int64_t n, int64_t i_out, double *columns)
{
    const ig_conv_geometry *g = &j->g;
    const int64_t c_offset = g->c / j->offset_group;
    int64_t o[3], rest = i_out;
    for (int d = 2; d >= 0; d--) o[d] = rest % g->out[d], rest /= g->out[d];
    for (int64_t q = 0; q < j->offset_group; q++)
        for (int64_t tap = 0; tap < j->n_taps; tap++) {
            const int64_t i_mask = ((n * j->offset_group + q) * j->n_taps + tap) * j->n_out + i_out;
            const double mask = j->mask ? ig_get_f64(j->dtype, j->mask, i_mask) : 1;
            double place[3];
            corners at;
            place_of(j, n, q, tap, o, i_out, place);
            locate(g, place, &at);
            for (int64_t c = q * c_offset; c < (q + 1) * c_offset; c++) {
                double sum = 0;
                for (int i = 0; i < at.n; i++)
                    sum += at.share[i] *
                           ig_get_f64(j->dtype, j->x, n * g->x_n + c * g->x_c + at.at[i]);
                columns[c * j->n_taps + tap] = sum * mask;
            }
        }
}

static void run_part(void *ctx, ig_part part)
{
    const job *j = ctx;
    const ig_conv_geometry *g = &j->g;
    const int64_t n_column = g->c / g->group * j->n_taps, m_group = g->m / g->group;
    double *columns = j->columns + part.i_thread * g->c * j->n_taps;
    for (int64_t p = part.begin; p < part.end; p++) {
        gather(j, p / j->n_out, p % j->n_out, columns);
        for (int64_t m = 0; m < g->m; m++) {
            const double *column = columns + m / m_group * n_column;
            double sum = j->bias ? ig_get_f64(j->dtype, j->bias, m) : 0;
            for (int64_t k = 0; k < n_column; k++)
                sum += column[k] * ig_get_f64(j->dtype, j->w, m * n_column + k);
            ig_set_f64(j->dtype, j->y, (p / j->n_out * g->m + m) * j->n_out + p % j->n_out, sum);
        }
    }
}

static const void *data_of(const ig_call *c, int i)
{
    return i < c->n_in && c->in[i] ? c->in[i]->data : NULL;
}

static ig_status ref(ig_call *c)
{
    IG_TRY(ig_call_ready(c));
    const ig_tensor *x = c->in[IN_X], *w = c->in[IN_W], *y = c->out[0];
    const size_t n_threads = c->team ? (size_t)ig_team_n_threads(c->team) : 1;
    job j = { .dtype = x->dtype,
              .offset_group = ig_attr_int(c->node, "offset_group", 1),
              .x = x->data,
              .w = w->data,
              .offset = c->in[IN_OFFSET]->data,
              .bias = data_of(c, IN_BIAS),
              .mask = data_of(c, IN_MASK),
              .y = y->data };
    if (ig_tensor_count(y) == 0) return INGOT_OK;
    IG_TRY(ig_conv_geometry_read(c->node, x->dims, x->rank, w->dims, y->dims, &j.g, c->err));
    j.n_taps = ig_count(w->rank - 2, w->dims + 2);
    j.n_out = ig_count(y->rank - 2, y->dims + 2);
    j.columns = ig_arena_array(c->scratch, (size_t)j.g.c * n_threads + 1,
                               (size_t)j.n_taps * sizeof *j.columns);
    if (!j.columns) return IG_NOMEM(c->err, (size_t)j.n_taps * sizeof *j.columns);
    ig_team_run(c->team, run_part, &j, j.g.batch * j.n_out, 1);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,3,3]{0,1,2,3,4,5,6,7,8} f32[1,1,2,2]{1} "
    "f32[1,8,2,2]{0.5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
    "0,0,0,0,0,0,0,0,0,-0.1,0,0,0,0,0,0} = f32[1,1,2,2]{9.5,11.7,20,24}",
    "f32[1,1,4]{1,2,3,4} f32[1,1,1]{2} f32[1,1,4]{0.5,1,-3,9} = f32[1,1,4]{3,6,0,0}",
    "f32[1,1,2]{1,3} f32[1,1,1]{1} f32[1,1,2]{-0.25,0.25} f32[1]{10} f32[1,1,2]{2,1} @19 "
    "= f32[1,1,2]{11.5,12.25}",
    "f32[2,4,5,6] f32[6,2,3,2] f32[2,24,3,5] f32[6] f32[2,12,3,5] group=2 offset_group=2",
    "f32[1,2,7,7] f32[3,2,3,3] f32[1,18,3,4] strides=[2,2] pads=[1,0,0,2] dilations=[1,1] "
    "kernel_shape=[3,3]",
    "f64[1,2,5,5] f64[1,2,2,2] f64[1,8,3,3] dilations=[2,2]",
    "f16[1,2,4,4] f16[2,2,2,2] f16[1,8,3,3]",
    "f32[1,1,2,3,3] f32[1,1,1,2,2] f32[1,12,2,2,2] _ f32[1,4,2,2,2]",
    "f32[1,1,2]{1,3} f32[1,1,1]{1} f32[1,1,2]{nan,inf} = f32[1,1,2]{0,0}",
    "f32[0,1,4] f32[1,1,2] f32[0,2,3]",
    "f32[1,1,3,3] f32[1,1,2,2] f32[1,4,2,2] ! offset: 8 and 4 differ",
    "f32[1,1,3,3] f32[1,1,2,2] f32[1,8,2,3] ! offset: 2 and 3 differ",
    "f32[1,1,3,3] f32[1,1,2,2] f32[1,8,2,2] _ f32[1,8,2,2] ! mask: 4 and 8 differ",
    "f32[1,3,3,3] f32[1,3,2,2] f32[1,16,2,2] offset_group=2 ! 3 channels do not divide into 2",
    "f32[1,1,3,3] f32[1,1,2,2] f32[1,8,2,2] offset_group=0 ! offset_group is 0",
    "f32[1,1,3,3] f64[1,1,2,2] f32[1,8,2,2] ! element types float32 and float64",
    NULL,
};

const ig_op ig_op_deform_conv = {
    .onnx = "DeformConv",
    .since = { 19, 22 },
    .n_in = { 3, 5 },
    .same_type = 0x1e,
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .flops = ig_conv_flops,
    .cases = cases,
};
