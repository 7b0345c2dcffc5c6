/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer. */
#include "base/json.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ig_json_begin(ig_json_writer *w, ig_str *out, int indent)
{
    *w = (ig_json_writer){ .out = out, .indent = indent };
}

static void new_line(ig_json_writer *w)
{
    if (w->indent < 0) return;
    ig_str_putc(w->out, '\n');
    for (int i = 0; i < w->depth; i++) ig_str_puts(w->out, "  ");
}

/* What goes before an item or a key: a comma after an earlier sibling, a new line in containers. */
static void before_item(ig_json_writer *w)
{
    if (w->has_key) {
        w->has_key = false;
        return;
    }
    if (w->needs_comma) ig_str_puts(w->out, w->indent < 0 ? ", " : ",");
    if (w->depth > 0) new_line(w);
    w->needs_comma = true;
}

void ig_json_open(ig_json_writer *w, char bracket)
{
    before_item(w);
    ig_str_putc(w->out, bracket);
    w->depth++;
    w->needs_comma = false;
}

void ig_json_close(ig_json_writer *w, char bracket)
{
    w->depth--;
    if (w->needs_comma) new_line(w);
    ig_str_putc(w->out, bracket);
    w->needs_comma = true;
}

static void put_quoted(ig_str *out, const char *text, size_t bytes)
{
    ig_str_putc(out, '"');
    for (size_t i = 0; i < bytes;) {
        const unsigned char c = (unsigned char)text[i];
        const size_t n = ig_utf8_bytes(text + i, bytes - i);
        if (n == 0) {
            ig_str_puts(out, "\xef\xbf\xbd"); /* U+FFFD */
        } else if (c == '"' || c == '\\') {
            ig_str_printf(out, "\\%c", c);
        } else if (c == '\n') {
            ig_str_puts(out, "\\n");
        } else if (c == '\t') {
            ig_str_puts(out, "\\t");
        } else if (c < 0x20 || c == 0x7f) {
            ig_str_printf(out, "\\u%04x", c);
        } else {
            ig_str_append(out, text + i, n);
        }
        i += n ? n : 1;
    }
    ig_str_putc(out, '"');
}

void ig_json_key(ig_json_writer *w, const char *key)
{
    before_item(w);
    put_quoted(w->out, key, strlen(key));
    ig_str_puts(w->out, ": ");
    w->has_key = true;
}

void ig_json_string(ig_json_writer *w, const char *text, size_t bytes)
{
    before_item(w);
    put_quoted(w->out, text, bytes);
}

void ig_json_cstr(ig_json_writer *w, const char *text)
{
    if (text)
        ig_json_string(w, text, strlen(text));
    else
        ig_json_null(w);
}

void ig_json_null(ig_json_writer *w)
{
    before_item(w);
    ig_str_puts(w->out, "null");
}

void ig_json_bool(ig_json_writer *w, bool value)
{
    before_item(w);
    ig_str_puts(w->out, value ? "true" : "false");
}

void ig_json_int(ig_json_writer *w, int64_t value)
{
    before_item(w);
    ig_str_printf(w->out, "%" PRId64, value);
}

/* Fewest digits that read back as the same double; 17 always do. The decimal point must be a point,
 * whatever locale the program has set. */
void ig_json_number(ig_json_writer *w, double value)
{
    locale_t c_locale = isfinite(value) ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
    if (!c_locale) {
        ig_json_null(w);
        return;
    }
    char text[32] = "";
    const locale_t old = uselocale(c_locale);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    uselocale(old);
    freelocale(c_locale);
    before_item(w);
    ig_str_puts(w->out, text);
}
