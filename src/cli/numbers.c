/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.c: outputs as numbers: summaries for people, all elements as JSON. */
#include <math.h>
#include <string.h>

#include "cli/element.h"
#include "cli/part.h"

#define N_SHOWN 8

/* ---- parts ---- */

bool ig_part_of(const ingot_value *value, size_t i, size_t n, ig_part *p)
{
    double number;
    if (ingot_value_kind(value) != INGOT_KIND_TENSOR) return false;
    *p = (ig_part){ .dtype = ingot_tensor_dtype(value), .rank = ingot_tensor_rank(value) };
    const size_t bits = (size_t)ingot_dtype_bits(p->dtype);
    p->count = ingot_tensor_count(value);
    p->data = ingot_tensor_data(value);
    memcpy(p->dims, ingot_tensor_dims(value), (size_t)p->rank * sizeof *p->dims);
    if (n > 1 && p->rank > 0 && bits >= 8 && p->dims[0] % (int64_t)n == 0) {
        p->count /= (int64_t)n;
        p->dims[0] /= (int64_t)n;
        p->data += i * (size_t)p->count * (bits / 8);
    }
    p->is_numeric = p->count > 0 && ig_element_decode(p->dtype, p->data, 0, &number);
    return true;
}

double ig_part_element(const ig_part *p, int64_t i)
{
    double value = 0;
    ig_element_decode(p->dtype, p->data, i, &value);
    return value;
}

/* ---- text ---- */

static void put_summary(const ig_part *p, ig_str *out)
{
    double low = INFINITY, high = -INFINITY, sum = 0;
    if (p->dtype == INGOT_STRING) {
        const ingot_string *strings = (const void *)p->data;
        for (int64_t i = 0; i < p->count && i < N_SHOWN; i++)
            ig_str_printf(out, " '%.*s'", (int)(strings[i].bytes < 40 ? strings[i].bytes : 40),
                          strings[i].data);
    }
    if (!p->is_numeric) return;
    for (int64_t i = 0; i < p->count; i++) {
        const double x = ig_part_element(p, i);
        low = fmin(low, x);
        high = fmax(high, x);
        sum += x;
    }
    if (p->count > N_SHOWN)
        ig_str_printf(out, "  min %.4g  max %.4g  mean %.4g ", low, high, sum / (double)p->count);
    for (int64_t i = 0; i < p->count && i < N_SHOWN; i++)
        ig_str_printf(out, " %.5g", ig_part_element(p, i));
    if (p->count > N_SHOWN) ig_str_puts(out, " …");
}

static void put_value(const char *name, const ingot_value *value, size_t i, size_t n, int depth,
                      ig_str *out)
{
    ig_part p;
    ig_str_printf(out, "%*s%s  ", 2 + 2 * depth, "", name);
    if (!ig_part_of(value, i, n, &p)) {
        ig_describe_value(value, out);
        ig_str_putc(out, '\n');
        for (size_t k = 0; k < ingot_value_n_items(value) && k < N_SHOWN && depth < 4; k++)
            put_value("-", ingot_value_item(value, k), 0, 1, depth + 1, out);
        return;
    }
    ig_str_printf(out, "%s[", ingot_dtype_name(p.dtype));
    for (int d = 0; d < p.rank; d++)
        ig_str_printf(out, "%s%lld", d ? "," : "", (long long)p.dims[d]);
    ig_str_putc(out, ']');
    put_summary(&p, out);
    ig_str_putc(out, '\n');
}

static void json_value(ig_json_writer *w, const ingot_value *value, size_t i, size_t n)
{
    ig_part p;
    if (!ig_part_of(value, i, n, &p)) {
        ig_json_open(w, '[');
        for (size_t k = 0; k < ingot_value_n_items(value); k++)
            json_value(w, ingot_value_item(value, k), 0, 1);
        ig_json_close(w, ']');
        return;
    }
    ig_json_open(w, '{');
    ig_json_key(w, "type");
    ig_json_cstr(w, ingot_dtype_name(p.dtype));
    ig_json_key(w, "shape");
    ig_json_open(w, '[');
    for (int d = 0; d < p.rank; d++) ig_json_int(w, p.dims[d]);
    ig_json_close(w, ']');
    ig_json_key(w, "data");
    ig_json_open(w, '[');
    const ingot_string *strings = (const void *)p.data;
    for (int64_t k = 0; k < p.count && (p.is_numeric || p.dtype == INGOT_STRING); k++)
        if (p.is_numeric)
            ig_json_number(w, ig_part_element(&p, k));
        else
            ig_json_string(w, strings[k].data, strings[k].bytes);
    ig_json_close(w, ']');
    ig_json_close(w, '}');
}

void ig_put_outputs(const ig_engine *e, const char *name, size_t i, size_t n, ig_json_writer *w,
                    ig_str *out)
{
    if (w) {
        ig_json_key(w, "outputs");
        ig_json_open(w, '{');
    } else if (*name) {
        ig_put_name(out, name, 0);
        ig_str_putc(out, '\n');
    }
    for (size_t k = 0; k < ingot_model_n_outputs(e->model); k++) {
        ingot_io_info info;
        ingot_model_output(e->model, k, &info);
        if (w) {
            ig_json_key(w, info.name);
            json_value(w, ingot_session_output(e->session, k), i, n);
        } else {
            put_value(info.name, ingot_session_output(e->session, k), i, n, 0, out);
        }
    }
    if (w) ig_json_close(w, '}');
}
