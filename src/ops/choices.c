/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/choices.h"

#include <stdlib.h>
#include <string.h>

static const char *const precision_names[] = {
    [INGOT_PRECISION_FP32] = "fp32", [INGOT_PRECISION_FP32_STRICT] = "fp32-strict"
};

/* What a list may force. */
static const struct {
    const char *name;
    ig_conv_algorithm conv;
} kernels[] = {
    { "conv:direct", IG_CONV_DIRECT },
    { "conv:winograd2", IG_CONV_WINOGRAD2 },
    { "conv:winograd4", IG_CONV_WINOGRAD4 },
};

const char *ingot_precision_name(ingot_precision precision)
{
    return (unsigned)precision < IG_COUNT(precision_names) ? precision_names[precision] : NULL;
}

/* F(4x4) rounds more than a plain convolution does (docs/NUMERICS.md). */
static unsigned conv_allowed(ingot_precision precision)
{
    const unsigned plain = 1u << IG_CONV_DIRECT | 1u << IG_CONV_WINOGRAD2;
    return precision == INGOT_PRECISION_FP32_STRICT ? plain : plain | 1u << IG_CONV_WINOGRAD4;
}

unsigned ig_choices_conv(const ig_choices *choices)
{
    return choices->is_conv_forced ? 1u << choices->conv : conv_allowed(choices->precision);
}

static ig_status force_one(const char *name, size_t bytes, ig_choices *out, ig_error *err)
{
    for (size_t i = 0; i < IG_COUNT(kernels); i++) {
        if (strlen(kernels[i].name) != bytes || memcmp(kernels[i].name, name, bytes) != 0) continue;
        if (!(conv_allowed(out->precision) & 1u << kernels[i].conv))
            return ig_fail(err, INGOT_ERR_INVALID,
                           "kernel %s cannot be forced: it is less exact than precision %s allows",
                           kernels[i].name, ingot_precision_name(out->precision));
        out->is_conv_forced = true;
        out->conv = kernels[i].conv;
        return INGOT_OK;
    }
    return ig_fail(err, INGOT_ERR_INVALID,
                   "unknown kernel '%.*s' to force: known are conv:direct, conv:winograd2, "
                   "conv:winograd4",
                   (int)(bytes < 100 ? bytes : 100), name);
}

ig_status ig_choices_of(ingot_precision precision, const char *force, ig_choices *out,
                        ig_error *err)
{
    *out = (ig_choices){ .precision = precision };
    if (!ingot_precision_name(precision))
        return ig_fail(err, INGOT_ERR_INVALID, "precision %d does not exist", (int)precision);
    if (!force) force = getenv("INGOT_FORCE");
    while (force && *force) {
        const size_t bytes = strcspn(force, ",");
        IG_TRY(force_one(force, bytes, out, err));
        force += bytes + (force[bytes] == ',');
    }
    return INGOT_OK;
}
