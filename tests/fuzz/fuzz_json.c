/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes into the JSON reader; what it accepts must survive writing and reading again. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void write_value(ig_json_writer *w, const ig_json *json)
{
    switch (json->kind) {
    case IG_JSON_NULL: ig_json_null(w); break;
    case IG_JSON_FALSE:
    case IG_JSON_TRUE: ig_json_bool(w, json->kind == IG_JSON_TRUE); break;
    case IG_JSON_NUMBER: ig_json_number(w, json->number); break;
    case IG_JSON_STRING: ig_json_string(w, json->string, json->string_bytes); break;
    case IG_JSON_ARRAY:
    case IG_JSON_OBJECT:
        ig_json_open(w, json->kind == IG_JSON_ARRAY ? '[' : '{');
        for (const ig_json *item = json->child; item; item = item->next) {
            if (json->kind == IG_JSON_OBJECT) ig_json_key(w, item->key);
            write_value(w, item);
        }
        ig_json_close(w, json->kind == IG_JSON_ARRAY ? ']' : '}');
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    ig_alloc alloc;
    ig_arena arena;
    ig_str first, second;
    ig_json_writer w;
    const ig_json *json;
    ig_error err = { 0 };
    ig_alloc_init(&alloc, NULL, 0);
    ig_arena_init(&arena, &alloc, INGOT_MEM_OTHER);
    ig_str_init(&first, &alloc);
    ig_str_init(&second, &alloc);
    if (ig_json_parse(&arena, (const char *)data, bytes, &json, &err) == INGOT_OK) {
        ig_json_begin(&w, &first, -1);
        write_value(&w, json);
        if (ig_json_parse(&arena, ig_str_cstr(&first), first.n, &json, &err) != INGOT_OK) abort();
        ig_json_begin(&w, &second, -1);
        write_value(&w, json);
        if (first.n != second.n || memcmp(ig_str_cstr(&first), ig_str_cstr(&second), first.n) != 0)
            abort();
    } else if (err.status == INGOT_OK || err.message[0] == '\0') {
        abort(); /* a failure without a text */
    }
    ig_str_deinit(&first);
    ig_str_deinit(&second);
    ig_arena_deinit(&arena);
    if (atomic_load(&alloc.total) != 0) abort();
    return 0;
}
