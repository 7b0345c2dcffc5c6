/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c: reads what print.c writes (the grammar is there). */
#include <string.h>

#include "ir/parse.h"

#define MAX_GRAPH_DEPTH 16
#define MAX_INPUTS 65536

typedef struct graph_parser {
    ig_text_parser *p;
    ig_graph *g;
    const struct graph_parser *around;
    ig_map names, numbers; /* of values to ids */
    int depth;
} graph_parser;

typedef struct id_list {
    uint32_t *ids;
    size_t n, cap;
} id_list;

static ig_status parse_graph(ig_text_parser *p, const graph_parser *around, ig_graph **out,
                             uint32_t *first_capture);

/* ---- values ---- */

typedef struct value_name {
    const char *text;
    size_t bytes;
    bool is_number;
} value_name;

static ig_status parse_value_name(ig_text_parser *p, value_name *name)
{
    IG_TRY(ig_text_expect(p, "%"));
    name->is_number = p->at < p->end && *p->at == '#';
    if (name->is_number) {
        const char *start = ++p->at;
        while (p->at < p->end && *p->at >= '0' && *p->at <= '9') p->at++;
        name->text = start;
        name->bytes = (size_t)(p->at - start);
    } else {
        IG_TRY(ig_text_name(p, true, &name->text, &name->bytes));
    }
    return name->bytes ? INGOT_OK : ig_text_fail(p, "expected the name of a value");
}

static uint32_t find_value(const graph_parser *s, const value_name *name)
{
    return ig_map_get(name->is_number ? &s->numbers : &s->names, name->text, name->bytes);
}

static ig_status new_value(graph_parser *s, const value_name *name, uint32_t *id)
{
    if (find_value(s, name) != IG_MAP_NONE)
        return ig_text_fail(s->p, "value %%%s%.*s is defined twice", name->is_number ? "#" : "",
                            (int)(name->bytes < 80 ? name->bytes : 80), name->text);
    *id = ig_graph_add_value(s->g, name->is_number ? NULL : name->text, name->bytes);
    if (*id == IG_NONE ||
        !ig_map_put(name->is_number ? &s->numbers : &s->names, name->text, name->bytes, *id))
        return IG_NOMEM(s->p->err, sizeof(ig_value));
    return INGOT_OK;
}

/* A value that was defined before, or "_" where that may be. */
static ig_status parse_use(graph_parser *s, bool may_lack, uint32_t *id)
{
    value_name name;
    *id = IG_NONE;
    if (may_lack && ig_text_accept(s->p, "_")) return INGOT_OK;
    IG_TRY(parse_value_name(s->p, &name));
    *id = find_value(s, &name);
    if (*id == IG_MAP_NONE)
        return ig_text_fail(s->p, "value %%%s%.*s is not defined before it is used",
                            name.is_number ? "#" : "", (int)(name.bytes < 80 ? name.bytes : 80),
                            name.text);
    return INGOT_OK;
}

typedef enum value_role { IS_INPUT, IS_CONSTANT, IS_RESULT } value_role;

static ig_status parse_contents(graph_parser *s, ig_info *info, value_role role)
{
    ig_text_contents contents;
    IG_TRY(ig_text_parse_contents(s->p, s->g, info, &contents));
    info->data = contents.data;
    info->elems = contents.elems;
    info->n_elems = contents.n_elems;
    if (role == IS_CONSTANT && !info->data)
        return ig_text_fail(s->p, "a constant needs its contents; a hash stands for contents that "
                                  "were not printed: print the graph with data");
    return INGOT_OK;
}

/* typed: defines a value. Results with contents look like "%x: t = {…} = Op …", so "=" alone does
 * not say that contents follow. */
static ig_status parse_typed(graph_parser *s, value_role role, uint32_t *id)
{
    value_name name;
    ig_text_parser *p = s->p;
    IG_TRY(parse_value_name(p, &name));
    IG_TRY(new_value(s, &name, id));
    ig_info *info = &s->g->values[*id]->info;
    if (ig_text_accept(p, ":")) IG_TRY(ig_text_parse_type(p, s->g, info));
    const char *before = p->at;
    const int line = p->line;
    if (ig_text_accept(p, "=")) {
        const char c = ig_text_peek(p);
        if (c == '{' || c == '#') return parse_contents(s, info, role);
        p->at = before;
        p->line = line;
    }
    if (role == IS_CONSTANT) return ig_text_fail(p, "expected the contents of a constant");
    return INGOT_OK;
}

static ig_status push_id(graph_parser *s, id_list *list, uint32_t id)
{
    if (list->n >= MAX_INPUTS)
        return ig_text_fail(s->p, "more than %d values in a list", MAX_INPUTS);
    if (!IG_ARENA_PUSH(s->g->arena, list->ids, list->n, list->cap, id))
        return IG_NOMEM(s->p->err, sizeof id);
    return INGOT_OK;
}

/* ---- attributes ---- */

static ig_status parse_subgraph(graph_parser *s, ig_graph **out, uint32_t *first_capture)
{
    if (s->depth >= MAX_GRAPH_DEPTH)
        return ig_text_fail(s->p, "subgraphs are nested deeper than %d", MAX_GRAPH_DEPTH);
    return parse_graph(s->p, s, out, first_capture);
}

static ig_status parse_graphs(graph_parser *s, ig_attr *attr)
{
    ig_graph **graphs = NULL;
    size_t cap = 0;
    attr->kind = IG_ATTR_GRAPHS;
    attr->n = 0;
    IG_TRY(ig_text_expect(s->p, "["));
    while (!ig_text_accept(s->p, "]")) {
        ig_graph *g;
        if (attr->n) IG_TRY(ig_text_expect(s->p, ","));
        IG_TRY(ig_text_expect_word(s->p, "graph"));
        IG_TRY(parse_subgraph(s, &g, &attr->first_capture));
        if (!IG_ARENA_PUSH(s->g->arena, graphs, attr->n, cap, g))
            return IG_NOMEM(s->p->err, sizeof g);
    }
    attr->graphs = graphs;
    return INGOT_OK;
}

static ig_status parse_attr(graph_parser *s, ig_node *node)
{
    ig_attr attr = { .n = 1 };
    const char *name;
    size_t bytes;
    IG_TRY(ig_text_name(s->p, false, &name, &bytes));
    attr.name = name;
    if (ig_node_attr(node, name)) return ig_text_fail(s->p, "attribute '%s' appears twice", name);
    IG_TRY(ig_text_expect(s->p, "="));
    if (ig_text_accept_word(s->p, "graph")) {
        attr.kind = IG_ATTR_GRAPH;
        IG_TRY(parse_subgraph(s, &attr.g, &attr.first_capture));
    } else if (ig_text_accept_word(s->p, "graphs")) {
        IG_TRY(parse_graphs(s, &attr));
    } else {
        IG_TRY(ig_text_parse_attr_value(s->p, s->g, &attr));
    }
    return ig_node_set_attr(s->g, node, &attr) ? INGOT_OK : IG_NOMEM(s->p->err, sizeof attr);
}

/* ---- nodes ---- */

static int stated_opset(const graph_parser *s, const char *domain)
{
    int version = 0;
    for (; s && !version; s = s->around) version = ig_text_opset(s->g, domain);
    return version ? version : !strcmp(domain, "ingot");
}

static ig_status parse_results(graph_parser *s, id_list *outputs)
{
    ig_text_parser *p = s->p;
    if (ig_text_accept(p, "=")) return INGOT_OK;
    do {
        uint32_t id = IG_NONE;
        if (!ig_text_accept(p, "_")) IG_TRY(parse_typed(s, IS_RESULT, &id));
        IG_TRY(push_id(s, outputs, id));
    } while (ig_text_accept(p, ","));
    return ig_text_expect(p, "=");
}

typedef struct node_head {
    const char *domain, *op_type, *name;
    int64_t opset; /* 0: as stated */
} node_head;

static ig_status parse_node_head(graph_parser *s, node_head *head)
{
    ig_text_parser *p = s->p;
    size_t bytes;
    head->domain = "";
    head->opset = -1;
    IG_TRY(ig_text_name(p, false, &head->op_type, &bytes));
    if (ig_text_accept(p, "::")) {
        head->domain = head->op_type;
        IG_TRY(ig_text_name(p, false, &head->op_type, &bytes));
    }
    if (ig_text_accept(p, "@")) {
        IG_TRY(ig_text_int(p, &head->opset));
        if (head->opset < 0 || head->opset > INT32_MAX)
            return ig_text_fail(p, "opset %lld is out of range", (long long)head->opset);
    }
    return ig_text_quoted(p, &head->name, &bytes);
}

static ig_status parse_node(graph_parser *s)
{
    ig_text_parser *p = s->p;
    id_list outputs = { 0 }, inputs = { 0 };
    node_head head;
    uint32_t id;
    IG_TRY(parse_results(s, &outputs));
    IG_TRY(parse_node_head(s, &head));
    IG_TRY(ig_text_expect(p, "("));
    while (!ig_text_accept(p, ")")) {
        if (inputs.n) IG_TRY(ig_text_expect(p, ","));
        IG_TRY(parse_use(s, true, &id));
        IG_TRY(push_id(s, &inputs, id));
    }
    ig_node *node = ig_graph_add_node(s->g, IG_NONE, head.op_type, head.domain, head.name,
                                      inputs.ids, inputs.n, outputs.ids, outputs.n);
    if (!node) return IG_NOMEM(p->err, sizeof *node);
    node->opset = head.opset >= 0 ? (int)head.opset : stated_opset(s, head.domain);
    if (!ig_text_accept(p, "{")) return INGOT_OK;
    while (!ig_text_accept(p, "}")) {
        if (node->n_attrs) IG_TRY(ig_text_expect(p, ","));
        IG_TRY(parse_attr(s, node));
    }
    return INGOT_OK;
}

/* ---- graphs ---- */

static ig_status parse_opsets(graph_parser *s)
{
    ig_text_parser *p = s->p;
    do {
        ig_opset opset;
        size_t bytes;
        IG_TRY(ig_text_name(p, false, &opset.domain, &bytes));
        IG_TRY(ig_text_int(p, &opset.version));
        if (opset.version < 0 || opset.version > INT32_MAX)
            return ig_text_fail(p, "opset %lld is out of range", (long long)opset.version);
        if (!strcmp(opset.domain, "ai.onnx")) opset.domain = "";
        if (!IG_ARENA_PUSH(s->g->arena, s->g->opsets, s->g->n_opsets, s->g->cap_opsets, opset))
            return IG_NOMEM(p->err, sizeof opset);
    } while (ig_text_accept(p, ","));
    return ig_text_expect(p, ")");
}

static ig_status parse_inputs(graph_parser *s)
{
    ig_text_parser *p = s->p;
    bool is_capture = false;
    for (bool is_first = true; !ig_text_accept(p, ")"); is_first = false) {
        uint32_t id;
        if (!is_capture && ig_text_accept(p, ";")) {
            is_capture = true;
            if (ig_text_accept(p, ")")) break;
        } else if (!is_first) {
            IG_TRY(ig_text_expect(p, ","));
        }
        IG_TRY(parse_typed(s, IS_INPUT, &id));
        if (!ig_graph_add_input(s->g, id)) return IG_NOMEM(p->err, sizeof id);
        if (is_capture) s->g->n_captures++;
    }
    return INGOT_OK;
}

/* The outputs stand before their definitions: read them twice, first to skip them. */
static ig_status parse_outputs(graph_parser *s, bool is_skipped)
{
    ig_text_parser *p = s->p;
    IG_TRY(ig_text_expect(p, "("));
    for (size_t i = 0; !ig_text_accept(p, ")"); i++) {
        value_name name;
        uint32_t id;
        if (i) IG_TRY(ig_text_expect(p, ","));
        if (is_skipped) {
            IG_TRY(parse_value_name(p, &name));
            continue;
        }
        IG_TRY(parse_use(s, false, &id));
        if (!ig_graph_add_output(s->g, id)) return IG_NOMEM(p->err, sizeof id);
    }
    return INGOT_OK;
}

static ig_status parse_body(graph_parser *s)
{
    ig_text_parser *p = s->p;
    IG_TRY(ig_text_expect(p, "{"));
    while (!ig_text_accept(p, "}")) {
        uint32_t id;
        if (ig_text_accept_word(p, "const"))
            IG_TRY(parse_typed(s, IS_CONSTANT, &id));
        else
            IG_TRY(parse_node(s));
    }
    return INGOT_OK;
}

/* After the word "graph". */
static ig_status parse_graph(ig_text_parser *p, const graph_parser *around, ig_graph **out,
                             uint32_t *first_capture)
{
    graph_parser s = { .p = p, .around = around, .depth = around ? around->depth + 1 : 0 };
    const char *name;
    size_t bytes;
    int64_t capture = 0;
    if (ig_text_accept(p, "@")) IG_TRY(ig_text_int(p, &capture));
    if (capture < 0 || capture > MAX_INPUTS) return ig_text_fail(p, "captures start nowhere");
    if (first_capture) *first_capture = (uint32_t)capture;
    IG_TRY(ig_text_quoted(p, &name, &bytes));
    s.g = ig_graph_create(p->arena, p->dims, name);
    if (!s.g) return IG_NOMEM(p->err, sizeof *s.g);
    ig_map_init(&s.names, p->arena);
    ig_map_init(&s.numbers, p->arena);
    IG_TRY(ig_text_expect(p, "("));
    if (ig_text_accept_word(p, "opset")) {
        IG_TRY(parse_opsets(&s));
        IG_TRY(ig_text_expect(p, "("));
    }
    IG_TRY(parse_inputs(&s));
    IG_TRY(ig_text_expect(p, "->"));
    const ig_text_parser at_outputs = *p;
    IG_TRY(parse_outputs(&s, true));
    IG_TRY(parse_body(&s));
    const ig_text_parser at_end = *p;
    p->at = at_outputs.at;
    p->line = at_outputs.line;
    IG_TRY(parse_outputs(&s, false));
    p->at = at_end.at;
    p->line = at_end.line;
    ig_graph_index(s.g);
    *out = s.g;
    return INGOT_OK;
}

ig_status ig_graph_parse(ig_arena *arena, ig_dims *dims, const char *text, size_t bytes,
                         ig_graph **out, ig_error *err)
{
    ig_text_parser p = { .begin = text,
                         .at = text,
                         .end = text + bytes,
                         .line = 1,
                         .arena = arena,
                         .dims = dims,
                         .err = err };
    ig_graph *g;
    *out = NULL;
    IG_TRY(ig_text_expect_word(&p, "graph"));
    IG_TRY(parse_graph(&p, NULL, &g, NULL));
    if (ig_text_peek(&p)) return ig_text_fail(&p, "expected the end of the text");
    if (dims->has_failed) return ig_fail(err, INGOT_ERR_LIMIT, "a dimension overflows");
    const ig_status status = ig_graph_verify(g, err);
    if (status == INGOT_ERR_INTERNAL && err) err->status = INGOT_ERR_INVALID; /* the text's fault */
    if (status) return status == INGOT_ERR_INTERNAL ? INGOT_ERR_INVALID : status;
    *out = g;
    return INGOT_OK;
}
