/* SPDX-License-Identifier: Apache-2.0 */
/* json.h: read and write JSON (RFC 8259). Numbers are doubles; integers up to 2^53 are exact. */
#ifndef IG_BASE_JSON_H
#define IG_BASE_JSON_H

#include "base/arena.h"
#include "base/str.h"

typedef enum ig_json_kind {
    IG_JSON_NULL = 0,
    IG_JSON_FALSE,
    IG_JSON_TRUE,
    IG_JSON_NUMBER,
    IG_JSON_STRING,
    IG_JSON_ARRAY,
    IG_JSON_OBJECT
} ig_json_kind;

typedef struct ig_json ig_json;
struct ig_json {
    ig_json_kind kind;
    double number;
    const char *string; /* unescaped, terminated; may hold NULs: see string_bytes */
    size_t string_bytes;
    const char *key; /* of a member of an object */
    ig_json *child;  /* first item or member */
    ig_json *next;   /* sibling */
};

/* Parse a whole text. Errors name line and column. Nesting deeper than 64 is refused. */
ig_status ig_json_parse(ig_arena *arena, const char *text, size_t bytes, const ig_json **out,
                        ig_error *err) IG_MUST_USE;
/* Member of an object, or NULL (also when json is NULL or no object). */
const ig_json *ig_json_get(const ig_json *json, const char *key);
/* The string or number of a member; `otherwise` where it is missing or of another kind. */
const char *ig_json_text(const ig_json *json, const char *key, const char *otherwise);
double ig_json_value(const ig_json *json, const char *key, double otherwise);

/* Writing: a small state machine that puts commas and indentation (2 spaces; indent < 0: one line).
 */
typedef struct ig_json_writer {
    ig_str *out;
    int indent, depth;
    bool needs_comma, has_key;
} ig_json_writer;

void ig_json_begin(ig_json_writer *w, ig_str *out, int indent);
void ig_json_open(ig_json_writer *w, char bracket);  /* '{' or '[' */
void ig_json_close(ig_json_writer *w, char bracket); /* '}' or ']' */
void ig_json_key(ig_json_writer *w, const char *key);
void ig_json_string(ig_json_writer *w, const char *text,
                    size_t bytes);                      /* invalid UTF-8 becomes U+FFFD */
void ig_json_cstr(ig_json_writer *w, const char *text); /* NULL becomes null */
void ig_json_number(ig_json_writer *w,
                    double value); /* shortest form that reads back; NaN and inf become null */
void ig_json_int(ig_json_writer *w, int64_t value);
void ig_json_bool(ig_json_writer *w, bool value);
void ig_json_null(ig_json_writer *w);

#endif
