/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: blocking and scratch of attention, and the products of its blocks. */
#include "base/alloc.h"
#include "kernels/attention/attention.h"
#include "kernels/gemm/igemm.h"
#include "kernels/isa_table.h"

IG_ISA_DECLARE(void, ig_k_attention_row_f32, (const ig_attn_row *))
static const ig_attn_row_fn rows[IG_N_ISAS] = IG_ISA_TABLE(ig_k_attention_row_f32);

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Scores of a block should stay in the L2 cache. */
#define MAX_SCORES (128 << 10)
#define MAX_ROWS 96
/* Keys of a piece, rounded up to whole panels. */
#define PIECE 256
/* No size of a shape, and no product of two, comes near the end of int64. */
#define MAX_SIZE (INT64_C(1) << 31)

/* ---- geometry ---- */

ig_attn_strides ig_attn_dense(int rank, int64_t n_heads, int64_t n_rows, int64_t d)
{
    const int64_t row = ig_attn_times(n_heads, d), head = ig_attn_times(n_rows, d);
    if (rank == 3)
        return (ig_attn_strides){ .batch = ig_attn_times(n_rows, row), .head = d, .row = row };
    return (ig_attn_strides){ .batch = ig_attn_times(n_heads, head), .head = head, .row = d };
}

void ig_attn_visible(const ig_attn_shape *s, int64_t i, int64_t offset, int64_t n_valid,
                     int64_t *lo, int64_t *hi)
{
    /* Bounds and offsets may come from a file: nothing beyond the sizes matters, and clamped sums
     * cannot overflow. */
    const int64_t far = s->n_q + s->n_kv + 1;
    const int64_t at = i + max64(-far, min64(offset, far));
    *lo = 0;
    *hi = max64(0, min64(n_valid, s->n_kv));
    if (s->is_causal) *hi = min64(*hi, at + 1);
    if (s->right >= 0) *hi = min64(*hi, at + min64(s->right, 2 * far) + 1);
    if (s->left >= 0) *lo = max64(0, at - min64(s->left, 2 * far));
    if (s->mask.is_present) *hi = min64(*hi, s->mask.n_cols);
    if (*hi < *lo) *hi = *lo;
}

/* ---- products ---- */

ig_status ig_attn_plan_scores(const ig_attn_params *p, int64_t m, int64_t n, ig_gemm_params *g,
                              ig_error *err)
{
    const ig_attn_shape *s = &p->shape;
    ig_gemm_shape shape;
    ig_gemm_shape_init(&shape, m, n, s->d_k, false, true);
    shape.lda = p->rows_are_heads ? s->q.head : s->q.row;
    shape.ldb = p->joins_k ? s->d_k : s->k.row;
    shape.b_is_packed = p->is_packed;
    shape.alpha = s->scale;
    return ig_gemm_plan(&shape, p->k_kernel, g, err);
}

ig_status ig_attn_plan_values(const ig_attn_params *p, int64_t m, int64_t n, int64_t pitch,
                              bool is_more, ig_gemm_params *g, ig_error *err)
{
    const ig_attn_shape *s = &p->shape;
    ig_gemm_shape shape;
    ig_gemm_shape_init(&shape, m, s->d_v, n, false, false);
    shape.lda = pitch;
    shape.ldb = p->joins_v ? s->d_v : s->v.row;
    shape.ldy = shape.ldr = p->rows_are_heads ? s->y.head : s->y.row;
    shape.b_is_packed = p->is_packed;
    shape.has_residual = is_more;
    return ig_gemm_plan(&shape, p->v_kernel, g, err);
}

/* Scratch of the largest product of m rows. Widths of scores are whole pieces from the first key
 * of a piece, the last piece being smaller; pieces of values are whole or the last. */
static ig_status gemm_bytes(const ig_attn_params *p, int64_t m, size_t *bytes, ig_error *err)
{
    const ig_attn_shape *s = &p->shape;
    ig_gemm_params g;
    for (int64_t i = 0; i <= 2 * p->n_steps; i++) {
        const int64_t whole = (i / 2) * p->step;
        const int64_t n = i % 2 ? s->n_kv - whole : min64(whole, s->n_kv);
        if (n <= 0) continue;
        IG_TRY(ig_attn_plan_scores(p, m, n, &g, err));
        if (g.scratch_bytes_per_thread > *bytes) *bytes = g.scratch_bytes_per_thread;
        if (n > p->step && p->is_packed) continue;
        for (int more = 0; more < 2; more++) {
            IG_TRY(ig_attn_plan_values(p, m, n, n, more, &g, err));
            if (g.scratch_bytes_per_thread > *bytes) *bytes = g.scratch_bytes_per_thread;
        }
    }
    return INGOT_OK;
}

/* ---- the plan ---- */

static void choose_blocks(ig_attn_params *p, ig_isa isa)
{
    const ig_attn_shape *s = &p->shape;
    const int64_t group = s->n_heads / s->n_kv_heads;
    p->is_packed = s->n_q > IG_GEMM_FEW_ROWS;
    p->rows_are_heads = s->n_q == 1 && group > 1;
    p->block =
        p->is_packed ? min64(MAX_ROWS, max64(8, MAX_SCORES / max64(s->n_kv, 1))) : IG_GEMM_FEW_ROWS;
    const int64_t n_rows = p->rows_are_heads ? group : s->n_q;
    p->n_blocks = div_up(n_rows, p->block);
    p->block = div_up(n_rows, p->n_blocks); /* blocks of one size */
    ig_gemm_shape shape;
    ig_gemm_shape_init(&shape, p->block, s->n_kv, s->d_k, false, true);
    p->k_kernel = ig_gemm_choose(&shape, isa);
    ig_gemm_shape_init(&shape, p->block, s->d_v, s->n_kv, false, false);
    p->v_kernel = ig_gemm_choose(&shape, isa);
    p->step = div_up(PIECE, p->k_kernel->nr) * p->k_kernel->nr;
    p->n_steps = div_up(s->n_kv, p->step);
    p->v_columns = div_up(s->d_v, p->v_kernel->nr) * p->v_kernel->nr;
}

/* n floats of scratch, on a line of the cache. */
static bool reserve(ig_attn_params *p, int64_t n, int64_t times, size_t *at)
{
    size_t bytes = 0;
    *at = p->scratch_bytes;
    return ig_size_mul((size_t)n * sizeof(float), (size_t)times, &bytes) && bytes <= SIZE_MAX / 4 &&
           ig_size_add(p->scratch_bytes, ig_align_up(bytes, 64), &p->scratch_bytes);
}

/* Joined keys and values, packed ones, then the threads' slices. */
static ig_status lay_out(ig_attn_params *p, int n_threads, ig_error *err)
{
    const ig_attn_shape *s = &p->shape;
    const int64_t heads = s->n_batch * s->n_kv_heads;
    size_t gemm = 0, thread = 0;
    bool is_ok = true;
    p->k_head = div_up(div_up(s->n_kv, p->k_kernel->nr) * p->k_kernel->nr * s->d_k, 16) * 16;
    p->v_head = div_up(s->n_kv * p->v_columns, 16) * 16;
    if (p->joins_k && !p->options.has_present_k)
        is_ok = is_ok && reserve(p, s->n_kv * s->d_k, heads, &p->join_k_at);
    if (p->joins_v && !p->options.has_present_v)
        is_ok = is_ok && reserve(p, s->n_kv * s->d_v, heads, &p->join_v_at);
    if (p->is_packed)
        is_ok = is_ok && reserve(p, p->k_head, heads, &p->pack_k_at) &&
                reserve(p, p->v_head, heads, &p->pack_v_at);
    IG_TRY(gemm_bytes(p, p->block, &gemm, err));
    const int64_t n_rows = p->rows_are_heads ? s->n_heads / s->n_kv_heads : s->n_q;
    const int64_t rest = n_rows - (p->n_blocks - 1) * p->block;
    if (rest != p->block) IG_TRY(gemm_bytes(p, rest, &gemm, err));
    p->gemm_at = ig_align_up((size_t)(p->block * s->n_kv) * sizeof(float), 64);
    p->thread_bytes = p->gemm_at + ig_align_up(gemm, 64);
    p->threads_at = p->scratch_bytes;
    if (!is_ok || !ig_size_mul(p->thread_bytes, (size_t)max64(n_threads, 1), &thread) ||
        !ig_size_add(p->scratch_bytes, thread, &p->scratch_bytes))
        return ig_fail(err, INGOT_ERR_SHAPE, "attention of %lld queries and %lld keys is too large",
                       (long long)s->n_q, (long long)s->n_kv);
    return INGOT_OK;
}

ig_status ig_attn_plan(const ig_attn_shape *s, const ig_attn_options *options, ig_isa isa,
                       int n_threads, ig_attn_params *p, ig_error *err)
{
    const int64_t sizes[] = {
        s->n_batch, s->n_heads, s->n_kv_heads, s->n_q, s->n_kv, s->d_k, s->d_v
    };
    for (size_t i = 0; i < IG_COUNT(sizes); i++)
        if (sizes[i] < 1 || sizes[i] > MAX_SIZE)
            return ig_fail(err, INGOT_ERR_SHAPE, "attention with a size of %lld, not 1 to %lld",
                           (long long)sizes[i], (long long)MAX_SIZE);
    *p = (ig_attn_params){ .shape = *s, .options = *options };
    p->joins_k = options->n_past > 0 || options->has_present_k;
    p->joins_v = options->n_past > 0 || options->has_present_v;
    p->row = IG_ISA_PICK(rows, isa);
    choose_blocks(p, isa);
    IG_TRY(lay_out(p, n_threads, err));
    p->grain = ig_igemm_grain(min64(p->block * s->n_kv, MAX_SIZE) * (s->d_k + s->d_v));
    return INGOT_OK;
}
