/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c: formatted texts in an arena. */
#include "bench/facts.h"

#include <stdio.h>

#include "bench/report.h"

void ig_facts_add(ig_facts *f, const char *name, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *copy = n < 0 ? NULL : ig_arena_get(f->arena, (size_t)n + 1);
    if (copy) vsnprintf(copy, (size_t)n + 1, format, again);
    va_end(again);
    if (!copy || !ig_arena_grow(f->arena, (void **)&f->items, f->n, &f->cap, sizeof *f->items)) {
        f->has_failed = true;
        return;
    }
    f->items[f->n++] = (ig_fact){ name, copy };
}

void ig_facts_put_json(const ig_facts *f, const char *key, ig_json_writer *w)
{
    ig_json_key(w, key);
    ig_json_open(w, '{');
    for (size_t i = 0; i < f->n; i++) ig_json_put_text(w, f->items[i].name, f->items[i].text);
    ig_json_close(w, '}');
}
