/* SPDX-License-Identifier: Apache-2.0 */
/* table.h: numbers with units, and columns that line up. */
#ifndef IG_CLI_TABLE_H
#define IG_CLI_TABLE_H

#include "base/str.h"

#define IG_MAX_COLUMNS 10
#define IG_CELL_BYTES 64

/* Rows of cells; the first row is the head. Cells are cut to IG_CELL_BYTES - 1 bytes. */
typedef struct ig_table {
    ig_alloc *alloc;
    int n_columns, n_rows, cap_rows;
    char (*cells)[IG_CELL_BYTES];
    bool is_left[IG_MAX_COLUMNS]; /* columns of words */
    bool has_failed;
} ig_table;

void ig_table_init(ig_table *table, ig_alloc *alloc, int n_columns);
void ig_table_deinit(ig_table *table);
/* The next cell, row by row. */
void ig_table_cell(ig_table *table, const char *format, ...) IG_PRINTF(2, 3);
/* Print with two spaces between columns, the head between `dim` and `plain`. */
void ig_table_put(const ig_table *table, const char *dim, const char *plain, ig_str *out);

/* "14.2 MB", "3.1 G": powers of 1000, three digits. */
const char *ig_format_bytes(double bytes, char buf[32]);
const char *ig_format_count(double n, char buf[32]);
/* "1.234 ms", "12.3 us" */
const char *ig_format_ns(double ns, char buf[32]);

#endif
