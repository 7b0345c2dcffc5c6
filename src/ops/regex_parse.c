/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regex_parse.c: from the pattern to its program, in one pass. Open groups lie on a stack of their
 * own: nothing recurses.
 */
#include <stdio.h>
#include <string.h>

#include "base/unicode.h"
#include "ops/regex_program.h"

ig_status ig_re_fail(ig_re_parser *p, ig_status status, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return ig_fail(p->err, status, "pattern, near byte %zu: %s", (size_t)(p->at - p->pattern),
                   text);
}

static bool accept(ig_re_parser *p, const char *text)
{
    const size_t n = strlen(text);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, text, n) != 0) return false;
    p->at += n;
    return true;
}

/* What comes next is a piece of its own, which can be repeated. */
static void begin_piece(ig_re_parser *p)
{
    p->last = (int32_t)p->regex->n_steps;
    p->last_is_repeat = false;
}

/* ---- groups ---- */

static ig_status open_group(ig_re_parser *p, unsigned flags_after)
{
    const int32_t n = (int32_t)p->regex->n_steps;
    const ig_re_group group = { .alternative = n, .pending = -1, .begin = n, .flags = flags_after };
    if (p->n_groups > IG_REGEX_MAX_DEPTH)
        return ig_re_fail(p, INGOT_ERR_LIMIT, "groups are nested more than %d deep",
                          IG_REGEX_MAX_DEPTH);
    if (!IG_ARENA_PUSH(p->arena, p->groups, p->n_groups, p->cap_groups, group))
        return IG_NOMEM(p->err, p->n_groups * sizeof group);
    p->last = -1;
    return INGOT_OK;
}

static ig_status close_group(ig_re_parser *p)
{
    if (p->n_groups == 1) return ig_re_fail(p, INGOT_ERR_INVALID, "a ) without its (");
    ig_re_close_alternatives(p);
    const ig_re_group *g = &p->groups[--p->n_groups];
    p->flags = g->flags;
    p->last = g->begin;
    p->last_is_repeat = false;
    p->at++;
    return INGOT_OK;
}

/* Behind (?P< or (?<: a name is only checked. */
static ig_status group_name(ig_re_parser *p)
{
    const char *name = p->at;
    while (p->at < p->end && (*p->at == '_' || (*p->at >= '0' && *p->at <= '9') ||
                              ((*p->at | 0x20) >= 'a' && (*p->at | 0x20) <= 'z')))
        p->at++;
    const size_t n = (size_t)(p->at - name);
    if (n == 0 || p->at == p->end || *p->at != '>')
        return ig_re_fail(p, INGOT_ERR_INVALID, "this is no name of a group");
    if (ig_map_get(&p->names, name, n) != IG_MAP_NONE)
        return ig_re_fail(p, INGOT_ERR_INVALID, "two groups have this name");
    if (!ig_map_put(&p->names, name, n, 0)) return IG_NOMEM(p->err, n);
    p->at++;
    return INGOT_OK;
}

static unsigned flag_of(char c)
{
    switch (c) {
    case 'i': return IG_RE_FOLD;
    case 'm': return IG_RE_MULTI_LINE;
    case 's': return IG_RE_DOT_NEWLINE;
    default: return 0;
    }
}

/* (?flags) or (?flags:, from behind the question mark. */
static ig_status group_flags(ig_re_parser *p)
{
    const unsigned before = p->flags;
    unsigned flags = before;
    bool is_minus = false, has_flag = false;
    for (; p->at < p->end && strchr("imsU-", *p->at) && *p->at; p->at++) {
        if (*p->at == '-') {
            if (is_minus) break;
            is_minus = true;
            has_flag = false;
            continue;
        }
        has_flag = true;
        if (is_minus)
            flags &= ~flag_of(*p->at);
        else
            flags |= flag_of(*p->at);
    }
    if (p->at == p->end || (*p->at != ')' && *p->at != ':') || (is_minus && !has_flag))
        return ig_re_fail(p, INGOT_ERR_INVALID, "a group that RE2 does not have");
    p->flags = flags;
    p->last_is_repeat = false;
    return *p->at++ == ':' ? open_group(p, before) : INGOT_OK;
}

static ig_status group(ig_re_parser *p)
{
    if (accept(p, "(?P<") || (p->end - p->at > 3 && memcmp(p->at, "(?<", 3) == 0 &&
                              p->at[3] != '=' && p->at[3] != '!' && accept(p, "(?<"))) {
        IG_TRY(group_name(p));
        return open_group(p, p->flags);
    }
    if (accept(p, "(?")) return group_flags(p);
    p->at++;
    return open_group(p, p->flags);
}

/* ---- repetition ---- */

/* A number without superfluous zeros; a greater one than any bound for those that are too long. */
static bool number(const char **at, const char *end, int *out)
{
    const char *s = *at;
    if (s == end || *s < '0' || *s > '9') return false;
    if (*s == '0' && s + 1 < end && s[1] >= '0' && s[1] <= '9') return false;
    for (*out = 0; s < end && *s >= '0' && *s <= '9'; s++)
        if (*out <= IG_REGEX_MAX_REPEAT) *out = *out * 10 + *s - '0';
    *at = s;
    return true;
}

/* {n}, {n,} or {n,m} at p->at; what is none of these stands for itself. */
static bool counts(ig_re_parser *p, int *min, int *max)
{
    const char *s = p->at + 1;
    if (!number(&s, p->end, min)) return false;
    *max = *min;
    if (s < p->end && *s == ',') {
        s++;
        *max = -1;
        if (s < p->end && *s != '}' && !number(&s, p->end, max)) return false;
    }
    if (s == p->end || *s != '}') return false;
    p->at = s + 1;
    return true;
}

/* The operator at p->at, if it is one. */
static bool repetition(ig_re_parser *p, int *min, int *max)
{
    switch (*p->at) {
    case '{': return counts(p, min, max);
    case '*':
    case '+':
    case '?':
        *min = *p->at == '+';
        *max = *p->at == '?' ? 1 : -1;
        p->at++;
        return true;
    default: return false;
    }
}

static ig_status repeat(ig_re_parser *p, int min, int max)
{
    if (p->last < 0) return ig_re_fail(p, INGOT_ERR_INVALID, "there is nothing to repeat");
    if (p->last_is_repeat)
        return ig_re_fail(p, INGOT_ERR_INVALID, "a repetition follows a repetition");
    if (min > IG_REGEX_MAX_REPEAT || max > IG_REGEX_MAX_REPEAT)
        return ig_re_fail(p, INGOT_ERR_INVALID, "more than %d repetitions", IG_REGEX_MAX_REPEAT);
    if (max >= 0 && min > max)
        return ig_re_fail(p, INGOT_ERR_INVALID, "at least %d, but at most %d repetitions", min,
                          max);
    accept(p, "?"); /* not greedy: the same to a match of the whole */
    p->last_is_repeat = true;
    return ig_re_repeat(p, p->last, min, max);
}

/* ---- pieces ---- */

static ig_status look(ig_re_parser *p, int32_t at)
{
    begin_piece(p);
    return ig_re_emit(p, IG_RE_LOOK, at, 0);
}

static ig_status literal(ig_re_parser *p, int32_t c)
{
    begin_piece(p);
    return ig_re_emit_char(p, c);
}

static ig_status quoted(ig_re_parser *p)
{
    while (p->at < p->end && !accept(p, "\\E")) {
        int32_t c;
        IG_TRY(ig_re_next(p, &c));
        IG_TRY(literal(p, c));
    }
    return INGOT_OK;
}

static ig_status backslash(ig_re_parser *p)
{
    static const struct {
        const char *text;
        int32_t at;
    } looks[] = { { "\\A", IG_RE_AT_BEGIN },
                  { "\\z", IG_RE_AT_END },
                  { "\\b", IG_RE_AT_WORD_EDGE },
                  { "\\B", IG_RE_AT_NO_WORD_EDGE } };
    bool found;
    int32_t c;
    for (size_t i = 0; i < IG_COUNT(looks); i++)
        if (accept(p, looks[i].text)) return look(p, looks[i].at);
    if (accept(p, "\\Q")) return quoted(p);
    p->n_set = 0;
    IG_TRY(ig_re_class_escape(p, &found));
    if (found) {
        begin_piece(p);
        return ig_re_emit_set(p);
    }
    IG_TRY(ig_re_escape(p, &c));
    return literal(p, c);
}

static ig_status dot(ig_re_parser *p)
{
    p->at++;
    p->n_set = 0;
    begin_piece(p);
    if (p->flags & IG_RE_DOT_NEWLINE) {
        IG_TRY(ig_re_add(p, 0, IG_CODE_POINT_MAX));
    } else {
        IG_TRY(ig_re_add(p, '\n', '\n'));
        IG_TRY(ig_re_negate(p, 0));
    }
    return ig_re_emit_set(p);
}

static ig_status piece(ig_re_parser *p)
{
    const bool is_multi_line = p->flags & IG_RE_MULTI_LINE;
    int min, max;
    int32_t c;
    if (repetition(p, &min, &max)) return repeat(p, min, max);
    switch (*p->at) {
    case '(': return group(p);
    case ')': return close_group(p);
    case '|':
        p->at++;
        p->last = -1;
        return ig_re_alternate(p);
    case '^': p->at++; return look(p, is_multi_line ? IG_RE_AT_LINE_BEGIN : IG_RE_AT_BEGIN);
    case '$': p->at++; return look(p, is_multi_line ? IG_RE_AT_LINE_END : IG_RE_AT_END);
    case '.': return dot(p);
    case '[': begin_piece(p); return ig_re_bracket(p);
    case '\\': return backslash(p);
    default: IG_TRY(ig_re_next(p, &c)); return literal(p, c);
    }
}

ig_status ig_regex_compile(ig_arena *arena, const char *pattern, size_t bytes, const ig_regex **out,
                           ig_error *err)
{
    if (bytes > IG_REGEX_MAX_PATTERN)
        return ig_fail(err, INGOT_ERR_LIMIT, "pattern has %zu bytes, at most %d", bytes,
                       IG_REGEX_MAX_PATTERN);
    ig_regex *regex = ig_arena_get(arena, sizeof *regex);
    if (!regex) return IG_NOMEM(err, sizeof *regex);
    if (!bytes) pattern = "";
    ig_re_parser p = { .pattern = pattern,
                       .at = pattern,
                       .end = pattern + bytes,
                       .regex = regex,
                       .arena = arena,
                       .err = err };
    ig_map_init(&p.names, arena);
    IG_TRY(open_group(&p, 0));
    while (p.at < p.end) IG_TRY(piece(&p));
    if (p.n_groups > 1) return ig_re_fail(&p, INGOT_ERR_INVALID, "a ( lacks its )");
    ig_re_close_alternatives(&p);
    IG_TRY(ig_re_emit(&p, IG_RE_MATCH, 0, 0));
    *out = regex;
    return INGOT_OK;
}
