/* SPDX-License-Identifier: Apache-2.0 */
/*
 * element.c: single elements of any type.
 *
 * Rules: a number becomes an integer by truncation and saturation (NaN: 0); an integer becomes a
 * narrower one as a C cast does (low bits); floating-point types round once, to nearest even. The
 * 8- and 4-bit floats saturate, as ONNX Cast does by default. Complex elements read and write
 * their real part.
 */
#include <math.h>
#include <string.h>

#include "ir/tensor.h"

/* ---- 16-bit floats ---- */

static uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

float ig_f16_to_f32(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000u) << 16;
    const uint32_t exponent = h >> 10 & 31, mantissa = h & 1023u;
    if (exponent == 31) return float_of(sign | 0x7f800000u | mantissa << 13);
    if (exponent == 0) {
        const float x = (float)mantissa * 0x1p-24f;
        return sign ? -x : x;
    }
    return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
}

uint16_t ig_f32_to_f16(float x)
{
    const uint32_t u = bits_of(x), magnitude = u & 0x7fffffffu;
    const uint16_t sign = (uint16_t)(u >> 16 & 0x8000u);
    if (magnitude > 0x7f800000u) /* NaN: keep what fits of the payload, and quiet it */
        return (uint16_t)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u); /* rounds to 65536 or more */
    if (magnitude < 0x38800000u) /* subnormal: adding 1/2 aligns the unit 2^-24, rounding once */
        return (uint16_t)(sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f)));
    const uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
    return (uint16_t)(sign | (rounded - 0x38000000u) >> 13);
}

float ig_bf16_to_f32(uint16_t h) { return float_of((uint32_t)h << 16); }

uint16_t ig_f32_to_bf16(float x)
{
    const uint32_t u = bits_of(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(u >> 16 | 0x40u);
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

/* double to float, rounding to odd: a second rounding to a shorter type is then the only one. */
static float round_to_odd(double x)
{
    const float f = (float)x;
    uint32_t u = bits_of(f);
    if (isnan(x) || (double)f == x) return f;
    if (fabs((double)f) > fabs(x)) u--;
    return float_of(u | 1u);
}

/* ---- 8- and 4-bit floats ---- */

typedef struct small_float {
    int exponent_bits, mantissa_bits, bias;
    double max;            /* largest finite */
    uint8_t nan;           /* code of NaN (without sign); 0: none */
    bool is_unsigned_zero; /* "uz": one zero, NaN is the code of minus zero */
    bool has_inf;
} small_float;

static const small_float e4m3fn = { 4, 3, 7, 448.0, 0x7f, false, false };
static const small_float e4m3fnuz = { 4, 3, 8, 240.0, 0x80, true, false };
static const small_float e5m2 = { 5, 2, 15, 57344.0, 0x7f, false, true };
static const small_float e5m2fnuz = { 5, 2, 16, 57344.0, 0x80, true, false };
static const small_float e2m1 = { 2, 1, 1, 6.0, 0, false, false };

static const small_float *small_float_of(ingot_dtype dtype)
{
    switch ((int)dtype) {
    case INGOT_FLOAT8E4M3FN: return &e4m3fn;
    case INGOT_FLOAT8E4M3FNUZ: return &e4m3fnuz;
    case INGOT_FLOAT8E5M2: return &e5m2;
    case INGOT_FLOAT8E5M2FNUZ: return &e5m2fnuz;
    case INGOT_FLOAT4E2M1: return &e2m1;
    default: return NULL;
    }
}

static double small_decode(const small_float *s, uint8_t code)
{
    const int sign_bit = s->exponent_bits + s->mantissa_bits;
    const bool is_negative = code >> sign_bit & 1;
    const int magnitude = code & ((1 << sign_bit) - 1);
    const int exponent = magnitude >> s->mantissa_bits;
    const int mantissa = magnitude & ((1 << s->mantissa_bits) - 1);
    if (s->is_unsigned_zero ? code == s->nan : s->nan && magnitude == s->nan) return (double)NAN;
    if (s->has_inf && exponent == (1 << s->exponent_bits) - 1) {
        if (mantissa) return (double)NAN;
        return is_negative ? -(double)INFINITY : (double)INFINITY;
    }
    const double x =
        exponent ? ldexp((1 << s->mantissa_bits) + mantissa, exponent - s->bias - s->mantissa_bits)
                 : ldexp(mantissa, 1 - s->bias - s->mantissa_bits);
    return is_negative ? -x : x;
}

static uint8_t small_encode(const small_float *s, double x)
{
    const int sign_bit = s->exponent_bits + s->mantissa_bits;
    const uint8_t sign = (uint8_t)(signbit(x) ? 1 << sign_bit : 0);
    if (isnan(x) && s->nan) return (uint8_t)(s->is_unsigned_zero ? s->nan : s->nan | sign);
    double a = isnan(x) ? s->max : fabs(x);
    if (a > s->max) a = s->max;
    int exponent; /* of the unit in the last place */
    frexp(a, &exponent);
    exponent -= 1;
    if (a == 0 || exponent < 1 - s->bias) exponent = 1 - s->bias;
    double units = nearbyint(ldexp(a, s->mantissa_bits - exponent));
    /* `units` counts from the smallest number of this exponent; carries run into the exponent. */
    const int code = ((exponent + s->bias - 1) << s->mantissa_bits) + (int)units;
    if (code == 0) return s->is_unsigned_zero ? 0 : sign;
    return (uint8_t)(code | sign);
}

static double e8m0_decode(uint8_t code)
{
    return code == 0xff ? (double)NAN : ldexp(1.0, code - 127);
}

/* Up to the next power of two, as ONNX Cast does by default. */
static uint8_t e8m0_encode(double x)
{
    if (isnan(x)) return 0xff;
    if (x <= 0) return 0;
    if (isinf(x)) return 0xfe;
    int exponent;
    const double fraction = frexp(x, &exponent);
    if (fraction == 0.5) exponent--;
    const int code = exponent + 127;
    return (uint8_t)(code < 0 ? 0 : code > 0xfe ? 0xfe : code);
}

/* ---- packed integers ---- */

static unsigned get_packed(const void *data, int64_t i, int bits)
{
    const int per_byte = 8 / bits;
    const uint8_t byte = ((const uint8_t *)data)[i / per_byte];
    return (unsigned)(byte >> (i % per_byte * bits)) & ((1u << bits) - 1);
}

static void set_packed(void *data, int64_t i, int bits, unsigned x)
{
    const int per_byte = 8 / bits, shift = (int)(i % per_byte) * bits;
    uint8_t *byte = (uint8_t *)data + i / per_byte;
    const unsigned mask = ((1u << bits) - 1) << shift;
    *byte = (uint8_t)((*byte & ~mask) | (x << shift & mask));
}

static int64_t sign_extend(unsigned x, int bits)
{
    const int64_t half = (int64_t)1 << (bits - 1);
    return ((int64_t)x ^ half) - half;
}

/* ---- any element ---- */

/* Constants may lie at any address of the model file. */
#define AT_INDEX(type, index)                                                                      \
    __extension__({                                                                                \
        type x_;                                                                                   \
        memcpy(&x_, (const char *)data + (size_t)(index) * sizeof x_, sizeof x_);                  \
        x_;                                                                                        \
    })
#define AT(type) AT_INDEX(type, i)
#define PUT(type, x) (((type *)data)[i] = (type)(x))

static bool is_float(ingot_dtype dtype)
{
    return dtype == INGOT_FLOAT || dtype == INGOT_DOUBLE || dtype == INGOT_FLOAT16 ||
           dtype == INGOT_BFLOAT16 || dtype == INGOT_COMPLEX64 || dtype == INGOT_COMPLEX128 ||
           dtype == INGOT_FLOAT8E8M0 || small_float_of(dtype);
}

double ig_get_f64(ingot_dtype dtype, const void *data, int64_t i)
{
    switch ((int)dtype) {
    case INGOT_FLOAT: return (double)AT(float);
    case INGOT_DOUBLE: return AT(double);
    case INGOT_FLOAT16: return (double)ig_f16_to_f32(AT(uint16_t));
    case INGOT_BFLOAT16: return (double)ig_bf16_to_f32(AT(uint16_t));
    case INGOT_COMPLEX64: return (double)AT_INDEX(float, 2 * i);
    case INGOT_COMPLEX128: return AT_INDEX(double, 2 * i);
    case INGOT_FLOAT8E8M0: return e8m0_decode(AT(uint8_t));
    case INGOT_FLOAT4E2M1: return small_decode(&e2m1, (uint8_t)get_packed(data, i, 4));
    case INGOT_UINT64: return (double)AT(uint64_t);
    default: break;
    }
    const small_float *s = small_float_of(dtype);
    return s ? small_decode(s, AT(uint8_t)) : (double)ig_get_i64(dtype, data, i);
}

/* Truncate and saturate into [low, high]; the ends are exact as doubles or just beyond. */
static int64_t saturate_i64(double x)
{
    if (isnan(x)) return 0;
    if (x >= 0x1p63) return INT64_MAX;
    return x < -0x1p63 ? INT64_MIN : (int64_t)x;
}

static uint64_t saturate_u64(double x)
{
    if (!(x > 0)) return 0;
    return x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

int64_t ig_get_i64(ingot_dtype dtype, const void *data, int64_t i)
{
    switch ((int)dtype) {
    case INGOT_INT8: return AT(int8_t);
    case INGOT_INT16: return AT(int16_t);
    case INGOT_INT32: return AT(int32_t);
    case INGOT_INT64: return AT(int64_t);
    case INGOT_UINT8: return AT(uint8_t);
    case INGOT_UINT16: return AT(uint16_t);
    case INGOT_UINT32: return AT(uint32_t);
    case INGOT_UINT64: return (int64_t)AT(uint64_t);
    case INGOT_BOOL: return AT(uint8_t) != 0;
    case INGOT_UINT4: return get_packed(data, i, 4);
    case INGOT_INT4: return sign_extend(get_packed(data, i, 4), 4);
    case INGOT_UINT2: return get_packed(data, i, 2);
    case INGOT_INT2: return sign_extend(get_packed(data, i, 2), 2);
    default: return is_float(dtype) ? saturate_i64(ig_get_f64(dtype, data, i)) : 0;
    }
}

void ig_set_i64(ingot_dtype dtype, void *data, int64_t i, int64_t x)
{
    switch ((int)dtype) {
    case INGOT_INT8:
    case INGOT_UINT8: PUT(uint8_t, x); break;
    case INGOT_INT16:
    case INGOT_UINT16: PUT(uint16_t, x); break;
    case INGOT_INT32:
    case INGOT_UINT32: PUT(uint32_t, x); break;
    case INGOT_INT64:
    case INGOT_UINT64: PUT(uint64_t, x); break;
    case INGOT_BOOL: PUT(uint8_t, x != 0); break;
    case INGOT_UINT4:
    case INGOT_INT4: set_packed(data, i, 4, (unsigned)(x & 15)); break;
    case INGOT_UINT2:
    case INGOT_INT2: set_packed(data, i, 2, (unsigned)(x & 3)); break;
    case INGOT_FLOAT: PUT(float, x); break; /* not through double: one rounding */
    default: ig_set_f64(dtype, data, i, (double)x); break;
    }
}

/* Range of the integer types of up to 32 bits. */
static bool int_range(ingot_dtype dtype, double *low, double *high)
{
    const int bits = ingot_dtype_bits(dtype);
    switch ((int)dtype) {
    case INGOT_INT8:
    case INGOT_INT16:
    case INGOT_INT32:
    case INGOT_INT4:
    case INGOT_INT2: *low = -ldexp(1, bits - 1), *high = ldexp(1, bits - 1) - 1; return true;
    case INGOT_UINT8:
    case INGOT_UINT16:
    case INGOT_UINT32:
    case INGOT_UINT4:
    case INGOT_UINT2: *low = 0, *high = ldexp(1, bits) - 1; return true;
    default: return false;
    }
}

void ig_set_f64(ingot_dtype dtype, void *data, int64_t i, double x)
{
    double low, high;
    const small_float *s = small_float_of(dtype);
    if (int_range(dtype, &low, &high)) {
        ig_set_i64(dtype, data, i, saturate_i64(x < low ? low : x > high ? high : x));
        return;
    }
    switch ((int)dtype) {
    case INGOT_FLOAT: PUT(float, x); break;
    case INGOT_DOUBLE: PUT(double, x); break;
    case INGOT_FLOAT16: PUT(uint16_t, ig_f32_to_f16(round_to_odd(x))); break;
    case INGOT_BFLOAT16: PUT(uint16_t, ig_f32_to_bf16(round_to_odd(x))); break;
    case INGOT_COMPLEX64:
        ((float *)data)[2 * i] = (float)x;
        ((float *)data)[2 * i + 1] = 0;
        break;
    case INGOT_COMPLEX128:
        ((double *)data)[2 * i] = x;
        ((double *)data)[2 * i + 1] = 0;
        break;
    case INGOT_FLOAT8E8M0: PUT(uint8_t, e8m0_encode(x)); break;
    case INGOT_FLOAT4E2M1: set_packed(data, i, 4, small_encode(s, x)); break;
    case INGOT_INT64: PUT(int64_t, saturate_i64(x)); break;
    case INGOT_UINT64: PUT(uint64_t, saturate_u64(x)); break;
    case INGOT_BOOL: PUT(uint8_t, x != 0); break;
    default:
        if (s) PUT(uint8_t, small_encode(s, x));
        break;
    }
}
