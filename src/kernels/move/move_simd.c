/* SPDX-License-Identifier: Apache-2.0 */
/* move_simd.c: the copying loops, compiled once per instruction set. */
#include "base/simd.h"
#include "kernels/move/move.h"

void IG_KERNEL(ig_k_move)(const void *params, void *const *operands, ig_part part);

typedef uint8_t elem1 __attribute__((may_alias));
typedef uint16_t elem2 __attribute__((may_alias));
typedef uint32_t elem4 __attribute__((may_alias));
typedef uint64_t elem8 __attribute__((may_alias));

/* ---- squares of 4-byte elements: SQUARE source rows in, transposed out ---- */

#if IG_VF >= 8
#define SQUARE 8
typedef int32_t line __attribute__((vector_size(32), aligned(4), may_alias));
#define MIX(a, b, ...) ((line)__builtin_shufflevector(a, b, __VA_ARGS__))
IG_INLINE void transpose_square(const char *src, int64_t src_step, char *dst, int64_t dst_step)
{
    line r[8], t[8], u[8];
    for (int i = 0; i < 8; i++) memcpy(&r[i], src + i * src_step, 32);
    for (int i = 0; i < 8; i += 2) {
        t[i] = MIX(r[i], r[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = MIX(r[i], r[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
        u[i] = MIX(t[i], t[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        u[i + 1] = MIX(t[i], t[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        u[i + 2] = MIX(t[i + 1], t[i + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        u[i + 3] = MIX(t[i + 1], t[i + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int i = 0; i < 4; i++) {
        const line lo = MIX(u[i], u[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        const line hi = MIX(u[i], u[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        memcpy(dst + i * dst_step, &lo, 32);
        memcpy(dst + (i + 4) * dst_step, &hi, 32);
    }
}
#else
#define SQUARE 4
typedef int32_t line __attribute__((vector_size(16), aligned(4), may_alias));
#define MIX(a, b, ...) ((line)__builtin_shufflevector(a, b, __VA_ARGS__))
IG_INLINE void transpose_square(const char *src, int64_t src_step, char *dst, int64_t dst_step)
{
    line r[4];
    for (int i = 0; i < 4; i++) memcpy(&r[i], src + i * src_step, 16);
    const line t0 = MIX(r[0], r[1], 0, 4, 1, 5), t1 = MIX(r[0], r[1], 2, 6, 3, 7);
    const line t2 = MIX(r[2], r[3], 0, 4, 1, 5), t3 = MIX(r[2], r[3], 2, 6, 3, 7);
    const line u[4] = { MIX(t0, t2, 0, 1, 4, 5), MIX(t0, t2, 2, 3, 6, 7), MIX(t1, t3, 0, 1, 4, 5),
                        MIX(t1, t3, 2, 3, 6, 7) };
    for (int i = 0; i < 4; i++) memcpy(dst + i * dst_step, &u[i], 16);
}
#endif

/* A rectangle of the work: where it begins, and its size. */
typedef struct rect {
    const char *src;
    char *dst;
    int64_t rows, cols;
} rect;

#define MOVE_ELEMS(name, elem)                                                                     \
    static void name(const ig_move_params *p, const rect *t)                                       \
    {                                                                                              \
        for (int64_t r = 0; r < t->rows; r++) {                                                    \
            const char *src = t->src + r * p->row_src;                                             \
            char *dst = t->dst + r * p->row_dst;                                                   \
            for (int64_t c = 0; c < t->cols; c++)                                                  \
                *(elem *)(dst + c * p->col_dst) = *(const elem *)(src + c * p->col_src);           \
        }                                                                                          \
    }                                                                                              \
    static void fill_##name(const ig_move_params *p, const rect *t)                                \
    {                                                                                              \
        for (int64_t r = 0; r < t->rows; r++) {                                                    \
            const elem x = *(const elem *)(t->src + r * p->row_src);                               \
            elem *dst = (elem *)(t->dst + r * p->row_dst);                                         \
            for (int64_t c = 0; c < t->cols; c++) dst[c] = x;                                      \
        }                                                                                          \
    }
MOVE_ELEMS(elems1, elem1)
MOVE_ELEMS(elems2, elem2)
MOVE_ELEMS(elems4, elem4)
MOVE_ELEMS(elems8, elem8)

static void move_elems(const ig_move_params *p, const rect *t)
{
    switch (p->elem_bytes) {
    case 1: elems1(p, t); break;
    case 2: elems2(p, t); break;
    case 4: elems4(p, t); break;
    default: elems8(p, t); break;
    }
}

static void fill_elems(const ig_move_params *p, const rect *t)
{
    switch (p->elem_bytes) {
    case 1: fill_elems1(p, t); break;
    case 2: fill_elems2(p, t); break;
    case 4: fill_elems4(p, t); break;
    default: fill_elems8(p, t); break;
    }
}

/* Long memcpy is slow on some CPUs (its string instruction); this is not. */
static void copy_bytes(char *dst, const char *src, size_t n)
{
    const size_t step = sizeof(vi);
    for (; n >= 4 * step; n -= 4 * step, src += 4 * step, dst += 4 * step) {
        const vi a = vi_load(src), b = vi_load(src + step);
        const vi c = vi_load(src + 2 * step), d = vi_load(src + 3 * step);
        vi_store(dst, a), vi_store(dst + step, b);
        vi_store(dst + 2 * step, c), vi_store(dst + 3 * step, d);
    }
    memcpy(dst, src, n);
}

static void copy_rows(const ig_move_params *p, const rect *t)
{
    const size_t bytes = (size_t)(t->cols * p->elem_bytes);
    if (bytes < 24) { /* a call costs more */
        move_elems(p, t);
        return;
    }
    for (int64_t r = 0; r < t->rows; r++)
        copy_bytes(t->dst + r * p->row_dst, t->src + r * p->row_src, bytes);
}

static rect sub_rect(const ig_move_params *p, const rect *t, int64_t r, int64_t c, int64_t rows,
                     int64_t cols)
{
    return (rect){ t->src + r * p->row_src + c * p->col_src,
                   t->dst + r * p->row_dst + c * p->col_dst, rows, cols };
}

/* Two squares side by side read whole cache lines of the source. */
static void transpose_4(const ig_move_params *p, const rect *t)
{
    const int64_t rows = t->rows / SQUARE * SQUARE, cols = t->cols / SQUARE * SQUARE;
    const int64_t step = 2 * SQUARE;
    for (int64_t r0 = 0; r0 < rows; r0 += step)
        for (int64_t c = 0; c < cols; c += SQUARE)
            for (int64_t r = r0; r < r0 + step && r < rows; r += SQUARE) {
                const rect s = sub_rect(p, t, r, c, SQUARE, SQUARE);
                transpose_square(s.src, p->col_src, s.dst, p->row_dst);
            }
    if (cols < t->cols) {
        const rect right = sub_rect(p, t, 0, cols, rows, t->cols - cols);
        move_elems(p, &right);
    }
    if (rows < t->rows) {
        const rect below = sub_rect(p, t, rows, 0, t->rows - rows, t->cols);
        move_elems(p, &below);
    }
}

/* Blocks that fit the L1 cache with both sides. */
static void transpose_any(const ig_move_params *p, const rect *t)
{
    const int64_t step = 32;
    for (int64_t r = 0; r < t->rows; r += step)
        for (int64_t c = 0; c < t->cols; c += step) {
            const rect s = sub_rect(p, t, r, c, t->rows - r < step ? t->rows - r : step,
                                    t->cols - c < step ? t->cols - c : step);
            move_elems(p, &s);
        }
}

static void move_rect(const ig_move_params *p, const rect *t)
{
    switch (p->path) {
    case IG_MOVE_COPY: copy_rows(p, t); break;
    case IG_MOVE_FILL: fill_elems(p, t); break;
    case IG_MOVE_TRANSPOSE:
        if (p->elem_bytes == 4)
            transpose_4(p, t);
        else
            transpose_any(p, t);
        break;
    default: move_elems(p, t); break;
    }
}

void IG_KERNEL(ig_k_move)(const void *params, void *const *operands, ig_part part)
{
    const ig_move_params *p = params;
    if (part.begin >= part.end) return;
    const int64_t items = p->row_items * p->col_items;
    int64_t index[INGOT_MAX_RANK], src = p->src_offset, dst = p->dst_offset;
    int64_t outer = part.begin / items, item = part.begin % items;
    for (int d = p->n_outer - 1; d >= 0; d--) {
        index[d] = outer % p->outer_dims[d];
        outer /= p->outer_dims[d];
        src += index[d] * p->outer_src[d];
        dst += index[d] * p->outer_dst[d];
    }
    for (int64_t w = part.begin; w < part.end; w++) {
        const int64_t r = item / p->col_items * p->rows_per_item;
        const int64_t c = item % p->col_items * p->cols_per_item;
        const rect whole = { (const char *)operands[0] + src, (char *)operands[1] + dst, 0, 0 };
        const rect t = sub_rect(p, &whole, r, c,
                                p->rows - r < p->rows_per_item ? p->rows - r : p->rows_per_item,
                                p->cols - c < p->cols_per_item ? p->cols - c : p->cols_per_item);
        move_rect(p, &t);
        if (++item < items) continue;
        item = 0;
        for (int d = p->n_outer - 1; d >= 0; d--) {
            src += p->outer_src[d];
            dst += p->outer_dst[d];
            if (++index[d] < p->outer_dims[d]) break;
            src -= p->outer_src[d] * p->outer_dims[d];
            dst -= p->outer_dst[d] * p->outer_dims[d];
            index[d] = 0;
        }
    }
}
