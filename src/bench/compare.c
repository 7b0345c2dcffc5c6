/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c: outputs in files of plain elements, element by element. */
#include "bench/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

static double half(uint16_t v)
{
    const int exponent = v >> 10 & 31, fraction = v & 1023;
    double value = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
    if (exponent == 31) value = fraction ? NAN : INFINITY;
    return v >> 15 ? -value : value;
}

/* Elements as doubles; NaN for types that have no such value. */
static double element(ingot_dtype dtype, const uint8_t *p)
{
#define READ(type)                                                                                 \
    {                                                                                              \
        type v;                                                                                    \
        memcpy(&v, p, sizeof v);                                                                   \
        return (double)v;                                                                          \
    }
    switch (dtype) {
    case INGOT_FLOAT: READ(float)
    case INGOT_DOUBLE: READ(double)
    case INGOT_INT8: READ(int8_t)
    case INGOT_UINT8:
    case INGOT_BOOL: READ(uint8_t)
    case INGOT_INT16: READ(int16_t)
    case INGOT_UINT16: READ(uint16_t)
    case INGOT_INT32: READ(int32_t)
    case INGOT_UINT32: READ(uint32_t)
    case INGOT_INT64: READ(int64_t)
    case INGOT_UINT64: READ(uint64_t)
    case INGOT_FLOAT16: {
        uint16_t v;
        memcpy(&v, p, sizeof v);
        return half(v);
    }
    case INGOT_BFLOAT16: {
        uint16_t high;
        float v;
        memcpy(&high, p, sizeof high);
        const uint32_t bits = (uint32_t)high << 16;
        memcpy(&v, &bits, sizeof v);
        return (double)v;
    }
    default: return NAN;
    }
#undef READ
}

void ig_compare_arrays(ingot_dtype dtype, const void *reference, const void *other, size_t n,
                       double *max_error, double *difference_sq, double *reference_sq)
{
    const size_t bytes = (size_t)ingot_dtype_bits(dtype) / 8;
    for (size_t i = 0; i < n; i++) {
        const double a = element(dtype, (const uint8_t *)reference + i * bytes);
        const double b = element(dtype, (const uint8_t *)other + i * bytes);
        if ((isnan(a) && isnan(b)) || a == b) { /* infinities, too */
            if (isfinite(a)) *reference_sq += a * a;
            continue;
        }
        const double difference = isfinite(a) && isfinite(b) ? fabs(a - b) : INFINITY;
        if (difference > *max_error) *max_error = difference;
        *difference_sq += difference * difference;
        if (isfinite(a)) *reference_sq += a * a;
    }
}

static size_t count_of(const ig_driver_tensor *t)
{
    size_t n = 1;
    for (int i = 0; i < t->rank; i++)
        if (!ig_size_mul(n, (size_t)t->dims[i], &n)) return SIZE_MAX;
    return n;
}

static bool is_like(const ig_driver_tensor *a, const ig_driver_tensor *b)
{
    if (a->dtype != b->dtype || a->rank != b->rank) return false;
    for (int i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return true;
}

/* "float32[1,10]", cut to the room. */
static void describe(const ig_driver_tensor *t, char *text, size_t bytes)
{
    size_t n = (size_t)snprintf(text, bytes, "%s[", ingot_dtype_name(t->dtype));
    for (int i = 0; i < t->rank && n < bytes; i++)
        n += (size_t)snprintf(text + n, bytes - n, "%s%lld", i ? "," : "", (long long)t->dims[i]);
    if (n < bytes) snprintf(text + n, bytes - n, "]");
}

static void explain(const ig_driver_tensor *reference, const ig_driver_tensor *other, char *why,
                    size_t bytes)
{
    char wanted[60], got[60];
    describe(reference, wanted, sizeof wanted);
    if (other) describe(other, got, sizeof got);
    if (other)
        snprintf(why, bytes, "output '%.50s' is %s and not %s", reference->name, got, wanted);
    else
        snprintf(why, bytes, "output '%.60s' is missing", reference->name);
}

static size_t largest(ingot_dtype dtype, const uint8_t *row, size_t n)
{
    const size_t bytes = (size_t)ingot_dtype_bits(dtype) / 8;
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (element(dtype, row + i * bytes) > element(dtype, row + best * bytes)) best = i;
    return best;
}

/* Rows along the last dimension. */
static double top1_of(const ig_driver_tensor *t, const uint8_t *a, const uint8_t *b)
{
    const size_t n = count_of(t), n_row = t->rank ? (size_t)t->dims[t->rank - 1] : 1;
    const size_t row_bytes = n_row * (size_t)ingot_dtype_bits(t->dtype) / 8;
    const bool is_float =
        t->dtype == INGOT_FLOAT || t->dtype == INGOT_DOUBLE || t->dtype == INGOT_FLOAT16;
    size_t n_same = 0;
    if (!is_float || n_row < 2 || n == 0) return NAN;
    for (size_t r = 0; r < n / n_row; r++)
        n_same += largest(t->dtype, a + r * row_bytes, n_row) ==
                  largest(t->dtype, b + r * row_bytes, n_row);
    return (double)n_same / (double)(n / n_row);
}

static ig_status compare_files(const ig_driver_tensor *reference, const ig_driver_tensor *other,
                               bool is_first, ig_difference *out, ig_error *err)
{
    ig_file a = { 0 }, b = { 0 };
    double max_error = 0, difference_sq = 0, reference_sq = 0;
    size_t bytes = 0;
    const int bits = ingot_dtype_bits(reference->dtype);
    if (bits < 8 || !ig_size_mul(count_of(reference), (size_t)bits / 8, &bytes))
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "output '%s' has no elements to compare",
                       reference->name);
    ig_status status = ig_file_open(reference->file, &a, err);
    if (!status) status = ig_file_open(other->file, &b, err);
    if (!status && (a.bytes != bytes || b.bytes != bytes))
        status = ig_fail(err, INGOT_ERR_PARSE, "output '%s' is %zu bytes and not %zu",
                         reference->name, b.bytes != bytes ? b.bytes : a.bytes, bytes);
    if (!status) {
        ig_compare_arrays(reference->dtype, a.data, b.data, count_of(reference), &max_error,
                          &difference_sq, &reference_sq);
        const double rms =
            difference_sq == 0 ? 0 : sqrt(difference_sq / fmax(reference_sq, 1e-300));
        out->max_error = fmax(out->max_error, max_error);
        out->rms_error = fmax(out->rms_error, rms);
        if (is_first) out->top1 = top1_of(reference, a.data, b.data);
    }
    ig_file_close(&a);
    ig_file_close(&b);
    return status;
}

ig_status ig_compare_outputs(const ig_driver_tensor *reference, size_t n_reference,
                             const ig_driver_tensor *outputs, size_t n_outputs, ig_difference *out,
                             ig_error *err)
{
    *out = (ig_difference){ .top1 = NAN };
    for (size_t i = 0; i < n_reference; i++) {
        const ig_driver_tensor *other = i < n_outputs ? &outputs[i] : NULL;
        for (size_t k = 0; k < n_outputs; k++)
            if (strcmp(outputs[k].name, reference[i].name) == 0) other = &outputs[k];
        if (!other || !is_like(&reference[i], other)) {
            out->max_error = out->rms_error = INFINITY;
            if (!out->why[0]) explain(&reference[i], other, out->why, sizeof out->why);
            continue;
        }
        IG_TRY(compare_files(&reference[i], other, i == 0, out, err));
    }
    return INGOT_OK;
}
