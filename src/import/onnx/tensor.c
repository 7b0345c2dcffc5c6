/* SPDX-License-Identifier: Apache-2.0 */
/* tensor.c: TensorProto → tensor, in place where the bytes of the file can be used as they are. */
#include <string.h>

#include "import/onnx/importer.h"

enum { /* fields of TensorProto */
       FIELD_FLOAT = 4,
       FIELD_INT32 = 5,
       FIELD_STRING = 6,
       FIELD_INT64 = 7,
       FIELD_DOUBLE = 10,
       FIELD_UINT64 = 11
};

ig_status ig_onnx_dtype(ig_onnx_importer *m, int64_t number, ingot_dtype *out)
{
    if (number <= INGOT_UNDEFINED)
        return ig_fail(m->err, INGOT_ERR_INVALID, "element type %lld is undefined",
                       (long long)number);
    if (number >= INGOT_N_DTYPES)
        return ig_fail(m->err, INGOT_ERR_UNSUPPORTED, "element type %lld is unknown",
                       (long long)number);
    *out = (ingot_dtype)number;
    return INGOT_OK;
}

/* ---- reading ---- */

static ig_status read_dims(ig_onnx_importer *m, ig_pb *r, const ig_pb_field *f, int *rank,
                           int64_t *dims)
{
    size_t at = 0;
    uint64_t dim;

    while (ig_pb_next_varint(r, f, &at, &dim)) {
        if (*rank == IG_MAX_RANK)
            return ig_fail(m->err, INGOT_ERR_LIMIT, "more than %d dimensions", IG_MAX_RANK);
        dims[(*rank)++] = (int64_t)dim;
    }
    return r->status;
}

/* Counts the numbers in a typed list; only TensorProto's own fields get here. */
static void count_listed(ig_pb *r, const ig_pb_field *f, ig_onnx_tensor *t)
{
    switch (f->number) {
    case FIELD_FLOAT: t->n_listed[FIELD_FLOAT] += ig_pb_fixed(r, f, 4).n / 4; break;
    case FIELD_DOUBLE: t->n_listed[FIELD_DOUBLE] += ig_pb_fixed(r, f, 8).n / 8; break;
    case FIELD_STRING:
        (void)ig_pb_span(r, f);
        t->n_listed[FIELD_STRING]++;
        break;
    default: t->n_listed[f->number] += ig_pb_count_varints(r, f);
    }
}

static ig_status read_fields(ig_onnx_importer *m, ig_onnx_tensor *t, int64_t *dtype)
{
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, t->message, m->err);
    while (ig_pb_next(&r, &f)) {
        switch (f.number) {
        case 1: IG_TRY(read_dims(m, &r, &f, &t->rank, t->dims)); break;
        case 2: *dtype = ig_pb_int(&r, &f); break;
        case 3: /* segment */
            return ig_fail(m->err, INGOT_ERR_UNSUPPORTED, "segmented tensors are not supported");
        case 8: t->name = ig_pb_span(&r, &f); break;
        case 9:
            t->raw = ig_pb_span(&r, &f);
            t->has_raw = true;
            break;
        case 13: IG_TRY(ig_onnx_external_read(m, t, ig_pb_span(&r, &f))); break;
        case 14: t->is_external = ig_pb_int(&r, &f) == 1; break;
        case FIELD_FLOAT:
        case FIELD_INT32:
        case FIELD_STRING:
        case FIELD_INT64:
        case FIELD_DOUBLE:
        case FIELD_UINT64: count_listed(&r, &f, t); break;
        default: /* documentation, metadata, what is newer */ break;
        }
    }
    return r.status;
}

static void blame(ig_onnx_importer *m, const ig_onnx_tensor *t)
{
    if (t->name.n)
        ig_error_prepend(m->err, "tensor '%s'", ig_onnx_printable(t->name).s);
    else
        ig_error_prepend(m->err, "tensor");
}

/* Once all fields are read, so that the message can have the name. */
static ig_status check_dims(ig_onnx_importer *m, ig_onnx_tensor *t)
{
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d] < 0)
            return ig_fail(m->err, INGOT_ERR_INVALID, "dimension %d is %lld", d,
                           (long long)t->dims[d]);
    t->count = ig_count(t->rank, t->dims);
    if (t->count < 0 || t->count > IG_DIM_MAX / 16)
        return ig_fail(m->err, INGOT_ERR_INVALID, "the dimensions' product overflows");
    return INGOT_OK;
}

ig_status ig_onnx_tensor_read(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_tensor *t)
{
    int64_t dtype = 0;
    ig_status status;

    *t = (ig_onnx_tensor){ .message = message,
                           .name = { message.data, 0 },
                           .raw = { message.data, 0 },
                           .location = { message.data, 0 } };
    status = read_fields(m, t, &dtype);
    if (!status) status = ig_onnx_dtype(m, dtype, &t->dtype);
    if (!status) status = check_dims(m, t);
    if (status) blame(m, t);
    return status;
}

/* ---- decoding ---- */

ig_status ig_onnx_tensor_make(ig_onnx_importer *m, ingot_dtype dtype, int rank, const int64_t *dims,
                              const void *data, ig_tensor **out)
{
    size_t bytes;

    IG_TRY(ig_tensor_in_arena(m->arena, dtype, rank, dims, NULL, out, m->err));
    if (data && ig_tensor_bytes(*out, &bytes) && bytes) memcpy((*out)->data, data, bytes);
    return INGOT_OK;
}

/* Bytes that are bools must be 0 or 1 before kernels see them. */
static bool is_clean(ingot_dtype dtype, ig_pb_bytes raw)
{
    if (dtype != INGOT_BOOL) return true;
    for (size_t i = 0; i < raw.n; i++)
        if (raw.data[i] > 1) return false;
    return true;
}

static ig_status from_raw(ig_onnx_importer *m, const ig_onnx_tensor *t, ig_pb_bytes raw,
                          ig_tensor **out)
{
    size_t want = 0, size = ig_dtype_size(t->dtype);

    if (t->dtype == INGOT_STRING)
        return ig_fail(m->err, INGOT_ERR_INVALID, "strings cannot come as raw bytes");
    if (t->dtype == INGOT_COMPLEX64 || t->dtype == INGOT_COMPLEX128) size /= 2;
    if (!ig_dtype_bytes(t->dtype, t->count, &want) || want != raw.n)
        return ig_fail(m->err, INGOT_ERR_INVALID, "has %zu bytes of data, its shape needs %zu",
                       raw.n, want);
    const bool may_stay = size < 2 || (uintptr_t)raw.data % size == 0 ||
                          (want >= IG_MISALIGNED_MIN_BYTES && t->dtype != INGOT_BOOL);
    if (want && may_stay && is_clean(t->dtype, raw))
        return ig_tensor_in_arena(m->arena, t->dtype, t->rank, t->dims, (void *)raw.data, out,
                                  m->err);
    IG_TRY(ig_onnx_tensor_make(m, t->dtype, t->rank, t->dims, raw.data, out));
    if (t->dtype == INGOT_BOOL)
        for (size_t i = 0; i < raw.n; i++) ((uint8_t *)(*out)->data)[i] = raw.data[i] != 0;
    else if (m->path)
        ig_file_drop_pages(raw.data, raw.n);
    return INGOT_OK;
}

/* The typed list that holds this element type, and how many numbers of it a tensor needs. */
static uint32_t list_of(ingot_dtype dtype, int64_t count, size_t *want)
{
    int bits = ingot_dtype_bits(dtype);

    *want = (size_t)count;
    switch (dtype) {
    case INGOT_COMPLEX64: *want *= 2; return FIELD_FLOAT;
    case INGOT_FLOAT: return FIELD_FLOAT;
    case INGOT_COMPLEX128: *want *= 2; return FIELD_DOUBLE;
    case INGOT_DOUBLE: return FIELD_DOUBLE;
    case INGOT_INT64: return FIELD_INT64;
    case INGOT_UINT32:
    case INGOT_UINT64: return FIELD_UINT64;
    case INGOT_STRING: return FIELD_STRING;
    default: /* below a byte: each number is a byte of several elements */
        if (bits > 0 && bits < 8) *want = (size_t)((count * bits + 7) / 8);
        return FIELD_INT32;
    }
}

static ig_status copy_strings(ig_onnx_importer *m, const ig_onnx_tensor *t, ingot_string *to)
{
    ig_pb r;
    ig_pb_field f;

    ig_pb_init(&r, m->data, t->message, m->err);
    while (ig_pb_next(&r, &f))
        if (f.number == FIELD_STRING)
            *to++ = (ingot_string){ (const char *)f.bytes.data, f.bytes.n };
    return r.status;
}

static void store_varint(ingot_dtype dtype, size_t size, uint64_t value, uint8_t *to)
{
    if (dtype == INGOT_BOOL) value = value != 0;
    memcpy(to, &value, size); /* little-endian: the low bytes */
}

/* The numbers of list `field` into zeroed memory; their count was checked. */
static ig_status copy_list(ig_onnx_importer *m, const ig_onnx_tensor *t, uint32_t field,
                           uint8_t *to)
{
    size_t size = ig_dtype_size(t->dtype), at;
    uint64_t value;
    ig_pb r;
    ig_pb_field f;

    if (size == 0) size = 1;
    ig_pb_init(&r, m->data, t->message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number != field) continue;
        if (field == FIELD_FLOAT || field == FIELD_DOUBLE) {
            ig_pb_bytes part = ig_pb_fixed(&r, &f, field == FIELD_FLOAT ? 4 : 8);

            if (part.n) memcpy(to, part.data, part.n);
            to += part.n;
            continue;
        }
        at = 0;
        while (ig_pb_next_varint(&r, &f, &at, &value)) {
            store_varint(t->dtype, size, value, to);
            to += size;
        }
    }
    return r.status;
}

/* A tensor has its data once: what stands in a second place, another reader might take. */
static ig_status check_lists(ig_onnx_importer *m, const ig_onnx_tensor *t, uint32_t field)
{
    static const char *const names[] = {
        [FIELD_FLOAT] = "float_data",   [FIELD_INT32] = "int32_data",
        [FIELD_STRING] = "string_data", [FIELD_INT64] = "int64_data",
        [FIELD_DOUBLE] = "double_data", [FIELD_UINT64] = "uint64_data",
    };

    for (uint32_t i = 0; i < IG_COUNT(names); i++) {
        if (!names[i] || t->n_listed[i] == 0) continue;
        if (t->is_external || (t->has_raw && t->raw.n))
            return ig_fail(m->err, INGOT_ERR_INVALID, "has both %s and %s",
                           t->is_external ? "external data" : "raw_data", names[i]);
        if (i != field)
            return ig_fail(m->err, INGOT_ERR_INVALID, "has %s, which is not for elements of %s",
                           names[i], ingot_dtype_name(t->dtype));
    }
    if (t->is_external && t->raw.n)
        return ig_fail(m->err, INGOT_ERR_INVALID, "has both external data and raw_data");
    return INGOT_OK;
}

static ig_status from_list(ig_onnx_importer *m, const ig_onnx_tensor *t, ig_tensor **out)
{
    size_t want;
    uint32_t field = list_of(t->dtype, t->count, &want);

    if (t->n_listed[field] != want)
        return ig_fail(m->err, INGOT_ERR_INVALID, "has %zu numbers of data, its shape needs %zu",
                       t->n_listed[field], want);
    IG_TRY(ig_onnx_tensor_make(m, t->dtype, t->rank, t->dims, NULL, out));
    if (t->dtype == INGOT_STRING) return copy_strings(m, t, (*out)->data);
    return copy_list(m, t, field, (*out)->data);
}

ig_status ig_onnx_tensor_decode(ig_onnx_importer *m, const ig_onnx_tensor *t, const ig_tensor **out)
{
    ig_tensor *made = NULL;
    ig_pb_bytes raw = t->raw;
    size_t bytes;
    ig_status status = check_lists(m, t, list_of(t->dtype, 0, &bytes));

    if (status) {
        /* below */
    } else if (t->is_external) {
        if (!ig_dtype_bytes(t->dtype, t->count, &bytes)) bytes = SIZE_MAX;
        status = ig_onnx_external(m, t, bytes, &raw);
        if (!status) status = from_raw(m, t, raw, &made);
    } else if (t->has_raw && (raw.n || t->count == 0)) {
        status = from_raw(m, t, raw, &made);
    } else {
        status = from_list(m, t, &made);
    }
    if (status) blame(m, t);
    *out = made;
    return status;
}

ig_status ig_onnx_tensor_import(ig_onnx_importer *m, ig_pb_bytes message, ig_pb_bytes *name,
                                const ig_tensor **out)
{
    ig_onnx_tensor t;

    IG_TRY(ig_onnx_tensor_read(m, message, &t));
    if (name) *name = t.name;
    return ig_onnx_tensor_decode(m, &t, out);
}
