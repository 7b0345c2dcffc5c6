/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: a Winograd convolution as blocks of tiles by output channels: transform the tiles,
 * multiply at each point (gemm/igemm.h), transform back. */
#include <string.h>

#include "kernels/act.h"
#include "kernels/gemm/igemm.h"
#include "kernels/winograd/transform.h"

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* A thread's slice of scratch. */
typedef struct scratch {
    const float **pixels, **residual, **rows; /* of a tile: input, residual; of a product: A */
    float **y, **products;                    /* output pixels of a tile; rows of a product */
    float *zero, *nowhere;                    /* pixels outside: to read, to write */
    float *v, *m, *acc;
} scratch;

static scratch scratch_at(const ig_winograd_params *p, void *const *operands, int i_thread)
{
    const int64_t points2 = (int64_t)p->points * p->points, tile2 = (int64_t)p->tile * p->tile;
    char *base = (char *)operands[5] + p->scratch_bytes_per_thread * (size_t)i_thread;
    scratch sc;
    sc.pixels = (const float **)(void *)base;
    sc.residual = sc.pixels + points2;
    sc.rows = sc.residual + tile2;
    sc.y = (float **)(void *)base + points2 + tile2 + p->tile_block;
    sc.products = sc.y + tile2;
    base += p->pointer_bytes;
    sc.zero = (float *)(void *)base;
    base += p->row_bytes;
    sc.nowhere = (float *)(void *)base;
    base += p->row_bytes;
    sc.v = (float *)(void *)base;
    base += p->v_bytes;
    sc.m = (float *)(void *)base;
    base += p->m_bytes;
    sc.acc = (float *)(void *)base;
    return sc;
}

/* First output row and column of tile i, and its picture. */
typedef struct place {
    int64_t batch, h, w;
} place;

static place place_of(const ig_winograd_params *p, int64_t i)
{
    const int64_t i_row = i / p->n_tiles_w;
    return (place){ .batch = i_row / p->n_tiles_h,
                    .h = i_row % p->n_tiles_h * p->tile,
                    .w = i % p->n_tiles_w * p->tile };
}

static void transform_inputs(const ig_winograd_params *p, const float *x, const scratch *sc,
                             int64_t first, int64_t n)
{
    const ig_conv_shape *s = &p->shape;
    for (int64_t i = 0; i < n; i++) {
        const place at = place_of(p, first + i);
        const float **pixel = sc->pixels;
        for (int64_t h = at.h - s->pad[1]; h < at.h - s->pad[1] + p->points; h++) {
            const bool is_inside = h >= 0 && h < s->in[1];
            const float *row =
                x + (at.batch * s->in[1] + (is_inside ? h : 0)) * s->in[2] * s->x_pitch;
            for (int64_t w = at.w - s->pad[2]; w < at.w - s->pad[2] + p->points; w++)
                *pixel++ = is_inside && w >= 0 && w < s->in[2] ? row + w * s->x_pitch : sc->zero;
        }
        p->transforms->input(sc->pixels, s->c_in, sc->v + i * p->v_pitch, p->v_stride);
    }
}

/* Output channels [col, col + n) of n_tiles transformed tiles, at every point. */
static void multiply(const ig_winograd_params *p, const float *u, const scratch *sc,
                     const ig_igemm_end *end, int64_t n_tiles, int64_t col, int64_t n)
{
    for (int64_t point = 0; point < (int64_t)p->points * p->points; point++) {
        for (int64_t i = 0; i < n_tiles; i++) {
            sc->rows[i] = sc->v + point * p->v_stride + i * p->v_pitch;
            sc->products[i] = sc->m + point * p->m_stride + i * p->m_pitch;
        }
        const ig_igemm_block block = {
            .kernel = p->kernel,
            .a = sc->rows,
            .n_taps = 1,
            .k = p->shape.c_in,
            .k_block = p->k_block,
            .b = u + point * p->u_stride + col * p->shape.c_in,
            .m = n_tiles,
            .n_end = n,
            .acc = p->acc_bytes ? sc->acc : NULL,
            .y = sc->products,
            .end = end,
        };
        ig_igemm_run(&block);
    }
}

/* Pixels of an edge tile that lie beyond the picture are computed, and written nowhere. */
static void transform_outputs(const ig_winograd_params *p, void *const *operands, const scratch *sc,
                              const ig_winograd_end *end, int64_t first, int64_t n_tiles,
                              int64_t col, int64_t n)
{
    const ig_conv_shape *s = &p->shape;
    const float *residual = s->has_residual ? operands[3] : NULL;
    for (int64_t i = 0; i < n_tiles; i++) {
        const place at = place_of(p, first + i);
        int k = 0;
        for (int64_t h = at.h; h < at.h + p->tile; h++)
            for (int64_t w = at.w; w < at.w + p->tile; w++, k++) {
                const bool is_inside = h < s->out[1] && w < s->out[2];
                const int64_t o = (at.batch * s->out[1] + h) * s->out[2] + w;
                sc->y[k] = is_inside ? (float *)operands[4] + o * s->y_pitch : sc->nowhere;
                sc->residual[k] = is_inside && residual ? residual + o * s->r_pitch : sc->zero;
            }
        p->transforms->output(sc->m + i * p->m_pitch, p->m_stride, n, sc->y,
                              residual ? sc->residual : NULL, col, end);
    }
}

/* Items are ordered tile block, channel block: consecutive items share transformed tiles. */
void ig_k_winograd(const void *params, void *const *operands, ig_part part)
{
    const ig_winograd_params *p = params;
    const ig_conv_shape *s = &p->shape;
    const scratch sc = scratch_at(p, operands, part.i_thread);
    memset(sc.zero, 0, p->row_bytes);
    const ig_epilogue none = { 0 };
    ig_igemm_end product_end;
    ig_igemm_end_init(&product_end, 1.0f, 1.0f, false, &none);
    ig_winograd_end end = { .bias = s->has_bias ? operands[2] : NULL, .epilogue = s->epilogue };
    end.is_clamp = ig_act_as_clamp(&s->epilogue, &end.lo, &end.hi);
    int64_t transformed = -1;
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t i_tiles = i / p->n_n_blocks;
        const int64_t first = i_tiles * p->tile_block;
        const int64_t n_tiles = min64(p->tile_block, p->n_tiles - first);
        const int64_t col = i % p->n_n_blocks * p->n_block, n = min64(p->n_block, s->c_out - col);
        if (transformed != i_tiles) transform_inputs(p, operands[0], &sc, first, n_tiles);
        transformed = i_tiles;
        multiply(p, operands[1], &sc, &product_end, n_tiles, col, n);
        transform_outputs(p, operands, &sc, &end, first, n_tiles, col, n);
    }
}
