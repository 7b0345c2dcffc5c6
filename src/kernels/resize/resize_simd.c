/* SPDX-License-Identifier: Apache-2.0 */
/*
 * resize_simd.c: weighted sums. First all axes but the last: input rows are added up into one row
 * in scratch, as vectors. Then the last axis: vectors over n_inner, or over outputs where n_inner
 * is 1.
 */
#include "base/simd_math.h"
#include "kernels/resize/resize.h"

void IG_KERNEL(ig_k_resize_f32)(const void *params, void *const *operands, ig_part part);

/* y = w*x, or y += w*x */
static void add_row(float *y, const float *x, float w, int64_t n, bool is_first)
{
    const vf weight = vf_set1(w);
    int64_t i = 0;
    for (; i + IG_VF <= n; i += IG_VF) {
        vf v = vf_load(x + i) * weight;
        if (!is_first) v += vf_load(y + i);
        vf_store(y + i, v);
    }
    for (; i < n; i++) y[i] = is_first ? w * x[i] : y[i] + w * x[i];
}

typedef struct row_sum {
    const ig_resize_params *p;
    const int64_t *at; /* output index of each axis */
    float *row;
    bool is_first;
} row_sum;

/* All combinations of taps of axes `axis` … n_axes-2. */
static void add_taps(row_sum *s, int axis, const float *x, float w)
{
    const ig_resize_params *p = s->p;
    if (axis >= p->n_axes - 1 || axis >= IG_RESIZE_MAX_AXES) {
        add_row(s->row, x, w, p->x_row, s->is_first);
        s->is_first = false;
        return;
    }
    const ig_resize_axis *a = &p->axes[axis];
    for (int t = 0; t < a->n_taps; t++) {
        const int64_t k = t * a->out + s->at[axis];
        const float weight = a->weight ? a->weight[k] : 1;
        /* taps of no weight must not bring in NaN either, but one has to start the row */
        if (weight == 0 && !(s->is_first && t == a->n_taps - 1)) continue;
        add_taps(s, axis + 1, x + a->index[k] * p->in_stride[axis], w * weight);
    }
}

/* n_inner is 1: outputs side by side. */
static void last_axis_elements(const ig_resize_axis *a, const float *x, float *y)
{
    const int64_t n = a->out;
    if (!a->weight) {
        for (int64_t o = 0; o < n; o++) y[o] = x[a->index[o]];
    } else if (a->n_taps == 2) {
        const int32_t *i0 = a->index, *i1 = a->index + n;
        const float *w0 = a->weight, *w1 = a->weight + n;
        for (int64_t o = 0; o < n; o++) y[o] = w0[o] * x[i0[o]] + w1[o] * x[i1[o]];
    } else {
        for (int64_t o = 0; o < n; o++) y[o] = 0;
        for (int t = 0; t < a->n_taps; t++) {
            const int32_t *index = a->index + t * n;
            const float *w = a->weight + t * n;
            for (int64_t o = 0; o < n; o++) y[o] += w[o] * x[index[o]];
        }
    }
}

static void two_runs(const float *x0, const float *x1, float w0, float w1, float *y, int64_t n)
{
    const vf v0 = vf_set1(w0), v1 = vf_set1(w1);
    int64_t i = 0;
    for (; i + IG_VF <= n; i += IG_VF) vf_store(y + i, vf_load(x0 + i) * v0 + vf_load(x1 + i) * v1);
    if (i < n) {
        const int m = (int)(n - i);
        vf_store_n(y + i, vf_load_n(x0 + i, m) * v0 + vf_load_n(x1 + i, m) * v1, m);
    }
}

static void last_axis_runs(const ig_resize_axis *a, const float *x, float *y, int64_t n)
{
    for (int64_t o = 0; o < a->out; o++, y += n) {
        if (!a->weight) {
            memcpy(y, x + a->index[o] * n, (size_t)n * sizeof *y);
        } else if (a->n_taps == 2) {
            two_runs(x + a->index[o] * n, x + a->index[a->out + o] * n, a->weight[o],
                     a->weight[a->out + o], y, n);
        } else {
            for (int t = 0; t < a->n_taps; t++)
                add_row(y, x + a->index[t * a->out + o] * n, a->weight[t * a->out + o], n, t == 0);
        }
    }
}

void IG_KERNEL(ig_k_resize_f32)(const void *params, void *const *operands, ig_part part)
{
    const ig_resize_params *p = params;
    const ig_resize_axis *last = &p->axes[p->n_axes - 1];
    float *scratch =
        (float *)((uint8_t *)operands[2] + (size_t)part.i_thread * p->scratch_bytes_per_thread);
    for (int64_t row = part.begin; row < part.end; row++) {
        int64_t at[IG_RESIZE_MAX_AXES], outer = row;
        for (int i = p->n_axes - 2; i >= 0; i--) {
            at[i] = outer % p->axes[i].out;
            outer /= p->axes[i].out;
        }
        const float *x = (const float *)operands[0] + outer * p->axes[0].in * p->in_stride[0];
        float *y = (float *)operands[1] + row * p->y_row;
        if (p->n_axes > 1) {
            row_sum s = { p, at, scratch, true };
            add_taps(&s, 0, x, 1);
            x = scratch;
        }
        if (p->n_inner == 1)
            last_axis_elements(last, x, y);
        else
            last_axis_runs(last, x, y, p->n_inner);
    }
}
