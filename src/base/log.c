/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define MAX_LINE_BYTES 1024
#define MAX_TEXT_LINE_BYTES 4096

/* Where to cut text of n bytes, so that no UTF-8 sequence is torn. */
static size_t cut_bytes(const char *text, size_t n)
{
    for (size_t back = 1; back <= 3 && back < n; back++)
        if (ig_utf8_is_cut(text + n - back, back)) return n - back;
    return n;
}

void ig_log(const ingot_log *log, ingot_log_level level, const char *format, ...)
{
    if (!log || !log->write) return;
    char line[MAX_LINE_BYTES];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0) return;
    if ((size_t)n >= sizeof line) line[cut_bytes(line, sizeof line - 1)] = '\0';
    for (char *c = line; (c = strchr(c, '\n')); c++) *c = ' ';
    log->write(log->ctx, level, line);
}

void ig_log_text(const ingot_log *log, ingot_log_level level, const char *text, size_t bytes)
{
    if (!log || !log->write) return;
    char line[MAX_TEXT_LINE_BYTES];
    while (bytes) {
        const char *newline = memchr(text, '\n', bytes);
        size_t n = newline ? (size_t)(newline - text) : bytes;
        const bool is_long = n >= sizeof line;
        if (is_long) n = cut_bytes(text, sizeof line - 1);
        memcpy(line, text, n);
        line[n] = '\0';
        log->write(log->ctx, level, line);
        if (newline && !is_long) n++;
        text += n;
        bytes -= n;
    }
}
