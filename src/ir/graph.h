/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graph.h: the graph. SSA: values and nodes with 32-bit ids, nodes in execution order.
 *
 * Everything lives in the graph's arena; nodes and values are never freed singly. Subgraphs of If,
 * Loop and Scan are graphs of their own that share arena and dimension table with the outermost
 * one. A subgraph sees nothing of its surroundings: values that its body takes from outside are
 * extra inputs of the node (and extra, last inputs of the subgraph), see ig_attr.
 */
#ifndef IG_IR_GRAPH_H
#define IG_IR_GRAPH_H

#include "base/map.h"
#include "ir/dim.h"
#include "ir/tensor.h"

#define IG_NONE UINT32_MAX
#define IG_MAX_ELEMS 64 /* integer tensors up to this size carry their elements as dims */

typedef struct ig_op ig_op; /* ops/op.h */
typedef struct ig_graph ig_graph;

/* Large graphs have many of these: small fields. */
typedef struct ig_type {
    ingot_kind kind : 8;
    ingot_dtype dtype : 8;     /* element type of the tensor, or of the tensors inside */
    ingot_kind item_kind : 8;  /* of a sequence's or optional's item */
    ingot_dtype key_dtype : 8; /* of a map (or a sequence of maps) */
} ig_type;

/* What is known of a value before it exists. */
typedef struct ig_info {
    ig_type type;
    int16_t rank; /* -1: unknown */
    int16_t n_elems;
    ig_dim dims[IG_MAX_RANK];
    const ig_tensor *data; /* its contents, when known; else NULL */
    const ig_dim
        *elems; /* contents of a small integer tensor whose data is NULL, as dims; or NULL */
} ig_info;

typedef struct ig_value {
    ig_info info;
    const char *name; /* unique in the graph, "" allowed for values that passes made */
    uint32_t id;
    uint32_t producer; /* index into nodes (valid after ig_graph_index), IG_NONE for inputs and
                          constants */
    uint32_t n_uses;   /* by nodes and outputs (valid after ig_graph_index) */
    bool is_input, is_output; /* of the graph (valid after ig_graph_index) */
} ig_value;
/* A value with info.data set and no producer is a constant. */

typedef enum ig_attr_kind {
    IG_ATTR_INT = 1,
    IG_ATTR_FLOAT,
    IG_ATTR_STRING,
    IG_ATTR_TENSOR,
    IG_ATTR_GRAPH,
    IG_ATTR_INTS,
    IG_ATTR_FLOATS,
    IG_ATTR_STRINGS,
    IG_ATTR_TENSORS,
    IG_ATTR_GRAPHS,
    IG_ATTR_TYPE
} ig_attr_kind;

typedef struct ig_attr {
    const char *name;
    ig_attr_kind kind;
    size_t n; /* of lists; 1 otherwise */
    union {
        int64_t i;
        float f;
        ingot_string s;
        const ig_tensor *t;
        ig_graph *g;
        const int64_t *ints;
        const float *floats;
        const ingot_string *strings;
        const ig_tensor **tensors;
        ig_graph **graphs;
        ig_type type;
    };
    /* IG_ATTR_GRAPH: node inputs [first_capture, first_capture + g->n_captures) feed the last
     * g->n_captures inputs of g. */
    uint32_t first_capture;
} ig_attr;

typedef struct ig_node {
    const char *op_type,
        *domain;      /* domain "" is ai.onnx; "ingot" holds operators that passes make */
    const char *name; /* "" when the file gave none */
    const ig_op *op;  /* resolved by ig_ops_resolve */
    int opset;        /* version of the node's domain */
    uint32_t n_inputs, n_outputs;
    uint32_t *inputs;  /* value ids, IG_NONE where absent */
    uint32_t *outputs; /* value ids, IG_NONE where absent */
    uint32_t n_attrs;
    ig_attr *attrs;
    bool is_dead; /* removed at the next ig_graph_sweep */
} ig_node;

typedef struct ig_opset {
    const char *domain;
    int64_t version;
} ig_opset;

struct ig_graph {
    ig_arena *arena;
    ig_dims *dims;
    const char *name;
    ig_value **values;
    size_t n_values, cap_values;
    ig_node **nodes; /* execution order */
    size_t n_nodes, cap_nodes;
    uint32_t *inputs; /* captures last */
    size_t n_inputs, cap_inputs, n_captures;
    uint32_t *outputs;
    size_t n_outputs, cap_outputs;
    ig_opset *opsets;
    size_t n_opsets, cap_opsets;
};

/* arena and dims are shared, not owned. NULL when out of memory. */
ig_graph *ig_graph_create(ig_arena *arena, ig_dims *dims, const char *name) IG_MUST_USE;

/* A new value; name is copied (NULL: ""). IG_NONE when out of memory. */
uint32_t ig_graph_add_value(ig_graph *g, const char *name, size_t name_bytes) IG_MUST_USE;
/* A constant on a tensor that lives as long as the graph. */
uint32_t ig_graph_add_constant(ig_graph *g, const char *name, const ig_tensor *data) IG_MUST_USE;
bool ig_graph_add_input(ig_graph *g, uint32_t value) IG_MUST_USE;
bool ig_graph_add_output(ig_graph *g, uint32_t value) IG_MUST_USE;
/* Strings are borrowed, as long as the graph lives; inputs and outputs are copied; attributes come
 * by ig_node_set_…. Appended at the end, or put before node index `before` (IG_NONE: end). NULL
 * when out of memory. */
ig_node *ig_graph_add_node(ig_graph *g, uint32_t before, const char *op_type, const char *domain,
                           const char *name, const uint32_t *inputs, size_t n_inputs,
                           const uint32_t *outputs, size_t n_outputs) IG_MUST_USE;

/* Set inputs (grows as needed, absent ones IG_NONE); false when out of memory. */
bool ig_node_set_input(ig_graph *g, ig_node *node, uint32_t i, uint32_t value) IG_MUST_USE;

/* Attributes. Setters replace; false when out of memory. Lists and strings are copied. */
const ig_attr *ig_node_attr(const ig_node *node, const char *name); /* NULL when absent */
bool ig_node_set_attr(ig_graph *g, ig_node *node, const ig_attr *attr) IG_MUST_USE;
bool ig_node_set_int(ig_graph *g, ig_node *node, const char *name, int64_t value) IG_MUST_USE;
bool ig_node_set_float(ig_graph *g, ig_node *node, const char *name, float value) IG_MUST_USE;
bool ig_node_set_ints(ig_graph *g, ig_node *node, const char *name, const int64_t *v,
                      size_t n) IG_MUST_USE;
bool ig_node_set_string(ig_graph *g, ig_node *node, const char *name, const char *v) IG_MUST_USE;
void ig_node_remove_attr(ig_node *node, const char *name);

/* Recompute what values know of their graph (producer, uses), skipping dead nodes. */
void ig_graph_index(ig_graph *g);
/* Unlink dead nodes, then index. */
void ig_graph_sweep(ig_graph *g);
/* Put nodes in dependency order, stable; INGOT_ERR_INVALID names a node of the cycle. */
ig_status ig_graph_sort(ig_graph *g, ig_error *err) IG_MUST_USE;

/* "node 12 'conv1' (Conv)" for messages; into buf. */
char *ig_node_describe(const ig_graph *g, const ig_node *node, char *buf, size_t bytes);

/* Check every invariant: ids in range, one producer a value, order, names, captures, subgraphs.
 * INGOT_ERR_INTERNAL or INVALID. */
ig_status ig_graph_verify(const ig_graph *g, ig_error *err) IG_MUST_USE;

/* Text form: prints and parses (print.c, parse.c; the grammar is on top of print.c). Constants over
 * 16 elements print as a content hash unless with_data. */
void ig_graph_print(const ig_graph *g, bool with_data, ig_str *out);
void ig_graph_print_dot(const ig_graph *g, ig_str *out);
ig_status ig_graph_parse(ig_arena *arena, ig_dims *dims, const char *text, size_t bytes,
                         ig_graph **out, ig_error *err) IG_MUST_USE;

#endif
