/* SPDX-License-Identifier: Apache-2.0 */
/* text.c: numbers and versions in a graph's text. */
#include "ir/text.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool ig_text_is_real(ingot_dtype dtype)
{
    return dtype == INGOT_FLOAT || dtype == INGOT_DOUBLE || dtype == INGOT_FLOAT16 ||
           dtype == INGOT_BFLOAT16 ||
           (dtype >= INGOT_FLOAT8E4M3FN && dtype <= INGOT_FLOAT8E5M2FNUZ) ||
           dtype == INGOT_FLOAT4E2M1 || dtype == INGOT_FLOAT8E8M0;
}

uint64_t ig_text_element_bits(ingot_dtype dtype, const void *data, int64_t i)
{
    switch (ig_dtype_size(dtype)) {
    case 1: return ((const uint8_t *)data)[i];
    case 2: return ((const uint16_t *)data)[i];
    case 4: return ((const uint32_t *)data)[i];
    case 8: return ((const uint64_t *)data)[i];
    default: return 0; /* types below a byte have no NaN */
    }
}

uint64_t ig_text_nan_bits(ingot_dtype dtype)
{
    uint64_t element = 0;
    ig_set_f64(dtype, &element, 0, (double)NAN);
    return ig_text_element_bits(dtype, &element, 0);
}

void ig_text_set_bits(ingot_dtype dtype, void *data, int64_t i, uint64_t bits)
{
    switch (ig_dtype_size(dtype)) {
    case 1: ((uint8_t *)data)[i] = (uint8_t)bits; break;
    case 2: ((uint16_t *)data)[i] = (uint16_t)bits; break;
    case 4: ((uint32_t *)data)[i] = (uint32_t)bits; break;
    case 8: ((uint64_t *)data)[i] = bits; break;
    default: break;
    }
}

void ig_text_dot_to_locale(char *number, bool to_dot)
{
    /* A program that embeds the library may have set any locale. */
    const char *point = localeconv()->decimal_point;
    const char separator = point && *point ? *point : '.';
    char *at = strchr(number, to_dot ? separator : '.');
    if (at) *at = to_dot ? '.' : separator;
}

double ig_text_real(char *number, bool is_float)
{
    ig_text_dot_to_locale(number, false);
    return is_float ? (double)strtof(number, NULL) : strtod(number, NULL);
}

static bool is_onnx(const char *domain) { return !*domain || !strcmp(domain, "ai.onnx"); }

int ig_text_opset(const ig_graph *g, const char *domain)
{
    for (size_t i = 0; i < g->n_opsets; i++)
        if (!strcmp(g->opsets[i].domain, domain) ||
            (is_onnx(domain) && is_onnx(g->opsets[i].domain)))
            return (int)g->opsets[i].version;
    return 0;
}
