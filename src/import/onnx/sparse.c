/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.c: SparseTensorProto → dense tensor. */
#include <string.h>

#include "import/onnx/importer.h"

typedef struct sparse_parts {
    const ig_tensor *values, *indices;
    ig_pb_bytes name;
    int rank;
    int64_t dims[IG_MAX_RANK];
} sparse_parts;

static ig_status read_parts(ig_onnx_importer *m, ig_pb_bytes message, sparse_parts *s)
{
    ig_pb r;
    ig_pb_field f;
    size_t at;
    uint64_t dim;

    ig_pb_init(&r, m->data, message, m->err);
    while (ig_pb_next(&r, &f)) {
        if (f.number == 1)
            IG_TRY(ig_onnx_tensor_import(m, ig_pb_span(&r, &f), &s->name, &s->values));
        if (f.number == 2) IG_TRY(ig_onnx_tensor_import(m, ig_pb_span(&r, &f), NULL, &s->indices));
        if (f.number != 3) continue;
        at = 0;
        while (ig_pb_next_varint(&r, &f, &at, &dim)) {
            if (s->rank == IG_MAX_RANK)
                return ig_fail(m->err, INGOT_ERR_LIMIT, "sparse tensor of more than %d dimensions",
                               IG_MAX_RANK);
            s->dims[s->rank++] = (int64_t)dim;
        }
    }
    return r.status;
}

static ig_status check_parts(ig_onnx_importer *m, const sparse_parts *s, size_t *bytes)
{
    int64_t count = ig_count(s->rank, s->dims), n;

    if (!s->values || !s->indices)
        return ig_fail(m->err, INGOT_ERR_INVALID, "sparse tensor without values or indices");
    if (s->values->rank != 1 || s->values->dtype == INGOT_STRING ||
        ig_dtype_size(s->values->dtype) == 0)
        return ig_fail(m->err, INGOT_ERR_UNSUPPORTED,
                       "sparse tensor '%s': values must be numbers of a byte or more, in one "
                       "dimension",
                       ig_onnx_printable(s->name).s);
    n = s->values->dims[0];
    if (s->indices->dtype != INGOT_INT64 || s->indices->rank < 1 || s->indices->rank > 2 ||
        s->indices->dims[0] != n ||
        (s->indices->rank == 2 && s->indices->dims[1] != (int64_t)s->rank))
        return ig_fail(m->err, INGOT_ERR_INVALID,
                       "sparse tensor '%s': indices do not fit %lld values of rank %d",
                       ig_onnx_printable(s->name).s, (long long)n, s->rank);
    if (count < 0 || !ig_dtype_bytes(s->values->dtype, count, bytes) ||
        *bytes > IG_ONNX_MAX_SPARSE_BYTES - m->sparse_bytes)
        return ig_fail(m->err, INGOT_ERR_LIMIT,
                       "sparse tensor '%s': more than %zu bytes when dense",
                       ig_onnx_printable(s->name).s, IG_ONNX_MAX_SPARSE_BYTES);
    return ig_limits_check_tensor(m->limits, *bytes, m->err);
}

/* Position of element i in the dense tensor, -1 when out of range. */
static int64_t position(const sparse_parts *s, int64_t i, int64_t count)
{
    const int64_t *index = s->indices->data;
    int64_t at = 0;

    if (s->indices->rank == 1) return index[i] >= 0 && index[i] < count ? index[i] : -1;
    for (int d = 0; d < s->rank; d++) {
        int64_t k = index[i * s->rank + d];

        if (k < 0 || k >= s->dims[d]) return -1;
        at = at * s->dims[d] + k;
    }
    return at;
}

ig_status ig_onnx_sparse_import(ig_onnx_importer *m, ig_pb_bytes message, ig_pb_bytes *name,
                                const ig_tensor **out)
{
    sparse_parts s = { .name = { message.data, 0 } };
    size_t bytes = 0, size;
    int64_t count;
    ig_tensor *dense;

    IG_TRY(read_parts(m, message, &s));
    IG_TRY(check_parts(m, &s, &bytes));
    m->sparse_bytes += bytes;
    count = ig_count(s.rank, s.dims);
    size = ig_dtype_size(s.values->dtype);
    IG_TRY(ig_onnx_tensor_make(m, s.values->dtype, s.rank, s.dims, NULL, &dense));
    for (int64_t i = 0; i < s.values->dims[0]; i++) {
        int64_t at = position(&s, i, count);

        if (at < 0)
            return ig_fail(m->err, INGOT_ERR_INVALID,
                           "sparse tensor '%s': index of value %lld is out of range",
                           ig_onnx_printable(s.name).s, (long long)i);
        memcpy((char *)dense->data + (size_t)at * size,
               (const char *)s.values->data + (size_t)i * size, size);
    }
    if (name) *name = s.name;
    *out = dense;
    return INGOT_OK;
}
