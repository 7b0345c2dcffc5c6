/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cast_map.c: ai.onnx.ml CastMap: the values of a map as one row of another type. DENSE: in the
 * order of the keys; SPARSE: each at the column that its key names, of max_map, others 0.
 */
#include <stdio.h>
#include <string.h>

#include "ir/text.h"
#include "ops/cast.h"
#include "ops/map_value.h"
#include "ops/strided.h"

typedef struct form {
    ingot_dtype to;
    bool is_sparse;
    int64_t max_map;
} form;

static ig_status read_form(const ig_node *node, form *f, ig_error *err)
{
    *f = (form){ .max_map = ig_attr_int(node, "max_map", 1) };
    if (ig_attr_is(node, "cast_to", "TO_FLOAT", true))
        f->to = INGOT_FLOAT;
    else if (ig_attr_is(node, "cast_to", "TO_STRING", false))
        f->to = INGOT_STRING;
    else if (ig_attr_is(node, "cast_to", "TO_INT64", false))
        f->to = INGOT_INT64;
    else
        return ig_fail(err, INGOT_ERR_INVALID, "cast_to is none of TO_FLOAT, TO_STRING, TO_INT64");
    f->is_sparse = ig_attr_is(node, "map_form", "SPARSE", false);
    if (!f->is_sparse && !ig_attr_is(node, "map_form", "DENSE", true))
        return ig_fail(err, INGOT_ERR_INVALID, "map_form is neither DENSE nor SPARSE");
    if (f->is_sparse && f->max_map < 0)
        return ig_fail(err, INGOT_ERR_INVALID, "max_map is %lld", (long long)f->max_map);
    return INGOT_OK;
}

static ig_status infer(ig_infer *c)
{
    form f;
    IG_TRY(ig_infer_is_map(c));
    IG_TRY(read_form(c->node, &f, c->err));
    const ig_dim dims[2] = { 1, f.is_sparse ? f.max_map : ig_dim_born(c->dims) };
    ig_info_set_shape(&c->out[0], f.to, 2, dims);
    return INGOT_OK;
}

/* float32 as text with six decimals, as ONNX Runtime has it here (Cast is another matter). */
static ig_status print_floats(ig_call *c, const float *x, int64_t n, ingot_string *out)
{
    char text[64];
    for (int64_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%f", (double)x[i]);
        ig_text_dot_to_locale(text, true);
        const size_t bytes = strlen(text);
        out[i] = (ingot_string){ ig_arena_strndup(c->scratch, text, bytes), bytes };
        if (!out[i].data) return IG_NOMEM(c->err, bytes);
    }
    return INGOT_OK;
}

/* The values, cast, in scratch memory. */
static ig_status cast_values(ig_call *c, const ig_list *values, ingot_dtype to, ig_tensor **out)
{
    ig_tensor from = { .dtype = values->dtype, .rank = 1, .dims = { values->n } };
    const ig_tensor *in = &from;
    IG_TRY(ig_tensor_in_arena(c->scratch, to, 1, from.dims, NULL, out, c->err));
    from.data = (void *)(uintptr_t)values->data; /* read only */
    if (values->dtype == INGOT_FLOAT && to == INGOT_STRING)
        return print_floats(c, values->data, values->n, (*out)->data);
    if (values->dtype == INGOT_STRING && to != INGOT_STRING) {
        ig_call inner = *c;
        inner.in = &in;
        inner.out = out;
        return ig_cast_from_strings(&inner, to);
    }
    for (int64_t i = 0; i < values->n; i++) {
        if (to == INGOT_STRING)
            ((ingot_string *)(*out)->data)[i] = ((const ingot_string *)values->data)[i];
        else if (to == INGOT_INT64)
            ((int64_t *)(*out)->data)[i] = ig_get_i64(INGOT_FLOAT, values->data, i);
        else
            ((float *)(*out)->data)[i] = ((const float *)values->data)[i];
    }
    return INGOT_OK;
}

static ig_status check_map(const ig_call *c, const form *f, const ig_map_value *map)
{
    const ig_list *keys = &map->keys.list;
    const ingot_dtype dtype = map->values.dtype;
    if (keys->n > 0 && keys->dtype != INGOT_INT64)
        return ig_fail(c->err, INGOT_ERR_INVALID, "keys of the map are %s, they must be int64",
                       ingot_dtype_name(keys->dtype));
    if (keys->n > 0 && dtype != INGOT_FLOAT && dtype != INGOT_STRING)
        return ig_fail(c->err, INGOT_ERR_UNSUPPORTED, "values of the map are %s",
                       ingot_dtype_name(dtype));
    for (int64_t i = 0; f->is_sparse && i < keys->n; i++) {
        const int64_t key = ((const int64_t *)keys->data)[i];
        if (key < 0 || key >= f->max_map)
            return ig_fail(c->err, INGOT_ERR_INVALID,
                           "key %lld is outside of 0 to max_map - 1, %lld", (long long)key,
                           (long long)f->max_map - 1);
    }
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    form f;
    ig_map_value map;
    ig_tensor *cast = NULL;
    IG_TRY(read_form(c->node, &f, c->err));
    IG_TRY(ig_call_map(c, &map));
    IG_TRY(check_map(c, &f, &map));
    const int64_t n = map.keys.list.n, dims[2] = { 1, f.is_sparse ? f.max_map : n };
    const size_t bytes = f.to == INGOT_STRING ? sizeof(ingot_string) : ig_dtype_size(f.to);
    IG_TRY(cast_values(c, &map.values, f.to, &cast));
    IG_TRY(ig_call_output(c, 0, f.to, 2, dims));
    IG_TRY(ig_call_ready(c));
    char *to = c->out[0]->data;
    if (f.to != INGOT_STRING && dims[1]) memset(to, 0, (size_t)dims[1] * bytes);
    for (int64_t i = 0; f.to == INGOT_STRING && i < dims[1]; i++)
        ((ingot_string *)c->out[0]->data)[i] = (ingot_string){ "0.f", 3 }; /* as ONNX Runtime */
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = ig_keys_at(&map.keys, i);
        const int64_t column = f.is_sparse ? ((const int64_t *)map.keys.list.data)[at] : i;
        memcpy(to + (size_t)column * bytes, (const char *)cast->data + (size_t)at * bytes, bytes);
    }
    return INGOT_OK;
}

static const char *const cases[] = {
    "map(i64{3,-1} f32{0.5,2}) = f32[1,2]{2,0.5}",
    "map(i64{3,1} f32{0.5,2.75}) cast_to=\"TO_INT64\" map_form=\"SPARSE\" max_map=5 = "
    "i64[1,5]{0,2,0,0,0}",
    "map(i64{3,1} f32{0.5,2}) cast_to=\"TO_STRING\" map_form=\"SPARSE\" max_map=4 = "
    "str[1,4]{\"0.f\",\"2.000000\",\"0.f\",\"0.500000\"}",
    "map(i64{2,1} str{\"2.5\",\"-7\"}) cast_to=\"TO_FLOAT\" = f32[1,2]{-7,2.5}",
    "map(i64{2,1} str{\"25\",\"-7\"}) cast_to=\"TO_INT64\" = i64[1,2]{-7,25}",
    "map(i64{2,0} str{\"b\",\"a\"}) cast_to=\"TO_STRING\" = str[1,2]{\"a\",\"b\"}",
    "map(i64[0] f32[0]) map_form=\"SPARSE\" max_map=2 = f32[1,2]{0,0}",
    "map(i64[0] f32[0]) = f32[1,0]{}",
    "map(i64{3} f32{1}) map_form=\"SPARSE\" max_map=3 ! key 3 is outside of 0 to max_map - 1, 2",
    "map(i64{-1} f32{1}) map_form=\"SPARSE\" max_map=3 ! key -1 is outside",
    "map(i64{1} f32{1}) map_form=\"SPARSE\" max_map=-3 ! max_map is -3",
    "map(i64{1} str{\"x\"}) ! \"x\", is not a number",
    "map(str{\"a\"} f32{1}) ! keys of the map are string, they must be int64",
    "map(i64{1,1} f32{1,2}) ! twice",
    "map(i64{1} f32{1}) cast_to=\"TO_FLOAT64\" ! cast_to is none of",
    "map(i64{1} f32{1}) map_form=\"PACKED\" ! map_form is neither",
    NULL,
};

const ig_op ig_op_cast_map = {
    .onnx = "CastMap",
    .domain = "ai.onnx.ml",
    .since = { 1 },
    .n_in = { 1, 1 },
    .any_kind = 1 << 0,
    .n_out = { 1, 1 },
    .infer = infer,
    .ref = ref,
    .cases = cases,
};
