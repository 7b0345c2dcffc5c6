/* SPDX-License-Identifier: Apache-2.0 */
/* values.c: contents that nobody chose, and when two values are the same. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "opcheck.h"

const oc_tolerance oc_exact = { 0, 0, 0, false };
const oc_tolerance oc_literal = { 1e-5, 1e-7, 0, true };
const oc_tolerance oc_kernel = { 1e-5, 1e-5, 1e-6, true };

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t x = *state;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Not 0, so that nothing divides by it. */
static int64_t random_int(ingot_dtype dtype, uint64_t bits)
{
    const int64_t small = 1 + (int64_t)(bits % 9);
    const bool is_minus = (bits >> 40) & 1;
    switch ((int)dtype) {
    case INGOT_INT8: return (int64_t)(bits % 255) - 127 ? (int64_t)(bits % 255) - 127 : 5;
    case INGOT_UINT8: return 1 + (int64_t)(bits % 255);
    case INGOT_INT4: return is_minus ? -(int64_t)(bits % 8) - 1 : 1 + (int64_t)(bits % 7);
    case INGOT_INT2: return is_minus ? -2 : 1;
    case INGOT_UINT2: return 1 + (int64_t)(bits % 3);
    case INGOT_INT16:
    case INGOT_INT32:
    case INGOT_INT64: return is_minus ? -small : small;
    default: return small;
    }
}

ig_status oc_fill_random(ig_tensor *t, uint64_t seed, ig_arena *arena, ig_error *err)
{
    static const char *const words[] = { "a", "bc", "", "x s", "ABC", "a" };
    const int64_t n = ig_tensor_count(t);
    (void)arena, (void)err;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t bits = next_random(&seed);
        if (t->dtype == INGOT_STRING) {
            const char *word = words[bits % IG_COUNT(words)];
            ((ingot_string *)t->data)[i] = (ingot_string){ word, strlen(word) };
        } else if (t->dtype == INGOT_BOOL) {
            ((uint8_t *)t->data)[i] = (uint8_t)((bits >> 20) & 1);
        } else if (IG_T(t->dtype) & (IG_T_INTS | IG_T(INGOT_INT4) | IG_T(INGOT_UINT4) |
                                     IG_T(INGOT_INT2) | IG_T(INGOT_UINT2))) {
            ig_set_i64(t->dtype, t->data, i, random_int(t->dtype, bits));
        } else if (t->dtype == INGOT_COMPLEX64 || t->dtype == INGOT_COMPLEX128) {
            const double re = (double)(bits & 0xffff) / 65536, im = (double)(bits >> 48) / 65536;
            if (t->dtype == INGOT_COMPLEX64)
                ((float *)t->data)[2 * i] = (float)re, ((float *)t->data)[2 * i + 1] = (float)im;
            else
                ((double *)t->data)[2 * i] = re, ((double *)t->data)[2 * i + 1] = im;
        } else {
            ig_set_f64(t->dtype, t->data, i, (double)(bits >> 11) / (double)(1ull << 53) * 6 - 3);
        }
    }
    return INGOT_OK;
}

/* ---- comparison ---- */

static bool is_real(ingot_dtype dtype)
{
    return dtype != INGOT_STRING && dtype != INGOT_COMPLEX64 && dtype != INGOT_COMPLEX128 &&
           !(IG_T(dtype) & (IG_T_INTS | IG_T_BOOL));
}

static double half_rounding(ingot_dtype dtype)
{
    if (dtype == INGOT_FLOAT16) return 1.0 / 1024;
    if (dtype == INGOT_BFLOAT16) return 1.0 / 128;
    return 0;
}

static double largest(const ig_tensor *t)
{
    double most = 0;
    for (int64_t i = 0; i < ig_tensor_count(t); i++) {
        const double x = fabs(ig_get_f64(t->dtype, t->data, i));
        if (x > most && isfinite(x)) most = x;
    }
    return most;
}

static bool is_close(double got, double want, double tolerance)
{
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (isinf(got) || isinf(want)) return got == want;
    return fabs(got - want) <= tolerance;
}

static bool same_reals(const ig_tensor *got, const ig_tensor *want, const oc_tolerance *tol,
                       char *why, size_t why_bytes)
{
    const double relative = tol->relative + (tol->is_rounded ? half_rounding(want->dtype) : 0);
    const double fixed =
        tol->absolute + (tol->of_largest > 0 ? tol->of_largest * largest(want) : 0);
    for (int64_t i = 0; i < ig_tensor_count(want); i++) {
        const double g = ig_get_f64(got->dtype, got->data, i);
        const double w = ig_get_f64(want->dtype, want->data, i);
        if (is_close(g, w, relative * fabs(w) + fixed)) continue;
        snprintf(why, why_bytes, "element %lld is %.9g, not %.9g", (long long)i, g, w);
        return false;
    }
    return true;
}

static bool same_strings(const ig_tensor *got, const ig_tensor *want, char *why, size_t why_bytes)
{
    const ingot_string *g = got->data, *w = want->data;
    for (int64_t i = 0; i < ig_tensor_count(want); i++) {
        if (g[i].bytes == w[i].bytes && (!w[i].bytes || !memcmp(g[i].data, w[i].data, w[i].bytes)))
            continue;
        snprintf(why, why_bytes, "element %lld is \"%.*s\", not \"%.*s\"", (long long)i,
                 (int)g[i].bytes, g[i].data, (int)w[i].bytes, w[i].data);
        return false;
    }
    return true;
}

static bool same_bytes(const ig_tensor *got, const ig_tensor *want, char *why, size_t why_bytes)
{
    size_t bytes = 0;
    if (!ig_tensor_bytes(want, &bytes) || !bytes || !memcmp(got->data, want->data, bytes))
        return true;
    snprintf(why, why_bytes, "contents differ");
    for (int64_t i = 0; i < ig_tensor_count(want); i++) {
        if (IG_T(want->dtype) & (IG_T(INGOT_COMPLEX64) | IG_T(INGOT_COMPLEX128))) break;
        const int64_t g = ig_get_i64(got->dtype, got->data, i);
        const int64_t w = ig_get_i64(want->dtype, want->data, i);
        if (g == w) continue;
        snprintf(why, why_bytes, "element %lld is %lld, not %lld", (long long)i, (long long)g,
                 (long long)w);
        break;
    }
    return false;
}

static bool same_items(const ig_tensor *got, const ig_tensor *want, const oc_tolerance *tol,
                       char *why, size_t why_bytes)
{
    if (got->n_items != want->n_items) {
        snprintf(why, why_bytes, "%zu items, not %zu", got->n_items, want->n_items);
        return false;
    }
    for (size_t i = 0; i < want->n_items; i++)
        if (!oc_same(got->items[i], want->items[i], tol, why, why_bytes)) return false;
    return true;
}

bool oc_same(const ig_tensor *got, const ig_tensor *want, const oc_tolerance *tol, char *why,
             size_t why_bytes)
{
    char a[96], b[96];
    if (!got || got->kind != want->kind) {
        snprintf(why, why_bytes, got ? "another kind of value" : "no value");
        return false;
    }
    if (want->kind != INGOT_KIND_TENSOR) return same_items(got, want, tol, why, why_bytes);
    bool is_same = got->dtype == want->dtype && got->rank == want->rank;
    for (int d = 0; is_same && d < want->rank; d++) is_same = got->dims[d] == want->dims[d];
    if (!is_same) {
        snprintf(why, why_bytes, "%s, not %s",
                 ig_shape_format(got->dtype, got->rank, got->dims, a, sizeof a),
                 ig_shape_format(want->dtype, want->rank, want->dims, b, sizeof b));
        return false;
    }
    if (ig_tensor_count(want) <= 0) return true;
    if (!got->data || !want->data) {
        snprintf(why, why_bytes, "no contents");
        return false;
    }
    if (want->dtype == INGOT_STRING) return same_strings(got, want, why, why_bytes);
    if (is_real(want->dtype)) return same_reals(got, want, tol, why, why_bytes);
    return same_bytes(got, want, why, why_bytes);
}
