/* SPDX-License-Identifier: Apache-2.0 */
/* fill.c: values that are made up, and values in words. */
#include <string.h>

#include "cli/element.h"
#include "cli/engine.h"

/* SplitMix64: a full-period generator of 64 bits of state. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static ig_status fill(ingot_value *tensor, uint64_t seed, const double *number, const char *name,
                      ig_error *err)
{
    const ingot_dtype dtype = ingot_tensor_dtype(tensor);
    const int bits = ingot_dtype_bits(dtype);
    const int64_t count = ingot_tensor_count(tensor);
    uint8_t *data = ingot_tensor_data_mutable(tensor);
    const bool is_float = ig_dtype_is_float(dtype);
    uint64_t element = 0;
    if (!ig_element_encode(dtype, 0, &element)) /* strings stay empty, exotic numbers zero */
        return number ? ig_fail(err, INGOT_ERR_UNSUPPORTED,
                                "input '%s' of type %s cannot be filled with a number", name,
                                ingot_dtype_name(dtype))
                      : INGOT_OK;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t random = number ? 0 : next_random(&seed);
        const double value = number     ? *number
                             : is_float ? (double)(random >> 40) * 0x1p-24
                                        : (double)(random >> 63);
        ig_element_encode(dtype, value, &element);
        memcpy(data + (size_t)i * (size_t)bits / 8, &element, (size_t)bits / 8);
    }
    return INGOT_OK;
}

ig_status ig_value_make_up(const ingot_io_info *input, const ig_shape *shape, uint64_t seed,
                           const double *number, ingot_value **out, ig_error *err)
{
    int64_t dims[INGOT_MAX_RANK];
    if (input->kind == INGOT_KIND_SEQUENCE) return ingot_sequence_create(out, err);
    if (input->kind == INGOT_KIND_OPTIONAL) return ingot_optional_create(NULL, out, err);
    if (input->kind != INGOT_KIND_TENSOR)
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "input '%s' is a map; none can be made up",
                       input->name);
    const int rank = shape->rank < 0 && number ? 0 : shape->rank;
    if (rank < 0)
        return ig_fail(err, INGOT_ERR_INVALID,
                       "the shape of input '%s' is not known; give --shape %s=…", input->name,
                       input->name);
    for (int d = 0; d < rank; d++) dims[d] = shape->dims[d] < 0 ? 1 : shape->dims[d];
    const ingot_dtype dtype = input->dtype ? input->dtype : INGOT_FLOAT;
    IG_TRY(ingot_tensor_create(dtype, rank, dims, out, err));
    const ig_status status = fill(*out, seed, number, input->name, err);
    if (status) ingot_value_destroy(*out);
    if (status) *out = NULL;
    return status;
}

/* ---- in words ---- */

static const char *kind_prefix(ingot_kind kind)
{
    static const char *const names[] = { "", "sequence of ", "map of ", "optional " };
    return (unsigned)kind < IG_COUNT(names) ? names[kind] : "";
}

void ig_describe_io(const ingot_io_info *info, ig_str *out)
{
    ig_str_printf(out, "%s%s", kind_prefix(info->kind),
                  info->dtype ? ingot_dtype_name(info->dtype) : "any type");
    if (info->rank < 0) {
        if (info->kind == INGOT_KIND_TENSOR) ig_str_puts(out, "[…]");
        return;
    }
    ig_str_putc(out, '[');
    for (int d = 0; d < info->rank; d++) {
        if (d) ig_str_putc(out, ',');
        if (info->dims[d] >= 0)
            ig_str_printf(out, "%lld", (long long)info->dims[d]);
        else
            ig_str_puts(out, info->dim_names[d] ? info->dim_names[d] : "?");
    }
    ig_str_putc(out, ']');
}

void ig_describe_value(const ingot_value *value, ig_str *out)
{
    if (ingot_value_kind(value) != INGOT_KIND_TENSOR) {
        ig_str_printf(out, "%s%zu", kind_prefix(ingot_value_kind(value)),
                      ingot_value_n_items(value));
        return;
    }
    ig_str_printf(out, "%s[", ingot_dtype_name(ingot_tensor_dtype(value)));
    for (int d = 0; d < ingot_tensor_rank(value); d++)
        ig_str_printf(out, "%s%lld", d ? "," : "", (long long)ingot_tensor_dims(value)[d]);
    ig_str_putc(out, ']');
}
