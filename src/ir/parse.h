/* SPDX-License-Identifier: Apache-2.0 */
/* parse.h: reading the pieces of a graph's text: words, numbers, types, contents. */
#ifndef IG_IR_PARSE_H
#define IG_IR_PARSE_H

#include "ir/text.h"

typedef struct ig_text_parser {
    const char *begin, *at, *end;
    int line;
    ig_arena *arena; /* of the graph: strings, tensors */
    ig_dims *dims;
    ig_error *err;
} ig_text_parser;

/* INGOT_ERR_PARSE with "line 3: …, not 'xyz'". */
ig_status ig_text_fail(ig_text_parser *p, const char *format, ...) IG_PRINTF(2, 3);

/* Next character after spaces and comments, not consumed; 0 at the end. */
char ig_text_peek(ig_text_parser *p);
/* Punctuation. */
bool ig_text_accept(ig_text_parser *p, const char *token);
ig_status ig_text_expect(ig_text_parser *p, const char *token) IG_MUST_USE;
/* A keyword, which a name character must not follow. */
bool ig_text_accept_word(ig_text_parser *p, const char *word);
ig_status ig_text_expect_word(ig_text_parser *p, const char *word) IG_MUST_USE;

/* "…", unescaped, terminated, in the arena. */
ig_status ig_text_quoted(ig_text_parser *p, const char **out, size_t *bytes) IG_MUST_USE;
/* A name, plain or quoted; colons and slashes are part of a plain one if has_colons. */
ig_status ig_text_name(ig_text_parser *p, bool has_colons, const char **out,
                       size_t *bytes) IG_MUST_USE;
ig_status ig_text_int(ig_text_parser *p, int64_t *out) IG_MUST_USE;

/* Dimensions (parse_dim.c). */
ig_status ig_text_parse_dim(ig_text_parser *p, ig_dim *out) IG_MUST_USE;

/* Type, rank and dims of info. */
ig_status ig_text_parse_type(ig_text_parser *p, const ig_graph *g, ig_info *info) IG_MUST_USE;

typedef struct ig_text_contents {
    const ig_tensor *data; /* all known */
    const ig_dim *elems;   /* else, some elements symbolic; both NULL: a hash stood there */
    int16_t n_elems;
} ig_text_contents;
/* "{…}" or "#…" for a value of the type and shape in info. */
ig_status ig_text_parse_contents(ig_text_parser *p, const ig_graph *g, const ig_info *info,
                                 ig_text_contents *out) IG_MUST_USE;
/* Everything but graphs: sets kind, n and value. */
ig_status ig_text_parse_attr_value(ig_text_parser *p, const ig_graph *g, ig_attr *attr) IG_MUST_USE;

#endif
