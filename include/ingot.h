/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ingot.h: run trained models (ONNX) on the CPU. The one public header.
 *
 *     ingot_error    err;
 *     ingot_model   *model   = NULL;
 *     ingot_session *session = NULL;
 *     ingot_value   *input   = NULL;
 *     const int64_t  dims[]  = { 1, 3, 224, 224 };
 *
 *     if (ingot_model_open("net.onnx", NULL, &model, &err) ||
 *         ingot_session_create(model, NULL, &session, &err) ||
 *         ingot_tensor_wrap(INGOT_FLOAT, 4, dims, pixels, sizeof pixels, &input, &err) ||
 *         ingot_session_run(session, (const ingot_value *const[]){ input }, 1, &err)) {
 *         fprintf(stderr, "%s\n", err.message);
 *     } else {
 *         const float *scores = ingot_tensor_data(ingot_session_output(session, 0));
 *     }
 *     ingot_value_destroy(input);
 *     ingot_session_destroy(session);
 *     ingot_model_close(model);
 *
 * Conventions
 *   - Shapes are NumPy's: row-major, outermost dimension first, contiguous.
 *   - A function that can fail returns an ingot_status, and fills the caller's ingot_error (which
 * may be NULL) with one line: place, cause, remedy. Nothing prints, exits or aborts.
 *   - Pointers passed in are borrowed for the call, unless the comment says otherwise.
 *   - NULL options mean the defaults. Initialise an options struct with its _INIT macro, so that a
 *     program built against an older header keeps working.
 *
 * Threads
 *   A model is immutable once opened: any number of sessions, in any number of threads, share it.
 *   A session belongs to one thread at a time. Values belong to whoever created them.
 */
#ifndef INGOT_H
#define INGOT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define INGOT_VERSION_MAJOR 0
#define INGOT_VERSION_MINOR 1
#define INGOT_VERSION_PATCH 0

#if defined(__GNUC__)
#define INGOT_API __attribute__((visibility("default")))
#define INGOT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define INGOT_API
#define INGOT_PRINTF(text, first)
#endif

/* ---- Status and errors -------------------------------------------------------------------------
 */

/* What went wrong, as a class. ingot_status_exit_code gives the command's exit code for each. */
typedef enum ingot_status {
    INGOT_OK = 0,
    INGOT_ERR_NOMEM, /* the allocator returned NULL */
    INGOT_ERR_IO,    /* a file cannot be opened, read, mapped or written */
    INGOT_ERR_PARSE, /* the bytes are not what they claim to be: truncated, corrupt, wrong format */
    INGOT_ERR_INVALID, /* well-formed, but breaks a rule: cycles, missing inputs, bad attributes,
                          bad options */
    INGOT_ERR_SHAPE,   /* dimensions or element types do not fit together */
    INGOT_ERR_UNSUPPORTED, /* correct, but this build cannot do it: an unknown operator, a missing
                              type */
    INGOT_ERR_LIMIT,       /* a bound set by the caller (memory, rank, depth, iterations) would be
                              exceeded */
    INGOT_ERR_CANCELLED,   /* the caller asked for the run to stop */
    INGOT_ERR_INTERNAL,    /* a fault of Ingot itself; please report it */
    INGOT_N_STATUS
} ingot_status;

/* One line, no trailing newline, UTF-8. `status` is INGOT_OK and the message empty before a
 * failure. */
typedef struct ingot_error {
    ingot_status status;
    char message[1020];
} ingot_error;

/* "ok", "out of memory", …: a static string. */
INGOT_API const char *ingot_status_name(ingot_status status);

/* Fill an error (NULL: nothing happens) as the library does, for callbacks that fail. Cut to its
 * room and made one line of UTF-8. Returns status: return ingot_error_set(err, …). */
INGOT_API ingot_status ingot_error_set(ingot_error *err, ingot_status status, const char *format,
                                       ...) INGOT_PRINTF(3, 4);

/* The exit code that the `ingot` command ends with for a status: 0 ok, 3 nomem, 4 io, 5 parse, 6
 * invalid, 7 shape, 8 unsupported, 9 limit, 10 cancelled, 70 internal. (1: some inputs of several
 * failed; 2: usage.) */
INGOT_API int ingot_status_exit_code(ingot_status status);

/* "0.1.0" */
INGOT_API const char *ingot_version(void);

/* One line about this CPU and the kernels that will run on it, e.g.
 * "AMD EPYC 7R13 (zen3), 2 threads, kernels avx2 (of ref, avx2, avx512)". Written into buf; returns
 * buf. */
INGOT_API const char *ingot_cpu_describe(char *buf, size_t buf_bytes);

/* ---- Memory and log ----------------------------------------------------------------------------
 */

/* What an allocation is for. Peak bytes per purpose: ingot_memory_stats. */
typedef enum ingot_mem_tag {
    INGOT_MEM_IMPORT = 0, /* while a model file is read */
    INGOT_MEM_GRAPH,      /* the graph and what passes add to it */
    INGOT_MEM_WEIGHTS,    /* weights packed for the chosen kernels */
    INGOT_MEM_PLAN,       /* steps, parameters */
    INGOT_MEM_SLAB,       /* activations of a session */
    INGOT_MEM_VALUE,      /* values made by ingot_tensor_create and the like */
    INGOT_MEM_OTHER,
    INGOT_N_MEM_TAGS
} ingot_mem_tag;

/* A replaceable allocator. `align` is a power of two of at least 8. alloc may return NULL; free is
 * told the size that was asked for. Both may be called by several threads at once. The struct is
 * copied. */
typedef struct ingot_allocator {
    void *ctx;
    void *(*alloc)(void *ctx, size_t bytes, size_t align, ingot_mem_tag tag);
    void (*free)(void *ctx, void *ptr, size_t bytes, ingot_mem_tag tag);
} ingot_allocator;

typedef enum ingot_log_level {
    INGOT_LOG_DEBUG = 0,
    INGOT_LOG_INFO,
    INGOT_LOG_WARNING
} ingot_log_level;

/* Receives log lines (no newline). May be called by any thread that uses the model. */
typedef struct ingot_log {
    void *ctx;
    void (*write)(void *ctx, ingot_log_level level, const char *line);
} ingot_log;

/* ---- Values: tensors, sequences, maps, optionals ------------------------------------------------
 */

/* Element types; the numbers are those of ONNX TensorProto.DataType. */
typedef enum ingot_dtype {
    INGOT_UNDEFINED = 0,
    INGOT_FLOAT = 1,
    INGOT_UINT8 = 2,
    INGOT_INT8 = 3,
    INGOT_UINT16 = 4,
    INGOT_INT16 = 5,
    INGOT_INT32 = 6,
    INGOT_INT64 = 7,
    INGOT_STRING = 8,
    INGOT_BOOL = 9,
    INGOT_FLOAT16 = 10,
    INGOT_DOUBLE = 11,
    INGOT_UINT32 = 12,
    INGOT_UINT64 = 13,
    INGOT_COMPLEX64 = 14,
    INGOT_COMPLEX128 = 15,
    INGOT_BFLOAT16 = 16,
    INGOT_FLOAT8E4M3FN = 17,
    INGOT_FLOAT8E4M3FNUZ = 18,
    INGOT_FLOAT8E5M2 = 19,
    INGOT_FLOAT8E5M2FNUZ = 20,
    INGOT_UINT4 = 21,
    INGOT_INT4 = 22,
    INGOT_FLOAT4E2M1 = 23,
    INGOT_FLOAT8E8M0 = 24,
    INGOT_UINT2 = 25,
    INGOT_INT2 = 26,
    INGOT_N_DTYPES
} ingot_dtype;

/* "float32", "int64", … (NumPy's names where NumPy has one); a static string. */
INGOT_API const char *ingot_dtype_name(ingot_dtype dtype);

/* Bits of one element: 32 for float32, 4 for int4; 0 for strings and INGOT_UNDEFINED. */
INGOT_API int ingot_dtype_bits(ingot_dtype dtype);

/* The reverse of ingot_dtype_name (also accepts ONNX names such as "FLOAT"); INGOT_UNDEFINED when
 * unknown. */
INGOT_API ingot_dtype ingot_dtype_parse(const char *name);

#define INGOT_MAX_RANK 8

typedef enum ingot_kind {
    INGOT_KIND_TENSOR = 0,
    INGOT_KIND_SEQUENCE, /* a list of values */
    INGOT_KIND_MAP, /* two tensors: keys (int64 or string) and values, or a sequence of values */
    INGOT_KIND_OPTIONAL /* zero or one value */
} ingot_kind;

typedef struct ingot_value ingot_value;

/* A string element of a tensor: `bytes` bytes of UTF-8, not terminated. */
typedef struct ingot_string {
    const char *data;
    size_t bytes;
} ingot_string;

/* Make a tensor that owns its zero-filled memory (64-byte aligned). String tensors start with empty
 * strings. */
INGOT_API ingot_status ingot_tensor_create(ingot_dtype dtype, int rank, const int64_t *dims,
                                           ingot_value **out, ingot_error *err);

/* Make a tensor on the caller's memory, which must outlive it. data_bytes is checked against the
 * shape. Any alignment of the element type works; 64 bytes avoids a copy in some kernels. Element
 * types below a byte are packed as in ONNX. */
INGOT_API ingot_status ingot_tensor_wrap(ingot_dtype dtype, int rank, const int64_t *dims,
                                         void *data, size_t data_bytes, ingot_value **out,
                                         ingot_error *err);

/* Copy `bytes` bytes of text into element i of an owned string tensor. */
INGOT_API ingot_status ingot_tensor_set_string(ingot_value *tensor, int64_t i, const char *text,
                                               size_t bytes, ingot_error *err);

/* Make an empty sequence; ingot_sequence_push takes ownership of `item` when it succeeds. */
INGOT_API ingot_status ingot_sequence_create(ingot_value **out, ingot_error *err);
INGOT_API ingot_status ingot_sequence_push(ingot_value *sequence, ingot_value *item,
                                           ingot_error *err);

/* Make an optional that holds `item` (taken) or, with NULL, nothing. */
INGOT_API ingot_status ingot_optional_create(ingot_value *item, ingot_value **out,
                                             ingot_error *err);

/* Make a map of `keys` (integers or strings, a tensor of one dimension, each key once) to `values`
 * (as many, in the same order); both are taken when it succeeds. */
INGOT_API ingot_status ingot_map_create(ingot_value *keys, ingot_value *values, ingot_value **out,
                                        ingot_error *err);

/* Deep copy into memory of its own. */
INGOT_API ingot_status ingot_value_copy(const ingot_value *value, ingot_value **out,
                                        ingot_error *err);

/* Accepts NULL. Must not be called on values that a session or another value owns. */
INGOT_API void ingot_value_destroy(ingot_value *value);

INGOT_API ingot_kind ingot_value_kind(const ingot_value *value);
INGOT_API ingot_dtype ingot_tensor_dtype(const ingot_value *tensor);
INGOT_API int ingot_tensor_rank(const ingot_value *tensor);
INGOT_API const int64_t *ingot_tensor_dims(const ingot_value *tensor);
INGOT_API int64_t ingot_tensor_count(const ingot_value *tensor); /* number of elements */
INGOT_API size_t
ingot_tensor_bytes(const ingot_value *tensor); /* bytes of data; for strings, of ingot_string */
INGOT_API const void *
ingot_tensor_data(const ingot_value *tensor); /* strings: ingot_string[count] */
INGOT_API void *ingot_tensor_data_mutable(ingot_value *tensor);

/* Sequences: items; optionals: 0 or 1 item; maps: 2 items, keys and values. NULL out of range. */
INGOT_API size_t ingot_value_n_items(const ingot_value *value);
INGOT_API const ingot_value *ingot_value_item(const ingot_value *value, size_t i);

/* Receives bytes in pieces; return non-zero to stop. */
typedef int (*ingot_write_fn)(void *ctx, const char *text, size_t bytes);

/* Read a value from the bytes of an ONNX protobuf file: by kind a TensorProto, SequenceProto,
 * MapProto or OptionalProto (the files do not tell which). The value owns its memory. */
INGOT_API ingot_status ingot_value_from_pb(const void *bytes, size_t n, ingot_kind kind,
                                           ingot_value **out, ingot_error *err);

/* Write a value as such a file. `name` (may be NULL) is stored with it. A write function that stops
 * gives INGOT_ERR_CANCELLED. */
INGOT_API ingot_status ingot_value_to_pb(const ingot_value *value, const char *name,
                                         ingot_write_fn write, void *ctx, ingot_error *err);

/* ---- Models
 * -------------------------------------------------------------------------------------- */

typedef struct ingot_model ingot_model;
typedef struct ingot_ops ingot_ops; /* operators of the caller's: see Custom operators */

/* How much the graph is rewritten. Results agree within rounding at every level. */
typedef enum ingot_opt_level {
    INGOT_OPT_ALL = 0, /* the default: fusion, layout, everything */
    INGOT_OPT_BASIC,   /* constant folding, dead code, identities, BatchNormalization */
    INGOT_OPT_NONE     /* the graph as the file has it */
} ingot_opt_level;

/* How exactly a model is computed. The root mean square error of each operator against float64 is
 * at most this multiple of that of plain float32 arithmetic (docs/NUMERICS.md): */
typedef enum ingot_precision {
    INGOT_PRECISION_FP32 = 0,   /* 4: the default */
    INGOT_PRECISION_FP32_STRICT /* 1 */
} ingot_precision;

/* "fp32", "fp32-strict"; NULL beyond the last. */
INGOT_API const char *ingot_precision_name(ingot_precision precision);

typedef struct ingot_model_options {
    size_t struct_bytes;              /* set by INGOT_MODEL_OPTIONS_INIT */
    const ingot_allocator *allocator; /* NULL: malloc */
    const ingot_log *log;             /* NULL: silent */
    ingot_opt_level opt_level;
    const char
        *disable_passes;     /* comma-separated pass names, or NULL; unknown names are an error */
    const char *dump_after;  /* comma-separated pass names, "import" or "all": the graph's text goes
                                to the log */
    size_t max_memory_bytes; /* refuse to allocate more than this in all, 0: no bound */
    const char
        *cpu; /* mask of instruction sets as in INGOT_CPU ("ref", "avx2", …); NULL: environment */
    /* Bounds against files that ask too much; beyond one is INGOT_ERR_LIMIT. 0: the default. */
    int64_t max_nodes;       /* of the file, subgraphs and functions included: 1,000,000 */
    size_t max_tensor_bytes; /* of one computed tensor: the machine's memory */
    int64_t max_loop_steps;  /* iterations of all Loop and Scan nodes in one run: 100,000,000 */
    int allow_links; /* weights beside the model may be symbolic links, or files with several names;
                        for caches that are made of links. 0: INGOT_ERR_INVALID, since a model from
                        elsewhere could bring links to files that are none of its business */
    ingot_ops *ops;  /* custom operators that the model may use, or NULL */
    const char *const *overridable; /* names, ended by NULL, of inputs that stay inputs though an
                                       initializer of the same name is their default (from IR
                                       version 4 on). All others become constants, which fold and
                                       pack. Names of no such input are passed over. NULL: none */
    const char *data_folder; /* where the weights that the model keeps in files lie. NULL: beside
                                the model's file; a model in memory has no such place */
    ingot_precision precision;
    const char *force; /* for tests and measurements: comma-separated kernels to use where they fit,
                          instead of what should be fastest: conv:direct, conv:winograd2,
                          conv:winograd4; as in INGOT_FORCE. NULL: environment */
} ingot_model_options;
#define INGOT_MODEL_OPTIONS_INIT                                                                   \
    {                                                                                              \
        .struct_bytes = sizeof(ingot_model_options)                                                \
    }

/* Open a model file: read, check, optimise. The file stays mapped while the model is open (weights
 * are used in place), and so do files of weights beside it: do not write into them, replace them. A
 * mapped file that gets shorter raises SIGBUS where it is read. Errors name file, node and cause.
 */
INGOT_API ingot_status ingot_model_open(const char *path, const ingot_model_options *options,
                                        ingot_model **out, ingot_error *err);

/* The same from memory, which must stay valid and unchanged until the model is closed. External
 * data is found with data_folder only. */
INGOT_API ingot_status ingot_model_open_memory(const void *data, size_t bytes,
                                               const ingot_model_options *options,
                                               ingot_model **out, ingot_error *err);

/* Sessions keep their model alive: closing it before them is fine. Accepts NULL. */
INGOT_API void ingot_model_close(ingot_model *model);

/* An input or output. Strings live as long as the model. */
typedef struct ingot_io_info {
    const char *name;
    ingot_kind kind;
    ingot_dtype dtype;                     /* element type of the tensor(s) */
    int rank;                              /* -1: unknown */
    int64_t dims[INGOT_MAX_RANK];          /* -1: not fixed */
    const char *dim_names[INGOT_MAX_RANK]; /* "batch", … where the file names a dimension that is
                                              not fixed, else NULL */
    int has_default;                       /* an input that may be left out */
} ingot_io_info;

INGOT_API size_t ingot_model_n_inputs(const ingot_model *model);
INGOT_API size_t ingot_model_n_outputs(const ingot_model *model);
INGOT_API void ingot_model_input(const ingot_model *model, size_t i, ingot_io_info *info);
INGOT_API void ingot_model_output(const ingot_model *model, size_t i, ingot_io_info *info);
/* Index by name, or -1. */
INGOT_API int ingot_model_find_input(const ingot_model *model, const char *name);
INGOT_API int ingot_model_find_output(const ingot_model *model, const char *name);

/* What the file says about itself and what Ingot made of it. */
typedef struct ingot_model_info {
    size_t struct_bytes; /* set by the caller to sizeof(ingot_model_info) */
    const char *producer, *producer_version, *graph_name, *doc; /* never NULL */
    int64_t ir_version, opset;                                  /* opset of ai.onnx */
    int64_t n_nodes_file, n_nodes; /* before and after the passes, subgraphs included */
    int64_t n_parameters;          /* elements of all initializers */
    int64_t weight_bytes;          /* of constants that the optimised graph holds */
    int64_t packed_bytes;          /* of weights packed so far */
    /* What opening took: mapping the file, making a graph of it, rewriting that. */
    uint64_t map_ns, parse_ns, optimise_ns;
    const char *precision; /* "fp32", "fp32-strict" */
} ingot_model_info;
INGOT_API void ingot_model_get_info(const ingot_model *model, ingot_model_info *info);

/* Metadata of the file, in order; *key and *value live as long as the model. */
INGOT_API size_t ingot_model_n_metadata(const ingot_model *model);
INGOT_API void ingot_model_metadata(const ingot_model *model, size_t i, const char **key,
                                    const char **value);

/* Operators of the file with their counts, most frequent first. */
INGOT_API size_t ingot_model_n_operators(const ingot_model *model);
INGOT_API void ingot_model_operator(const ingot_model *model, size_t i, const char **name,
                                    int64_t *count);

typedef enum ingot_graph_format { INGOT_GRAPH_TEXT = 0, INGOT_GRAPH_DOT } ingot_graph_format;

/* Write the optimised graph as Ingot's text (docs/ARCHITECTURE.md has the grammar) or as Graphviz.
 */
INGOT_API ingot_status ingot_model_write_graph(const ingot_model *model, ingot_graph_format format,
                                               ingot_write_fn write, void *ctx, ingot_error *err);

/* Pass names in the order in which they run, for --help; NULL after the last. */
INGOT_API const char *ingot_pass_name(size_t i);

/* ---- Sessions
 * ------------------------------------------------------------------------------------ */

typedef struct ingot_session ingot_session;

typedef struct ingot_session_options {
    size_t struct_bytes; /* set by INGOT_SESSION_OPTIONS_INIT */
    int n_threads; /* 0: what affinity and the cgroup's quota allow. Results do not depend on it. */
    uint64_t seed; /* of random operators without a seed of their own */
    ingot_session *share_team; /* use that session's threads instead of own ones; both must not run
                                  at the same time. That session must outlive this one. */
    int64_t timeout_ms; /* a run that takes longer ends with INGOT_ERR_LIMIT; looked at between
                           steps, which are not interrupted. 0: none */
} ingot_session_options;
#define INGOT_SESSION_OPTIONS_INIT                                                                 \
    {                                                                                              \
        .struct_bytes = sizeof(ingot_session_options)                                              \
    }

INGOT_API ingot_status ingot_session_create(ingot_model *model,
                                            const ingot_session_options *options,
                                            ingot_session **out, ingot_error *err);
INGOT_API void ingot_session_destroy(ingot_session *session); /* accepts NULL */
INGOT_API int ingot_session_n_threads(const ingot_session *session);

/* Run once. inputs[i] belongs to model input i; NULL or missing ones use their default, if they
 * have one. Shapes and types are checked. The first run of a shape prepares it; later ones allocate
 * only for control flow, for shapes that a run alone can tell, and to keep what the caller owns. */
INGOT_API ingot_status ingot_session_run(ingot_session *session, const ingot_value *const *inputs,
                                         size_t n_inputs, ingot_error *err);

/* Prepare for inputs of these shapes (and, where shapes depend on them, values) without running. */
INGOT_API ingot_status ingot_session_prepare(ingot_session *session,
                                             const ingot_value *const *inputs, size_t n_inputs,
                                             ingot_error *err);

/* Output i of the last successful run: valid until the next run, or the end of the session. NULL
 * before the first. */
INGOT_API const ingot_value *ingot_session_output(const ingot_session *session, size_t i);

/* Deliver output i in `tensor` (shape and type must match at run time; copied at the end of a run)
 * from now on; NULL undoes it. */
INGOT_API ingot_status ingot_session_bind_output(ingot_session *session, size_t i,
                                                 ingot_value *tensor, ingot_error *err);

/* Ask a run in progress to stop after the current step; it then returns INGOT_ERR_CANCELLED. The
 * only session function that another thread, or a signal handler, may call during a run. */
INGOT_API void ingot_session_cancel(ingot_session *session);

/* ---- Looking inside
 * ------------------------------------------------------------------------------ */

/* Time each step of the runs that follow. */
INGOT_API void ingot_session_set_profiling(ingot_session *session, int on);

typedef struct ingot_step_info {
    size_t struct_bytes; /* set by the caller */
    const char *node;    /* name of the node in the file, or of its first output */
    const char *op;      /* operator */
    const char *kernel;  /* kernel name, or "reference" */
    int64_t flops;       /* multiply and add are two; 0 where unknown */
    int64_t bytes;       /* read and written, each operand once */
    uint64_t n_runs;     /* profiled runs */
    uint64_t total_ns, min_ns;
    uint64_t last_begin_ns, last_end_ns; /* of the last run, from its begin */
    char shape[96];                      /* of the first output, e.g. "1x112x112x32" */
} ingot_step_info;

/* Steps of the plan that the last run (or prepare) used, in order of execution. */
INGOT_API size_t ingot_session_n_steps(const ingot_session *session);
INGOT_API void ingot_session_step(const ingot_session *session, size_t i, ingot_step_info *info);

/* Current and peak bytes per purpose, of the model and its sessions; and the whole. */
typedef struct ingot_memory_stats {
    size_t current_bytes[INGOT_N_MEM_TAGS], peak_bytes[INGOT_N_MEM_TAGS];
    size_t total_current_bytes, total_peak_bytes;
} ingot_memory_stats;
INGOT_API void ingot_model_memory(const ingot_model *model, ingot_memory_stats *stats);

/* Bytes of activations in the plan that the last run or prepare used (0 before). */
INGOT_API size_t ingot_session_slab_bytes(const ingot_session *session);

/* FP32 multiply-add rate of one core with the kernels in use, measured for about `ms` milliseconds,
 * in GFLOP/s: the roofline that profiles are compared with. */
INGOT_API double ingot_cpu_peak_gflops(int ms);

/* ---- Custom operators --------------------------------------------------------------------------
 *
 * Operators that Ingot does not have, written by its user. A set of them goes into the options of
 * each model that uses them:
 *
 *     ingot_op_def def = INGOT_OP_DEF_INIT;
 *     def.domain = "com.example";
 *     def.name = "Cube";
 *     def.n_inputs[0] = def.n_inputs[1] = def.n_outputs[0] = def.n_outputs[1] = 1;
 *     def.flags = INGOT_OP_PURE;
 *     def.run = cube;
 *
 *     if (ingot_ops_create(&ops, &err) || ingot_op_register(ops, &def, &err)) …
 *     options.ops = ops;
 *
 * The `ingot` command takes them from a shared library (--custom-op); examples/custom_op.c is one.
 * A node finds its operator by domain, name and version: among those registered under its name,
 * that of the highest since_version that is not above the version of the domain that the model
 * imports. Names that Ingot has an operator for cannot be registered in the same domain; functions
 * in the model's file go before operators.
 *
 * Callbacks
 *   - They are called by whichever thread opens, prepares, runs or closes, by several at once when
 *     several sessions run: `user` and the state of a node are shared by all of them.
 *   - They return INGOT_OK, or fill err (never NULL, empty when they are called) and return another
 *     status; what fails is then the call of the API that needed the operator, with the node's name
 *     in front of the message. They must not throw, nor leave by longjmp.
 *   - They must not call functions on the model or session that they are called for.
 *   - Pointers that they are given are valid until they return, unless said otherwise.
 */

/* Of the structs and functions below. Grows when an old library would no longer work. */
#define INGOT_OP_API_VERSION 1

/* A node while its state is created: names and attributes, which live as long as the model. */
typedef struct ingot_op_node ingot_op_node;

INGOT_API const char *ingot_op_node_name(const ingot_op_node *node); /* "" where it has none */
INGOT_API int ingot_op_node_version(const ingot_op_node *node); /* of the domain, in the model */
INGOT_API size_t ingot_op_node_n_inputs(const ingot_op_node *node);
INGOT_API size_t ingot_op_node_n_outputs(const ingot_op_node *node);

/* Attributes by name. An absent one leaves *value (and *n) as they are: set them to the default
 * first. One of another kind is INGOT_ERR_INVALID. */
INGOT_API int ingot_op_has_attr(const ingot_op_node *node, const char *name);
INGOT_API ingot_status ingot_op_attr_int(const ingot_op_node *node, const char *name,
                                         int64_t *value, ingot_error *err);
INGOT_API ingot_status ingot_op_attr_float(const ingot_op_node *node, const char *name,
                                           float *value, ingot_error *err);
INGOT_API ingot_status ingot_op_attr_string(const ingot_op_node *node, const char *name,
                                            ingot_string *value, ingot_error *err);
INGOT_API ingot_status ingot_op_attr_tensor(const ingot_op_node *node, const char *name,
                                            const ingot_value **value, ingot_error *err);
INGOT_API ingot_status ingot_op_attr_ints(const ingot_op_node *node, const char *name,
                                          const int64_t **value, size_t *n, ingot_error *err);
INGOT_API ingot_status ingot_op_attr_floats(const ingot_op_node *node, const char *name,
                                            const float **value, size_t *n, ingot_error *err);
INGOT_API ingot_status ingot_op_attr_strings(const ingot_op_node *node, const char *name,
                                             const ingot_string **value, size_t *n,
                                             ingot_error *err);

/* What is known of an input or output before it exists. */
typedef struct ingot_op_shape {
    ingot_dtype dtype;
    int rank;                     /* outputs: -1: only the run tells */
    int64_t dims[INGOT_MAX_RANK]; /* -1: not known (yet) */
    const ingot_value *value;     /* inputs: the contents where they are known already, else NULL */
} ingot_op_shape;

/* One run of a node. */
typedef struct ingot_op_call ingot_op_call;

INGOT_API size_t ingot_op_n_inputs(const ingot_op_call *call);
INGOT_API size_t ingot_op_n_outputs(const ingot_op_call *call);
/* Input i, a tensor; NULL where the node leaves it out or has no so many. */
INGOT_API const ingot_value *ingot_op_input(const ingot_op_call *call, size_t i);
/* Give output i type and shape, once, and get its memory, to be filled: it is not zeroed. Each
 * output of the node must be given, with the shape that infer foretold, if it did. *data is NULL
 * where the node does not want the output. Failures fill the callback's err. Strings: fill in an
 * ingot_string[]; the bytes may lie in inputs, in scratch or in what lives longer. */
INGOT_API ingot_status ingot_op_output(ingot_op_call *call, size_t i, ingot_dtype dtype, int rank,
                                       const int64_t *dims, void **data);
/* Zeroed memory until the callback returns; NULL when there is none. */
INGOT_API void *ingot_op_scratch(ingot_op_call *call, size_t bytes);
/* For random numbers: the session's seed mixed with the node. */
INGOT_API uint64_t ingot_op_seed(const ingot_op_call *call);
/* Call part(ctx, begin, end) over [0, n) on the session's threads, in pieces of at least `grain`
 * (the last may be smaller), and return when all are done. Parts use none of these functions. */
INGOT_API void ingot_op_parallel(ingot_op_call *call, int64_t n, int64_t grain,
                                 void (*part)(void *ctx, int64_t begin, int64_t end), void *ctx);

/* The same inputs and attributes always give the same outputs, and nothing else happens: the node
 * may be computed when the model is opened, and equal nodes may become one. (A node that nobody
 * needs the outputs of need not run, pure or not.) */
#define INGOT_OP_PURE 1u

/* An operator. Tensors only; no subgraphs. */
typedef struct ingot_op_def {
    size_t struct_bytes; /* set by INGOT_OP_DEF_INIT, as is api_version */
    int api_version;
    const char *domain, *name;
    int since_version; /* of the domain; 0: 1. Register a name again for what it means later. */
    int n_inputs[2], n_outputs[2]; /* fewest and most, at most 127; most -1: any number */
    unsigned flags;                /* INGOT_OP_PURE */
    void *user;                    /* given to all callbacks; outlives the set and its models */
    /* Called for each node when a model is opened: read attributes into *state, or refuse. NULL:
     * state is NULL. */
    ingot_status (*create)(void *user, const ingot_op_node *node, void **state, ingot_error *err);
    /* Called once for each create that succeeded, after everything else; NULL: nothing to free. */
    void (*destroy)(void *user, void *state);
    /* Types and shapes of outputs from those of the inputs, none of whose types and ranks is
     * unknown; NULL for an absent input. Outputs come with rank -1. Called often, with more and
     * more known: at last with all numbers, when a dimension may stay -1 (or the rank) only if the
     * elements of the inputs decide it. NULL: every output is like input 0. */
    ingot_status (*infer)(void *user, const void *state, size_t n_inputs,
                          const ingot_op_shape *const *inputs, size_t n_outputs,
                          ingot_op_shape *const *outputs, ingot_error *err);
    /* Compute. Never NULL. */
    ingot_status (*run)(void *user, const void *state, ingot_op_call *call, ingot_error *err);
} ingot_op_def;
#define INGOT_OP_DEF_INIT                                                                          \
    {                                                                                              \
        .struct_bytes = sizeof(ingot_op_def), .api_version = INGOT_OP_API_VERSION                  \
    }

/* An empty set. Models keep a set alive: destroying it (accepts NULL) before them is fine. A set is
 * complete before it is given to a model: do not add to it while another thread uses it. */
INGOT_API ingot_status ingot_ops_create(ingot_ops **out, ingot_error *err);
INGOT_API void ingot_ops_destroy(ingot_ops *ops);

/* Add an operator; the struct and its strings are copied. INGOT_ERR_INVALID when the name is taken
 * or the struct makes no sense, INGOT_ERR_UNSUPPORTED when it is of another api_version. */
INGOT_API ingot_status ingot_op_register(ingot_ops *ops, const ingot_op_def *def, ingot_error *err);

/* Open a shared library and call its ingot_register_ops, which runs code of that file. It stays
 * loaded as long as the set. On failure nothing of it is in the set. A path without a slash is a
 * file in the working directory. */
INGOT_API ingot_status ingot_ops_load(ingot_ops *ops, const char *path, ingot_error *err);

/* What such a library defines. It needs no linking with Ingot when the program that loads it
 * exports the functions of this header, as the `ingot` command does. api_version is Ingot's: one
 * that the library cannot work with is refused by returning INGOT_ERR_UNSUPPORTED. */
INGOT_API ingot_status ingot_register_ops(ingot_ops *ops, int api_version, ingot_error *err);

#ifdef __cplusplus
}
#endif
#endif
