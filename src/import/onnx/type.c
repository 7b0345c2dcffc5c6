/* SPDX-License-Identifier: Apache-2.0 */
/* type.c: TypeProto and ValueInfoProto. */
#include "import/onnx/importer.h"

#define MAX_TYPE_DEPTH 4 /* optional of sequence of map of tensor */

static ig_status read_dim(ig_onnx_importer *m, ig_pb_bytes message, int64_t *dim, const char **name)
{
    ig_pb r;
    ig_pb_field f;
    ig_pb_bytes text = { message.data, 0 };

    *dim = -1;
    *name = NULL;
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1) *dim = ig_pb_int(&r, &f);
        if (f.number == 2) text = ig_pb_span(&r, &f);
    }
    IG_TRY(r.status);
    if (*dim > IG_DIM_MAX / 16)
        return ig_fail(m->err, INGOT_ERR_INVALID, "dimension %lld is absurd", (long long)*dim);
    if (*dim >= 0) return INGOT_OK;
    *dim = -1; /* some exporters write -1 for what is not fixed */
    /* Paddle's exporter calls every open dimension "?": no name, or all would have to be equal. */
    if (text.n == 1 && text.data[0] == '?') return INGOT_OK;
    return text.n ? ig_onnx_intern(m, text, "dimension name", name) : INGOT_OK;
}

static ig_status read_shape(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_io *io)
{
    ig_pb r;
    ig_pb_field f;

    io->rank = 0;
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number != 1) continue;
        if (io->rank == IG_MAX_RANK)
            return ig_fail(m->err, INGOT_ERR_LIMIT, "more than %d dimensions", IG_MAX_RANK);
        IG_TRY(read_dim(m, ig_pb_span(&r, &f), &io->dims[io->rank], &io->dim_names[io->rank]));
        io->rank++;
    }
    return r.status;
}

static ig_status read_tensor_type(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_io *io)
{
    ig_pb r;
    ig_pb_field f;
    ingot_dtype dtype = INGOT_UNDEFINED;

    io->rank = -1;
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1) IG_TRY(ig_onnx_dtype(m, ig_pb_int(&r, &f), &dtype));
        if (f.number == 2) IG_TRY(read_shape(m, ig_pb_span(&r, &f), io));
    }
    io->type.dtype = dtype;
    return r.status;
}

static ig_status read_type(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_io *io, bool *has_type,
                           int depth);

/* Sequence and optional: their item's type, one level further in. */
static ig_status read_wrapped(ig_onnx_importer *m, ig_pb_bytes message, ingot_kind kind,
                              ig_onnx_io *io, int depth)
{
    bool has_item = false;
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f))
        if (f.number == 1) IG_TRY(read_type(m, ig_pb_span(&r, &f), io, &has_item, depth + 1));
    IG_TRY(r.status);
    if (!has_item)
        return ig_fail(m->err, INGOT_ERR_INVALID, "sequence or optional without an item type");
    io->type.item_kind = io->type.kind;
    io->type.kind = kind;
    return INGOT_OK;
}

static ig_status read_map(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_io *io, int depth)
{
    ingot_dtype key = INGOT_UNDEFINED;
    bool has_value = false;
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1) IG_TRY(ig_onnx_dtype(m, ig_pb_int(&r, &f), &key));
        if (f.number == 2) IG_TRY(read_type(m, ig_pb_span(&r, &f), io, &has_value, depth + 1));
    }
    IG_TRY(r.status);
    if (!has_value || key == INGOT_UNDEFINED)
        return ig_fail(m->err, INGOT_ERR_INVALID, "map without key or value type");
    io->type = (ig_type){ .kind = INGOT_KIND_MAP,
                          .dtype = io->type.dtype,
                          .item_kind = io->type.kind,
                          .key_dtype = key };
    return INGOT_OK;
}

static ig_status read_type(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_io *io, bool *has_type,
                           int depth)
{
    ig_pb r;
    ig_pb_field f;

    if (depth > MAX_TYPE_DEPTH)
        return ig_fail(m->err, INGOT_ERR_LIMIT, "type is nested deeper than %d", MAX_TYPE_DEPTH);
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 6) continue; /* denotation */
        *io = (ig_onnx_io){ .name = io->name, .rank = -1 };
        *has_type = true;
        switch (f.number) {
        case 1: IG_TRY(read_tensor_type(m, ig_pb_span(&r, &f), io)); break;
        case 4: IG_TRY(read_wrapped(m, ig_pb_span(&r, &f), INGOT_KIND_SEQUENCE, io, depth)); break;
        case 5: IG_TRY(read_map(m, ig_pb_span(&r, &f), io, depth)); break;
        case 9: IG_TRY(read_wrapped(m, ig_pb_span(&r, &f), INGOT_KIND_OPTIONAL, io, depth)); break;
        case 7:
        case 8:
            return ig_fail(m->err, INGOT_ERR_UNSUPPORTED, "%s types are not supported",
                           f.number == 7 ? "opaque" : "sparse tensor");
        default: *has_type = false;
        }
    }
    return r.status;
}

ig_status ig_onnx_type_read(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_io *io,
                            bool *has_type)
{
    *has_type = false;
    *io = (ig_onnx_io){ .name = io->name, .rank = -1 };
    return read_type(m, message, io, has_type, 0);
}

ig_status ig_onnx_value_info_read(ig_onnx_importer *m, ig_pb_bytes message, ig_pb_bytes *name,
                                  ig_onnx_io *io, bool *has_type)
{
    ig_pb_bytes type = { message.data, 0 };
    ig_pb r;
    ig_pb_field f;

    *name = type;
    *io = (ig_onnx_io){ .name = "", .rank = -1 };
    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1) *name = ig_pb_span(&r, &f);
        if (f.number == 2) type = ig_pb_span(&r, &f);
    }
    IG_TRY(r.status);
    return ig_onnx_type_read(m, type, io, has_type);
}
