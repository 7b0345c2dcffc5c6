/* SPDX-License-Identifier: Apache-2.0 */
/* regex_full_match.c: which strings a regular expression in RE2's syntax matches as a whole. */
#include "ops/regex.h"
#include "ops/strided.h"

static ig_status compile(const ig_node *node, ig_arena *arena, const ig_regex **out, ig_error *err)
{
    const ig_attr *pattern = ig_node_attr(node, "pattern");
    if (!pattern || pattern->kind != IG_ATTR_STRING)
        return ig_fail(err, INGOT_ERR_INVALID, "attribute pattern is missing");
    return ig_regex_compile(arena, pattern->s.data, pattern->s.bytes, out, err);
}

/* A pattern that is wrong is told before anything runs. */
static ig_status infer(ig_infer *c)
{
    ig_arena arena;
    const ig_regex *regex;
    IG_TRY(ig_infer_tensors(c, 1));
    ig_arena_init(&arena, c->arena->alloc, c->arena->tag);
    const ig_status status = compile(c->node, &arena, &regex, c->err);
    ig_arena_deinit(&arena);
    if (status) return status;
    IG_TRY(ig_infer_same(c));
    c->out[0].type.dtype = INGOT_BOOL;
    return INGOT_OK;
}

static ig_status ref(ig_call *c)
{
    const ig_regex *regex;
    IG_TRY(ig_call_ready(c));
    IG_TRY(compile(c->node, c->scratch, &regex, c->err));
    void *scratch = ig_arena_get(c->scratch, ig_regex_scratch_bytes(regex));
    if (!scratch) return IG_NOMEM(c->err, ig_regex_scratch_bytes(regex));
    const ingot_string *x = c->in[0]->data;
    bool *y = c->out[0]->data;
    const int64_t n = ig_tensor_count(c->in[0]);
    for (int64_t i = 0; i < n; i++)
        y[i] = ig_regex_full_match(regex, x[i].data, x[i].bytes, scratch);
    return INGOT_OK;
}

static void k_regex(const void *params, void *const *operands, ig_part part)
{
    const ig_regex *regex = params;
    const ingot_string *x = operands[0];
    bool *y = operands[1];
    void *scratch = (char *)operands[2] + ig_regex_scratch_bytes(regex) * (size_t)part.i_thread;
    for (int64_t i = part.begin; i < part.end; i++)
        y[i] = ig_regex_full_match(regex, x[i].data, x[i].bytes, scratch);
}

/* Strings in parallel, and the program is made once. */
static ig_status lower(ig_lower *l)
{
    int64_t dims[IG_MAX_RANK];
    const ig_regex *regex;
    if (!ig_info_is_static(l->in[0], dims)) return INGOT_OK;
    IG_TRY(compile(l->node, l->arena, &regex, l->err));
    l->params = regex;
    l->kernel = k_regex;
    l->kernel_name = "ig_k_regex";
    l->n_operand_in = 1;
    l->n_work = ig_count(l->in[0]->rank, dims);
    l->grain = 64;
    l->scratch_bytes = ig_regex_scratch_bytes(regex) * (size_t)l->n_threads;
    return INGOT_OK;
}

static const char *const cases[] = {
    "str{\"www.google.com\",\"www.facebook.com\",\"www.bbc.co.uk\"} "
    "pattern=\"www\\\\.[\\\\w.-]+\\\\.\\\\bcom\\\\b\" = bool{1,1,0}",
    "str[2,2]{\"aaa\",\"aa\",\"\",\"aaaa\"} pattern=\"a{2,3}\" = bool[2,2]{1,1,0,0}",
    "str{\"ÄÖ\",\"äö\",\"ao\"} pattern=\"(?i)ä.\" = bool{1,1,0}",
    "str{\"a\\nb\",\"\"} pattern=\"\" = bool{0,1}",
    "str[2,0] pattern=\"a\"",
    "str[] pattern=\".*\"",
    "str[300] pattern=\"s?[0-9a-z]{0,20}\"",
    "str[1] ! attribute pattern is missing",
    "str[1] pattern=\"(a\" ! pattern, near byte 2: a ( lacks its )",
    "str[1] pattern=\"a{1001}\" ! more than 1000 repetitions",
    "str[1] pattern=\"((a{1000}){1000})\" ! more than 100000 steps",
    "f32[1] pattern=\"a\" ! float32",
    NULL,
};

const ig_op ig_op_regex_full_match = {
    .onnx = "RegexFullMatch",
    .since = { 20 },
    .n_in = { 1, 1 },
    .n_out = { 1, 1 },
    .types = IG_T_STRING,
    .infer = infer,
    .ref = ref,
    .lower = lower,
    .cases = cases,
};
