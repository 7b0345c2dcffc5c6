/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_program.h: the program that a pattern becomes, and how it is put together.
 *
 * A program is a row of steps. Jumps are relative to their own step, so that a block (the steps of
 * one piece of the pattern, entered at its first and left past its last) can be moved and repeated
 * as it is. Whether repetition is greedy does not matter to a match of the whole text, and is not
 * kept.
 */
#ifndef IG_OPS_REGEX_PROGRAM_H
#define IG_OPS_REGEX_PROGRAM_H

#include "base/map.h"
#include "ops/regex.h"

typedef enum ig_re_op {
    IG_RE_CHAR,  /* takes the code point a */
    IG_RE_CLASS, /* takes one of classes[a] */
    IG_RE_SPLIT, /* goes on at +a and at +b */
    IG_RE_JUMP,  /* goes on at +a */
    IG_RE_LOOK,  /* goes on where the place is as a (IG_RE_AT_…) says */
    IG_RE_MATCH
} ig_re_op;

enum {
    IG_RE_AT_BEGIN = 1 << 0, /* of the text */
    IG_RE_AT_END = 1 << 1,
    IG_RE_AT_LINE_BEGIN = 1 << 2,
    IG_RE_AT_LINE_END = 1 << 3,
    IG_RE_AT_WORD_EDGE = 1 << 4,
    IG_RE_AT_NO_WORD_EDGE = 1 << 5
};

typedef struct ig_re_step {
    ig_re_op op;
    int32_t a, b;
} ig_re_step;

typedef struct ig_re_range {
    int32_t first, last;
} ig_re_range;

typedef struct ig_re_class {
    uint64_t ascii[2]; /* a bit each */
    const ig_re_range *ranges;
    size_t n;
} ig_re_class;

struct ig_regex {
    ig_re_step *steps;
    size_t n_steps, cap_steps;
    ig_re_class *classes;
    size_t n_classes, cap_classes;
};

enum { IG_RE_FOLD = 1 << 0, IG_RE_MULTI_LINE = 1 << 1, IG_RE_DOT_NEWLINE = 1 << 2 };

/* A group that is open, or the whole pattern. */
typedef struct ig_re_group {
    int32_t alternative; /* first step of the current one */
    int32_t pending;     /* last jump from an alternative's end to the group's, -1: none. Until the
                            group is closed, a jump's a leads to the one before, 0: none. */
    int32_t begin;
    unsigned flags; /* from outside, for after its end */
} ig_re_group;

/* A pattern that is being read. */
typedef struct ig_re_parser {
    const char *pattern, *at, *end;
    unsigned flags;
    int32_t last;        /* first step of the piece that a repetition would repeat; -1: none */
    bool last_is_repeat; /* it is a repetition itself */
    ig_re_group *groups; /* the innermost last */
    size_t n_groups, cap_groups;
    ig_map names;
    size_t n_emitted; /* steps, also those that are gone */
    /* the set of code points that is being collected */
    ig_re_range *set;
    size_t n_set, cap_set;
    size_t n_added; /* to all sets */
    ig_regex *regex;
    ig_arena *arena;
    ig_error *err;
} ig_re_parser;

/* Fails with the place that was read last. */
ig_status ig_re_fail(ig_re_parser *p, ig_status status, const char *format, ...) IG_PRINTF(3, 4);

/* ---- regex_program.c ---- */

/* Append a step. */
ig_status ig_re_emit(ig_re_parser *p, ig_re_op op, int32_t a, int32_t b) IG_MUST_USE;
/* The steps from `begin` to the end become an alternative of which more follow. */
ig_status ig_re_alternate(ig_re_parser *p) IG_MUST_USE;
/* All alternatives of the innermost group lead to the end of the program. */
void ig_re_close_alternatives(ig_re_parser *p);
/* The steps from `begin` to the end, min to max times (-1: any number). */
ig_status ig_re_repeat(ig_re_parser *p, int32_t begin, int min, int max) IG_MUST_USE;

/* ---- regex_class.c: sets ---- */

/* Add code points; with IG_RE_FOLD in p->flags those of the other case, too. */
ig_status ig_re_add(ig_re_parser *p, int32_t first, int32_t last) IG_MUST_USE;
/* Pairs of ASCII letters, each a range. */
ig_status ig_re_add_pairs(ig_re_parser *p, const char *pairs) IG_MUST_USE;
ig_status ig_re_add_category(ig_re_parser *p, const char *name, size_t bytes) IG_MUST_USE;
/* What was added since the set had `from` ranges becomes its complement. */
ig_status ig_re_negate(ig_re_parser *p, size_t from) IG_MUST_USE;
/* A step that takes a member of the set; the set is empty then. */
ig_status ig_re_emit_set(ig_re_parser *p) IG_MUST_USE;
/* A step that takes c, or with IG_RE_FOLD any of its cases. */
ig_status ig_re_emit_char(ig_re_parser *p, int32_t c) IG_MUST_USE;

/* ---- regex_escape.c ---- */

/* The next code point of the pattern. */
ig_status ig_re_next(ig_re_parser *p, int32_t *c) IG_MUST_USE;
/* The character that the escape at p->at (a backslash) stands for. */
ig_status ig_re_escape(ig_re_parser *p, int32_t *c) IG_MUST_USE;
/* A class such as \d or \p{Lu} at p->at: *found, and then it is added to the set. */
ig_status ig_re_class_escape(ig_re_parser *p, bool *found) IG_MUST_USE;
/* [...] at p->at becomes a step. */
ig_status ig_re_bracket(ig_re_parser *p) IG_MUST_USE;

#endif
