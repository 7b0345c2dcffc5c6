/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cast_ref.c: the conversions of Cast, in blocks. A block of elements becomes int64 (integers, also
 * uint64 by its bits) or double (floats), and goes from there to the element type wanted.
 */
#include <math.h>
#include <string.h>

#include "ops/cast.h"

#define BLOCK 256

typedef struct block {
    bool is_float, is_u64;
    int64_t n;
    union {
        int64_t i[BLOCK];
        double f[BLOCK];
    };
} block;

#define LOAD_(tag, type, field)                                                                    \
    case tag:                                                                                      \
        for (int64_t k = 0; k < b->n; k++) b->field[k] = ((const type *)data)[first + k];          \
        break;

static bool is_integer(ingot_dtype dtype)
{
    const ig_dtype_set packed =
        IG_T(INGOT_INT4) | IG_T(INGOT_UINT4) | IG_T(INGOT_INT2) | IG_T(INGOT_UINT2);
    return (IG_T(dtype) & (IG_T_INTS | IG_T_BOOL | packed)) != 0;
}

static void load(block *b, ingot_dtype dtype, const void *data, int64_t first)
{
    b->is_float = !is_integer(dtype);
    b->is_u64 = dtype == INGOT_UINT64;
    switch ((int)dtype) {
        LOAD_(INGOT_FLOAT, float, f)
        LOAD_(INGOT_DOUBLE, double, f)
        LOAD_(INGOT_INT8, int8_t, i)
        LOAD_(INGOT_INT16, int16_t, i)
        LOAD_(INGOT_INT32, int32_t, i)
        LOAD_(INGOT_INT64, int64_t, i)
        LOAD_(INGOT_UINT8, uint8_t, i)
        LOAD_(INGOT_UINT16, uint16_t, i)
        LOAD_(INGOT_UINT32, uint32_t, i)
    case INGOT_UINT64: memcpy(b->i, (const uint64_t *)data + first, (size_t)b->n * 8); break;
    default:
        for (int64_t k = 0; k < b->n; k++)
            if (b->is_float)
                b->f[k] = ig_get_f64(dtype, data, first + k);
            else
                b->i[k] = ig_get_i64(dtype, data, first + k);
    }
}

/* low <= T <= high, both exact as doubles (high of 64-bit types: rounded up, and >= then means out
 * of range). */
#define STORE_INT_(tag, type, low, high)                                                           \
    case tag: {                                                                                    \
        type *y = (type *)data + first;                                                            \
        for (int64_t k = 0; k < b->n && !b->is_float; k++) y[k] = (type)b->i[k];                   \
        for (int64_t k = 0; k < b->n && b->is_float; k++) {                                        \
            const double x = b->f[k];                                                              \
            y[k] = x >= (double)(high) ? high : x <= (double)(low) ? low : x == x ? (type)x : 0;   \
        }                                                                                          \
        break;                                                                                     \
    }
#define STORE_FLOAT_(tag, type)                                                                    \
    case tag: {                                                                                    \
        type *y = (type *)data + first;                                                            \
        for (int64_t k = 0; k < b->n && b->is_float; k++) y[k] = (type)b->f[k];                    \
        for (int64_t k = 0; k < b->n && !b->is_float; k++)                                         \
            y[k] = b->is_u64 ? (type)(uint64_t)b->i[k] : (type)b->i[k];                            \
        break;                                                                                     \
    }

static double as_double(const block *b, int64_t k)
{
    if (b->is_float) return b->f[k];
    return b->is_u64 ? (double)(uint64_t)b->i[k] : (double)b->i[k];
}

static int64_t truncated(double x) { return fabs(x) < 0x1p62 ? (int64_t)x : 0; /* NaN too */ }

/* A power of two that the default encoding (upwards) takes to the wanted one. */
static double round_e8m0(double x, char mode)
{
    int exponent;
    if (!(x > 0) || isinf(x) || mode == 'u') return x;
    const double fraction = frexp(x, &exponent); /* 1/2 … 1 */
    return ldexp(1.0, mode == 'n' && fraction >= 0.75 ? exponent : exponent - 1);
}

static void store(const block *b, ingot_dtype dtype, void *data, int64_t first, bool saturate,
                  char round_mode)
{
    const ig_dtype_set float8 = IG_T(INGOT_FLOAT8E4M3FN) | IG_T(INGOT_FLOAT8E4M3FNUZ) |
                                IG_T(INGOT_FLOAT8E5M2) | IG_T(INGOT_FLOAT8E5M2FNUZ);
    const bool is_float8 = (IG_T(dtype) & float8) != 0;
    switch ((int)dtype) {
        STORE_FLOAT_(INGOT_FLOAT, float)
        STORE_FLOAT_(INGOT_DOUBLE, double)
        STORE_INT_(INGOT_INT8, int8_t, INT8_MIN, INT8_MAX)
        STORE_INT_(INGOT_INT16, int16_t, INT16_MIN, INT16_MAX)
        STORE_INT_(INGOT_INT32, int32_t, INT32_MIN, INT32_MAX)
        STORE_INT_(INGOT_INT64, int64_t, INT64_MIN, INT64_MAX)
        STORE_INT_(INGOT_UINT8, uint8_t, 0, UINT8_MAX)
        STORE_INT_(INGOT_UINT16, uint16_t, 0, UINT16_MAX)
        STORE_INT_(INGOT_UINT32, uint32_t, 0, UINT32_MAX)
        STORE_INT_(INGOT_UINT64, uint64_t, 0, UINT64_MAX)
    default:
        for (int64_t k = 0; k < b->n; k++) {
            const double x = as_double(b, k);
            if (is_float8 && !saturate)
                ((uint8_t *)data)[first + k] = ig_float8_no_saturate(dtype, x);
            else if (dtype == INGOT_FLOAT4E2M1 && isnan(x)) /* has none: as ONNX's tests have it */
                ig_set_f64(dtype, data, first + k, -0.0);
            else if (dtype == INGOT_FLOAT8E8M0)
                ig_set_f64(dtype, data, first + k, round_e8m0(x, round_mode));
            else if (is_integer(dtype) && dtype != INGOT_BOOL) /* below a byte: low bits */
                ig_set_i64(dtype, data, first + k, b->is_float ? truncated(x) : b->i[k]);
            else if (dtype == INGOT_BOOL && !b->is_float)
                ig_set_i64(dtype, data, first + k, b->i[k]);
            else
                ig_set_f64(dtype, data, first + k, x);
        }
    }
}

uint8_t ig_float8_no_saturate(ingot_dtype dtype, double x)
{
    uint8_t code = 0;
    const uint8_t sign = signbit(x) ? 0x80 : 0;
    /* from here on a value rounds beyond the largest finite one; E4M3FN's tie is even below */
    const double limit = dtype == INGOT_FLOAT8E4M3FN     ? 464
                         : dtype == INGOT_FLOAT8E4M3FNUZ ? 248
                                                         : 61440;
    ig_set_f64(dtype, &code, 0, x);
    if (isnan(x) || fabs(x) < limit || (fabs(x) == limit && dtype == INGOT_FLOAT8E4M3FN))
        return code;
    if (dtype == INGOT_FLOAT8E4M3FN) return sign | 0x7f;
    return dtype == INGOT_FLOAT8E5M2 ? sign | 0x7c : 0x80;
}

ig_status ig_ref_cast(ig_call *c, ingot_dtype to)
{
    const ig_tensor *in = c->in[0];
    const bool saturate = ig_attr_int(c->node, "saturate", 1) != 0;
    const char mode = ig_attr_is(c->node, "round_mode", "down", false)      ? 'd'
                      : ig_attr_is(c->node, "round_mode", "nearest", false) ? 'n'
                                                                            : 'u';
    const int64_t n = ig_tensor_count(in);
    size_t bytes = 0;
    IG_TRY(ig_call_output(c, 0, to, in->rank, in->dims));
    if (!c->out[0] || n == 0) return INGOT_OK;
    void *data = c->out[0]->data;
    if (in->dtype == to) {
        if (ig_tensor_bytes(in, &bytes)) memmove(data, in->data, bytes);
        return INGOT_OK;
    }
    if (to == INGOT_STRING) return ig_cast_to_strings(c);
    if (in->dtype == INGOT_STRING) return ig_cast_from_strings(c, to);
    /* packed elements are written into what is there */
    if (ig_dtype_size(to) == 0 && ig_dtype_bytes(to, n, &bytes)) memset(data, 0, bytes);
    block b;
    for (int64_t first = 0; first < n; first += BLOCK) {
        b.n = n - first < BLOCK ? n - first : BLOCK;
        load(&b, in->dtype, in->data, first);
        store(&b, to, data, first, saturate, mode);
    }
    return INGOT_OK;
}
