/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: a convolution as blocks of output pixels by output channels: point at the input pixels of
 * each block, then multiply (gemm/igemm.h). */
#include <string.h>

#include "kernels/conv/axis.h"
#include "kernels/conv/conv.h"
#include "kernels/conv/pack.h"
#include "kernels/gemm/igemm.h"

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* A thread's slice of scratch. table is [taps][m_block]. */
typedef struct scratch {
    const float **table, **residual;
    float **y;
    float *edge, *zero, *acc, *packed;
} scratch;

static scratch scratch_at(const ig_conv_params *p, void *const *operands, int i_thread)
{
    char *base = (char *)operands[5] + p->scratch_bytes_per_thread * (size_t)i_thread;
    scratch s;
    s.table = (const float **)(void *)base;
    s.residual = s.table + p->k_taps * p->m_block;
    s.y = (float **)(void *)base + (p->k_taps + 1) * p->m_block;
    base += p->table_bytes;
    s.edge = (float *)(void *)base;
    base += p->edge_bytes;
    s.zero = (float *)(void *)base;
    base += p->zero_bytes;
    s.acc = (float *)(void *)base;
    base += p->acc_bytes;
    s.packed = (float *)(void *)base;
    return s;
}

typedef struct pixel {
    int64_t batch, q[3]; /* q: index within the phase */
} pixel;

static pixel pixel_at(const ig_conv_axis a[3], int64_t i)
{
    pixel px;
    px.q[2] = i % a[2].n_out;
    i /= a[2].n_out;
    px.q[1] = i % a[1].n_out;
    i /= a[1].n_out;
    px.q[0] = i % a[0].n_out;
    px.batch = i / a[0].n_out;
    return px;
}

static void next_pixel(const ig_conv_axis a[3], pixel *px)
{
    if (++px->q[2] < a[2].n_out) return;
    px->q[2] = 0;
    if (++px->q[1] < a[1].n_out) return;
    px->q[1] = 0;
    if (++px->q[0] < a[0].n_out) return;
    px->q[0] = 0;
    px->batch++;
}

/* The run of kW pixels from column `at` of an input row, zeros outside, in one piece. */
static const float *merged_run(const ig_conv_shape *s, const float *row, int64_t at, float *edge)
{
    const int64_t kw = s->kernel[2], c = s->c_in;
    if (at >= 0 && at + kw <= s->in[2]) return row + at * c;
    const int64_t begin = at < 0 ? min64(-at, kw) : 0;
    const int64_t end = at + kw > s->in[2] ? (s->in[2] > at ? s->in[2] - at : 0) : kw;
    memset(edge, 0, (size_t)(kw * c) * sizeof(float));
    if (begin < end)
        memcpy(edge + begin * c, row + (at + begin) * c, (size_t)((end - begin) * c) * 4);
    return edge;
}

/* Row i of a block: the inputs that each tap sees at this pixel. x is at the group's channel. */
static void point_taps(const ig_conv_params *p, const ig_conv_axis a[3], const float *x,
                       const pixel *px, const scratch *sc, int64_t i)
{
    const ig_conv_shape *s = &p->shape;
    const float **entry = sc->table + i;
    const int64_t w0 = a[2].base_first + px->q[2] * a[2].step;
    for (int64_t j0 = 0; j0 < a[0].n_taps; j0++) {
        const int64_t d = a[0].base_first + j0 * a[0].base_step + px->q[0] * a[0].step;
        for (int64_t j1 = 0; j1 < a[1].n_taps; j1++) {
            const int64_t h = a[1].base_first + j1 * a[1].base_step + px->q[1] * a[1].step;
            const bool is_inside = d >= 0 && d < s->in[0] && h >= 0 && h < s->in[1];
            const float *row =
                is_inside ? x + ((px->batch * s->in[0] + d) * s->in[1] + h) * s->in[2] * s->x_pitch
                          : NULL;
            if (p->is_merged) {
                float *edge = sc->edge + (i * p->k_taps + j0 * a[1].n_taps + j1) * p->k_per_tap;
                *entry = row ? merged_run(s, row, w0, edge) : sc->zero;
                entry += p->m_block;
                continue;
            }
            for (int64_t j2 = 0, w = w0; j2 < a[2].n_taps; j2++, w += a[2].base_step) {
                *entry = row && w >= 0 && w < s->in[2] ? row + w * s->x_pitch : sc->zero;
                entry += p->m_block;
            }
        }
    }
}

/* Where a group and phase begin: channels and packed weights. */
typedef struct place {
    int64_t group, phase;
    ig_conv_axis axes[3];
    int64_t n_rows, n_taps, phase_offset;
} place;

static void point_rows(const ig_conv_params *p, const place *at, void *const *operands,
                       const scratch *sc, int64_t row, int64_t m)
{
    const ig_conv_shape *s = &p->shape;
    const int64_t c0 = at->group * (s->c_in / s->groups), m0 = at->group * (s->c_out / s->groups);
    const float *x = (const float *)operands[0] + c0;
    const float *residual = s->has_residual ? operands[3] : NULL;
    const ig_conv_axis *a = at->axes;
    pixel px = pixel_at(a, row);
    for (int64_t i = 0; i < m; i++, next_pixel(a, &px)) {
        point_taps(p, a, x, &px, sc, i);
        const int64_t d = a[0].out_first + px.q[0] * a[0].out_step;
        const int64_t h = a[1].out_first + px.q[1] * a[1].out_step;
        const int64_t w = a[2].out_first + px.q[2] * a[2].out_step;
        const int64_t o = ((px.batch * s->out[0] + d) * s->out[1] + h) * s->out[2] + w;
        sc->y[i] = (float *)operands[4] + o * s->y_pitch + m0;
        if (residual) sc->residual[i] = residual + o * s->r_pitch + m0;
    }
}

static void move_to(const ig_conv_params *p, place *at, int64_t group, int64_t phase)
{
    const ig_conv_shape *s = &p->shape;
    if (at->phase > phase || at->group != group) at->phase = -1, at->phase_offset = 0;
    at->group = group;
    const int64_t n_padded =
        (s->c_out / s->groups + p->kernel->nr - 1) / p->kernel->nr * p->kernel->nr;
    while (at->phase < phase) {
        if (at->phase >= 0) at->phase_offset += n_padded * at->n_taps * p->k_per_tap;
        at->phase++;
        ig_conv_axes(s, at->phase, at->axes);
        const ig_conv_axis *a = at->axes;
        at->n_taps = a[0].n_taps * a[1].n_taps * (p->is_merged ? 1 : a[2].n_taps);
        at->n_rows = s->batch * a[0].n_out * a[1].n_out * a[2].n_out;
    }
}

/* Items are ordered group, phase, channel block, pixel block. */
void ig_k_conv(const void *params, void *const *operands, ig_part part)
{
    const ig_conv_params *p = params;
    const ig_conv_shape *s = &p->shape;
    const scratch sc = scratch_at(p, operands, part.i_thread);
    const int64_t m_group = s->c_out / s->groups;
    memset(sc.zero, 0, p->zero_bytes);
    ig_igemm_end end;
    ig_igemm_end_init(&end, 1.0f, 1.0f, false, &s->epilogue);
    place at = { .group = -1, .phase = -1 };
    int64_t packed_group = -1;
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t i_n = i / p->n_m_blocks, i_phase = i_n / p->n_n_blocks;
        move_to(p, &at, i_phase / p->n_phases, i_phase % p->n_phases);
        const int64_t row = i % p->n_m_blocks * p->m_block;
        const int64_t col = i_n % p->n_n_blocks * p->n_block;
        if (row >= at.n_rows) continue; /* phases differ in size */
        if (!s->w_is_packed && packed_group != at.group) {
            ig_conv_pack_group(p, operands[1], at.group, sc.packed);
            packed_group = at.group;
        }
        const float *b =
            s->w_is_packed ? (const float *)operands[1] + at.group * p->group_stride : sc.packed;
        const int64_t m = min64(p->m_block, at.n_rows - row);
        point_rows(p, &at, operands, &sc, row, m);
        const ig_igemm_block block = {
            .kernel = p->kernel,
            .a = sc.table,
            .a_tap_stride = p->m_block,
            .n_taps = at.n_taps,
            .k = p->k_per_tap,
            .k_block = p->k_block,
            .b = b + at.phase_offset,
            .m = m,
            .n_begin = col,
            .n_end = min64(col + p->n_block, m_group),
            .acc = p->acc_bytes ? sc.acc : NULL,
            .y = sc.y,
            .residual = s->has_residual && operands[3] ? sc.residual : NULL,
            .bias =
                s->has_bias && operands[2] ? (const float *)operands[2] + at.group * m_group : NULL,
            .end = &end,
        };
        ig_igemm_run(&block);
    }
}
