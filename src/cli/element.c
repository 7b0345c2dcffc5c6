/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/element.h"

#include <math.h>
#include <string.h>

/* ---- 16-bit floats ---- */

/* Round a float to `n_drop` fewer mantissa bits, ties to even. */
static uint32_t round_bits(uint32_t bits, int n_drop)
{
    const uint32_t half = 1u << (n_drop - 1), odd = (bits >> n_drop) & 1;
    return (bits + half - 1 + odd) >> n_drop;
}

static uint16_t to_bfloat16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x)) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)round_bits(bits, 16);
}

static uint16_t to_float16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000;
    bits &= 0x7fffffff;
    if (bits > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (bits >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* rounds to 65536 or more */
    if (bits < 0x38800000)                                    /* denormal: a multiple of 2^-24 */
        return (uint16_t)(sign | (uint32_t)lrint(ldexp(fabs((double)x), 24)));
    return (uint16_t)(sign | round_bits(bits - 0x38000000, 13));
}

static double from_float16(uint16_t h)
{
    const int exponent = h >> 10 & 31, mantissa = h & 1023;
    double x;
    if (exponent == 31)
        x = mantissa ? NAN : INFINITY;
    else
        x = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return h & 0x8000 ? -x : x;
}

static double from_bfloat16(uint16_t h)
{
    const uint32_t bits = (uint32_t)h << 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- any ---- */

static double clamp_round(double value, double low, double high)
{
    if (!(value >= low)) return low; /* NaN too */
    return value > high ? high : nearbyint(value);
}

bool ig_element_encode(ingot_dtype dtype, double value, uint64_t *bits)
{
    const float single = (float)value;
    *bits = 0;
    switch (dtype) {
    case INGOT_FLOAT: memcpy(bits, &single, sizeof single); return true;
    case INGOT_DOUBLE: memcpy(bits, &value, sizeof value); return true;
    case INGOT_FLOAT16: *bits = to_float16(single); return true;
    case INGOT_BFLOAT16: *bits = to_bfloat16(single); return true;
    case INGOT_BOOL: *bits = value != 0; return true;
    case INGOT_UINT8: *bits = (uint8_t)clamp_round(value, 0, UINT8_MAX); return true;
    case INGOT_INT8: *bits = (uint8_t)(int8_t)clamp_round(value, INT8_MIN, INT8_MAX); return true;
    case INGOT_UINT16: *bits = (uint16_t)clamp_round(value, 0, UINT16_MAX); return true;
    case INGOT_INT16:
        *bits = (uint16_t)(int16_t)clamp_round(value, INT16_MIN, INT16_MAX);
        return true;
    case INGOT_UINT32: *bits = (uint32_t)clamp_round(value, 0, UINT32_MAX); return true;
    case INGOT_INT32:
        *bits = (uint32_t)(int32_t)clamp_round(value, INT32_MIN, INT32_MAX);
        return true;
    case INGOT_UINT64: *bits = (uint64_t)clamp_round(value, 0, 0x1.fffffffffffffp63); return true;
    case INGOT_INT64:
        *bits = (uint64_t)(int64_t)clamp_round(value, -0x1p63, 0x1.fffffffffffffp62);
        return true;
    default: return false;
    }
}

bool ig_element_decode(ingot_dtype dtype, const void *data, int64_t i, double *value)
{
    switch (dtype) {
    case INGOT_FLOAT: *value = ((const float *)data)[i]; return true;
    case INGOT_DOUBLE: *value = ((const double *)data)[i]; return true;
    case INGOT_FLOAT16: *value = from_float16(((const uint16_t *)data)[i]); return true;
    case INGOT_BFLOAT16: *value = from_bfloat16(((const uint16_t *)data)[i]); return true;
    case INGOT_BOOL:
    case INGOT_UINT8: *value = ((const uint8_t *)data)[i]; return true;
    case INGOT_INT8: *value = ((const int8_t *)data)[i]; return true;
    case INGOT_UINT16: *value = ((const uint16_t *)data)[i]; return true;
    case INGOT_INT16: *value = ((const int16_t *)data)[i]; return true;
    case INGOT_UINT32: *value = ((const uint32_t *)data)[i]; return true;
    case INGOT_INT32: *value = ((const int32_t *)data)[i]; return true;
    case INGOT_UINT64: *value = (double)((const uint64_t *)data)[i]; return true;
    case INGOT_INT64: *value = (double)((const int64_t *)data)[i]; return true;
    default: return false;
    }
}

bool ig_dtype_is_float(ingot_dtype dtype)
{
    return dtype == INGOT_FLOAT || dtype == INGOT_DOUBLE || dtype == INGOT_FLOAT16 ||
           dtype == INGOT_BFLOAT16;
}
