/* SPDX-License-Identifier: Apache-2.0 */
/* importer.h: what the files of the ONNX importer share. Field numbers are those of onnx.proto. */
#ifndef IG_IMPORT_ONNX_IMPORTER_H
#define IG_IMPORT_ONNX_IMPORTER_H

#include "import/onnx/onnx.h"
#include "wire/protobuf.h"

#define IG_ONNX_MAX_DEPTH 32         /* subgraphs and function calls within each other */
#define IG_ONNX_MAX_ATTRS 256        /* of one node */
#define IG_ONNX_MAX_IMPORTS 128      /* opset_import entries */
#define IG_ONNX_MAX_NAME_BYTES 32768 /* of a value, node, … */
#define IG_ONNX_MAX_FILES 1024       /* external data */
#define IG_ONNX_MAX_CAPTURES 1000000 /* of all subgraphs together */
#define IG_ONNX_MAX_INLINED 64000000 /* bytes of function bodies, each call counted */
#define IG_ONNX_MAX_INLINED_NODES 500000
#define IG_ONNX_CALL_BYTES 256                     /* that a call of a function counts at least */
#define IG_ONNX_MAX_SPARSE_BYTES ((size_t)1 << 30) /* of all dense forms together */

/* A model-local function: its name parts point into the file. */
typedef struct ig_onnx_function {
    ig_pb_bytes message;
    const char *name;
    bool is_active; /* being inlined: a call now would be recursion */
} ig_onnx_function;

/* State of one import. */
typedef struct ig_onnx_importer {
    const uint8_t *data; /* the file */
    size_t data_bytes;
    const char *path; /* NULL: from memory */
    ig_arena *arena;  /* results */
    ig_arena scratch; /* until the import ends */
    ig_dims *dims;
    const ingot_log *log;
    const ig_limits *limits; /* NULL: no bounds */
    ig_error *err;
    ig_onnx_model *model;

    ig_map strings; /* interned names → index into interned */
    const char **interned;
    size_t n_interned, cap_interned;

    ig_onnx_function *functions;
    size_t n_functions, cap_functions;
    ig_map function_by_key;
    uint32_t n_calls;

    ig_onnx_count *counts;
    size_t n_counts, cap_counts;
    ig_map count_by_name;

    ig_map file_by_location; /* → index into model->files */
    size_t n_captures, inlined_bytes, n_inlined_nodes, sparse_bytes;
    int depth;
} ig_onnx_importer;

/* ---- names ---- */

/* `n` bytes of text from the file, fit for a one-line message: cut to 80 bytes, control characters
 * replaced. */
typedef struct ig_onnx_text {
    char s[84];
} ig_onnx_text;
ig_onnx_text ig_onnx_printable(ig_pb_bytes name);

/* A terminated copy in the arena, the same pointer for the same text. Refuses NUL bytes and names
 * that are too long; `what` names the thing in the message. */
ig_status ig_onnx_intern(ig_onnx_importer *m, ig_pb_bytes name, const char *what,
                         const char **out) IG_MUST_USE;
/* The check alone. */
ig_status ig_onnx_check_name(ig_onnx_importer *m, ig_pb_bytes name, const char *what) IG_MUST_USE;
/* Free text (documentation, metadata): copied up to the first NUL. */
ig_status ig_onnx_text_copy(ig_onnx_importer *m, ig_pb_bytes text, const char **out) IG_MUST_USE;
bool ig_onnx_same(ig_pb_bytes a, const char *b);
/* "" for "ai.onnx", which is the same domain. */
ig_pb_bytes ig_onnx_domain(ig_pb_bytes domain);

/* ---- opsets ---- */

typedef struct ig_onnx_opsets {
    ig_opset *items;
    size_t n, cap;
} ig_onnx_opsets;

/* Add one OperatorSetIdProto. Two versions of a domain are an error. */
ig_status ig_onnx_opset_add(ig_onnx_importer *m, ig_onnx_opsets *opsets,
                            ig_pb_bytes message) IG_MUST_USE;
/* Version for a domain: from `opsets`, else the model's, else a default (the newest known from IR
 * version 3 on, before that 1). */
int ig_onnx_opset_of(const ig_onnx_importer *m, const ig_onnx_opsets *opsets, const char *domain);

/* ---- tensors (tensor.c, sparse.c, external.c) ---- */

/* A TensorProto, read but not decoded. */
typedef struct ig_onnx_tensor {
    ig_pb_bytes message, name, raw;
    bool has_raw, is_external;
    ingot_dtype dtype;
    int rank;
    int64_t dims[IG_MAX_RANK];
    int64_t count;        /* elements, from dims */
    size_t n_listed[12];  /* numbers in the typed lists, by field number */
    ig_pb_bytes location; /* external data */
    uint64_t offset, length;
    bool has_length;
    unsigned entries; /* of external_data that were seen: a bit each */
} ig_onnx_tensor;

/* Read the fields; checks element type, rank and dimensions. */
ig_status ig_onnx_tensor_read(ig_onnx_importer *m, ig_pb_bytes message,
                              ig_onnx_tensor *t) IG_MUST_USE;
/* Make the tensor: in place where the file's bytes can be used as they are, else decoded into the
 * arena. Errors name the tensor. */
ig_status ig_onnx_tensor_decode(ig_onnx_importer *m, const ig_onnx_tensor *t,
                                const ig_tensor **out) IG_MUST_USE;
/* Both at once; *name (may be NULL) gets the tensor's name. */
ig_status ig_onnx_tensor_import(ig_onnx_importer *m, ig_pb_bytes message, ig_pb_bytes *name,
                                const ig_tensor **out) IG_MUST_USE;
/* Read one entry of external_data. Unknown keys (checksum, …) are skipped. */
ig_status ig_onnx_external_read(ig_onnx_importer *m, ig_onnx_tensor *t,
                                ig_pb_bytes message) IG_MUST_USE;
/* Find the bytes of external data, mapping the file at its first use. */
ig_status ig_onnx_external(ig_onnx_importer *m, const ig_onnx_tensor *t, size_t bytes,
                           ig_pb_bytes *out) IG_MUST_USE;
/* A SparseTensorProto as a dense tensor. */
ig_status ig_onnx_sparse_import(ig_onnx_importer *m, ig_pb_bytes message, ig_pb_bytes *name,
                                const ig_tensor **out) IG_MUST_USE;
/* A tensor in the arena; data is copied unless NULL (zeroes). */
ig_status ig_onnx_tensor_make(ig_onnx_importer *m, ingot_dtype dtype, int rank, const int64_t *dims,
                              const void *data, ig_tensor **out) IG_MUST_USE;

/* ---- types (type.c) ---- */

/* A TypeProto into type, rank and dimensions of io. has_type false: the message names none. */
ig_status ig_onnx_type_read(ig_onnx_importer *m, ig_pb_bytes message, ig_onnx_io *io,
                            bool *has_type) IG_MUST_USE;
/* A ValueInfoProto; *name points into the file, io->name is not set. */
ig_status ig_onnx_value_info_read(ig_onnx_importer *m, ig_pb_bytes message, ig_pb_bytes *name,
                                  ig_onnx_io *io, bool *has_type) IG_MUST_USE;
/* Check the number of an ONNX element type. */
ig_status ig_onnx_dtype(ig_onnx_importer *m, int64_t number, ingot_dtype *out) IG_MUST_USE;

/* ---- scopes (scope.c) ---- */

/* The value of names[] for a function's formal input that the call leaves out. */
#define IG_ONNX_ABSENT (UINT32_MAX - 1)

/* An attribute that a function body sees under a name. */
typedef struct ig_onnx_binding {
    ig_pb_bytes name, attribute; /* AttributeProto */
} ig_onnx_binding;

/* A value that a subgraph takes from outside. */
typedef struct ig_onnx_capture {
    uint32_t outer; /* id in the parent scope's graph */
} ig_onnx_capture;

/* Names in sight. A graph has one; a function body has one of its own on the graph it is inlined
 * into. */
typedef struct ig_onnx_scope ig_onnx_scope;
struct ig_onnx_scope {
    ig_onnx_scope *parent; /* lexical: NULL for the main graph and for function bodies */
    ig_onnx_scope *root;   /* the scope of the graph itself */
    ig_graph *g;
    ig_map names;   /* → value id, or IG_ONNX_ABSENT */
    ig_map outputs; /* function bodies: formal output → value id of the caller */
    ig_onnx_capture *captures;
    size_t n_captures, cap_captures;
    const char *prefix; /* of names that inlining makes; "" elsewhere */
    bool is_function;   /* in a function body, or in a subgraph of one */
    const ig_onnx_binding *bindings;
    size_t n_bindings;
    const ig_onnx_opsets *opsets;
};

/* A new value of scope->g, under this name in the scope ("" allowed: no name). A name that the
 * scope has already is INGOT_ERR_INVALID. */
ig_status ig_onnx_define(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name,
                         uint32_t *id) IG_MUST_USE;
/* Give a name in the scope to a value that exists, or to IG_ONNX_ABSENT. */
ig_status ig_onnx_bind(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name,
                       uint32_t id) IG_MUST_USE;
/* Value id by name; what lies outside is captured (constants: repeated). "" and what a call left
 * out give IG_NONE. An unknown name is INGOT_ERR_INVALID. */
ig_status ig_onnx_resolve(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes name,
                          uint32_t *id) IG_MUST_USE;
/* Make the value a constant. */
void ig_onnx_set_constant(ig_graph *g, uint32_t id, const ig_tensor *data);

/* ---- graphs and nodes (graph.c, node.c, attr.c, function.c) ---- */

/* The names of a NodeProto. */
typedef struct ig_onnx_node {
    ig_pb_bytes message, op_type, domain, overload, name;
    size_t index; /* in its graph or function */
    size_t n_inputs, n_outputs, n_attrs;
    ig_onnx_function *function; /* what it calls, or NULL */
} ig_onnx_node;

ig_status ig_onnx_node_read(ig_onnx_importer *m, ig_pb_bytes message, size_t index,
                            ig_onnx_node *node) IG_MUST_USE;
/* Put "node 12 'conv1' (Conv): " in front of the error. */
void ig_onnx_blame(ig_onnx_importer *m, const ig_onnx_node *node);
/* The two walks over the nodes of a GraphProto (field 1) or FunctionProto (field 7): first all
 * outputs are defined, then inputs are resolved, since nodes may come in any order. */
ig_status ig_onnx_nodes_import(ig_onnx_importer *m, ig_onnx_scope *scope, ig_pb_bytes message,
                               uint32_t field) IG_MUST_USE;
/* A Constant node's tensor. */
ig_status ig_onnx_constant_read(ig_onnx_importer *m, const ig_onnx_scope *scope,
                                const ig_onnx_node *node, const ig_tensor **out) IG_MUST_USE;

/* An AttributeProto, read but not decoded. */
typedef struct ig_onnx_attr {
    ig_pb_bytes message, name, ref, s, t, g, sparse, tp;
    int type; /* AttributeProto.AttributeType, 0: not even guessed */
    int64_t i;
    float f;
    size_t n_floats, n_ints, n_strings, n_tensors, n_sparse;
    bool has_t, has_g, has_sparse, has_tp;
    bool is_bound; /* came through a reference to an attribute of the function */
} ig_onnx_attr;

enum { /* AttributeProto.AttributeType */
       IG_ONNX_ATTR_FLOAT = 1,
       IG_ONNX_ATTR_INT,
       IG_ONNX_ATTR_STRING,
       IG_ONNX_ATTR_TENSOR,
       IG_ONNX_ATTR_GRAPH,
       IG_ONNX_ATTR_FLOATS,
       IG_ONNX_ATTR_INTS,
       IG_ONNX_ATTR_STRINGS,
       IG_ONNX_ATTR_TENSORS,
       IG_ONNX_ATTR_GRAPHS,
       IG_ONNX_ATTR_SPARSE_TENSOR,
       IG_ONNX_ATTR_SPARSE_TENSORS,
       IG_ONNX_ATTR_TYPE_PROTO,
       IG_ONNX_ATTR_TYPE_PROTOS
};

/* Read an attribute, through a reference to the function's where it has one. *is_there false: the
 * function was called without it, so the node has none. */
ig_status ig_onnx_attr_read(ig_onnx_importer *m, const ig_onnx_scope *scope, ig_pb_bytes message,
                            ig_onnx_attr *attr, bool *is_there) IG_MUST_USE;
/* Everything but graphs into an attribute of the graph; attr->name is set too. */
ig_status ig_onnx_attr_decode(ig_onnx_importer *m, const ig_onnx_attr *attr,
                              ig_attr *out) IG_MUST_USE;

/* A GraphProto inside a node of `outer`: a graph with its captures, whose outer ids are left in
 * *captures (scratch). */
ig_status ig_onnx_subgraph_import(ig_onnx_importer *m, ig_onnx_scope *outer, ig_pb_bytes message,
                                  ig_graph **out, const ig_onnx_capture **captures) IG_MUST_USE;
/* The main graph: fills the model's graph, inputs and outputs. */
ig_status ig_onnx_main_graph_import(ig_onnx_importer *m, const ig_onnx_opsets *opsets,
                                    ig_pb_bytes message) IG_MUST_USE;

/* Register a FunctionProto. */
ig_status ig_onnx_function_add(ig_onnx_importer *m, ig_pb_bytes message) IG_MUST_USE;
/* The function that a node of this name calls; *out NULL: none, it is an operator. */
ig_status ig_onnx_function_find(ig_onnx_importer *m, const ig_onnx_node *node,
                                ig_onnx_function **out) IG_MUST_USE;
/* Put the function's body in place of the call. */
ig_status ig_onnx_function_inline(ig_onnx_importer *m, ig_onnx_scope *caller,
                                  const ig_onnx_node *call) IG_MUST_USE;

/* ---- tables of the model (model.c) ---- */

ig_status ig_onnx_count_operator(ig_onnx_importer *m, const ig_onnx_node *node) IG_MUST_USE;

#endif
