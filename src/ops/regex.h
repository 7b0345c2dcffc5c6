/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex.h: regular expressions in RE2's syntax, over code points of UTF-8.
 *
 * A pattern becomes a program for a machine that is in many states at once: a text takes time in
 * proportion to its length times the program's, whatever both are. Not taken: \C (a byte) and the
 * names of scripts, such as \p{Greek}; both are INGOT_ERR_UNSUPPORTED.
 */
#ifndef IG_OPS_REGEX_H
#define IG_OPS_REGEX_H

#include "base/arena.h"

typedef struct ig_regex ig_regex;

#define IG_REGEX_MAX_PATTERN 65536 /* bytes */
#define IG_REGEX_MAX_STEPS 100000  /* of the program: counted repetition multiplies them */
#define IG_REGEX_MAX_REPEAT 1000   /* RE2's */
#define IG_REGEX_MAX_DEPTH 1000    /* of groups, RE2's */

/* The program of a pattern, in `arena`. Errors tell the place in the pattern: INGOT_ERR_INVALID
 * syntax, INGOT_ERR_LIMIT too large. */
ig_status ig_regex_compile(ig_arena *arena, const char *pattern, size_t bytes, const ig_regex **out,
                           ig_error *err) IG_MUST_USE;

/* Memory that a match needs, aligned as an int32; its contents do not matter. */
size_t ig_regex_scratch_bytes(const ig_regex *regex);

/* Does the whole text match? A text that is no UTF-8 does not. */
bool ig_regex_full_match(const ig_regex *regex, const char *text, size_t bytes, void *scratch);

/* The first match at or after byte `from`, the longest of those that begin there; *begin and *end
 * are bytes. The text must be UTF-8, and `from` the begin of a code point or the end. Its own
 * amount of scratch, aligned as a size_t. */
size_t ig_regex_search_scratch_bytes(const ig_regex *regex);
bool ig_regex_search(const ig_regex *regex, const char *text, size_t bytes, size_t from,
                     void *scratch, size_t *begin, size_t *end);

#endif
