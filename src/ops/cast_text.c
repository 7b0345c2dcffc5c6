/* SPDX-License-Identifier: Apache-2.0 */
/* cast_text.c: Cast from and to strings. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/text.h"
#include "ops/cast.h"

#define MAX_NUMBER_BYTES 400 /* the longest double in plain notation has about 340 */

static bool is_integer_type(ingot_dtype dtype)
{
    return (IG_T(dtype) & IG_T_INTS) || ingot_dtype_bits(dtype) < 8;
}

/* The whole of a trimmed text as a number of the wanted type. */
static bool read_number(char *text, ingot_dtype to, void *data, int64_t i)
{
    char *end = text;
    while (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r') text++;
    for (size_t n = strlen(text); n > 0 && strchr(" \t\r\n", text[n - 1]); n--) text[n - 1] = 0;
    if (!*text) return false;
    if (is_integer_type(to) && to != INGOT_FLOAT4E2M1) {
        errno = 0;
        const int64_t x = to == INGOT_UINT64 && text[0] != '-' ? (int64_t)strtoull(text, &end, 10)
                                                               : strtoll(text, &end, 10);
        if (!*end && !errno) {
            ig_set_i64(to, data, i, x);
            return true;
        }
    }
    ig_text_dot_to_locale(text, false);
    const double x = strtod(text, &end);
    ig_set_f64(to, data, i, to == INGOT_FLOAT ? (double)strtof(text, NULL) : x);
    return !*end;
}

ig_status ig_cast_from_strings(ig_call *c, ingot_dtype to)
{
    const ig_tensor *in = c->in[0];
    const ingot_string *x = in->data;
    const int64_t n = ig_tensor_count(in);
    char text[MAX_NUMBER_BYTES + 1];
    size_t bytes = 0;
    if (ig_dtype_size(to) == 0 && ig_dtype_bytes(to, n, &bytes)) memset(c->out[0]->data, 0, bytes);
    for (int64_t i = 0; i < n; i++) {
        const size_t length = x[i].bytes < MAX_NUMBER_BYTES ? x[i].bytes : MAX_NUMBER_BYTES;
        if (length) memcpy(text, x[i].data, length);
        text[length] = 0;
        if (x[i].bytes > MAX_NUMBER_BYTES || strlen(text) != length ||
            !read_number(text, to, c->out[0]->data, i))
            return IG_OP_FAIL(c, INGOT_ERR_INVALID, "element %lld, \"%.*s\", is not a number",
                              (long long)i, (int)(length < 40 ? length : 40),
                              x[i].bytes ? x[i].data : "");
    }
    return INGOT_OK;
}

/* Fewest significant digits that read back as x. */
static int shortest_digits(double x, bool is_double)
{
    char text[40];
    int digits = 1;
    for (const int max = is_double ? 17 : 9; digits < max; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
        if (is_double ? strtod(text, NULL) == x : strtof(text, NULL) == (float)x) break;
    }
    return digits;
}

static int print_float(double x, bool is_double, char *text, size_t bytes)
{
    if (isnan(x)) return snprintf(text, bytes, "NaN");
    if (isinf(x)) return snprintf(text, bytes, x < 0 ? "-INF" : "INF");
    const int digits = shortest_digits(x, is_double);
    char probe[40];
    snprintf(probe, sizeof probe, "%.*e", digits - 1, x);
    const int exponent = atoi(strchr(probe, 'e') + 1);
    if (exponent < -5 || exponent > 16)
        snprintf(text, bytes, "%s", probe);
    else
        snprintf(text, bytes, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, x);
    ig_text_dot_to_locale(text, true);
    return (int)strlen(text);
}

ig_status ig_cast_to_strings(ig_call *c)
{
    const ig_tensor *in = c->in[0];
    const ig_dtype_set signed_types = IG_T_SIGNED | IG_T(INGOT_INT4) | IG_T(INGOT_INT2);
    ingot_string *y = c->out[0]->data;
    const int64_t n = ig_tensor_count(in);
    char text[64];
    for (int64_t i = 0; i < n; i++) {
        int length;
        if ((IG_T(in->dtype) & signed_types) || in->dtype == INGOT_BOOL)
            length = snprintf(text, sizeof text, "%" PRId64, ig_get_i64(in->dtype, in->data, i));
        else if (is_integer_type(in->dtype) && in->dtype != INGOT_FLOAT4E2M1)
            length = snprintf(text, sizeof text, "%" PRIu64,
                              (uint64_t)ig_get_i64(in->dtype, in->data, i));
        else
            length = print_float(ig_get_f64(in->dtype, in->data, i), in->dtype == INGOT_DOUBLE,
                                 text, sizeof text);
        char *copy = ig_arena_strndup(c->scratch, text, (size_t)length);
        if (!copy) return IG_NOMEM(c->err, length);
        y[i] = (ingot_string){ copy, (size_t)length };
    }
    return INGOT_OK;
}
