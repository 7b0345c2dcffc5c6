/* SPDX-License-Identifier: Apache-2.0 */
/* row_source.c: rows of an array converted to what an input takes. */
#include <string.h>

#include "cli/element.h"
#include "cli/eval/rows.h"

/* ---- shapes ---- */

static int64_t product(const int64_t *dims, int n)
{
    int64_t count = 1;
    for (int i = 0; i < n; i++) {
        if (dims[i] < 0 || (dims[i] && count > INT64_MAX / dims[i])) return -1;
        count *= dims[i];
    }
    return count;
}

static bool fits(const int64_t *wanted, const int64_t *dims, int n)
{
    for (int i = 0; i < n; i++)
        if (wanted[i] >= 0 && wanted[i] != dims[i]) return false;
    return true;
}

static void set_dims(ig_row_source *s, const int64_t *dims, int n)
{
    s->rank = n + 1;
    memcpy(s->dims + 1, dims, (size_t)n * sizeof *dims);
}

/* 8-bit pixels that the input wants in another order or type: a picture that is decoded already. */
static bool is_picture(ig_row_source *s, ig_dataset *d, const ingot_io_info *input)
{
    const ig_npy_header *h = &s->stream.header;
    const int rank = h->rank - 1;
    ig_error ignored = { 0 };
    if (h->dtype != INGOT_UINT8 || rank < 2 || rank > 3 || input->rank < 3) return false;
    if (ig_picture_format_init(&d->card->preprocess, input, &s->format, &ignored)) return false;
    const int64_t channels = rank == 3 ? h->dims[3] : 1;
    const bool is_side_fine = h->dims[1] > 0 && h->dims[1] <= IG_MAX_PICTURE_SIDE &&
                              h->dims[2] > 0 && h->dims[2] <= IG_MAX_PICTURE_SIDE;
    return channels == s->format.n_channels && is_side_fine &&
           (!s->format.height || s->format.height == h->dims[1]) &&
           (!s->format.width || s->format.width == h->dims[2]);
}

static ig_status fail_shape(ig_row_source *s, ig_dataset *d, const ingot_io_info *input)
{
    ig_str text;
    ig_str_init(&text, d->cli->alloc);
    ig_describe_io(input, &text);
    const ig_npy_header *h = &s->stream.header;
    ig_str_printf(&text, ", array '%s' has rows of %s[", s->stream.name,
                  ingot_dtype_name(h->dtype));
    for (int i = 1; i < h->rank; i++)
        ig_str_printf(&text, "%s%lld", i > 1 ? "," : "", (long long)h->dims[i]);
    const ig_status status = ig_fail(&d->cli->err, INGOT_ERR_SHAPE, "%s: input '%s' wants %s]",
                                     d->path, input->name, ig_str_cstr(&text));
    ig_str_deinit(&text);
    return status;
}

/* Sides of 1 apart, are the dimensions the same? A row is never taken for its transpose. */
static bool is_same_but_ones(const int64_t *a, int n_a, const int64_t *b, int n_b)
{
    int k = 0;
    for (int i = 0; i < n_a; i++) {
        if (a[i] == 1) continue;
        while (k < n_b && b[k] == 1) k++;
        if (k == n_b || a[i] != b[k++]) return false;
    }
    while (k < n_b && b[k] == 1) k++;
    return k == n_b;
}

static ig_status choose_form(ig_row_source *s, ig_dataset *d, const ingot_io_info *input)
{
    const int64_t *row = s->stream.header.dims + 1, *wanted = input->dims;
    const int rank = s->stream.header.rank - 1;
    set_dims(s, row, rank);
    if (input->rank < 0) return INGOT_OK;
    if (input->rank == rank + 1 && fits(wanted + 1, row, rank)) return INGOT_OK;
    if (input->rank == rank && rank > 0 && fits(wanted, row, rank)) {
        s->form = IG_ROW_WHOLE;
        return INGOT_OK;
    }
    if (is_picture(s, d, input)) {
        s->form = IG_ROW_PICTURE;
        return INGOT_OK;
    }
    if (input->rank < 1) return fail_shape(s, d, input);
    const int n = input->rank - 1;
    const int64_t count = product(wanted + 1, n);
    if (count < 0 || count != product(row, rank) ||
        (rank > 1 && !is_same_but_ones(row, rank, wanted + 1, n)))
        return fail_shape(s, d, input);
    set_dims(s, wanted + 1, n);
    return INGOT_OK;
}

/* ---- elements ---- */

static ig_status choose_elements(ig_row_source *s, ig_dataset *d, const ingot_io_info *input)
{
    const ig_preprocess *p = &d->card->preprocess;
    const ig_npy_header *h = &s->stream.header;
    double value;
    uint64_t bits;
    s->dtype = input && input->dtype ? input->dtype : h->dtype;
    s->has_scale = input && (p->scale != 0 || p->mean.n || p->std.n);
    s->scale = p->scale != 0 ? p->scale : 1;
    s->mean = p->mean.n ? p->mean.v[0] : 0;
    s->std = p->std.n ? p->std.v[0] : 1;
    if (s->has_scale && (p->mean.n > 1 || p->std.n > 1) && s->form != IG_ROW_PICTURE)
        return ig_fail(&d->cli->err, INGOT_ERR_INVALID,
                       "%s: rows of array '%s' are no pictures; --mean and --std take one number",
                       d->path, s->stream.name);
    const uint64_t zero[2] = { 0 };
    if ((s->dtype != h->dtype || s->has_scale) &&
        (!ig_element_encode(s->dtype, 0, &bits) || !ig_element_decode(h->dtype, zero, 0, &value)))
        return ig_fail(&d->cli->err, INGOT_ERR_UNSUPPORTED, "%s: array '%s' of %s cannot become %s",
                       d->path, s->stream.name, ingot_dtype_name(h->dtype),
                       ingot_dtype_name(s->dtype));
    return INGOT_OK;
}

ig_status ig_row_source_make_room(ig_row_source *s, ig_dataset *d, size_t n_room)
{
    ig_alloc *alloc = d->cli->alloc;
    size_t bytes = 0;
    s->n_room = n_room;
    if (s->form == IG_ROW_PICTURE) {
        s->batch = (ig_picture_batch){ .alloc = alloc, .format = &s->format, .max = n_room };
        ig_note_assumed_format(d->cli, d->engine, d->card, &s->format);
    } else {
        s->out_bytes = (size_t)s->row_count * ((size_t)ingot_dtype_bits(s->dtype) / 8);
        if (!ig_size_mul(s->out_bytes, n_room, &bytes)) return IG_NOMEM(&d->cli->err, SIZE_MAX);
        s->data = ig_alloc_get(alloc, bytes, 64, INGOT_MEM_VALUE);
        if (!s->data) return IG_NOMEM(&d->cli->err, bytes);
    }
    s->row = ig_alloc_get(alloc, s->row_bytes, 16, INGOT_MEM_VALUE);
    return s->row ? INGOT_OK : IG_NOMEM(&d->cli->err, s->row_bytes);
}

size_t ig_row_source_n_fixed(const ig_row_source *s, const ingot_io_info *input)
{
    if (s->form == IG_ROW_WHOLE) return 1;
    if (input->rank < 1 || input->dims[0] < 1) return 0;
    return input->dims[0] <= IG_MAX_BATCH ? (size_t)input->dims[0] : 1;
}

ig_status ig_row_source_plan(ig_row_source *s, ig_dataset *d, const ingot_io_info *input)
{
    const ig_npy_header *h = &s->stream.header;
    set_dims(s, h->dims + 1, h->rank - 1);
    s->row_count = product(h->dims + 1, h->rank - 1);
    size_t row_bytes = 0;
    if (s->row_count < 0 || !ig_size_mul((size_t)s->row_count, h->element_bytes, &row_bytes))
        return ig_fail(&d->cli->err, INGOT_ERR_PARSE, "%s: the shape of array '%s' is absurd",
                       d->path, s->stream.name);
    s->row_bytes = row_bytes;
    if (input) IG_TRY(choose_form(s, d, input));
    return choose_elements(s, d, input);
}

/* ---- reading ---- */

static void convert(const ig_row_source *s, uint8_t *out)
{
    const size_t bytes = (size_t)ingot_dtype_bits(s->dtype) / 8;
    for (int64_t i = 0; i < s->row_count; i++) {
        double value = 0;
        uint64_t bits = 0;
        ig_element_decode(s->stream.header.dtype, s->row, i, &value);
        if (s->has_scale) value = (value * s->scale - s->mean) / s->std;
        ig_element_encode(s->dtype, value, &bits);
        memcpy(out + (size_t)i * bytes, &bits, bytes); /* little-endian */
    }
}

static ig_status read_row(ig_row_source *s, size_t i, ig_error *err)
{
    const bool is_plain = s->dtype == s->stream.header.dtype && !s->has_scale;
    if (s->form == IG_ROW_PICTURE) {
        const int64_t *dims = s->stream.header.dims;
        IG_TRY(ig_npz_stream_read(&s->stream, s->row, s->row_bytes, err));
        return ig_picture_batch_add_pixels(&s->batch, s->row, (int)dims[2], (int)dims[1], err);
    }
    uint8_t *out = s->data + i * s->out_bytes;
    if (is_plain) return ig_npz_stream_read(&s->stream, out, s->row_bytes, err);
    IG_TRY(ig_npz_stream_read(&s->stream, s->row, s->row_bytes, err));
    convert(s, out);
    return INGOT_OK;
}

ig_status ig_row_source_read(ig_row_source *s, size_t n, size_t n_fed, ig_error *err)
{
    s->batch.n = 0;
    for (size_t i = 0; i < n; i++) IG_TRY(read_row(s, i, err));
    const bool is_picture_batch = s->form == IG_ROW_PICTURE;
    uint8_t *data = is_picture_batch ? s->batch.data : s->data;
    const size_t bytes = is_picture_batch ? s->batch.picture_bytes : s->out_bytes;
    for (size_t i = n; i < n_fed; i++) memcpy(data + i * bytes, data + (n - 1) * bytes, bytes);
    ingot_value_destroy(s->value);
    s->value = NULL;
    if (is_picture_batch) return ig_picture_batch_wrap(&s->batch, 0, n_fed, &s->value, err);
    s->dims[0] = (int64_t)n_fed;
    if (s->form == IG_ROW_WHOLE)
        return ingot_tensor_wrap(s->dtype, s->rank - 1, s->dims + 1, data, bytes, &s->value, err);
    return ingot_tensor_wrap(s->dtype, s->rank, s->dims, data, n_fed * bytes, &s->value, err);
}

void ig_row_source_close(ig_row_source *s, ig_alloc *alloc)
{
    ig_npz_stream_close(&s->stream);
    ingot_value_destroy(s->value);
    ig_picture_batch_free(&s->batch);
    if (s->data) ig_alloc_put(alloc, s->data, s->out_bytes * s->n_room, INGOT_MEM_VALUE);
    if (s->row) ig_alloc_put(alloc, s->row, s->row_bytes, INGOT_MEM_VALUE);
    *s = (ig_row_source){ 0 };
}
