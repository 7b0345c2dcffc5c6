/* SPDX-License-Identifier: Apache-2.0 */
/*
 * grid_sample.c: pixels of X at the places that grid names: [-1, 1] is the whole picture, x first.
 *
 * Any number of spatial dimensions. Modes were bilinear and bicubic in opset 16, linear and cubic
 * since 20. What lies outside is 0, the border's pixel, or mirrored at the border. Booleans are
 * true where what was interpolated is not 0; strings cannot be interpolated, and "" is their 0.
 */
#include <math.h>

#include "ops/strided.h"

enum { IN_X, IN_GRID, MAX_SPATIAL = IG_MAX_RANK - 2, MAX_TAPS = 4 };
typedef enum padding { ZEROS, BORDER, REFLECTION } padding;

typedef struct sampler {
    int n_taps; /* 1 nearest, 2 linear, 4 cubic */
    padding padding;
    bool aligns_corners;
} sampler;

static ig_status read(const ig_node *node, sampler *s, ig_error *err)
{
    s->aligns_corners = ig_attr_int(node, "align_corners", 0) != 0;
    if (ig_attr_is(node, "mode", "linear", true) || ig_attr_is(node, "mode", "bilinear", false))
        s->n_taps = 2;
    else if (ig_attr_is(node, "mode", "cubic", false) || ig_attr_is(node, "mode", "bicubic", false))
        s->n_taps = 4;
    else if (ig_attr_is(node, "mode", "nearest", false))
        s->n_taps = 1;
    else
        return ig_fail(err, INGOT_ERR_INVALID, "mode is none of linear, nearest, cubic");
    if (ig_attr_is(node, "padding_mode", "zeros", true))
        s->padding = ZEROS;
    else if (ig_attr_is(node, "padding_mode", "border", false))
        s->padding = BORDER;
    else if (ig_attr_is(node, "padding_mode", "reflection", false))
        s->padding = REFLECTION;
    else
        return ig_fail(err, INGOT_ERR_INVALID, "padding_mode is none of zeros, border, reflection");
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X], *grid = c->in[IN_GRID];
    ig_dim dims[IG_MAX_RANK];
    sampler s;
    IG_TRY(ig_infer_tensors(c, 2));
    IG_TRY(read(c->node, &s, c->err));
    if (x->type.dtype == INGOT_STRING && s.n_taps > 1)
        return ig_fail(c->err, INGOT_ERR_INVALID,
                       "strings cannot be interpolated: only mode nearest is for them");
    if (x->rank < 0 || grid->rank < 0) return INGOT_OK;
    const int n = x->rank - 2;
    if (n < 1 || grid->rank != x->rank)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d, grid %d: must be equal, from 3",
                       x->rank, grid->rank);
    if (ig_dim_is_const(grid->dims[n + 1]) && grid->dims[n + 1] != n)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "grid has %lld coordinates, not %d",
                       (long long)grid->dims[n + 1], n);
    IG_TRY(ig_dim_unify(x->dims[0], grid->dims[0], "batch of input and grid", &dims[0], c->err));
    dims[1] = x->dims[1];
    for (int d = 0; d < n; d++) dims[2 + d] = grid->dims[1 + d];
    ig_info_set_shape(&c->out[0], x->type.dtype, x->rank, dims);
    return INGOT_OK;
}

/* Mirror at low and high until inside. */
static double reflect(double x, double low, double high)
{
    const double range = high - low;
    if (!(range > 0) || !isfinite(x)) return low > 0 ? low : 0;
    const double d = x < low ? low - x : x > high ? x - high : 0;
    if (d == 0) return x;
    const double n = floor(d / range), rest = d - n * range;
    return (fmod(n, 2) == 0) == (x < low) ? low + rest : high - rest;
}

/* Index of a tap along a dimension of n pixels; -1: outside. */
static int64_t pixel(const sampler *s, double at, int64_t n)
{
    const double last = (double)(n - 1);
    if (s->padding == ZEROS) return at >= 0 && at <= last ? (int64_t)at : -1;
    if (s->padding == REFLECTION) {
        const double low = s->aligns_corners ? 0 : -0.5;
        at = reflect(at, low, last - low);
    }
    return at > 0 ? (at < last ? (int64_t)at : n - 1) : 0;
}

static double cubic(double x)
{
    const double a = -0.75;
    x = fabs(x);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
}

typedef struct taps {
    int64_t index[MAX_TAPS];
    double weight[MAX_TAPS];
} taps;

static void make_taps(const sampler *s, double normal, int64_t n, taps *t)
{
    /* in float, as everybody computes coordinates: rounding decides between neighbours */
    float x = s->aligns_corners ? ((float)normal + 1) / 2 * (float)(n - 1)
                                : (((float)normal + 1) * (float)n - 1) / 2;
    if (s->n_taps == 1) x = rintf(x);
    const float low = s->aligns_corners ? 0 : -0.5f, high = (float)(n - 1) - low;
    if (isnan(x) || (isinf(x) && s->padding == REFLECTION)) x = low - 2; /* nowhere */
    /* further out nothing changes, and floats lie too far apart for the weights of taps */
    if (s->padding != REFLECTION) x = fminf(fmaxf(x, low - MAX_TAPS), high + MAX_TAPS);
    /* a cubic place stays outside: each of its taps goes to the border by itself */
    if (s->padding == BORDER && s->n_taps < 4) x = fminf(fmaxf(x, 0), (float)(n - 1));
    if (s->padding == REFLECTION && (x < low || x > high))
        x = (float)reflect((double)x, (double)low, (double)high);
    const double first = s->n_taps == 1 ? (double)x : floor((double)x) - (s->n_taps == 4);
    for (int k = 0; k < s->n_taps; k++) {
        const double d = (double)x - (first + k);
        t->index[k] = pixel(s, first + k, n);
        t->weight[k] = s->n_taps == 1 ? 1 : s->n_taps == 2 ? 1 - fabs(d) : cubic(d);
    }
}

typedef struct job {
    const ig_call *c;
    sampler s;
    int n;            /* spatial dimensions */
    int n_parts;      /* numbers an element, and their type */
    ingot_dtype part; /* (unused for strings) */
    int64_t n_points, n_pixels;
    int64_t stride[MAX_SPATIAL];
} job;

/* Number `part` of the element that is sampled; at: the first pixel of its plane. */
static double sample(const job *j, const taps *t, int d, int64_t at, int part)
{
    if (d >= j->n || d >= MAX_SPATIAL)
        return ig_get_f64(j->part, j->c->in[IN_X]->data, at * j->n_parts + part);
    double sum = 0;
    for (int k = 0; k < j->s.n_taps; k++)
        if (t[d].index[k] >= 0 && t[d].weight[k] != 0)
            sum += t[d].weight[k] * sample(j, t, d + 1, at + t[d].index[k] * j->stride[d], part);
    return sum;
}

/* The string at the one tap of each dimension. */
static ingot_string pick(const job *j, const taps *t, int64_t at)
{
    for (int d = 0; d < j->n && d < MAX_SPATIAL; d++) {
        if (t[d].index[0] < 0) return (ingot_string){ "", 0 };
        at += t[d].index[0] * j->stride[d];
    }
    return ((const ingot_string *)j->c->in[IN_X]->data)[at];
}

static void write_point(const job *j, const taps *t, int64_t plane, int64_t to)
{
    const ig_tensor *y = j->c->out[0];
    const int64_t at = plane * j->n_pixels;
    if (y->dtype == INGOT_STRING) {
        ((ingot_string *)y->data)[to] = pick(j, t, at);
        return;
    }
    for (int part = 0; part < j->n_parts; part++) {
        const double v = sample(j, t, 0, at, part);
        ig_set_f64(j->part, y->data, to * j->n_parts + part, j->part == INGOT_BOOL ? v != 0 : v);
    }
}

static void points(void *ctx, ig_part part)
{
    const job *j = ctx;
    const ig_tensor *x = j->c->in[IN_X], *grid = j->c->in[IN_GRID];
    for (int64_t p = part.begin; p < part.end; p++) {
        const int64_t batch = p / j->n_points, point = p % j->n_points;
        taps t[MAX_SPATIAL];
        for (int d = 0; d < j->n; d++)
            make_taps(&j->s, ig_get_f64(grid->dtype, grid->data, p * j->n + j->n - 1 - d),
                      x->dims[2 + d], &t[d]);
        for (int64_t ch = 0; ch < x->dims[1]; ch++) {
            const int64_t plane = batch * x->dims[1] + ch;
            write_point(j, t, plane, plane * j->n_points + point);
        }
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *y = c->out[0];
    job j = { .c = c, .n = x->rank - 2 };
    IG_TRY(ig_call_ready(c));
    IG_TRY(read(c->node, &j.s, c->err));
    j.part = ig_dtype_parts(x->dtype, &j.n_parts);
    if (ig_tensor_count(y) == 0) return INGOT_OK;
    if (ig_tensor_count(x) == 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "there is no pixel to sample");
    j.n_points = ig_count(j.n, y->dims + 2);
    j.n_pixels = ig_count(j.n, x->dims + 2);
    ig_row_major(j.n, x->dims + 2, j.stride);
    ig_team_run(c->team, points, &j, x->dims[0] * j.n_points, 16);
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,1,2,2]{1,2,3,4} f32[1,1,3,2]{-1,-1,0,0,1,1} align_corners=1 = f32[1,1,1,3]{1,2.5,4}",
    "f32[1,1,2,2]{1,2,3,4} f32[1,1,3,2]{-1,-1,0,0,1,1} = f32[1,1,1,3]{0.25,2.5,1}",
    "f32[1,1,2,2]{1,2,3,4} f32[1,1,2,2]{-1,-1,3,0.5} padding_mode=\"border\" = "
    "f32[1,1,1,2]{1,4}",
    "f32[1,1,1,4]{1,2,3,4} f32[1,1,2,2]{1.5,0,-2,0} padding_mode=\"reflection\" mode=\"nearest\" = "
    "f32[1,1,1,2]{4,2}",
    "f32[2,3,4,5] f32[2,3,6,2] mode=\"cubic\" padding_mode=\"reflection\"",
    "f32[2,3,4,5] f32[2,3,6,2] mode=\"cubic\" align_corners=1",
    "f32[1,1,1,2]{0,8} f32[1,1,2,2]{1.25,0,-1.5,0} mode=\"cubic\" padding_mode=\"border\" = "
    "f32[1,1,1,2]{8.28125,0}",
    "f32[1,1,1,3]{1,2,3} f32[1,1,5,2]{2.5e38,0,inf,0,-inf,0,nan,0,1e20,0} padding_mode=\"border\" "
    "= "
    "f32[1,1,1,5]{3,3,1,1,3}",
    "f32[1,1,1,3]{1,2,3} f32[1,1,4,2]{2.5e38,0,inf,0,-inf,0,1e20,0} mode=\"cubic\" "
    "padding_mode=\"border\" = f32[1,1,1,4]{3,3,1,3}",
    "f32[1,1,1,3]{1,2,3} f32[1,1,4,2]{2.5e38,0,inf,0,nan,0,-1e20,0} mode=\"cubic\" = "
    "f32[1,1,1,4]{0,0,0,0}",
    "f32[2,3,4,5] f32[2,3,6,2] mode=\"nearest\" padding_mode=\"border\"",
    "f32[2,3,4,5] f32[2,3,6,2] mode=\"bilinear\" padding_mode=\"reflection\" align_corners=1 @16",
    "f32[1,2,3,4,5] f32[1,2,3,2,3] mode=\"linear\"",
    "f32[1,2,3,4,5] f32[1,2,3,2,3] mode=\"nearest\" align_corners=1",
    "c64[1,1,1,2]{1:2,3:-4} f32[1,1,3,2]{-0.5,0,0,0,0.5,0} = c64[1,1,1,3]{1:2,2:-1,3:-4}",
    "c128[1,2,1,2]{1:2,3:-4,0:1,1:0} f32[1,1,1,2]{0,0} = c128[1,2,1,1]{2:-1,0.5:0.5}",
    "bool[1,1,1,2]{0,1} f32[1,1,3,2]{-0.5,0,0,0,0.5,0} = bool[1,1,1,3]{0,1,1}",
    "str[1,1,1,2]{\"a\",\"b\"} f32[1,1,3,2]{-0.5,0,0.5,0,9,0} mode=\"nearest\" = "
    "str[1,1,1,3]{\"a\",\"b\",\"\"}",
    "str[1,1,1,2]{\"a\",\"b\"} f32[1,1,1,2]{9,0} mode=\"nearest\" padding_mode=\"border\" = "
    "str[1,1,1,1]{\"b\"}",
    "str[1,1,1,2] f32[1,1,1,2] ! only mode nearest",
    "f32[1,1,2,2] f32[1,1,3,3] ! grid has 3 coordinates",
    "f32[1,1,2,2] f32[2,1,3,2] ! batch of input and grid",
    NULL,
};

const ig_op ig_op_grid_sample = {
    .onnx = "GridSample",
    .since = { 16, 20, 22 },
    .n_in = { 2, 2 },
    .n_out = { 1, 1 },
    .types = IG_T_NUMERIC | IG_T_BOOL | IG_T_STRING | IG_T_COMPLEX,
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
