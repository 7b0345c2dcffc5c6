/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dft.c: discrete Fourier transform along an axis; the last dimension is real, or real and
 * imaginary.
 *
 * axis: an attribute (default 1) in opset 17, an input (default -2) since 20. onesided: forward
 * gives the first half of the terms; inverse takes them and gives real samples.
 */
#include "ops/fft.h"
#include "ops/fourier.h"
#include "ops/strided.h"

enum { IN_X, IN_LENGTH, IN_AXIS };

typedef struct transform {
    bool is_known; /* axis and length */
    bool is_inverse, is_onesided;
    int axis;
    int64_t length; /* -1: the input's */
} transform;

static ig_status read(const ig_infer *c, int rank, transform *t)
{
    bool knows_axis = true, knows_length;
    int64_t axis = ig_attr_int(c->node, "axis", 1);
    t->is_inverse = ig_attr_int(c->node, "inverse", 0) != 0;
    t->is_onesided = ig_attr_int(c->node, "onesided", 0) != 0;
    if (c->opset >= 20) IG_TRY(ig_infer_scalar(c, IN_AXIS, -2, &knows_axis, &axis));
    IG_TRY(ig_infer_scalar(c, IN_LENGTH, -1, &knows_length, &t->length));
    t->is_known = knows_axis && knows_length;
    if (!t->is_known) return INGOT_OK;
    IG_TRY(ig_axis(axis, rank, &t->axis, c->err));
    if (t->axis == rank - 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "axis %d is the one of real and imaginary parts",
                       t->axis);
    if (t->length < -1 || t->length == 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "dft_length is %lld", (long long)t->length);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X];
    ig_dim dims[IG_MAX_RANK];
    transform t;
    IG_TRY(ig_infer_tensors(c, 1));
    if (x->rank < 0) return INGOT_OK;
    if (x->rank < 2) return ig_fail(c->err, INGOT_ERR_SHAPE, "input has rank %d", x->rank);
    const ig_dim parts = x->dims[x->rank - 1];
    if (ig_dim_is_const(parts) && parts != 1 && parts != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the last dimension is %lld, not 1 or 2",
                       (long long)parts);
    IG_TRY(read(c, x->rank, &t));
    for (int d = 0; d < x->rank; d++) dims[d] = t.is_known ? x->dims[d] : ig_dim_born(c->dims);
    dims[x->rank - 1] = t.is_inverse && t.is_onesided ? 1 : 2;
    if (t.is_known) {
        ig_dim *n = &dims[t.axis];
        if (t.length >= 0)
            *n = t.length;
        else if (t.is_inverse && t.is_onesided)
            *n = ig_dim_mul(c->dims, ig_dim_sub(c->dims, *n, 1), 2);
        const bool is_half = !t.is_inverse && t.is_onesided; /* one term even of no samples */
        if (ig_dim_is_const(*n) && *n < is_half)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "axis %d is empty", t.axis);
        if (is_half) *n = ig_dim_add(c->dims, ig_dim_floor_div(c->dims, *n, 2), 1);
    }
    ig_info_set_shape(&c->out[0], x->type.dtype, x->rank, dims);
    return INGOT_OK;
}

/* One line along the axis: samples at x + j*step*parts. */
static void load_line(const ig_tensor *x, int64_t first, int64_t step, int64_t count,
                      const transform *t, ig_fourier *f)
{
    const int64_t parts = x->dims[x->rank - 1];
    const bool is_half = t->is_inverse && t->is_onesided;
    const int64_t n_given = is_half ? f->n / 2 + 1 : f->n;
    for (int64_t j = 0; j < f->n; j++) {
        const bool is_given = j < count && j < n_given;
        const int64_t at = first + j * step * parts;
        f->re[j] = is_given ? ig_get_f64(x->dtype, x->data, at) : 0;
        f->im[j] = is_given && parts == 2 ? ig_get_f64(x->dtype, x->data, at + 1) : 0;
    }
    if (!is_half) return;
    f->im[0] = 0;
    if (f->n % 2 == 0) f->im[f->n / 2] = 0;
    for (int64_t j = n_given; j < f->n; j++) {
        f->re[j] = f->re[f->n - j];
        f->im[j] = -f->im[f->n - j];
    }
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *y = c->out[0];
    ig_info infos[3];
    const ig_info *ins[3];
    ig_infer in;
    transform t;
    ig_fourier f;
    IG_TRY(ig_call_ready(c));
    ig_infer_of_call(c, infos, ins, 3, &in);
    IG_TRY(read(&in, x->rank, &t));
    const int64_t out_parts = y->dims[y->rank - 1], count = x->dims[t.axis];
    int64_t n = t.length >= 0 ? t.length : t.is_inverse && t.is_onesided ? 2 * (count - 1) : count;
    if (ig_tensor_count(y) == 0) return INGOT_OK;
    IG_TRY(ig_fourier_init(&f, n, c->scratch, c->err));
    const int64_t n_outer = ig_count(t.axis, x->dims);
    const int64_t n_inner = ig_count(x->rank - t.axis - 2, x->dims + t.axis + 1);
    const double scale = t.is_inverse ? 1 / (double)n : 1;
    for (int64_t o = 0; o < n_outer; o++)
        for (int64_t i = 0; i < n_inner; i++) {
            load_line(x, (o * count * n_inner + i) * x->dims[x->rank - 1], n_inner, count, &t, &f);
            for (int64_t k = 0; k < y->dims[t.axis]; k++) {
                const int64_t at = ((o * y->dims[t.axis] + k) * n_inner + i) * out_parts;
                double re, im;
                ig_fourier_term(&f, k, t.is_inverse ? 1 : -1, &re, &im);
                ig_set_f64(y->dtype, y->data, at, re * scale);
                if (out_parts == 2) ig_set_f64(y->dtype, y->data, at + 1, im * scale);
            }
        }
    return INGOT_OK;
}

/* ---- float32 ---- */

typedef struct params {
    const ig_fft *fft;
    int64_t n, n_in, n_out, n_inner; /* points, samples and terms of a line; lines side by side */
    int in_parts, out_parts;
    bool is_inverse, is_half; /* is_half: the terms past the middle follow from those before */
    double scale;
} params;

/* A forward transform is a backward one with real and imaginary parts swapped on both ends. */
static void load_points(const params *p, const float *x, double *to)
{
    const int64_t step = p->n_inner * p->in_parts, most = p->is_half ? p->n / 2 + 1 : p->n;
    const int64_t n_given = p->n_in < most ? p->n_in : most;
    const int re = p->is_inverse ? 0 : 1, im = 1 - re;
    for (int64_t j = 0; j < n_given; j++) {
        to[2 * j + re] = (double)x[j * step];
        to[2 * j + im] = p->in_parts == 2 ? (double)x[j * step + 1] : 0;
    }
    for (int64_t j = n_given; j < p->n; j++) to[2 * j] = to[2 * j + 1] = 0;
    if (!p->is_half) return;
    to[1] = 0;
    if (p->n % 2 == 0) to[p->n + 1] = 0;
    for (int64_t j = most; j < p->n; j++) {
        to[2 * j] = to[2 * (p->n - j)];
        to[2 * j + 1] = -to[2 * (p->n - j) + 1];
    }
}

static void store_points(const params *p, const double *from, float *y)
{
    const int64_t step = p->n_inner * p->out_parts;
    const int re = p->is_inverse ? 0 : 1, im = 1 - re;
    for (int64_t k = 0; k < p->n_out; k++) {
        y[k * step] = (float)(from[2 * k + re] * p->scale);
        if (p->out_parts == 2) y[k * step + 1] = (float)(from[2 * k + im] * p->scale);
    }
}

static void kernel(const void *params_, void *const *operands, ig_part part)
{
    const params *p = params_;
    double *points = (double *)operands[2] + part.i_thread * 4 * p->n;
    for (int64_t line = part.begin; line < part.end; line++) {
        const int64_t o = line / p->n_inner, i = line % p->n_inner;
        load_points(p, (const float *)operands[0] + (o * p->n_in * p->n_inner + i) * p->in_parts,
                    points);
        store_points(p, ig_fft_run(p->fft, points, points + 2 * p->n),
                     (float *)operands[1] + (o * p->n_out * p->n_inner + i) * p->out_parts);
    }
}

static ig_status lower(ig_lower *l)
{
    ig_infer f = {
        .node = l->node, .opset = l->opset, .n_in = l->n_in, .in = l->in, .err = l->err
    };
    const int last = l->in[IN_X]->rank - 1;
    int64_t x[IG_MAX_RANK], y[IG_MAX_RANK];
    transform t;
    if (l->isa == IG_ISA_REF || l->in[IN_X]->type.dtype != INGOT_FLOAT) return INGOT_OK;
    if (!ig_info_is_static(l->in[IN_X], x) || !ig_info_is_static(&l->out[0], y)) return INGOT_OK;
    IG_TRY(read(&f, last + 1, &t));
    if (!t.is_known || ig_count(last + 1, y) == 0) return INGOT_OK;
    params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    *p = (params){ .n_in = x[t.axis],
                   .n_out = y[t.axis],
                   .n_inner = ig_count(last - t.axis - 1, x + t.axis + 1),
                   .in_parts = (int)x[last],
                   .out_parts = (int)y[last],
                   .is_inverse = t.is_inverse,
                   .is_half = t.is_inverse && t.is_onesided };
    p->n = t.length >= 0 ? t.length : p->is_half ? 2 * (p->n_in - 1) : p->n_in;
    p->scale = t.is_inverse ? 1 / (double)p->n : 1;
    IG_TRY(ig_fft_create(p->n, l->arena, &p->fft, l->err));
    l->params = p;
    l->n_operand_in = 1;
    l->kernel = kernel;
    l->kernel_name = "ig_k_dft_f32";
    l->n_work = ig_count(t.axis, x) * p->n_inner;
    l->grain = 1 + 8192 / p->n;
    l->scratch_bytes = (size_t)p->n * 4 * sizeof(double) * (size_t)l->n_threads;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,4,1]{1,2,3,4} @20 = f32[1,4,2]{10,0,-2,2,-2,0,-2,-2}",
    "f32[1,4,1]{1,2,3,4} onesided=1 @17 = f32[1,3,2]{10,0,-2,2,-2,0}",
    "f32[1,4,2]{10,0,-2,2,-2,0,-2,-2} inverse=1 @20 = f32[1,4,2]{1,0,2,0,3,0,4,0}",
    "f32[1,3,2]{10,0,-2,2,-2,0} inverse=1 onesided=1 @20 = f32[1,4,1]{1,2,3,4}",
    "f32[1,4,1]{1,2,3,4} i64[]{2} @20 = f32[1,2,2]{3,0,-1,0}",
    "f32[2,5,7,2] _ i64[]{1} @20",
    "f32[2,5,7,1] i64[]{9} axis=2 @17",
    "f64[2,6,1] @20",
    "f32[1,10,1]{0,100,200,300,400,500,600,700,800,900} c:i64[]{10} onesided=1 @20 = f32[1,6,2]{"
    "4500,0,-500,1538.8418,-500,688.19096,-500,363.27126,-500,162.45985,-500,0}",
    "f32[3,1,2] @20",
    "f32[2,16,2] @20",
    "f32[2,10,3,2] _ c:i64[]{1} inverse=1 @20",
    "f32[2,90,1] onesided=1 @20",
    "f32[2,77,2] inverse=1 @20",
    "f32[2,128,2] @17",
    "f32[2,9,2] c:i64[]{15} inverse=1 onesided=1 @20",
    "f32[2,9,2] c:i64[]{24} inverse=1 onesided=1 @20",
    "f32[2,9,2] c:i64[]{12} inverse=1 onesided=1 @20",
    "f32[2,3,4] ! the last dimension is 4",
    "f32[2,0,2] onesided=1 @20 ! axis 1 is empty",
    "f32[2,0,2] inverse=1 onesided=1 @20 ! axis 1 is empty",
    "f32[2,1,2] inverse=1 onesided=1 @20",
    "f32[2,0,2]",
    "f32[2,3,2] _ c:i64[]{2} @20 ! axis 2 is the one of",
    NULL,
};

const ig_op ig_op_dft = {
    .onnx = "DFT",
    .since = { 17, 20 },
    .n_in = { 1, 3 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
