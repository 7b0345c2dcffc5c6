/* SPDX-License-Identifier: Apache-2.0 */
/*
 * onnx.h: ONNX file → graph.
 *
 * The importer trusts nothing in the file, and changes as little as it can: weights stay where they
 * are in the file's memory (which must outlive the graph), Constant nodes become constants,
 * model-local functions are inlined, and values that subgraphs take from outside become explicit
 * inputs. Operators are not looked up: call ig_ops_resolve on the result.
 */
#ifndef IG_IMPORT_ONNX_ONNX_H
#define IG_IMPORT_ONNX_ONNX_H

#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "ir/graph.h"

/* Newest versions that this importer was written against; newer ones are tried with a warning. */
#define IG_ONNX_IR_VERSION 14
#define IG_ONNX_OPSET 28
#define IG_ONNX_ML_OPSET 5

typedef struct ig_onnx_pair {
    const char *key, *value;
} ig_onnx_pair;

typedef struct ig_onnx_count {
    const char *name; /* "Conv", "com.microsoft.QLinearAdd" */
    int64_t n;
} ig_onnx_count;

/* An input or output as the file declares it. */
typedef struct ig_onnx_io {
    const char *name;
    ig_type type; /* dtype INGOT_UNDEFINED where the file does not say (outputs only) */
    int16_t rank; /* -1: not declared */
    int64_t dims[IG_MAX_RANK];          /* -1: not fixed */
    const char *dim_names[IG_MAX_RANK]; /* NULL: not named */
    const ig_tensor *default_value;     /* of an input that may be left out, else NULL */
} ig_onnx_io;

/* Strings and arrays live in the arena given to ig_onnx_import; strings are never NULL. */
typedef struct ig_onnx_model {
    ig_graph *graph;
    const char *producer, *producer_version, *domain, *graph_name, *doc;
    int64_t ir_version, model_version;
    int64_t opset; /* of ai.onnx */
    const ig_onnx_pair *metadata;
    size_t n_metadata;
    ig_onnx_io *inputs; /* one for each of graph->inputs */
    ig_onnx_io *outputs;
    const ig_onnx_count *operators; /* most frequent first, then by name */
    size_t n_operators;
    int64_t n_nodes;      /* of the file, subgraphs included; calls of functions count as the nodes
                             of their bodies */
    int64_t n_parameters; /* elements of all initializers and of Constant nodes of rank >= 1 */
    ig_file *files;       /* external data, mapped */
    size_t n_files, cap_files;
} ig_onnx_model;

/*
 * Import the model file in data[0, bytes). `path` is where it came from, NULL for plain memory;
 * with a path, external data is looked up beside it, and pages of data that had to be copied are
 * given back to the kernel (data must then be an ig_file mapping). data must outlive `arena`'s
 * contents. The graph, its constants and what *out points to live in arena; temporary memory comes
 * from alloc (tag INGOT_MEM_IMPORT).
 *
 * Inputs that are initializers too: with IR version < 4 they are constants, and no inputs; from 4
 * on they are inputs with a default_value.
 *
 * limits: max_nodes and max_tensor_bytes count; NULL: no bounds.
 *
 * Errors name node and cause, not the path. On failure *out needs no deinit.
 */
ig_status ig_onnx_import(const uint8_t *data, size_t bytes, const char *path, ig_arena *arena,
                         ig_dims *dims, ig_alloc *alloc, const ingot_log *log,
                         const ig_limits *limits, ig_onnx_model *out, ig_error *err) IG_MUST_USE;

/* Turn inputs with a default into constants that are no inputs, but for those of these names (ended
 * by NULL; NULL: none): for files that list all their weights as inputs, which passes could not use
 * otherwise. Before any pass has run. */
void ig_onnx_freeze_defaults(ig_onnx_model *model, const char *const *except);

/* Unmap external data: the graph's constants are invalid afterwards. Accepts a zeroed model. */
void ig_onnx_model_deinit(ig_onnx_model *model);

#endif
