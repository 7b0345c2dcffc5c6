/* SPDX-License-Identifier: Apache-2.0 */
/* regex_program.c: steps, blocks of them, alternatives and repetition. */
#include <string.h>

#include "ops/regex_program.h"

static ig_status check_room(ig_re_parser *p, size_t n_more)
{
    /* Steps that {0} throws away again count, too: they take time. */
    p->n_emitted += n_more;
    if (n_more > IG_REGEX_MAX_STEPS || p->regex->n_steps + n_more > IG_REGEX_MAX_STEPS ||
        p->n_emitted > 16 * (size_t)IG_REGEX_MAX_STEPS)
        return ig_re_fail(p, INGOT_ERR_LIMIT, "the program would have more than %d steps",
                          IG_REGEX_MAX_STEPS);
    return INGOT_OK;
}

ig_status ig_re_emit(ig_re_parser *p, ig_re_op op, int32_t a, int32_t b)
{
    ig_regex *r = p->regex;
    IG_TRY(check_room(p, 1));
    if (!IG_ARENA_PUSH(p->arena, r->steps, r->n_steps, r->cap_steps, ((ig_re_step){ op, a, b })))
        return IG_NOMEM(p->err, r->n_steps * sizeof *r->steps);
    return INGOT_OK;
}

/* Put a step in front of step `at`; what follows moves as it is. */
static ig_status insert(ig_re_parser *p, int32_t at, ig_re_op op, int32_t a, int32_t b)
{
    ig_regex *r = p->regex;
    IG_TRY(ig_re_emit(p, op, a, b));
    memmove(r->steps + at + 1, r->steps + at, (r->n_steps - 1 - (size_t)at) * sizeof *r->steps);
    r->steps[at] = (ig_re_step){ op, a, b };
    return INGOT_OK;
}

ig_status ig_re_alternate(ig_re_parser *p)
{
    ig_regex *r = p->regex;
    ig_re_group *g = &p->groups[p->n_groups - 1];
    const int32_t length = (int32_t)r->n_steps - g->alternative;
    IG_TRY(insert(p, g->alternative, IG_RE_SPLIT, 1, length + 2));
    const int32_t jump = (int32_t)r->n_steps;
    IG_TRY(ig_re_emit(p, IG_RE_JUMP, g->pending < 0 ? 0 : g->pending - jump, 0));
    g->pending = jump;
    g->alternative = jump + 1;
    return INGOT_OK;
}

void ig_re_close_alternatives(ig_re_parser *p)
{
    ig_regex *r = p->regex;
    for (int32_t at = p->groups[p->n_groups - 1].pending; at >= 0;) {
        const int32_t to_previous = r->steps[at].a;
        r->steps[at].a = (int32_t)r->n_steps - at;
        at = to_previous ? at + to_previous : -1;
    }
}

/* Append a copy of the block [begin, begin + length). */
static ig_status copy(ig_re_parser *p, int32_t begin, int32_t length)
{
    for (int32_t i = 0; i < length; i++) {
        const ig_re_step step = p->regex->steps[begin + i];
        IG_TRY(ig_re_emit(p, step.op, step.a, step.b));
    }
    return INGOT_OK;
}

ig_status ig_re_repeat(ig_re_parser *p, int32_t begin, int min, int max)
{
    ig_regex *r = p->regex;
    const int32_t length = (int32_t)r->n_steps - begin;
    if (max == 0) {
        r->n_steps = (size_t)begin;
        return INGOT_OK;
    }
    if (max < 0 && min == 0) {
        IG_TRY(insert(p, begin, IG_RE_SPLIT, 1, length + 2));
        return ig_re_emit(p, IG_RE_JUMP, -length - 1, 0);
    }
    for (int i = 1; i < min; i++) IG_TRY(copy(p, begin, length));
    if (max < 0) return ig_re_emit(p, IG_RE_SPLIT, -length, 1);
    if (max == min) return INGOT_OK;
    /* Each further one may be left out, and then all that follow. */
    int32_t source = begin;
    if (min == 0) {
        IG_TRY(insert(p, begin, IG_RE_SPLIT, 1, max * (length + 1)));
        source++;
    }
    for (int left = max - (min ? min : 1); left > 0; left--) {
        IG_TRY(ig_re_emit(p, IG_RE_SPLIT, 1, left * (length + 1)));
        IG_TRY(copy(p, source, length));
    }
    return INGOT_OK;
}
