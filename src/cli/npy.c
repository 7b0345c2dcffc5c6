/* SPDX-License-Identifier: Apache-2.0 */
/* npy.c: NumPy's array files, format versions 1 to 3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/element.h"
#include "cli/load.h"

#define MAGIC "\x93NUMPY"

static const struct {
    const char *code;
    ingot_dtype dtype;
} types[] = {
    { "f4", INGOT_FLOAT },     { "f8", INGOT_DOUBLE },
    { "f2", INGOT_FLOAT16 },   { "i1", INGOT_INT8 },
    { "i2", INGOT_INT16 },     { "i4", INGOT_INT32 },
    { "i8", INGOT_INT64 },     { "u1", INGOT_UINT8 },
    { "u2", INGOT_UINT16 },    { "u4", INGOT_UINT32 },
    { "u8", INGOT_UINT64 },    { "b1", INGOT_BOOL },
    { "c8", INGOT_COMPLEX64 }, { "c16", INGOT_COMPLEX128 },
    { "V2", INGOT_BFLOAT16 }, /* how ml_dtypes' bfloat16 is saved */
};

bool ig_npy_is(const uint8_t *data, size_t bytes)
{
    return bytes >= 10 && memcmp(data, MAGIC, 6) == 0;
}

/* ---- header ---- */

/* After "'key':" and spaces, or NULL. */
static const char *find_key(const char *text, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *p = strstr(text, quoted);
    if (!p) return NULL;
    p += strlen(quoted);
    return p + strspn(p, " ");
}

static bool parse_type(const char *p, ig_npy_header *h)
{
    char code[16];
    if (!p || *p != '\'') return false;
    const size_t n = strcspn(p + 1, "'");
    if (n < 2 || n >= sizeof code || p[1 + n] != '\'') return false;
    memcpy(code, p + 1, n);
    code[n] = '\0';
    h->is_swapped = code[0] == '>';
    if (code[1] == 'U' || code[1] == 'S') {
        h->dtype = INGOT_STRING;
        h->is_utf32 = code[1] == 'U';
        h->n_characters = atoi(code + 2);
        h->element_bytes = (size_t)h->n_characters * (h->is_utf32 ? 4 : 1);
        return h->n_characters >= 0 && h->n_characters < 1 << 24;
    }
    for (size_t i = 0; i < IG_COUNT(types); i++)
        if (strcmp(types[i].code, code + 1) == 0) {
            h->dtype = types[i].dtype;
            h->element_bytes = (size_t)ingot_dtype_bits(h->dtype) / 8;
            return true;
        }
    return false;
}

static bool parse_shape(const char *p, ig_npy_header *h)
{
    if (!p || *p++ != '(') return false;
    for (h->rank = 0;; h->rank++) {
        p += strspn(p, ", ");
        if (*p == ')') return true;
        char *end;
        if (h->rank == INGOT_MAX_RANK || *p < '0' || *p > '9') return false;
        h->dims[h->rank] = strtoll(p, &end, 10);
        p = end;
    }
}

ig_status ig_npy_read_header(const uint8_t *data, size_t bytes, const char *path, ig_npy_header *h,
                             size_t *offset, ig_error *err)
{
    if (!ig_npy_is(data, bytes)) return ig_fail(err, INGOT_ERR_PARSE, "%s: not a .npy file", path);
    const bool is_long = data[6] >= 2;
    const size_t begin = is_long ? 12 : 10;
    if (bytes < begin) return ig_fail(err, INGOT_ERR_PARSE, "%s: ends in its header", path);
    const size_t n = is_long ? (size_t)data[8] | (size_t)data[9] << 8 | (size_t)data[10] << 16 |
                                   (size_t)data[11] << 24
                             : (size_t)data[8] | (size_t)data[9] << 8;
    if (n > IG_NPY_MAX_HEADER_BYTES || n > bytes - begin)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: its header claims %zu bytes of %zu", path, n,
                       bytes);
    char *text = malloc(n + 1);
    if (!text) return IG_NOMEM(err, n + 1);
    memcpy(text, data + begin, n);
    text[n] = '\0';
    const char *order = find_key(text, "fortran_order"), *descr = find_key(text, "descr");
    h->is_fortran = order && strncmp(order, "True", 4) == 0;
    ig_status status = INGOT_OK;
    if (!descr || !order || !find_key(text, "shape"))
        status = ig_fail(err, INGOT_ERR_PARSE, "%s: its header is not NumPy's", path);
    else if (!parse_type(descr, h))
        status = ig_fail(err, INGOT_ERR_UNSUPPORTED, "%s: element type %.*s is not supported", path,
                         (int)strcspn(descr, ","), descr);
    else if (!parse_shape(find_key(text, "shape"), h))
        status = ig_fail(err, INGOT_ERR_UNSUPPORTED,
                         "%s: its shape is no list of at most %d dimensions", path, INGOT_MAX_RANK);
    free(text);
    *offset = begin + n;
    return status;
}

/* ---- data ---- */

static void put_swapped(uint8_t *to, const uint8_t *from, size_t bytes, bool is_swapped,
                        bool is_complex)
{
    const size_t unit = is_complex ? bytes / 2 : bytes;
    for (size_t i = 0; i < bytes; i++)
        to[i] = is_swapped ? from[i / unit * unit + (unit - 1 - i % unit)] : from[i];
}

/* Position in a column-major array of the element whose row-major position is i. */
static size_t fortran_position(const ig_npy_header *h, size_t i)
{
    size_t position = 0, stride = 1, index[INGOT_MAX_RANK];
    for (int d = h->rank - 1; d >= 0; d--) {
        index[d] = i % (size_t)h->dims[d];
        i /= (size_t)h->dims[d];
    }
    for (int d = 0; d < h->rank; d++) {
        position += index[d] * stride;
        stride *= (size_t)h->dims[d];
    }
    return position;
}

/* UTF-32 code units or padded bytes → UTF-8. */
static ig_status set_string(ingot_value *tensor, size_t i, const ig_npy_header *h,
                            const uint8_t *from, ig_str *text, ig_error *err)
{
    ig_str_clear(text);
    for (int c = 0; c < h->n_characters; c++) {
        uint32_t u = from[c];
        if (h->is_utf32) {
            uint8_t unit[4];
            put_swapped(unit, from + 4 * c, 4, h->is_swapped, false);
            memcpy(&u, unit, 4);
        }
        if (u == 0) break;
        if (!h->is_utf32 || u < 0x80) {
            ig_str_putc(text, (char)u);
            continue;
        }
        if (u > 0x10ffff) u = 0xfffd;
        if (u >= 0x10000) ig_str_putc(text, (char)(0xf0 | u >> 18));
        if (u >= 0x800)
            ig_str_putc(text, (char)(u >= 0x10000 ? 0x80 | (u >> 12 & 63) : 0xe0 | u >> 12));
        ig_str_putc(text, (char)(u >= 0x800 ? 0x80 | (u >> 6 & 63) : 0xc0 | u >> 6));
        ig_str_putc(text, (char)(0x80 | (u & 63)));
    }
    if (!ig_str_ok(text)) return IG_NOMEM(err, text->n);
    return ingot_tensor_set_string(tensor, (int64_t)i, ig_str_cstr(text), text->n, err);
}

static ig_status copy_elements(const ig_npy_header *h, const uint8_t *data, size_t count,
                               ingot_value *to, ig_error *err)
{
    ig_str text;
    ig_status status = INGOT_OK;
    const bool is_complex = h->dtype == INGOT_COMPLEX64 || h->dtype == INGOT_COMPLEX128;
    uint8_t *out = ingot_tensor_data_mutable(to);
    ig_str_init(&text, ig_alloc_default());
    for (size_t i = 0; i < count && status == INGOT_OK; i++) {
        const uint8_t *from =
            data + (h->is_fortran ? fortran_position(h, i) : i) * h->element_bytes;
        if (h->dtype == INGOT_STRING)
            status = set_string(to, i, h, from, &text, err);
        else
            put_swapped(out + i * h->element_bytes, from, h->element_bytes, h->is_swapped,
                        is_complex);
    }
    ig_str_deinit(&text);
    return status;
}

ig_status ig_npy_read(const uint8_t *data, size_t bytes, const char *path, ingot_value **out,
                      ig_error *err)
{
    ig_npy_header h = { 0 };
    size_t offset = 0, count = 1, want = 0;
    *out = NULL;
    IG_TRY(ig_npy_read_header(data, bytes, path, &h, &offset, err));
    for (int d = 0; d < h.rank; d++)
        if (!ig_size_mul(count, (size_t)h.dims[d], &count))
            return ig_fail(err, INGOT_ERR_PARSE, "%s: its shape is absurd", path);
    if (h.element_bytes == 0 && count > bytes) /* strings of no characters take no bytes */
        return ig_fail(err, INGOT_ERR_PARSE, "%s: %zu empty strings in a file of %zu bytes", path,
                       count, bytes);
    if (!ig_size_mul(count, h.element_bytes, &want) || want > bytes - offset)
        return ig_fail(err, INGOT_ERR_PARSE, "%s: %zu bytes of data, its shape needs %zu", path,
                       bytes - offset, want);
    const uint8_t *from = data + offset;
    const bool is_plain = h.dtype != INGOT_STRING && !h.is_swapped &&
                          (!h.is_fortran || h.rank < 2) && (uintptr_t)from % h.element_bytes == 0;
    ig_status status;
    if (is_plain) /* the session only reads its inputs */
        return ingot_tensor_wrap(h.dtype, h.rank, h.dims, (void *)(uintptr_t)from, want, out, err);
    status = ingot_tensor_create(h.dtype, h.rank, h.dims, out, err);
    if (status == INGOT_OK) status = copy_elements(&h, from, count, *out, err);
    if (status) {
        ingot_value_destroy(*out);
        *out = NULL;
        ig_error_prepend(err, "%s", path);
    }
    return status;
}

/* ---- writing ---- */

static const char *type_code(ingot_dtype dtype)
{
    if (dtype == INGOT_BFLOAT16) return "f4";
    for (size_t i = 0; i < IG_COUNT(types); i++)
        if (types[i].dtype == dtype) return types[i].code;
    return NULL;
}

/* Longest string, in code points. */
static size_t longest(const ingot_string *strings, int64_t n)
{
    size_t most = 1;
    for (int64_t i = 0; i < n; i++) {
        size_t length = 0;
        for (size_t c = 0; c < strings[i].bytes; c++)
            length += ((unsigned char)strings[i].data[c] & 0xc0) != 0x80;
        if (length > most) most = length;
    }
    return most;
}

static void put_utf32(const ingot_string *s, size_t n_characters, ig_str *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->bytes && n < n_characters; n++) {
        const unsigned char *p = (const unsigned char *)s->data + i;
        const size_t n_bytes = ig_utf8_bytes(s->data + i, s->bytes - i);
        static const unsigned char lead[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
        uint32_t u = n_bytes ? p[0] & lead[n_bytes] : 0xfffd;
        for (size_t c = 1; c < n_bytes; c++) u = u << 6 | (p[c] & 63);
        ig_str_append(out, (const char *)&u, sizeof u);
        i += n_bytes ? n_bytes : 1;
    }
    for (const uint32_t zero = 0; n < n_characters; n++)
        ig_str_append(out, (const char *)&zero, sizeof zero);
}

static void put_data(const ingot_value *tensor, size_t n_characters, ig_str *out)
{
    const ingot_dtype dtype = ingot_tensor_dtype(tensor);
    const int64_t count = ingot_tensor_count(tensor);
    if (dtype == INGOT_STRING) {
        const ingot_string *strings = ingot_tensor_data(tensor);
        for (int64_t i = 0; i < count; i++) put_utf32(&strings[i], n_characters, out);
    } else if (dtype == INGOT_BFLOAT16) {
        for (int64_t i = 0; i < count; i++) {
            double value = 0;
            ig_element_decode(dtype, ingot_tensor_data(tensor), i, &value);
            const float single = (float)value;
            ig_str_append(out, (const char *)&single, sizeof single);
        }
    } else {
        ig_str_append(out, ingot_tensor_data(tensor), ingot_tensor_bytes(tensor));
    }
}

ig_status ig_npy_write(const ingot_value *tensor, ig_str *out, ig_error *err)
{
    char header[400], code[24];
    const ingot_dtype dtype = ingot_tensor_dtype(tensor);
    size_t n_characters = 0;
    if (dtype == INGOT_STRING) {
        n_characters = longest(ingot_tensor_data(tensor), ingot_tensor_count(tensor));
        snprintf(code, sizeof code, "<U%zu", n_characters);
    } else {
        const char *known = type_code(dtype);
        if (!known)
            return ig_fail(err, INGOT_ERR_UNSUPPORTED,
                           "NumPy has no element type %s; write .pb files (--out DIR/) instead",
                           ingot_dtype_name(dtype));
        snprintf(code, sizeof code, "%c%s", ingot_dtype_bits(dtype) == 8 ? '|' : '<', known);
    }
    int n =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", code);
    const int rank = ingot_tensor_rank(tensor);
    for (int d = 0; d < rank; d++)
        n += snprintf(header + n, sizeof header - (size_t)n, "%lld%s",
                      (long long)ingot_tensor_dims(tensor)[d],
                      rank == 1      ? ","
                      : d + 1 < rank ? ", "
                                     : "");
    n += snprintf(header + n, sizeof header - (size_t)n, "), }");
    const int padded = (10 + n + 1 + 63) / 64 * 64 - 10;
    const char prefix[] = {
        '\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(padded & 255), (char)(padded >> 8)
    };
    ig_str_append(out, prefix, sizeof prefix);
    ig_str_printf(out, "%s%*s\n", header, padded - n - 1, "");
    put_data(tensor, n_characters, out);
    return ig_str_ok(out) ? INGOT_OK : IG_NOMEM(err, out->n);
}
