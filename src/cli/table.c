/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/table.h"

#include <stdio.h>
#include <string.h>

static size_t columns_of(const char *text)
{
    size_t n = 0;
    for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

/* ---- tables ---- */

void ig_table_init(ig_table *t, ig_alloc *alloc, int n_columns)
{
    *t = (ig_table){ .alloc = alloc, .n_columns = n_columns };
}

void ig_table_deinit(ig_table *t)
{
    if (t->cells)
        ig_alloc_put(t->alloc, t->cells, (size_t)t->cap_rows * IG_CELL_BYTES, INGOT_MEM_OTHER);
    t->cells = NULL;
}

static bool grow(ig_table *t)
{
    const int cap = t->cap_rows ? 2 * t->cap_rows : 256;
    void *cells = ig_alloc_get(t->alloc, (size_t)cap * IG_CELL_BYTES, 0, INGOT_MEM_OTHER);
    if (!cells) return false;
    if (t->cells) memcpy(cells, t->cells, (size_t)t->n_rows * IG_CELL_BYTES);
    ig_table_deinit(t);
    t->cells = cells;
    t->cap_rows = cap;
    return true;
}

void ig_table_cell(ig_table *t, const char *format, ...)
{
    /* n_rows and cap_rows count cells. */
    if (t->n_rows == t->cap_rows && !grow(t)) {
        t->has_failed = true;
        return;
    }
    char *cell = t->cells[t->n_rows++];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(cell, IG_CELL_BYTES, format, args);
    va_end(args);
    if (n < IG_CELL_BYTES) return;
    size_t end = IG_CELL_BYTES - 4; /* cut between characters */
    while (end > 0 && ((unsigned char)cell[end] & 0xc0) == 0x80) end--;
    memcpy(cell + end, "…", sizeof "…");
}

void ig_table_put(const ig_table *t, const char *dim, const char *plain, ig_str *out)
{
    size_t widths[IG_MAX_COLUMNS] = { 0 };
    for (int i = 0; i < t->n_rows; i++) {
        const size_t n = columns_of(t->cells[i]);
        if (n > widths[i % t->n_columns]) widths[i % t->n_columns] = n;
    }
    if (t->has_failed) out->has_failed = true;
    for (int i = 0; i < t->n_rows; i++) {
        const int c = i % t->n_columns;
        const int pad = (int)(widths[c] - columns_of(t->cells[i]));
        const bool is_last = c + 1 == t->n_columns;
        if (i == 0) ig_str_puts(out, dim);
        ig_str_puts(out, c ? "  " : "");
        if (t->is_left[c])
            ig_str_printf(out, "%s%*s", t->cells[i], is_last ? 0 : pad, "");
        else
            ig_str_printf(out, "%*s%s", pad, "", t->cells[i]);
        if (i + 1 == t->n_columns) ig_str_puts(out, plain);
        if (is_last) ig_str_putc(out, '\n');
    }
}

/* ---- numbers ---- */

/* Three significant digits and a unit of a power of 1000. */
static const char *scaled(double x, const char *const units[], size_t n_units, char buf[32])
{
    size_t i = 0;
    while (i + 1 < n_units && (x >= 999.5 || x <= -999.5)) {
        x /= 1000;
        i++;
    }
    snprintf(buf, 32,
             i == 0 || x >= 99.95 ? "%.0f%s"
             : x >= 9.995         ? "%.1f%s"
                                  : "%.2f%s",
             x, units[i]);
    return buf;
}

const char *ig_format_bytes(double bytes, char buf[32])
{
    static const char *const units[] = { " B", " kB", " MB", " GB", " TB" };
    return scaled(bytes, units, IG_COUNT(units), buf);
}

const char *ig_format_count(double n, char buf[32])
{
    static const char *const units[] = { "", " k", " M", " G", " T" };
    return scaled(n, units, IG_COUNT(units), buf);
}

const char *ig_format_ns(double ns, char buf[32])
{
    if (ns >= 1e9)
        snprintf(buf, 32, "%.3f s", ns * 1e-9);
    else if (ns >= 1e6)
        snprintf(buf, 32, "%.2f ms", ns * 1e-6);
    else
        snprintf(buf, 32, "%.1f us", ns * 1e-3);
    return buf;
}
