/* SPDX-License-Identifier: Apache-2.0 */
/* attr.c: AttributeProto → attribute; references to a function's attributes. */
#include <string.h>

#include "import/onnx/importer.h"

/* ---- reading ---- */

static const int
    type_by_number[] = { /* AttributeProto.AttributeType as in the file */
                         [1] = IG_ONNX_ATTR_FLOAT,          [2] = IG_ONNX_ATTR_INT,
                         [3] = IG_ONNX_ATTR_STRING,         [4] = IG_ONNX_ATTR_TENSOR,
                         [5] = IG_ONNX_ATTR_GRAPH,          [6] = IG_ONNX_ATTR_FLOATS,
                         [7] = IG_ONNX_ATTR_INTS,           [8] = IG_ONNX_ATTR_STRINGS,
                         [9] = IG_ONNX_ATTR_TENSORS,        [10] = IG_ONNX_ATTR_GRAPHS,
                         [11] = IG_ONNX_ATTR_SPARSE_TENSOR, [12] = IG_ONNX_ATTR_SPARSE_TENSORS,
                         [13] = IG_ONNX_ATTR_TYPE_PROTO,    [14] = IG_ONNX_ATTR_TYPE_PROTOS
    };

/* One field; *guess: the type that its presence suggests, for files that do not say. */
static void read_field(ig_pb *r, const ig_pb_field *f, ig_onnx_attr *a, int64_t *type, int *guess)
{
    /* By field number, what a field's presence says of the type. */
    static const int suggests[] = {
        [2] = IG_ONNX_ATTR_FLOAT,          [3] = IG_ONNX_ATTR_INT,
        [4] = IG_ONNX_ATTR_STRING,         [5] = IG_ONNX_ATTR_TENSOR,
        [6] = IG_ONNX_ATTR_GRAPH,          [7] = IG_ONNX_ATTR_FLOATS,
        [8] = IG_ONNX_ATTR_INTS,           [9] = IG_ONNX_ATTR_STRINGS,
        [10] = IG_ONNX_ATTR_TENSORS,       [11] = IG_ONNX_ATTR_GRAPHS,
        [14] = IG_ONNX_ATTR_TYPE_PROTO,    [15] = IG_ONNX_ATTR_TYPE_PROTOS,
        [22] = IG_ONNX_ATTR_SPARSE_TENSOR, [23] = IG_ONNX_ATTR_SPARSE_TENSORS
    };

    if (f->number < IG_COUNT(suggests) && suggests[f->number]) *guess = suggests[f->number];
    switch (f->number) {
    case 1: a->name = ig_pb_span(r, f); break;
    case 2: a->f = ig_pb_float(r, f); break;
    case 3: a->i = ig_pb_int(r, f); break;
    case 4: a->s = ig_pb_span(r, f); break;
    case 5:
        a->t = ig_pb_span(r, f);
        a->has_t = true;
        break;
    case 6:
        a->g = ig_pb_span(r, f);
        a->has_g = true;
        break;
    case 7: a->n_floats += ig_pb_fixed(r, f, 4).n / 4; break;
    case 8: a->n_ints += ig_pb_count_varints(r, f); break;
    case 9:
        (void)ig_pb_span(r, f);
        a->n_strings++;
        break;
    case 10:
        (void)ig_pb_span(r, f);
        a->n_tensors++;
        break;
    case 14:
        a->tp = ig_pb_span(r, f);
        a->has_tp = true;
        break;
    case 20: *type = ig_pb_int(r, f); break;
    case 21: a->ref = ig_pb_span(r, f); break;
    case 22:
        a->sparse = ig_pb_span(r, f);
        a->has_sparse = true;
        break;
    case 23:
        (void)ig_pb_span(r, f);
        a->n_sparse++;
        break;
    default: break;
    }
}

static ig_status read_fields(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_attr *a)
{
    const ig_pb_bytes none = { message.data, 0 };
    int64_t type = 0;
    int guess = 0;
    ig_pb r;
    ig_pb_field f;

    *a = (ig_onnx_attr){ .message = message, .name = none, .ref = none, .s = none };
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) read_field(&r, &f, a, &type, &guess);
    IG_TRY(r.status);
    if (type < 0 || type >= (int64_t)IG_COUNT(type_by_number))
        return ig_fail(m->err, INGOT_ERR_UNSUPPORTED, "attribute '%s' has an unknown type %lld",
                       ig_onnx_printable(a->name).s, (long long)type);
    if (a->name.n == 0) return ig_fail(m->err, INGOT_ERR_INVALID, "attribute without a name");
    a->type = type ? type_by_number[type] : guess;
    return INGOT_OK;
}

static bool same(ig_pb_bytes a, ig_pb_bytes b)
{
    return a.n == b.n && memcmp(a.data, b.data, a.n) == 0;
}

ig_status ig_onnx_attr_read(ig_onnx_importer *m, const ig_onnx_scope *scope, ig_pb_bytes message,
                            ig_onnx_attr *attr, bool *is_there)
{
    ig_pb_bytes name;

    *is_there = true;
    IG_TRY(read_fields(m, message, attr));
    if (attr->ref.n == 0) return INGOT_OK;
    name = attr->name;
    if (!scope->is_function)
        return ig_fail(m->err, INGOT_ERR_INVALID,
                       "attribute '%s' refers to attribute '%s' of a function, but is in none",
                       ig_onnx_printable(name).s, ig_onnx_printable(attr->ref).s);
    for (size_t i = 0; i < scope->n_bindings; i++) {
        if (!same(scope->bindings[i].name, attr->ref)) continue;
        IG_TRY(read_fields(m, scope->bindings[i].attribute, attr));
        attr->name = name;
        attr->is_bound = true;
        return INGOT_OK;
    }
    *is_there = false;
    return INGOT_OK;
}

/* ---- decoding ---- */

/* The values of list field `number`, gathered into `to` (room was counted). */
static ig_status copy_list(ig_onnx_importer *m, const ig_onnx_attr *a, uint32_t number, void *to)
{
    ig_pb r;
    ig_pb_field f;
    size_t n = 0, at;
    uint64_t value;

    ig_pb_init(&r, m->data, a->message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number != number) continue;
        if (number == 7) {
            ig_pb_bytes part = ig_pb_fixed(&r, &f, 4);

            if (part.n) memcpy((float *)to + n, part.data, part.n);
            n += part.n / 4;
        } else if (number == 8) {
            at = 0;
            while (ig_pb_next_varint(&r, &f, &at, &value)) ((int64_t *)to)[n++] = (int64_t)value;
        } else {
            ((ingot_string *)to)[n++] = (ingot_string){ (const char *)f.bytes.data, f.bytes.n };
        }
    }
    return r.status;
}

static ig_status decode_list(ig_onnx_importer *m, const ig_onnx_attr *a, ig_attr *out)
{
    static const struct {
        int type;
        uint32_t field;
        ig_attr_kind kind;
        size_t elem_bytes;
    } rows[] = { { IG_ONNX_ATTR_FLOATS, 7, IG_ATTR_FLOATS, sizeof(float) },
                 { IG_ONNX_ATTR_INTS, 8, IG_ATTR_INTS, sizeof(int64_t) },
                 { IG_ONNX_ATTR_STRINGS, 9, IG_ATTR_STRINGS, sizeof(ingot_string) } };
    size_t row = a->type == IG_ONNX_ATTR_FLOATS ? 0 : a->type == IG_ONNX_ATTR_INTS ? 1 : 2;
    void *items;

    out->kind = rows[row].kind;
    out->n = row == 0 ? a->n_floats : row == 1 ? a->n_ints : a->n_strings;
    items = ig_arena_array(m->arena, out->n, rows[row].elem_bytes);
    if (!items) return IG_NOMEM(m->err, out->n);
    if (row == 0)
        out->floats = items;
    else if (row == 1)
        out->ints = items;
    else
        out->strings = items;
    return copy_list(m, a, rows[row].field, items);
}

/* TENSORS and SPARSE_TENSORS. */
static ig_status decode_tensors(ig_onnx_importer *m, const ig_onnx_attr *a, ig_attr *out)
{
    bool is_sparse = a->type == IG_ONNX_ATTR_SPARSE_TENSORS;
    uint32_t number = is_sparse ? 23 : 10;
    ig_pb r;
    ig_pb_field f;
    size_t n = 0;

    out->kind = IG_ATTR_TENSORS;
    out->n = is_sparse ? a->n_sparse : a->n_tensors;
    out->tensors = ig_arena_array(m->arena, out->n, sizeof *out->tensors);
    if (!out->tensors) return IG_NOMEM(m->err, out->n);
    ig_pb_init(&r, m->data, a->message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number != number) continue;
        if (is_sparse)
            IG_TRY(ig_onnx_sparse_import(m, f.bytes, NULL, &out->tensors[n++]));
        else
            IG_TRY(ig_onnx_tensor_import(m, f.bytes, NULL, &out->tensors[n++]));
    }
    return r.status;
}

static ig_status decode_tensor(ig_onnx_importer *m, const ig_onnx_attr *a, ig_attr *out)
{
    bool is_sparse = a->type == IG_ONNX_ATTR_SPARSE_TENSOR;

    out->kind = IG_ATTR_TENSOR;
    if (is_sparse ? !a->has_sparse : !a->has_t)
        return ig_fail(m->err, INGOT_ERR_INVALID, "has no tensor");
    return is_sparse ? ig_onnx_sparse_import(m, a->sparse, NULL, &out->t)
                     : ig_onnx_tensor_import(m, a->t, NULL, &out->t);
}

static ig_status decode_type(ig_onnx_importer *m, const ig_onnx_attr *a, ig_attr *out)
{
    ig_onnx_io io = { 0 };
    bool has_type = false;

    out->kind = IG_ATTR_TYPE;
    if (a->has_tp) IG_TRY(ig_onnx_type_read(m, a->tp, &io, &has_type));
    if (!has_type) return ig_fail(m->err, INGOT_ERR_INVALID, "has no type");
    out->type = io.type;
    return INGOT_OK;
}

static ig_status decode(ig_onnx_importer *m, const ig_onnx_attr *a, ig_attr *out)
{
    switch (a->type) {
    case IG_ONNX_ATTR_FLOAT:
        out->kind = IG_ATTR_FLOAT;
        out->f = a->f;
        return INGOT_OK;
    case IG_ONNX_ATTR_INT:
        out->kind = IG_ATTR_INT;
        out->i = a->i;
        return INGOT_OK;
    case IG_ONNX_ATTR_STRING:
        out->kind = IG_ATTR_STRING;
        out->s = (ingot_string){ (const char *)a->s.data, a->s.n };
        return INGOT_OK;
    case IG_ONNX_ATTR_TENSOR:
    case IG_ONNX_ATTR_SPARSE_TENSOR: return decode_tensor(m, a, out);
    case IG_ONNX_ATTR_TENSORS:
    case IG_ONNX_ATTR_SPARSE_TENSORS: return decode_tensors(m, a, out);
    case IG_ONNX_ATTR_TYPE_PROTO: return decode_type(m, a, out);
    case IG_ONNX_ATTR_GRAPHS:
    case IG_ONNX_ATTR_TYPE_PROTOS:
        return ig_fail(m->err, INGOT_ERR_UNSUPPORTED, "lists of %s are not supported",
                       a->type == IG_ONNX_ATTR_GRAPHS ? "graphs" : "types");
    case IG_ONNX_ATTR_GRAPH:
        return ig_fail(m->err, INGOT_ERR_INVALID, "a graph is not possible here");
    case 0: /* no type and no content: old files write empty lists so */
    case IG_ONNX_ATTR_FLOATS:
    case IG_ONNX_ATTR_INTS:
    case IG_ONNX_ATTR_STRINGS:
    default: {
        ig_onnx_attr list = *a;

        if (a->type == 0) list.type = IG_ONNX_ATTR_INTS;
        return decode_list(m, &list, out);
    }
    }
}

ig_status ig_onnx_attr_decode(ig_onnx_importer *m, const ig_onnx_attr *attr, ig_attr *out)
{
    ig_status status;

    *out = (ig_attr){ .n = 1 };
    IG_TRY(ig_onnx_intern(m, attr->name, "attribute name", &out->name));
    status = decode(m, attr, out);
    if (status) ig_error_prepend(m->err, "attribute '%s'", ig_onnx_printable(attr->name).s);
    return status;
}
