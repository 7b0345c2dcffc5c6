/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eltwise.c: the tile-program executor.
 *
 * The output is seen as rows of `n` elements (the innermost merged dimension). Long rows are cut
 * into pieces of a tile; short ones are put together, several to a tile. In every tile, inputs are
 * either used where they lie (float32, contiguous over the tile) or brought into a buffer:
 * converted, splatted, or gathered row by row. What is the same for every tile is brought in once.
 */
#include "kernels/eltwise/eltwise.h"

#include <string.h>

#include "kernels/eltwise/convert.h"
#include "kernels/isa_table.h"

#define TILE_FLOATS 6144      /* all buffers of a program: 24 KiB, stays in L1 */
#define MAX_TILE_ELEMS 2048   /* of one register */
#define MAX_DIRECT_ELEMS 8192 /* where no register needs a buffer */
#define MIN_GRAIN_ELEMS 16384 /* less is not worth a second thread */

extern const ig_tile_convert ig_k_tile_convert__portable;
#if defined(__x86_64__) && defined(IG_SIMD_EMULATE)
extern const ig_tile_convert ig_k_tile_convert__avx512emu;
static const ig_tile_convert *const converts[IG_N_ISAS] = { [IG_ISA_PORTABLE] =
                                                                &ig_k_tile_convert__portable,
                                                            [IG_ISA_AVX512] =
                                                                &ig_k_tile_convert__avx512emu };
#elif defined(__x86_64__)
extern const ig_tile_convert ig_k_tile_convert__avx2, ig_k_tile_convert__avx512;
static const ig_tile_convert *const converts[IG_N_ISAS] = {
    [IG_ISA_PORTABLE] = &ig_k_tile_convert__portable,
    [IG_ISA_AVX2] = &ig_k_tile_convert__avx2,
    [IG_ISA_AVX512] = &ig_k_tile_convert__avx512
};
#else
static const ig_tile_convert *const converts[IG_N_ISAS] = { [IG_ISA_PORTABLE] =
                                                                &ig_k_tile_convert__portable };
#endif

/* How an input gets into its register. */
typedef enum feed {
    FEED_DIRECT, /* read where it lies */
    FEED_LINEAR, /* contiguous over the tile: convert */
    FEED_FIXED,  /* the same for every tile: once */
    FEED_SPLAT,  /* one value a row, tiles within a row */
    FEED_GATHER  /* row by row */
} feed;

typedef struct operand {
    ig_tile_type type;
    int elem_bytes;
    feed feed;
    bool is_full;   /* not broadcast: contiguous over everything */
    bool is_cached; /* its buffer is not written by instructions */
    int64_t inner_stride;
    int64_t *strides; /* of the outer dimensions; behind the instructions */
} operand;

typedef struct instr {
    ig_prim_fn fn;
    int8_t dst, src[3];
    int8_t out; /* output whose memory the result goes to, or -1: the register's buffer */
    float params[IG_PRIM_N_PARAMS];
} instr;

struct ig_eltwise_params {
    int n_in, n_out, n_instrs, n_outer;
    const ig_tile_convert *convert;
    int64_t *dims;                /* outer, merged; behind the instructions */
    int64_t n_rows, n;            /* rows, elements of a row */
    int64_t tile_rows, tile_cols; /* one of them covers several tiles' worth: see plan_tiles */
    int64_t pieces;               /* tiles of a row, 1 if tile_rows > 1 */
    operand *operands;            /* inputs, then outputs; behind the struct */
    instr *instrs;                /* behind them */
    int8_t out_reg[IG_ELTWISE_MAX_OPERANDS];
    bool is_out_direct[IG_ELTWISE_MAX_OPERANDS];
    int8_t buffer[IG_ELTWISE_MAX_REGS]; /* of each register, -1: none */
    int64_t buffer_elems;
};

static int between(int value, int min, int max)
{
    return value < min ? min : value > max ? max : value;
}

size_t ig_eltwise_params_bytes(const ig_eltwise_program *program)
{
    const int n_in = between(program->n_in, 0, IG_ELTWISE_MAX_OPERANDS);
    const int n_out = between(program->n_out, 0, IG_ELTWISE_MAX_OPERANDS);
    const int n_instrs = between(program->n_instrs, 0, IG_ELTWISE_MAX_INSTRS);
    const int rank = between(n_out ? program->out[0].rank : 0, 0, INGOT_MAX_RANK);
    return sizeof(ig_eltwise_params) + (size_t)(n_in + n_out) * sizeof(operand) +
           (size_t)n_instrs * sizeof(instr) +
           (size_t)(n_in + n_out + 1) * (size_t)rank * sizeof(int64_t);
}

static bool tile_type_of(ingot_dtype dtype, ig_tile_type *type, int *elem_bytes)
{
    switch (dtype) {
    case INGOT_FLOAT: return *type = IG_TILE_F32, *elem_bytes = 4, true;
    case INGOT_FLOAT16: return *type = IG_TILE_F16, *elem_bytes = 2, true;
    case INGOT_BFLOAT16: return *type = IG_TILE_BF16, *elem_bytes = 2, true;
    case INGOT_BOOL: return *type = IG_TILE_BOOL, *elem_bytes = 1, true;
    case INGOT_UINT8: return *type = IG_TILE_U8, *elem_bytes = 1, true;
    case INGOT_INT8: return *type = IG_TILE_S8, *elem_bytes = 1, true;
    case INGOT_UINT16: return *type = IG_TILE_U16, *elem_bytes = 2, true;
    case INGOT_INT16: return *type = IG_TILE_S16, *elem_bytes = 2, true;
    case INGOT_INT32: return *type = IG_TILE_I32, *elem_bytes = 4, true;
    case INGOT_INT64: return *type = IG_TILE_I64, *elem_bytes = 8, true;
    default: return false;
    }
}

bool ig_eltwise_dtype_ok(ingot_dtype dtype)
{
    ig_tile_type type;
    int elem_bytes;
    return tile_type_of(dtype, &type, &elem_bytes);
}

/* ---- planning ---- */

static ig_status check_program(const ig_eltwise_program *p, ig_isa isa, ig_error *err)
{
    if (p->n_in < 0 || p->n_out < 1 || p->n_in + p->n_out > IG_ELTWISE_MAX_OPERANDS ||
        p->n_instrs < 0 || p->n_instrs > IG_ELTWISE_MAX_INSTRS)
        return ig_fail(
            err, INGOT_ERR_UNSUPPORTED,
            "elementwise program of %d inputs, %d outputs and %d instructions is too long", p->n_in,
            p->n_out, p->n_instrs);
    bool is_set[IG_ELTWISE_MAX_REGS] = { false };
    for (int i = 0; i < p->n_in; i++) is_set[i] = true;
    for (int i = 0; i < p->n_instrs; i++) {
        const ig_eltwise_instr *in = &p->instrs[i];
        bool is_ok = in->prim && in->dst >= 0 && in->dst < IG_ELTWISE_MAX_REGS &&
                     in->prim->n_sources >= 1 && in->prim->n_sources <= 3;
        for (int s = 0; is_ok && s < in->prim->n_sources; s++)
            is_ok = in->src[s] >= 0 && in->src[s] < IG_ELTWISE_MAX_REGS && is_set[in->src[s]];
        if (!is_ok)
            return ig_fail(err, INGOT_ERR_INTERNAL, "elementwise instruction %d: bad registers", i);
        if (!IG_ISA_PICK(in->prim->fn, isa))
            return ig_fail(err, INGOT_ERR_UNSUPPORTED, "no %s kernel for %s", in->prim->name,
                           ig_isa_name(isa));
        is_set[in->dst] = true;
    }
    for (int o = 0; o < p->n_out; o++)
        if (p->out_reg[o] < 0 || p->out_reg[o] >= IG_ELTWISE_MAX_REGS || !is_set[p->out_reg[o]])
            return ig_fail(err, INGOT_ERR_INTERNAL, "elementwise output %d: bad register", o);
    return INGOT_OK;
}

/* Element strides of an operand over the output's dimensions. */
static ig_status broadcast_strides(const ig_eltwise_operand *in, const ig_eltwise_operand *out,
                                   int i, int64_t *strides, ig_error *err)
{
    if (in->rank < 0 || in->rank > out->rank)
        return ig_fail(err, INGOT_ERR_SHAPE, "operand %d has rank %d, the result %d", i, in->rank,
                       out->rank);
    const int shift = out->rank - in->rank;
    int64_t stride = 1;
    for (int d = out->rank - 1; d >= 0; d--) {
        const int64_t dim = d >= shift ? in->dims[d - shift] : 1;
        if (dim != out->dims[d] && dim != 1)
            return ig_fail(err, INGOT_ERR_SHAPE,
                           "operand %d: dimension %d is %lld and does not broadcast to %lld", i, d,
                           (long long)dim, (long long)out->dims[d]);
        strides[d] = dim == 1 ? 0 : stride;
        if (__builtin_mul_overflow(stride, dim, &stride))
            return ig_fail(err, INGOT_ERR_SHAPE, "operand %d has too many elements", i);
    }
    return INGOT_OK;
}

/* Drop dimensions of 1, join neighbours that are contiguous in every operand. */
static void merge_dims(ig_eltwise_params *p, int n_operands, int rank, const int64_t *dims,
                       int64_t strides[][INGOT_MAX_RANK])
{
    int n = 0;
    int64_t merged[INGOT_MAX_RANK + 1] = { 1 };
    for (int d = 0; d < rank; d++) {
        if (dims[d] == 1) continue;
        bool joins = n > 0;
        for (int o = 0; joins && o < n_operands; o++)
            joins = p->operands[o].strides[n - 1] == strides[o][d] * dims[d];
        if (joins)
            merged[n - 1] *= dims[d];
        else
            merged[n++] = dims[d];
        for (int o = 0; o < n_operands; o++) p->operands[o].strides[n - 1] = strides[o][d];
    }
    p->n_outer = n > 0 ? n - 1 : 0;
    p->n = n > 0 ? merged[n - 1] : 1;
    p->n_rows = 1;
    for (int d = 0; d < p->n_outer; d++) p->n_rows *= p->dims[d] = merged[d];
    for (int o = 0; o < n_operands; o++)
        p->operands[o].inner_stride = n > 0 ? p->operands[o].strides[n - 1] : 0;
}

static void plan_feeds(ig_eltwise_params *p, const bool *is_written, bool has_pass_through)
{
    for (int i = 0; i < p->n_in; i++) {
        operand *o = &p->operands[i];
        int64_t run = 1;
        bool is_same_in_rows = true;
        o->is_cached = !is_written[i];
        o->is_full = o->inner_stride == 1 || p->n == 1;
        if (p->n > 1) run = p->n;
        for (int d = p->n_outer - 1; d >= 0; d--) {
            o->is_full = o->is_full && o->strides[d] == run;
            is_same_in_rows = is_same_in_rows && o->strides[d] == 0;
            run *= p->dims[d];
        }
        const bool is_scalar = is_same_in_rows && (o->inner_stride == 0 || p->n == 1);
        const bool is_linear =
            !is_scalar && (o->is_full || (p->tile_rows == 1 && o->inner_stride == 1));
        if (is_linear && o->type == IG_TILE_F32 && !has_pass_through)
            o->feed = FEED_DIRECT;
        else if (is_linear)
            o->feed = FEED_LINEAR;
        else if ((is_scalar || (is_same_in_rows && p->pieces == 1)) && o->is_cached)
            o->feed = FEED_FIXED;
        else if (p->tile_rows == 1)
            o->feed = FEED_SPLAT; /* not linear, so the inner stride is 0 */
        else
            o->feed = FEED_GATHER;
    }
}

/* May instruction i write output memory at once? Not if a later one still reads an input where it
 * lies: the output may be that input's buffer. */
static bool is_last_read(const ig_eltwise_params *p, const ig_eltwise_program *program, int i)
{
    bool holds_input[IG_ELTWISE_MAX_REGS] = { false };
    for (int r = 0; r < p->n_in; r++) holds_input[r] = p->operands[r].feed == FEED_DIRECT;
    for (int j = 0; j < program->n_instrs; j++) {
        const ig_eltwise_instr *in = &program->instrs[j];
        if (j > i)
            for (int s = 0; s < in->prim->n_sources; s++)
                if (holds_input[in->src[s]]) return false;
        holds_input[in->dst] = false;
    }
    return true;
}

static void plan_instrs(ig_eltwise_params *p, const ig_eltwise_program *program, ig_isa isa)
{
    memset(p->buffer, -1, sizeof p->buffer);
    memset(p->is_out_direct, 0, sizeof p->is_out_direct);
    for (int i = 0; i < program->n_instrs; i++) {
        const ig_eltwise_instr *in = &program->instrs[i];
        instr *to = &p->instrs[i];
        to->fn = IG_ISA_PICK(in->prim->fn, isa);
        to->dst = in->dst;
        for (int s = 0; s < 3; s++) to->src[s] = s < in->prim->n_sources ? in->src[s] : (int8_t)-1;
        memcpy(to->params, in->params, sizeof to->params);
        to->out = -1;
        bool is_last_write = true;
        for (int j = i + 1; j < program->n_instrs; j++)
            is_last_write = is_last_write && program->instrs[j].dst != in->dst;
        for (int o = 0; o < p->n_out && to->out < 0; o++)
            if (is_last_write && program->out_reg[o] == in->dst &&
                p->operands[p->n_in + o].type == IG_TILE_F32 && is_last_read(p, program, i)) {
                to->out = (int8_t)o;
                p->is_out_direct[o] = true;
            }
        if (to->out < 0) p->buffer[in->dst] = 0; /* numbered below */
    }
    for (int i = 0; i < p->n_in; i++)
        if (p->operands[i].feed != FEED_DIRECT) p->buffer[i] = 0;
}

/* Where rows are short, a tile is several of them. */
static void plan_tiles(ig_eltwise_params *p, int64_t tile_elems)
{
    p->tile_rows = p->n > 0 && p->n_outer > 0 && p->n <= tile_elems / 2 ? tile_elems / p->n : 1;
    p->tile_cols = p->n < tile_elems ? p->n : tile_elems;
    if (p->tile_rows > p->n_rows && p->n_rows > 0) p->tile_rows = p->n_rows;
    p->pieces = p->tile_cols > 0 ? (p->n + p->tile_cols - 1) / p->tile_cols : 0;
}

static int number_buffers(ig_eltwise_params *p)
{
    int n_buffers = 0;
    for (int r = 0; r < IG_ELTWISE_MAX_REGS; r++)
        if (p->buffer[r] >= 0) p->buffer[r] = (int8_t)n_buffers++;
    return n_buffers;
}

ig_status ig_eltwise_plan(const ig_eltwise_program *program, ig_isa isa, ig_eltwise_params *params,
                          int64_t *n_work, int64_t *grain, ig_error *err)
{
    ig_eltwise_params *p = params;
    IG_TRY(check_program(program, isa, err));
    const int n_operands = program->n_in + program->n_out;
    const ig_eltwise_operand *out = &program->out[0];
    int64_t strides[IG_ELTWISE_MAX_OPERANDS][INGOT_MAX_RANK];
    if (out->rank < 0 || out->rank > INGOT_MAX_RANK)
        return ig_fail(err, INGOT_ERR_SHAPE, "rank %d of the result is not supported", out->rank);
    for (int d = 0; d < out->rank; d++)
        if (out->dims[d] < 0)
            return ig_fail(err, INGOT_ERR_SHAPE, "dimension %d of the result is negative", d);
    p->operands = (operand *)(p + 1);
    p->instrs = (instr *)(p->operands + n_operands);
    p->dims = (int64_t *)(p->instrs + program->n_instrs);
    for (int i = 0; i < n_operands; i++) p->operands[i].strides = p->dims + (i + 1) * out->rank;
    p->n_in = program->n_in, p->n_out = program->n_out, p->n_instrs = program->n_instrs;
    p->convert = IG_ISA_PICK(converts, isa);
    bool is_written[IG_ELTWISE_MAX_REGS] = { false };
    bool has_pass_through = false;
    for (int i = 0; i < program->n_instrs; i++) is_written[program->instrs[i].dst] = true;
    for (int i = 0; i < n_operands; i++) {
        const bool is_out = i >= program->n_in;
        const ig_eltwise_operand *o = is_out ? &program->out[i - program->n_in] : &program->in[i];
        if (!tile_type_of(o->dtype, &p->operands[i].type, &p->operands[i].elem_bytes))
            return ig_fail(err, INGOT_ERR_UNSUPPORTED, "operand %d: element type %d", i,
                           (int)o->dtype);
        IG_TRY(broadcast_strides(o, out, i, strides[i], err));
        if (is_out && (o->rank != out->rank ||
                       memcmp(o->dims, out->dims, (size_t)out->rank * sizeof *o->dims) != 0))
            return ig_fail(err, INGOT_ERR_SHAPE, "output %d has a shape of its own",
                           i - program->n_in);
    }
    for (int o = 0; o < program->n_out; o++) {
        p->out_reg[o] = program->out_reg[o];
        has_pass_through |= !is_written[p->out_reg[o]];
    }
    merge_dims(p, n_operands, out->rank, out->dims, strides);
    /* Fewer buffers allow larger tiles, but the tile decides which operands need one. */
    int64_t tile_elems = MAX_TILE_ELEMS;
    for (;;) {
        plan_tiles(p, tile_elems);
        plan_feeds(p, is_written, has_pass_through);
        plan_instrs(p, program, isa);
        const int n_buffers = number_buffers(p);
        if (n_buffers * tile_elems <= TILE_FLOATS) {
            if (n_buffers == 0 && p->n_outer == 0) plan_tiles(p, tile_elems = MAX_DIRECT_ELEMS);
            break;
        }
        tile_elems = (TILE_FLOATS / n_buffers) & ~(int64_t)63;
    }
    p->buffer_elems = tile_elems;
    const int64_t elems = p->tile_rows * p->tile_cols;
    *n_work = p->n == 0 ? 0 : (p->n_rows + p->tile_rows - 1) / p->tile_rows * p->pieces;
    *grain = elems > 0 ? (MIN_GRAIN_ELEMS + elems - 1) / elems : 1;
    return INGOT_OK;
}

/* ---- running ---- */

/* Where a tile begins: its first row, and every input's element offset there. */
typedef struct cursor {
    int64_t row, index[INGOT_MAX_RANK], offset[IG_ELTWISE_MAX_OPERANDS];
} cursor;

static void cursor_seek(const ig_eltwise_params *p, int64_t row, cursor *c)
{
    c->row = row;
    memset(c->offset, 0, sizeof c->offset);
    for (int d = p->n_outer - 1; d >= 0; d--) {
        c->index[d] = row % p->dims[d];
        row /= p->dims[d];
        for (int i = 0; i < p->n_in; i++) c->offset[i] += c->index[d] * p->operands[i].strides[d];
    }
}

/* To the next row; seeking anew costs divisions. */
static void cursor_next(const ig_eltwise_params *p, cursor *c)
{
    c->row++;
    for (int d = p->n_outer - 1; d >= 0; d--) {
        for (int i = 0; i < p->n_in; i++) c->offset[i] += p->operands[i].strides[d];
        if (++c->index[d] < p->dims[d]) return;
        for (int i = 0; i < p->n_in; i++) c->offset[i] -= p->operands[i].strides[d] * p->dims[d];
        c->index[d] = 0;
    }
}

static void load_rows(const ig_eltwise_params *p, const operand *o, float *dst, const char *src,
                      int64_t stride, int64_t n_rows)
{
    if (o->type == IG_TILE_F32) {
        p->convert->rows(dst, (const float *)src, stride, o->inner_stride, n_rows, p->n);
        return;
    }
    for (int64_t r = 0; r < n_rows; r++, dst += p->n, src += stride * o->elem_bytes) {
        p->convert->load[o->type](dst, src, o->inner_stride == 0 ? 1 : p->n);
        if (o->inner_stride == 0) p->convert->splat(dst, *dst, p->n);
    }
}

/* Bring n_rows rows of a broadcast input into dst, in stretches along the last outer dimension. */
static void gather(const ig_eltwise_params *p, int i, const cursor *c, const char *base, float *dst,
                   int64_t n_rows)
{
    const operand *o = &p->operands[i];
    const int last = p->n_outer - 1;
    int64_t index[INGOT_MAX_RANK], offset = c->offset[i];
    memcpy(index, c->index, sizeof index);
    for (int64_t r = 0; r < n_rows;) {
        int64_t count = p->dims[last] - index[last];
        if (count > n_rows - r) count = n_rows - r;
        load_rows(p, o, dst + r * p->n, base + offset * o->elem_bytes, o->strides[last], count);
        r += count;
        offset += count * o->strides[last];
        index[last] += count;
        for (int d = last; d > 0 && index[d] == p->dims[d]; d--) {
            offset += o->strides[d - 1] - o->strides[d] * p->dims[d];
            index[d] = 0;
            index[d - 1]++;
        }
    }
}

static void load_splat(const ig_eltwise_params *p, const operand *o, float *dst, const char *src,
                       int64_t n)
{
    p->convert->load[o->type](dst, src, 1);
    p->convert->splat(dst, *dst, n);
}

/* Inputs that are the same for every tile. */
static void load_fixed(const ig_eltwise_params *p, void *const *operands, float *tiles)
{
    for (int i = 0; i < p->n_in; i++) {
        const operand *o = &p->operands[i];
        if (o->feed != FEED_FIXED) continue;
        float *dst = tiles + p->buffer[i] * p->buffer_elems;
        if (o->inner_stride == 0 || p->n == 1)
            load_splat(p, o, dst, operands[i], p->tile_rows * p->tile_cols);
        else
            load_rows(p, o, dst, operands[i], 0, p->tile_rows);
    }
}

typedef struct tile {
    int64_t first, col, n_rows, n; /* linear element, column, rows, elements */
} tile;

static void load_inputs(const ig_eltwise_params *p, void *const *operands, const cursor *c,
                        const tile *t, float *tiles, const float **regs, int64_t *splat_offset)
{
    for (int i = 0; i < p->n_in; i++) {
        const operand *o = &p->operands[i];
        const int64_t at = o->is_full ? t->first : c->offset[i] + t->col;
        const char *base = operands[i];
        if (o->feed == FEED_DIRECT) {
            regs[i] = (const float *)base + at;
            continue;
        }
        float *dst = tiles + p->buffer[i] * p->buffer_elems;
        regs[i] = dst;
        if (o->feed == FEED_LINEAR) {
            p->convert->load[o->type](dst, base + at * o->elem_bytes, t->n);
        } else if (o->feed == FEED_SPLAT && (!o->is_cached || c->offset[i] != splat_offset[i])) {
            load_splat(p, o, dst, base + c->offset[i] * o->elem_bytes, p->tile_cols);
            splat_offset[i] = c->offset[i];
        } else if (o->feed == FEED_GATHER) {
            gather(p, i, c, base, dst, t->n_rows);
        }
    }
}

static void run_tile(const ig_eltwise_params *p, void *const *operands, const tile *t, float *tiles,
                     const float **regs)
{
    for (int i = 0; i < p->n_instrs; i++) {
        const instr *in = &p->instrs[i];
        float *dst = in->out >= 0 ? (float *)operands[p->n_in + in->out] + t->first
                                  : tiles + p->buffer[in->dst] * p->buffer_elems;
        in->fn(dst, regs[in->src[0]], in->src[1] >= 0 ? regs[in->src[1]] : NULL,
               in->src[2] >= 0 ? regs[in->src[2]] : NULL, in->params, t->n);
        regs[in->dst] = dst;
    }
    for (int o = 0; o < p->n_out; o++) {
        if (p->is_out_direct[o]) continue;
        const operand *to = &p->operands[p->n_in + o];
        p->convert->store[to->type]((char *)operands[p->n_in + o] + t->first * to->elem_bytes,
                                    regs[p->out_reg[o]], t->n);
    }
}

void ig_k_eltwise(const void *params, void *const *operands, ig_part part)
{
    const ig_eltwise_params *p = params;
    if (part.begin >= part.end) return;
    float tiles[TILE_FLOATS] __attribute__((aligned(64)));
    const float *regs[IG_ELTWISE_MAX_REGS] = { 0 };
    int64_t splat_offset[IG_ELTWISE_MAX_OPERANDS];
    memset(splat_offset, -1, sizeof splat_offset);
    load_fixed(p, operands, tiles);
    cursor c;
    cursor_seek(p, part.begin / p->pieces * p->tile_rows, &c);
    int64_t piece = part.begin % p->pieces;
    for (int64_t w = part.begin; w < part.end; w++) {
        tile t = { .col = piece * p->tile_cols };
        t.n_rows = p->n_rows - c.row < p->tile_rows ? p->n_rows - c.row : p->tile_rows;
        t.n = p->n - t.col < p->tile_cols ? p->n - t.col : p->tile_cols;
        t.n *= t.n_rows;
        t.first = c.row * p->n + t.col;
        load_inputs(p, operands, &c, &t, tiles, regs, splat_offset);
        run_tile(p, operands, &t, tiles, regs);
        if (++piece < p->pieces) continue;
        piece = 0;
        if (p->tile_rows == 1)
            cursor_next(p, &c);
        else
            cursor_seek(p, c.row + p->tile_rows, &c);
    }
}
