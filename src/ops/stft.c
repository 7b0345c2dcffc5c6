/* SPDX-License-Identifier: Apache-2.0 */
/* stft.c: Fourier transforms of windowed frames of a signal [batch, length, 1 or 2]; frames that
 * would reach over the end are left out. */
#include "ops/fft.h"
#include "ops/fourier.h"
#include "ops/strided.h"

enum { IN_X, IN_STEP, IN_WINDOW, IN_LENGTH };

typedef struct frames {
    bool is_known;
    int64_t step, length;
} frames;

static ig_status read(const ig_infer *c, frames *f)
{
    const ig_info *x = c->in[IN_X], *w = c->n_in > IN_WINDOW ? c->in[IN_WINDOW] : NULL;
    bool knows_step, knows_length;
    IG_TRY(ig_infer_scalar(c, IN_STEP, -1, &knows_step, &f->step));
    IG_TRY(ig_infer_scalar(c, IN_LENGTH, -1, &knows_length, &f->length));
    if (w && w->rank != 1 && w->rank >= 0)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "window has rank %d", w->rank);
    const ig_dim usual = w && w->rank == 1 ? w->dims[0] : x->dims[1];
    if (knows_length && f->length == -1) {
        knows_length = ig_dim_is_const(usual);
        f->length = usual;
    }
    f->is_known = knows_step && knows_length;
    if (!f->is_known) return INGOT_OK;
    if (f->step < 1 || f->length < 1)
        return ig_fail(c->err, INGOT_ERR_INVALID, "frames of %lld samples every %lld",
                       (long long)f->length, (long long)f->step);
    if (w && w->rank == 1 && ig_dim_is_const(w->dims[0]) && w->dims[0] != f->length)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "a window of %lld samples for frames of %lld",
                       (long long)w->dims[0], (long long)f->length);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    const ig_info *x = c->in[IN_X];
    frames f;
    IG_TRY(ig_infer_tensors(c, 2));
    if (x->rank < 0) return INGOT_OK;
    if (x->rank != 3) return ig_fail(c->err, INGOT_ERR_SHAPE, "signal has rank %d", x->rank);
    if (ig_dim_is_const(x->dims[2]) && x->dims[2] != 1 && x->dims[2] != 2)
        return ig_fail(c->err, INGOT_ERR_SHAPE, "the last dimension is %lld, not 1 or 2",
                       (long long)x->dims[2]);
    IG_TRY(read(c, &f));
    ig_dim dims[4] = { x->dims[0], ig_dim_born(c->dims), ig_dim_born(c->dims), 2 };
    if (f.is_known) {
        const bool is_onesided = ig_attr_int(c->node, "onesided", 1) != 0;
        if (ig_dim_is_const(x->dims[1]) && x->dims[1] < f.length)
            return ig_fail(c->err, INGOT_ERR_SHAPE, "a signal of %lld samples, frames of %lld",
                           (long long)x->dims[1], (long long)f.length);
        const ig_dim rest = ig_dim_sub(c->dims, x->dims[1], f.length);
        dims[1] = ig_dim_add(c->dims, ig_dim_floor_div(c->dims, rest, f.step), 1);
        dims[2] = is_onesided ? f.length / 2 + 1 : f.length;
    }
    ig_info_set_shape(&c->out[0], x->type.dtype, 4, dims);
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_tensor *x = c->in[IN_X], *w = c->n_in > IN_WINDOW ? c->in[IN_WINDOW] : NULL;
    const ig_tensor *y = c->out[0];
    ig_info infos[4];
    const ig_info *ins[4];
    ig_infer in;
    frames f;
    ig_fourier t;
    IG_TRY(ig_call_ready(c));
    ig_infer_of_call(c, infos, ins, 4, &in);
    IG_TRY(read(&in, &f));
    if (ig_tensor_count(y) == 0) return INGOT_OK;
    IG_TRY(ig_fourier_init(&t, f.length, c->scratch, c->err));
    const int64_t parts = x->dims[2];
    for (int64_t i = 0; i < y->dims[0] * y->dims[1]; i++) {
        const int64_t first = i / y->dims[1] * x->dims[1] + i % y->dims[1] * f.step;
        for (int64_t j = 0; j < f.length; j++) {
            const double weight = w ? ig_get_f64(w->dtype, w->data, j) : 1;
            t.re[j] = weight * ig_get_f64(x->dtype, x->data, (first + j) * parts);
            if (parts == 2)
                t.im[j] = weight * ig_get_f64(x->dtype, x->data, (first + j) * parts + 1);
        }
        for (int64_t k = 0; k < y->dims[2]; k++) {
            double re, im;
            ig_fourier_term(&t, k, -1, &re, &im);
            ig_set_f64(y->dtype, y->data, (i * y->dims[2] + k) * 2, re);
            ig_set_f64(y->dtype, y->data, (i * y->dims[2] + k) * 2 + 1, im);
        }
    }
    return INGOT_OK;
}

/* ---- float32 ---- */

typedef struct params {
    const ig_fft *fft;
    int64_t length, step, n_samples, n_frames, n_terms;
    int parts;
} params;

/* Frame number `frame` of all signals. The transform is a backward one; with real and imaginary
 * parts swapped on both ends it is forward. */
static void kernel(const void *params_, void *const *operands, ig_part part)
{
    const params *p = params_;
    const float *window = operands[1];
    double *points = (double *)operands[3] + part.i_thread * 4 * p->length;
    for (int64_t frame = part.begin; frame < part.end; frame++) {
        const int64_t first = frame / p->n_frames * p->n_samples + frame % p->n_frames * p->step;
        const float *x = (const float *)operands[0] + first * p->parts;
        float *y = (float *)operands[2] + frame * p->n_terms * 2;
        for (int64_t j = 0; j < p->length; j++) {
            const double weight = window ? (double)window[j] : 1;
            points[2 * j + 1] = weight * (double)x[j * p->parts];
            points[2 * j] = p->parts == 2 ? weight * (double)x[j * p->parts + 1] : 0;
        }
        const double *terms = ig_fft_run(p->fft, points, points + 2 * p->length);
        for (int64_t k = 0; k < p->n_terms; k++) {
            y[2 * k] = (float)terms[2 * k + 1];
            y[2 * k + 1] = (float)terms[2 * k];
        }
    }
}

static ig_status lower(ig_lower *l)
{
    static const int8_t inputs[] = { IN_X, IN_WINDOW };
    ig_infer in = {
        .node = l->node, .opset = l->opset, .n_in = l->n_in, .in = l->in, .err = l->err
    };
    const ig_info *w = l->n_in > IN_WINDOW ? l->in[IN_WINDOW] : NULL;
    int64_t x[IG_MAX_RANK], y[IG_MAX_RANK], weights[IG_MAX_RANK];
    frames f;
    if (l->isa == IG_ISA_REF || l->in[IN_X]->type.dtype != INGOT_FLOAT ||
        (w && (w->type.dtype != INGOT_FLOAT || !ig_info_is_static(w, weights))))
        return INGOT_OK;
    if (!ig_info_is_static(l->in[IN_X], x) || !ig_info_is_static(&l->out[0], y)) return INGOT_OK;
    IG_TRY(read(&in, &f));
    if (!f.is_known || ig_count(4, y) == 0) return INGOT_OK;
    params *p = ig_arena_get(l->arena, sizeof *p);
    if (!p) return IG_NOMEM(l->err, sizeof *p);
    *p = (params){ .length = f.length,
                   .step = f.step,
                   .n_samples = x[1],
                   .n_frames = y[1],
                   .n_terms = y[2],
                   .parts = (int)x[2] };
    IG_TRY(ig_fft_create(f.length, l->arena, &p->fft, l->err));
    l->params = p;
    l->n_operand_in = 2;
    l->operand_inputs = inputs;
    l->kernel = kernel;
    l->kernel_name = "ig_k_stft_f32";
    l->n_work = y[0] * y[1];
    l->grain = 1 + 8192 / f.length;
    l->scratch_bytes = (size_t)f.length * 4 * sizeof(double) * (size_t)l->n_threads;
    return INGOT_OK;
}

static const char *const cases[] = {
    "f32[1,6,1]{1,2,3,4,5,6} i64[]{2} f32[4]{1} = "
    "f32[1,2,3,2]{10,0,-2,2,-2,0,18,0,-2,2,-2,0}",
    "f32[2,20,1] c:i64[]{3} c:f32[8] c:i64[]{8} onesided=0",
    "f32[2,20,1] c:i64[]{4} _ c:i64[]{7}",
    "f32[2,300,2] c:i64[]{7} c:f32[25] c:i64[]{25} onesided=0",
    "f32[2,300,1] c:i64[]{50} f32[120] c:i64[]{120}",
    "f64[1,20,1] c:i64[]{4} _ c:i64[]{8}",
    "f32[1,5,1] i64[]{1} f32[8] ! a signal of 5 samples",
    "f32[1,9,1] i64[]{0} f32[8] ! every 0",
    NULL,
};

const ig_op ig_op_stft = {
    .onnx = "STFT",
    .since = { 17 },
    .n_in = { 2, 4 },
    .n_out = { 1, 1 },
    .types = IG_T_FLOATS,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
