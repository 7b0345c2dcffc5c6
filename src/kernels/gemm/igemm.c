/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/gemm/igemm.h"

#include "kernels/act.h"
#include "kernels/uarch.h"

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

void ig_igemm_end_init(ig_igemm_end *end, float alpha, float beta, bool has_c_rows,
                       const ig_epilogue *epilogue)
{
    end->alpha = alpha;
    end->beta = beta;
    end->epilogue = *epilogue;
    end->c_step = 1;
    const bool is_clamp = ig_act_as_clamp(epilogue, &end->lo, &end->hi);
    end->is_simple = is_clamp && alpha == 1.0f && beta == 1.0f && !has_c_rows;
}

int64_t ig_igemm_k_block(const ig_gemm_kernel *kernel, int64_t n_taps, int64_t k)
{
    const int64_t depth = n_taps * k;
    const int64_t want =
        max64((int64_t)(ig_uarch_get().panel_bytes / ((size_t)kernel->nr * sizeof(float))), 64);
    if (depth <= want + want / 2) return max64(depth, 1);
    /* equal passes, each of whole taps or an equal part of one */
    if (k > want) return div_up(k, div_up(k, want));
    const int64_t n_passes = div_up(depth, want);
    return div_up(n_taps, n_passes) * k;
}

size_t ig_igemm_acc_bytes(const ig_gemm_kernel *kernel, int64_t n_taps, int64_t k, int64_t k_block,
                          int64_t m_block, int64_t n_block)
{
    if (k_block >= n_taps * k) return 0;
    const int64_t pitch = div_up(n_block, kernel->nr) * kernel->nr;
    return (size_t)(m_block * pitch) * sizeof(float);
}

int64_t ig_igemm_m_block(const ig_gemm_kernel *kernel, int64_t m)
{
    const int64_t want = max64(ig_uarch_get().m_block / kernel->mr, 1) * kernel->mr;
    if (m <= want) return max64(m, 1);
    /* equal blocks of whole tiles */
    return div_up(div_up(m, div_up(m, want)), kernel->mr) * kernel->mr;
}

int64_t ig_igemm_n_block(const ig_gemm_kernel *kernel, int64_t depth, int64_t n, int64_t n_m_items)
{
    enum { N_ITEMS_WANTED = 16 };
    const int64_t nr = kernel->nr, n_panels = max64(div_up(n, nr), 1);
    const int64_t panel_bytes = max64(depth, 1) * nr * (int64_t)sizeof(float);
    int64_t panels = max64((int64_t)ig_uarch_get().b_block_bytes / panel_bytes, 1);
    if (n_m_items < N_ITEMS_WANTED)
        panels = min64(panels, div_up(n_panels, div_up(N_ITEMS_WANTED, max64(n_m_items, 1))));
    if (n_m_items == 1) panels = div_up(panels, 4) * 4; /* ig_igemm_n_panels */
    panels = min64(panels, n_panels);
    return div_up(n_panels, div_up(n_panels, panels)) * nr;
}

int64_t ig_igemm_grain(int64_t n_fma_per_item)
{
    enum { N_FMA_WORTH_A_THREAD = 64 << 10 };
    return max64(1, N_FMA_WORTH_A_THREAD / max64(n_fma_per_item, 1));
}

/* One pass over the depth: taps [tap, tap + n_taps), floats [offset, offset + k) of each. */
typedef struct pass {
    int64_t tap, n_taps, offset, k;
    bool is_first, is_last;
} pass;

static void run_pass(const ig_igemm_block *bl, const pass *ps)
{
    const ig_gemm_kernel *kernel = bl->kernel;
    const int64_t nr = kernel->nr, panel_stride = bl->n_taps * bl->k * nr;
    const int64_t acc_pitch = div_up(bl->n_end - bl->n_begin, nr) * nr;
    const int64_t n_m_tiles = div_up(bl->m, kernel->mr);
    int64_t n_panels = ig_igemm_n_panels(bl->m);
    for (int64_t col = bl->n_begin; col < bl->n_end; col += n_panels * nr) {
        if (n_panels > 1 && bl->n_end - col <= (n_panels - 1) * nr) n_panels = 1;
        const int64_t panel = (col - bl->b_first) / nr;
        ig_igemm_tile t = {
            .a_tap_stride = bl->a_tap_stride,
            .a_offset = ps->offset,
            .n_taps = ps->n_taps,
            .k = ps->k,
            .b = bl->b + panel * panel_stride + (ps->tap * bl->k + ps->offset) * nr,
            .panel_stride = panel_stride,
            .n = (int)min64(n_panels * nr, bl->n_end - col),
            .n_panels = (int)n_panels,
            .col = col,
            .acc_pitch = acc_pitch,
            .bias = bl->bias,
            .end = bl->end,
        };
        /* rows dealt out evenly, so that no tile is left with one */
        for (int64_t i_tile = 0, row = 0; i_tile < n_m_tiles; i_tile++) {
            const int64_t next = bl->m * (i_tile + 1) / n_m_tiles;
            float *acc = bl->acc ? bl->acc + row * acc_pitch + (col - bl->n_begin) : NULL;
            t.m = (int)(next - row);
            t.a = bl->a + ps->tap * bl->a_tap_stride + row;
            t.acc_in = ps->is_first ? NULL : acc;
            t.acc_out = ps->is_last ? NULL : acc;
            t.y = bl->y + row;
            t.c = bl->c ? bl->c + row : NULL;
            t.residual = bl->residual ? bl->residual + row : NULL;
            kernel->tile(&t);
            row = next;
        }
    }
}

void ig_igemm_run(const ig_igemm_block *bl)
{
    const int64_t depth = bl->n_taps * bl->k;
    pass ps = { 0, bl->n_taps, 0, bl->k, true, true };
    if (bl->k_block >= depth || !bl->acc) {
        run_pass(bl, &ps);
        return;
    }
    const bool is_within_tap = bl->k_block < bl->k;
    const int64_t taps = is_within_tap ? 1 : bl->k_block / bl->k;
    for (ps.tap = 0; ps.tap < bl->n_taps; ps.tap += taps) {
        ps.n_taps = min64(taps, bl->n_taps - ps.tap);
        const int64_t step = is_within_tap ? bl->k_block : bl->k;
        for (ps.offset = 0; ps.offset < bl->k; ps.offset += step) {
            ps.k = min64(step, bl->k - ps.offset);
            ps.is_last = ps.tap + ps.n_taps == bl->n_taps && ps.offset + ps.k == bl->k;
            run_pass(bl, &ps);
            ps.is_first = false;
        }
    }
}
