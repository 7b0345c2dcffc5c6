/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: products, packing and scratch of recurrent layers. */
#include "kernels/isa_table.h"
#include "kernels/recurrent/recurrent.h"

#define CELLS(isa) ig_cell_fns_f32__##isa
extern const ig_cell_fns CELLS(portable);
#if defined(IG_SIMD_EMULATE)
extern const ig_cell_fns CELLS(avx512emu);
#elif defined(__x86_64__)
extern const ig_cell_fns CELLS(avx2), CELLS(avx512);
#endif
static const ig_cell_fns *const cell_fns[IG_N_ISAS] = {
    [IG_ISA_PORTABLE] = &CELLS(portable),
#if defined(IG_SIMD_EMULATE)
    [IG_ISA_AVX512] = &CELLS(avx512emu),
#elif defined(__x86_64__)
    [IG_ISA_AVX2] = &CELLS(avx2),
    [IG_ISA_AVX512] = &CELLS(avx512),
#endif
};

/* R in the parts that are multiplied separately. */
static int64_t first_gates(ig_recurrent_kind kind)
{
    return kind == IG_RECURRENT_GRU ? 2 : ig_recurrent_n_gates(kind);
}

static ig_status plan_products(ig_recurrent_params *p, ig_isa isa, ig_error *err)
{
    const ig_recurrent_shape *s = &p->shape;
    const int64_t width = ig_recurrent_n_gates(s->kind) * s->n_hidden;
    const int64_t pitch = s->is_batch_first ? s->n_steps * width : width;
    ig_gemm_shape g;
    ig_gemm_shape_init(&g, s->n_steps * s->n_batch, width, s->n_in, false, true);
    g.c = IG_GEMM_C_N;
    g.b_is_packed = s->is_w_packed;
    p->input_kernel = ig_gemm_choose(&g, isa);
    IG_TRY(ig_gemm_plan(&g, p->input_kernel, &p->input, err));

    ig_gemm_shape_init(&g, p->n_rows, first_gates(s->kind) * s->n_hidden, s->n_hidden, false, true);
    g.b_is_packed = s->is_r_packed;
    g.has_residual = true;
    g.ldr = g.ldy = pitch;
    p->step_kernel = ig_gemm_choose(&g, isa);
    IG_TRY(ig_gemm_plan(&g, p->step_kernel, &p->step, err));
    if (s->kind != IG_RECURRENT_GRU) return INGOT_OK;
    g.n = s->n_hidden;
    if (s->cell[0].resets_after) {
        g.has_residual = false;
        g.c = IG_GEMM_C_N;
        g.ldy = s->n_hidden;
    }
    return ig_gemm_plan(&g, p->step_kernel, &p->last, err);
}

static bool reserve(int64_t *at, int64_t *end, int64_t a, int64_t b)
{
    int64_t n;
    *at = *end;
    if (__builtin_mul_overflow(a, b, &n) || n > INT64_C(1) << 40) return false;
    *end += (n + 15) / 16 * 16;
    return true;
}

static bool place_scratch(ig_recurrent_params *p, int n_threads)
{
    const ig_recurrent_shape *s = &p->shape;
    const int64_t width = ig_recurrent_n_gates(s->kind) * s->n_hidden;
    int64_t end = 0;
    size_t bytes = p->input.scratch_bytes_per_thread;
    if (p->step.scratch_bytes_per_thread > bytes) bytes = p->step.scratch_bytes_per_thread;
    if (p->last.scratch_bytes_per_thread > bytes) bytes = p->last.scratch_bytes_per_thread;
    p->gemm_bytes_per_thread = (bytes + 63) / 64 * 64;
    if (!reserve(&p->gates_at, &end, s->n_steps * s->n_batch, width) ||
        !reserve(&p->bias_at, &end, 2, width) ||
        !reserve(&p->state_at, &end, s->n_batch, s->n_hidden) ||
        !reserve(&p->cell_at, &end, s->n_batch, s->n_hidden) ||
        !reserve(&p->reset_at, &end, s->n_batch, s->n_hidden))
        return false;
    p->dir_elems = end;
    p->gemm_at = end * s->n_dirs;
    return ig_size_mul(p->gemm_bytes_per_thread, (size_t)n_threads, &bytes) &&
           !__builtin_add_overflow(bytes, (size_t)p->gemm_at * sizeof(float), &p->scratch_bytes);
}

ig_status ig_recurrent_plan(const ig_recurrent_shape *s, ig_isa isa, int n_threads,
                            ig_recurrent_params *p, ig_error *err)
{
    const int64_t big = INT64_C(1) << 31;
    int64_t rows = 0;
    *p = (ig_recurrent_params){ .shape = *s, .n_rows = s->has_lengths ? 1 : s->n_batch };
    if (s->n_steps < 0 || s->n_batch < 1 || s->n_in < 1 || s->n_hidden < 1 || s->n_dirs < 1 ||
        s->n_dirs > 2 || s->n_in > big || s->n_hidden > big / 4 ||
        __builtin_mul_overflow(s->n_steps, s->n_batch, &rows) || rows > big)
        return ig_fail(err, INGOT_ERR_SHAPE,
                       "recurrent layer of %lld steps, batch %lld, input %lld, hidden size %lld: "
                       "bad size",
                       (long long)s->n_steps, (long long)s->n_batch, (long long)s->n_in,
                       (long long)s->n_hidden);
    IG_TRY(plan_products(p, isa, err));
    p->fns = IG_ISA_PICK(cell_fns, isa);
    if (!place_scratch(p, n_threads > 0 ? n_threads : 1))
        return ig_fail(err, INGOT_ERR_SHAPE, "scratch of a recurrent layer is too large");
    return INGOT_OK;
}

/* ---- packing ---- */

static bool r_part_bytes(const ig_recurrent_params *p, size_t *first, size_t *last)
{
    const ig_recurrent_shape *s = &p->shape;
    const int64_t n = first_gates(s->kind), rest = ig_recurrent_n_gates(s->kind) - n;
    *last = 0;
    return ig_gemm_packed_bytes(p->step_kernel, s->n_hidden, n * s->n_hidden, first) &&
           (!rest || ig_gemm_packed_bytes(p->step_kernel, s->n_hidden, rest * s->n_hidden, last));
}

bool ig_recurrent_packed_w_bytes(const ig_recurrent_params *p, size_t *bytes)
{
    const ig_recurrent_shape *s = &p->shape;
    const int64_t width = ig_recurrent_n_gates(s->kind) * s->n_hidden;
    return ig_gemm_packed_bytes(p->input_kernel, s->n_in, width, bytes) &&
           ig_size_mul(*bytes, (size_t)s->n_dirs, bytes);
}

bool ig_recurrent_packed_r_bytes(const ig_recurrent_params *p, size_t *bytes)
{
    size_t first, last;
    return r_part_bytes(p, &first, &last) &&
           ig_size_mul(first + last, (size_t)p->shape.n_dirs, bytes);
}

void ig_recurrent_pack_w(const ig_recurrent_params *p, const float *w, void *dst)
{
    const ig_recurrent_shape *s = &p->shape;
    const int64_t width = ig_recurrent_n_gates(s->kind) * s->n_hidden;
    size_t bytes = 0;
    if (!ig_gemm_packed_bytes(p->input_kernel, s->n_in, width, &bytes)) return;
    for (int d = 0; d < s->n_dirs; d++)
        ig_gemm_pack_b(p->input_kernel, w + d * width * s->n_in, s->n_in, true, s->n_in, width,
                       (float *)((uint8_t *)dst + (size_t)d * bytes));
}

void ig_recurrent_pack_r(const ig_recurrent_params *p, const float *r, void *dst)
{
    const ig_recurrent_shape *s = &p->shape;
    const int64_t h = s->n_hidden, n_gates = ig_recurrent_n_gates(s->kind);
    const int64_t n = first_gates(s->kind) * h, rest = n_gates * h - n;
    size_t first, last;
    if (!r_part_bytes(p, &first, &last)) return;
    for (int d = 0; d < s->n_dirs; d++) {
        const float *src = r + d * n_gates * h * h;
        uint8_t *to = (uint8_t *)dst + (size_t)d * (first + last);
        ig_gemm_pack_b(p->step_kernel, src, h, true, h, n, (float *)to);
        if (rest)
            ig_gemm_pack_b(p->step_kernel, src + n * h, h, true, h, rest, (float *)(to + first));
    }
}
