/* SPDX-License-Identifier: Apache-2.0 */
/* gemm.c: the list of kernels, the choice among them, blocking and packing of plain products. */
#include "kernels/gemm/gemm.h"

#include <string.h>

#include "base/alloc.h"
#include "kernels/gemm/igemm.h"

#define IG_GEMM_KERNEL(need, isa_, mr_, nr_)                                                       \
    void ig_k_gemm_f32_##mr_##x##nr_##__##isa_(const ig_igemm_tile *tile);                         \
    void ig_k_gemm_f32_rows_n__##isa_(const ig_gemm_rows *rows);                                   \
    void ig_k_gemm_f32_rows_t__##isa_(const ig_gemm_rows *rows);
#include "kernels/gemm/kernels.inc"
#undef IG_GEMM_KERNEL

#define IG_GEMM_KERNEL(need, isa_, mr_, nr_)                                                       \
    { "ig_k_gemm_f32_" #mr_ "x" #nr_ "__" #isa_,                                                   \
      need,                                                                                        \
      mr_,                                                                                         \
      nr_,                                                                                         \
      ig_k_gemm_f32_##mr_##x##nr_##__##isa_,                                                       \
      ig_k_gemm_f32_rows_n__##isa_,                                                                \
      ig_k_gemm_f32_rows_t__##isa_ },
static const ig_gemm_kernel kernels[] = {
#include "kernels/gemm/kernels.inc"
};
#undef IG_GEMM_KERNEL

static int64_t div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

void ig_gemm_shape_init(ig_gemm_shape *shape, int64_t m, int64_t n, int64_t k, bool trans_a,
                        bool trans_b)
{
    *shape = (ig_gemm_shape){ .m = m,
                              .n = n,
                              .k = k,
                              .trans_a = trans_a,
                              .trans_b = trans_b,
                              .lda = trans_a ? m : k,
                              .ldb = trans_b ? k : n,
                              .ldc = n,
                              .ldr = n,
                              .ldy = n,
                              .alpha = 1.0f,
                              .beta = 1.0f };
}

const ig_gemm_kernel *ig_gemm_kernel_at(int i)
{
    return i >= 0 && i < (int)IG_COUNT(kernels) ? &kernels[i] : NULL;
}
const char *ig_gemm_kernel_name(const ig_gemm_kernel *kernel) { return kernel->name; }
ig_isa ig_gemm_kernel_isa(const ig_gemm_kernel *kernel) { return kernel->isa; }

const ig_gemm_kernel *ig_gemm_find(const char *name)
{
    for (size_t i = 0; i < IG_COUNT(kernels); i++)
        if (strcmp(kernels[i].name, name) == 0) return &kernels[i];
    return NULL;
}

/* Time of a product in units of full tiles of one vector by one row: the vectors that are computed,
 * padding included, by the rate of a tile of that shape. */
static double cost(const ig_gemm_kernel *kernel, int64_t m, int64_t n)
{
    static const int n_lanes[IG_N_ISAS] = { 4, 4, 8, 16 };
    const int lanes = n_lanes[kernel->isa];
    const int64_t rest = n % kernel->nr;
    const int64_t n_vecs = n / kernel->nr * (kernel->nr / lanes) + div_up(rest, lanes);
    const int64_t n_tiles = m > 0 ? div_up(m, kernel->mr) : 1;
    const double rows = m > 0 ? (double)m : kernel->mr;
    /* each step of k loads a tile's rows and vectors: about one more FMA slot per two loads */
    const double n_loads = (double)n_tiles * (double)n_vecs + rows * (double)div_up(n, kernel->nr);
    return rows * (double)n_vecs + 0.25 * n_loads;
}

const ig_gemm_kernel *ig_gemm_choose(const ig_gemm_shape *shape, ig_isa isa)
{
    if (isa < IG_ISA_PORTABLE) isa = IG_ISA_PORTABLE;
    const ig_gemm_kernel *best = NULL;
    for (size_t i = 0; i < IG_COUNT(kernels); i++) {
        const ig_gemm_kernel *k = &kernels[i];
        if (k->isa > isa || (best && k->isa < best->isa)) continue;
        if (!best || cost(k, shape->m, shape->n) < 0.98 * cost(best, shape->m, shape->n)) best = k;
    }
    return best;
}

bool ig_gemm_packed_bytes(const ig_gemm_kernel *kernel, int64_t k, int64_t n, size_t *bytes)
{
    if (k < 0 || n < 0 || n > INT64_MAX - kernel->nr) return false;
    const size_t padded = (size_t)(div_up(n, kernel->nr) * kernel->nr);
    if (!ig_size_mul(padded, (size_t)k, bytes) || !ig_size_mul(*bytes, sizeof(float), bytes))
        return false;
    if (*bytes > SIZE_MAX / 2) return false;
    *bytes = ig_align_up(*bytes, 64);
    return true;
}

/* One panel: n columns of nr. */
static void pack_panel(const float *src, int64_t ldb, bool trans, int64_t k, int n, int nr,
                       float *dst)
{
    if (!trans) {
        for (int64_t i = 0; i < k; i++, dst += nr) {
            memcpy(dst, src + i * ldb, (size_t)n * sizeof(float));
            if (n < nr) memset(dst + n, 0, (size_t)(nr - n) * sizeof(float));
        }
        return;
    }
    /* eight rows of B at a time: their lines stay in the cache while the panel is written */
    enum { BLOCK = 8 };
    for (int64_t i0 = 0; i0 < k; i0 += 16) {
        const int64_t i1 = min64(i0 + 16, k);
        for (int j0 = 0; j0 < nr; j0 += BLOCK) {
            const int j1 = j0 + BLOCK < n ? j0 + BLOCK : n;
            for (int j = j0; j < j1; j++)
                for (int64_t i = i0; i < i1; i++) dst[i * nr + j] = src[j * ldb + i];
            for (int j = j1 > j0 ? j1 : j0; j < j0 + BLOCK; j++)
                for (int64_t i = i0; i < i1; i++) dst[i * nr + j] = 0;
        }
    }
}

void ig_gemm_pack_b(const ig_gemm_kernel *kernel, const float *src, int64_t ldb, bool trans,
                    int64_t k, int64_t n, float *dst)
{
    const int nr = kernel->nr;
    for (int64_t j = 0; j < n; j += nr, dst += k * nr)
        pack_panel(trans ? src + j * ldb : src + j, ldb, trans, k, (int)min64(nr, n - j), nr, dst);
}

/* ---- plan ---- */
static ig_status check(const ig_gemm_shape *s, ig_error *err)
{
    const int64_t big = INT64_C(1) << 40;
    if (s->m < 0 || s->n < 0 || s->k < 0 || s->m > big || s->n > big || s->k > big)
        return ig_fail(err, INGOT_ERR_SHAPE, "matrix product of %lldx%lld by %lldx%lld: bad size",
                       (long long)s->m, (long long)s->k, (long long)s->k, (long long)s->n);
    if (s->n_batch_dims < 0 || s->n_batch_dims > IG_GEMM_MAX_BATCH_DIMS)
        return ig_fail(err, INGOT_ERR_SHAPE, "matrix product with %d batch dimensions; at most %d",
                       s->n_batch_dims, IG_GEMM_MAX_BATCH_DIMS);
    if (s->lda < (s->trans_a ? s->m : s->k) || s->ldy < s->n ||
        (!s->b_is_packed && s->ldb < (s->trans_b ? s->k : s->n)) ||
        (s->has_residual && s->ldr < s->n) || (s->c == IG_GEMM_C_MN && s->ldc < s->n))
        return ig_fail(err, INGOT_ERR_SHAPE, "matrix product: rows overlap (pitch too small)");
    return INGOT_OK;
}

static ig_status count_batches(const ig_gemm_shape *s, int64_t *n_batch, ig_error *err)
{
    *n_batch = 1;
    for (int i = 0; i < s->n_batch_dims; i++)
        if (s->batch_dims[i] < 0 || __builtin_mul_overflow(*n_batch, s->batch_dims[i], n_batch))
            return ig_fail(err, INGOT_ERR_SHAPE, "matrix product: bad batch size");
    return INGOT_OK;
}

static size_t align64(int64_t n_floats) { return ig_align_up((size_t)n_floats * 4, 64); }

/* Scratch of a thread: row pointers of A, Y, C and residual | packed A | packed B | partial sums.
 */
static void plan_blocks(ig_gemm_params *p)
{
    const ig_gemm_shape *s = &p->shape;
    const ig_gemm_kernel *kernel = p->kernel;
    p->is_few_rows = !s->b_is_packed && s->m <= IG_GEMM_FEW_ROWS;
    if (p->is_few_rows) {
        p->m_block = s->m;
        p->n_block = s->trans_b ? 64 : 1024;
        p->k_block = s->k;
        p->b_bytes = align64(IG_GEMM_FEW_ROWS * p->n_block);
    } else {
        p->m_block = ig_igemm_m_block(kernel, s->m);
        if (s->trans_a) /* a packed block should fit the L2 cache */
            while (p->m_block > kernel->mr && p->m_block * s->k > (128 << 10))
                p->m_block = div_up(p->m_block / 2, kernel->mr) * kernel->mr;
        p->n_m_blocks = div_up(s->m, p->m_block);
        p->k_block = ig_igemm_k_block(kernel, 1, s->k);
        p->n_block =
            ig_igemm_n_block(kernel, s->k, s->n, p->n_m_blocks * (p->n_batch ? p->n_batch : 1));
        if (!s->b_is_packed)
            p->b_bytes = align64(div_up(p->n_block, kernel->nr) * kernel->nr * s->k);
    }
    p->n_m_blocks = p->m_block ? div_up(s->m, p->m_block) : 0;
    p->n_n_blocks = div_up(s->n, p->n_block);
    p->rows_bytes = align64(4 * p->m_block * (int64_t)(sizeof(void *) / 4));
    if (s->trans_a) p->a_bytes = align64(p->m_block * s->k);
}

ig_status ig_gemm_plan(const ig_gemm_shape *shape, const ig_gemm_kernel *kernel, ig_gemm_params *p,
                       ig_error *err)
{
    IG_TRY(check(shape, err));
    *p = (ig_gemm_params){ .shape = *shape, .kernel = kernel };
    IG_TRY(count_batches(shape, &p->n_batch, err));
    size_t packed_bytes, y_bytes, all_bytes;
    if (!ig_gemm_packed_bytes(kernel, shape->k, shape->n, &packed_bytes) ||
        !ig_size_mul((size_t)shape->m * sizeof(float), (size_t)shape->n, &y_bytes) ||
        !ig_size_mul(y_bytes, (size_t)p->n_batch, &all_bytes) || all_bytes > INT64_MAX ||
        packed_bytes > INT64_MAX)
        return ig_fail(err, INGOT_ERR_SHAPE, "matrix product of %lldx%lldx%lld is too large",
                       (long long)shape->m, (long long)shape->n, (long long)shape->k);
    p->packed_stride = (int64_t)(packed_bytes / sizeof(float));
    plan_blocks(p);
    p->n_work = p->n_batch * p->n_m_blocks * p->n_n_blocks;
    p->grain = ig_igemm_grain(p->m_block * p->n_block * (shape->k + 1));
    p->scratch_bytes_per_thread =
        p->rows_bytes + p->a_bytes + p->b_bytes +
        ig_align_up(ig_igemm_acc_bytes(kernel, 1, shape->k, p->k_block, p->m_block, p->n_block),
                    64);
    return INGOT_OK;
}

/* ---- run ---- */
typedef struct matrices {
    const float *a, *b, *c, *residual;
    float *y;
} matrices;

/* The matrices of batch i. */
static matrices batch_at(const ig_gemm_params *p, void *const *operands, int64_t i)
{
    const ig_gemm_shape *s = &p->shape;
    int64_t a = 0, b = 0, c = 0, r = 0, y = 0;
    for (int d = s->n_batch_dims - 1; d >= 0; d--) {
        const int64_t at = i % s->batch_dims[d];
        i /= s->batch_dims[d];
        a += at * s->a_stride[d];
        b += at * s->b_stride[d];
        c += at * s->c_stride[d];
        r += at * s->r_stride[d];
        y += at * s->y_stride[d];
    }
    matrices m = { (const float *)operands[0] + a,
                   (const float *)operands[1] + b * (s->b_is_packed ? p->packed_stride : 1), NULL,
                   NULL, (float *)operands[4] + y };
    if (s->c != IG_GEMM_C_NONE && s->beta != 0.0f && operands[2])
        m.c = (const float *)operands[2] + c;
    if (s->has_residual && operands[3]) m.residual = (const float *)operands[3] + r;
    return m;
}

/* A thread's slice of scratch, in its parts. */
typedef struct scratch {
    const float **a;
    float **y;
    const float **c, **residual;
    float *packed_a, *packed_b, *acc;
} scratch;

static scratch scratch_at(const ig_gemm_params *p, void *const *operands, int i_thread)
{
    char *base = (char *)operands[5] + p->scratch_bytes_per_thread * (size_t)i_thread;
    scratch s;
    s.a = (const float **)(void *)base;
    s.y = (float **)(void *)base + p->m_block;
    s.c = s.a + 2 * p->m_block;
    s.residual = s.a + 3 * p->m_block;
    s.packed_a = (float *)(void *)(base + p->rows_bytes);
    s.packed_b = (float *)(void *)(base + p->rows_bytes + p->a_bytes);
    s.acc = (float *)(void *)(base + p->rows_bytes + p->a_bytes + p->b_bytes);
    return s;
}

/* Rows [row, row + m) of a K x M matrix as rows of K. */
static void pack_a(const float *src, int64_t lda, int64_t row, int64_t m, int64_t k, float *dst)
{
    for (int64_t i0 = 0; i0 < k; i0 += 16)
        for (int64_t j = 0; j < m; j++)
            for (int64_t i = i0; i < min64(i0 + 16, k); i++)
                dst[j * k + i] = src[i * lda + row + j];
}

/* Row pointers of a block of m rows from `row`. */
static void point_rows(const ig_gemm_params *p, const matrices *mat, scratch *sc, int64_t row,
                       int64_t m)
{
    const ig_gemm_shape *s = &p->shape;
    if (s->trans_a) pack_a(mat->a, s->lda, row, m, s->k, sc->packed_a);
    for (int64_t i = 0; i < m; i++) {
        sc->a[i] = s->trans_a ? sc->packed_a + i * s->k : mat->a + (row + i) * s->lda;
        sc->y[i] = mat->y + (row + i) * s->ldy;
        if (mat->residual) sc->residual[i] = mat->residual + (row + i) * s->ldr;
        if (mat->c && s->c != IG_GEMM_C_N)
            sc->c[i] = s->c == IG_GEMM_C_SCALAR ? mat->c : mat->c + (row + i) * s->ldc;
    }
}

static void run_few_rows(const ig_gemm_params *p, const matrices *mat, scratch *sc,
                         const ig_igemm_end *end, int64_t col, int64_t n)
{
    const ig_gemm_shape *s = &p->shape;
    ig_gemm_rows r = { .m = (int)s->m,
                       .n = n,
                       .k = s->k,
                       .b = s->trans_b ? mat->b + col * s->ldb : mat->b + col,
                       .ldb = s->ldb,
                       .sums = sc->packed_b,
                       .sums_pitch = p->n_block };
    for (int i = 0; i < r.m; i++) r.a[i] = sc->a[i];
    r.end.y = sc->y;
    r.end.col = col;
    r.end.bias = s->c == IG_GEMM_C_N ? mat->c : NULL;
    r.end.c = mat->c && s->c != IG_GEMM_C_N ? sc->c : NULL;
    r.end.residual = mat->residual ? sc->residual : NULL;
    r.end.end = end;
    (s->trans_b ? p->kernel->rows_t : p->kernel->rows_n)(&r);
}

static void run_block(const ig_gemm_params *p, const matrices *mat, scratch *sc,
                      const ig_igemm_end *end, int64_t m, int64_t col, int64_t n)
{
    const ig_gemm_shape *s = &p->shape;
    const ig_igemm_block block = {
        .kernel = p->kernel,
        .a = sc->a,
        .n_taps = 1,
        .k = s->k,
        .k_block = p->k_block,
        .b = s->b_is_packed ? mat->b : sc->packed_b,
        .b_first = s->b_is_packed ? 0 : col,
        .m = m,
        .n_begin = col,
        .n_end = col + n,
        .acc = p->k_block < s->k ? sc->acc : NULL,
        .y = sc->y,
        .c = mat->c && s->c != IG_GEMM_C_N ? sc->c : NULL,
        .residual = mat->residual ? sc->residual : NULL,
        .bias = s->c == IG_GEMM_C_N ? mat->c : NULL,
        .end = end,
    };
    ig_igemm_run(&block);
}

/* Items are ordered batch, column block, row block: consecutive items share their part of B. */
void ig_k_gemm(const void *params, void *const *operands, ig_part part)
{
    const ig_gemm_params *p = params;
    const ig_gemm_shape *s = &p->shape;
    scratch sc = scratch_at(p, operands, part.i_thread);
    ig_igemm_end end;
    const bool reads_c = s->c != IG_GEMM_C_NONE && s->beta != 0.0f;
    const bool has_c_rows = reads_c && s->c != IG_GEMM_C_N;
    ig_igemm_end_init(&end, s->alpha, reads_c ? s->beta : 1.0f, has_c_rows, &s->epilogue);
    end.c_step = s->c == IG_GEMM_C_MN;
    int64_t packed = -1;
    for (int64_t i = part.begin; i < part.end; i++) {
        const int64_t i_m = i % p->n_m_blocks, i_bn = i / p->n_m_blocks;
        const int64_t row = i_m * p->m_block, m = min64(p->m_block, s->m - row);
        const int64_t col = i_bn % p->n_n_blocks * p->n_block, n = min64(p->n_block, s->n - col);
        const matrices mat = batch_at(p, operands, i_bn / p->n_n_blocks);
        point_rows(p, &mat, &sc, row, m);
        if (p->is_few_rows) {
            run_few_rows(p, &mat, &sc, &end, col, n);
            continue;
        }
        if (!s->b_is_packed && packed != i_bn) {
            ig_gemm_pack_b(p->kernel, s->trans_b ? mat.b + col * s->ldb : mat.b + col, s->ldb,
                           s->trans_b, s->k, n, sc.packed_b);
            packed = i_bn;
        }
        run_block(p, &mat, &sc, &end, m, col, n);
    }
}
