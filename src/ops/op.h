/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.h: what an operator is. One operator, one file; each file defines one `const ig_op
 * ig_op_<file>` and has one row in ops.inc.
 *
 *     // relu.c: y = max(x, 0).
 *     #include "ops/op.h"
 *     IG_PRIM1(relu, vf_max(vf_zero(), a))            // compiled for every instruction set
 * (IG_OP_ROW_SIMD) #ifdef IG_BASE                                   // the rest once static
 * ig_status ref(ig_call *c) { … } IG_PRIM_DECLARE(relu) static const ig_prim prim =
 * IG_PRIM_TABLE(relu, 1); static const char *const cases[] = { "f32[2,3]", "f32[0]", NULL }; const
 * ig_op ig_op_relu = { .onnx = "Relu", .since = { 1, 6, 13, 14 }, .n_in = { 1, 1 }, .n_out = { 1, 1
 * }, .types = IG_T_NUMERIC, .flags = IG_ELEMENTWISE | IG_INPLACE, .infer = ig_infer_same, .ref =
 * ref, .prim = &prim, .cases = cases }; #endif
 *
 * The reference (`ref`) is the definition: plain loops, every element type, never optimised. It
 * folds constants, is the fallback and the test oracle. `lower` chooses a fast kernel for concrete
 * shapes; without one, or where it declines, the reference runs.
 */
#ifndef IG_OPS_OP_H
#define IG_OPS_OP_H

#include "base/log.h"
#include "ir/graph.h"
#include "kernels/eltwise/eltwise.h"
#include "kernels/kernel.h"

#ifndef IG_BASE
#include "base/simd.h"
#include "base/simd_math.h"
#endif

/* ---- shape inference ---- */

/* One node's inference. Shapes may be symbolic: use ig_dim_… on c->dims, never plain arithmetic, on
 * what is not checked by ig_dim_is_const. The caller zeroes `out` and sets each out[i].rank = -1
 * and type from input 0; infer fills type, rank, dims, and data or elems where contents are known.
 * What only a run can tell: ig_dim_born(c->dims) for a dimension, rank -1 for a rank. The same
 * function runs again with all constant dims, and later with the inputs' data present, before a
 * run: it must then give the exact output shape whenever that follows from shapes (and the data
 * that is present). */
typedef struct ig_infer ig_infer;
struct ig_infer {
    const ig_node *node;
    int opset; /* version of the node's domain */
    int n_in, n_out;
    const ig_info *const *in; /* NULL where an optional input is absent */
    ig_info *out;
    ig_dims *dims;
    ig_arena *arena; /* for elems and the like; lives as long as the result */
    ig_error *err;
    /* Infer a subgraph: inputs are g's declared inputs then captures; out has g->n_outputs entries.
     */
    ig_status (*graph)(ig_infer *c, const ig_graph *g, const ig_info *const *in, ig_info *out);
};

/* ---- running the reference ---- */

/* What a reference writes into string tensors, and the items of sequences, maps and optionals
 * (out[i]->kind, items, n_items, dtype), is borrowed: it may point into inputs, constants or
 * scratch. The caller makes deep copies where needed. */
typedef struct ig_call ig_call;
struct ig_call {
    const ig_node *node;
    int opset;
    int n_in, n_out;
    const ig_tensor *const *in; /* NULL where absent */
    ig_tensor **out;   /* NULL where not wanted; shape and memory are ready when inference knew the
                          shape, else the   reference calls ig_call_output before it writes */
    ig_team *team;     /* NULL: one thread */
    ig_arena *scratch; /* zeroed memory until the call returns */
    uint64_t seed;     /* for random operators: the session's seed mixed with the node */
    ig_error *err;
    /* Give output i this shape and uninitialised memory (use ig_call_output). */
    ig_status (*alloc_output)(ig_call *c, int i, ingot_dtype dtype, int rank, const int64_t *dims);
    /* Run a subgraph attribute. in: declared inputs then captures. outputs are owned by the
     * caller's frame: valid until the second next call with the same attribute (so loop state can
     * be fed back), or until this call returns. */
    ig_status (*run_graph)(ig_call *c, const ig_attr *graph, const ig_tensor *const *in,
                           size_t n_in, const ig_tensor **out, size_t n_out);
    /* What a run of the subgraph on these inputs would give as output i, told from their shapes
     * without running: rank -1 where nothing more is known. Fails for lack of memory alone. NULL:
     * nobody can tell. */
    ig_status (*shape_graph)(ig_call *c, const ig_attr *graph, const ig_tensor *const *in, size_t i,
                             ig_info *out);
    int64_t max_loop_steps; /* iterations of loops that a run may take; 0: no bound */
    int64_t *n_loop_steps;  /* those taken so far; NULL: not counted */
    void *frame;            /* of whoever runs the call */
};

/* ---- lowering to a kernel ---- */

/* Kernels that need several barriers (recurrent nets, attention) drive the team themselves. */
typedef void (*ig_team_kernel_fn)(const void *params, void *const *operands, ig_team *team);

typedef void (*ig_pack_fn)(const void *ctx, const ig_tensor *src, void *dst);

/* One node with concrete shapes. lower() either leaves `kernel` and `team_kernel` NULL and is_view
 * false (the reference runs), or sets one of them. It must not look at run-time data: in[i]->data
 * is set only for constants of the graph. All output shapes are constant. */
typedef struct ig_lower ig_lower;
struct ig_lower {
    const ig_node *node;
    int opset;
    int n_in, n_out;
    const ig_info *const *in; /* NULL where absent */
    const ig_info *out;
    ig_isa isa;
    const struct ig_choices *choices; /* choices.h */
    int n_threads;
    ig_arena *arena; /* for params; lives as long as the step */
    ig_error *err;

    /* The result. Operands of the kernel: inputs, outputs, scratch (if scratch_bytes). Where the
     * kernel wants its inputs in another order or number: n_operand_in > 0 of them, the k-th being
     * node input operand_inputs[k] (NULL: k itself; absent or past the end: a NULL operand). */
    int n_operand_in;
    int n_operand_out; /* 0: the node's outputs; more: NULL operands after them */
    const int8_t *operand_inputs;
    ig_kernel_fn kernel;
    ig_team_kernel_fn team_kernel;
    const char *kernel_name; /* as in docs: ig_k_gemm_f32_6x16__avx2 */
    const void *params;
    int64_t n_work, grain;
    size_t scratch_bytes;
    int64_t flops;                   /* multiply and add are two */
    bool is_view;                    /* the outputs are pieces of input 0: no step at all */
    const size_t *view_offset_bytes; /* [n_out] where they begin in it; NULL: all at 0 */
    /* Beside a kernel: output 0 is the inputs, each at its offset of these [n_in]; the step falls
     * away where the inputs can be computed right there. NULL: it is not. */
    const size_t *join_offset_bytes;
    const void **operand_const; /* [n_in], NULL entries: the input itself. Set by ig_lower_pack. */

    /* Make (once per model) the packed form of constant input i: `key` tells different packings of
     * one constant apart. The source's pages may be dropped afterwards. Use ig_lower_pack. */
    ig_status (*pack)(ig_lower *l, int i, uint64_t key, size_t bytes, ig_pack_fn fn,
                      const void *ctx, const void **packed);
    void *binder;
};

/* ---- properties ---- */

enum {
    IG_ELEMENTWISE = 1 << 0, /* out[i] depends on in[i] (NumPy broadcasting for several inputs) and
                                attributes alone */
    IG_INPLACE = 1 << 1,     /* output 0 may overwrite input 0 (or, if elementwise, any input of the
                                same type and shape) */
    IG_VIEW = 1 << 2,        /* output 0 has input 0's bytes; only the shape differs */
    IG_SHAPE_ONLY = 1 << 3,  /* reads only the shape of input 0 */
    IG_RANDOM = 1 << 4,      /* never folded, never merged */
    IG_CONTROL_FLOW = 1 << 5, /* has subgraphs */
    IG_IDENTITY = 1 << 6,     /* output 0 equals input 0 in inference (see `is_identity` for the
                                 conditional ones) */
    IG_EPILOGUE = 1 << 7,     /* takes the attributes ep_act, ep_alpha, ep_beta and the inputs
                                 bias_input, residual_input */
    IG_CHANNELS_LAST =
        1 << 8, /* has an attribute channels_last: input 0 and output 0 are then N, spatial…, C */
    IG_COMMUTATIVE = 1 << 9,
    IG_CHANNEL_AFFINE_OUT =
        1 << 10,       /* per-output-channel scale and shift can be folded in: see absorb_affine */
    IG_BYTES = 1 << 11 /* the reference moves input 0 as bytes: it may lie at any address */
};

/* ---- the record ---- */

struct ig_op {
    const char *onnx;
    const char *domain; /* NULL: ai.onnx; "ai.onnx.ml", "com.microsoft", "ingot" */
    uint8_t since[12];  /* opset versions at which the schema changed, ascending, 0-terminated */
    uint8_t until;      /* last version that has it, 0: still there (Upsample, Scatter) */
    int8_t n_in[2];     /* fewest, most; most -1: any number */
    uint16_t gaps;      /* bit i: input i < n_in[0] may be absent, where later ones are not */
    uint16_t
        any_kind; /* bit i: input i may be a sequence, map or optional; bit 15: later ones too */
    uint16_t
        same_type; /* bit i: input i must have the element type of input 0; bit 15: later ones */
    int8_t n_out[2];
    ig_dtype_set types; /* allowed for input 0 (0: any) */
    uint32_t flags;
    int8_t bias_input, residual_input; /* IG_EPILOGUE: index of each, 0: not supported */

    ig_status (*infer)(ig_infer *c);
    ig_status (*ref)(ig_call *c);
    ig_status (*lower)(ig_lower *l); /* NULL: none but prim */
    const ig_prim *prim;             /* elementwise in float32: the tile primitive */
    bool (*prim_params)(const ig_node *node, const ig_info *const *in,
                        float p[IG_PRIM_N_PARAMS]); /* NULL: none. false: no prim
                  for this node. in may tell constants (Clip's bounds) */
    int8_t prim_n_in; /* leading inputs the prim reads; 0: prim->n_sources */

    /* For passes. NULL: no. */
    bool (*is_identity)(const ig_node *node, const ig_info *const *in,
                        const ig_info *out); /* for this node */
    bool (*activation)(const ig_node *node, const ig_info *const *in,
                       ig_epilogue *ep); /* the epilogue that equals it */
    /* BatchNormalization, …: y = x*scale[c] + shift[c] over axis 1; n = channels, arrays from arena
     */
    bool (*channel_affine)(const ig_node *node, const ig_info *const *in, ig_arena *arena,
                           float **scale, float **shift, int64_t *n);
    /* Conv, Gemm, …: change constants so that the output is scaled and shifted per channel */
    ig_status (*absorb_affine)(ig_graph *g, ig_node *node, const float *scale, const float *shift,
                               int64_t n, bool *done, ig_error *err);
    /* Rewrite attributes (axis, perm, pads, axes input if constant …) so that the node works on
     * input 0 (and all inputs of the same rank) transposed by perm: new dimension d is old
     * dimension perm[d]; output then is transposed alike. false and untouched when it cannot. NULL
     * with IG_ELEMENTWISE: nothing to rewrite; NULL otherwise: cannot. */
    bool (*permute)(ig_graph *g, ig_node *node, const int *perm, int rank);
    int64_t (*flops)(const ig_node *node, const ig_info *const *in,
                     const ig_info *out); /* shapes constant; NULL: 0 */

    const char *const *cases; /* NULL-terminated; see below */
};

/*
 * Test cases, one string each:  INPUTS [@OPSET] [ATTR=VALUE…] [-> N] [= OUTPUTS] [! TEXT]
 *   input    f32[2,3]             random (deterministic); floats in -3…3, ints small, bools mixed
 *            f32[2,3]{1,2,3…}     given contents (one value repeats);   i64{0,2} = i64[2]{0,2};
 * i64{}  = i64[0] f32[]{5}             a scalar;   str[2]{"a","b"};   _  an absent input c:i64{0,2}
 * a constant (initializer) rather than a run-time input types    f32 f64 f16 bf16 i8 i16 i32 i64 u8
 * u16 u32 u64 bool str attr     axis=1   alpha=0.5 (a dot or exponent makes it a float)
 * mode="linear"   pads=[0,1]   scales=[1.0,2.0]
 *   -> N     number of outputs (default: the fewest)     = f32[2]{…}  expected outputs, else only
 * consistency is checked ! TEXT   must fail, with TEXT in the message Each case runs: inference
 * against reference, every kernel against the reference, guard pages, folding, in place.
 */

/* ---- what op files call ---- */

/* Attributes with defaults. */
int64_t ig_attr_int(const ig_node *node, const char *name, int64_t fallback);
float ig_attr_float(const ig_node *node, const char *name, float fallback);
/* Terminated or not: compare with ig_attr_is. */
bool ig_attr_is(const ig_node *node, const char *name, const char *value, bool if_absent);
/* List of ints; NULL and *n = 0 when absent. */
const int64_t *ig_attr_ints(const ig_node *node, const char *name, size_t *n);
const float *ig_attr_floats(const ig_node *node, const char *name, size_t *n);

/* Failures of a node: the caller has put or will put the node's description in front. */
#define IG_OP_FAIL(c, status, ...) ig_fail((c)->err, (status), __VA_ARGS__)

/* Normalise axis for rank (negative counts from the end); INGOT_ERR_INVALID outside [-rank, rank).
 */
ig_status ig_axis(int64_t axis, int rank, int *out, ig_error *err) IG_MUST_USE;

/* out[0] = in[0]: type and shape. */
ig_status ig_infer_same(ig_infer *c);
/* NumPy broadcasting of all inputs; type of input 0. ig_infer_broadcast_bool: bool. */
ig_status ig_infer_broadcast(ig_infer *c);
ig_status ig_infer_broadcast_bool(ig_infer *c);
/* Broadcast in[0..n) shapes (unknown ranks give rank -1) into out. */
ig_status ig_broadcast_shapes(ig_infer *c, int n, ig_info *out) IG_MUST_USE;
void ig_info_set_shape(ig_info *info, ingot_dtype dtype, int rank, const ig_dim *dims);
/* Total elements as a dim. */
ig_dim ig_info_count(ig_dims *t, const ig_info *info);
/* Integer contents of input i as dims: from data or elems. *n elements at most max into out; false
 * when unknown, absent or more than max. */
bool ig_infer_ints(const ig_infer *c, int i, ig_dim *out, int max, int *n);
/* All constant, as plain int64; false otherwise. */
bool ig_info_ints(const ig_info *info, int64_t *out, int max, int *n);
/* Set known elements (copied into c->arena) on an integer output of n <= IG_MAX_ELEMS elements:
 * data when all constant. */
ig_status ig_infer_set_elems(ig_infer *c, int i_out, const ig_dim *elems, int n) IG_MUST_USE;

/* Are all dims of the info constant? Then copy them. */
bool ig_info_is_static(const ig_info *info, int64_t dims[IG_MAX_RANK]);

/* Output i gets this shape and memory (kept when it has them already). c->out[i] may be NULL: not
 * wanted, then nothing happens. */
ig_status ig_call_output(ig_call *c, int i, ingot_dtype dtype, int rank,
                         const int64_t *dims) IG_MUST_USE;
/* Integer contents of a run-time tensor. */
bool ig_tensor_ints(const ig_tensor *t, int64_t *out, int max, int *n);

/* Constant input i of a step, packed (see ig_lower.pack): also replaces the kernel's operand i. */
ig_status ig_lower_pack(ig_lower *l, int i, uint64_t key, size_t bytes, ig_pack_fn fn,
                        const void *ctx) IG_MUST_USE;
/* The kernel for any op with a prim: one-instruction tile program. */
ig_status ig_lower_eltwise(ig_lower *l);
/* ep_act, ep_alpha, ep_beta of a node. */
/* Attributes of ai.onnx and ai.onnx.ml must be of the kind that their name stands for. */
ig_status ig_attr_check_kinds(const ig_node *node, ig_error *err) IG_MUST_USE;
ig_epilogue ig_node_epilogue(const ig_node *node);

/* Run `body` with T as the element type: IG_SWITCH_NUMERIC(dtype, { const T *x = …; }) : reached
 * default → *unsupported. */
#define IG_CASE_(tag, type, ...)                                                                   \
    case tag: {                                                                                    \
        typedef type T;                                                                            \
        __VA_ARGS__                                                                                \
    } break;
#define IG_CASES_FLOAT_(...)                                                                       \
    IG_CASE_(INGOT_FLOAT, float, __VA_ARGS__) IG_CASE_(INGOT_DOUBLE, double, __VA_ARGS__)
#define IG_CASES_INT_(...)                                                                         \
    IG_CASE_(INGOT_INT8, int8_t, __VA_ARGS__)                                                      \
    IG_CASE_(INGOT_INT16, int16_t, __VA_ARGS__)                                                    \
    IG_CASE_(INGOT_INT32, int32_t, __VA_ARGS__)                                                    \
    IG_CASE_(INGOT_INT64, int64_t, __VA_ARGS__)                                                    \
    IG_CASE_(INGOT_UINT8, uint8_t, __VA_ARGS__)                                                    \
    IG_CASE_(INGOT_UINT16, uint16_t, __VA_ARGS__)                                                  \
    IG_CASE_(INGOT_UINT32, uint32_t, __VA_ARGS__)                                                  \
    IG_CASE_(INGOT_UINT64, uint64_t, __VA_ARGS__)
/* `c` is an ig_call (or anything with err); other types return INGOT_ERR_UNSUPPORTED from the
 * function. float16 and bfloat16 never reach a reference: the caller widens them to float32 and
 * rounds the outputs (unless the op sets IG_OWN_HALF). */
#define IG_SWITCH_FLOAT(c, dtype_, ...)                                                            \
    switch ((int)(dtype_)) {                                                                       \
        IG_CASES_FLOAT_(__VA_ARGS__)                                                               \
    default:                                                                                       \
        return ig_fail((c)->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",        \
                       ingot_dtype_name(dtype_));                                                  \
    }
#define IG_SWITCH_INT(c, dtype_, ...)                                                              \
    switch ((int)(dtype_)) {                                                                       \
        IG_CASES_INT_(__VA_ARGS__)                                                                 \
    default:                                                                                       \
        return ig_fail((c)->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",        \
                       ingot_dtype_name(dtype_));                                                  \
    }
#define IG_SWITCH_NUMERIC(c, dtype_, ...)                                                          \
    switch ((int)(dtype_)) {                                                                       \
        IG_CASES_FLOAT_(__VA_ARGS__)                                                               \
        IG_CASES_INT_(__VA_ARGS__)                                                                 \
    default:                                                                                       \
        return ig_fail((c)->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",        \
                       ingot_dtype_name(dtype_));                                                  \
    }
/* The same by element size, for data movement: T is uint8_t … uint64_t, or ingot_string. */
#define IG_SWITCH_SIZE(c, dtype_, ...)                                                             \
    switch ((dtype_) == INGOT_STRING ? 16 : (int)ig_dtype_size(dtype_)) {                          \
        IG_CASE_(1, uint8_t, __VA_ARGS__)                                                          \
        IG_CASE_(2, uint16_t, __VA_ARGS__)                                                         \
        IG_CASE_(4, uint32_t, __VA_ARGS__)                                                         \
        IG_CASE_(8, uint64_t, __VA_ARGS__)                                                         \
        IG_CASE_(16, ingot_string, __VA_ARGS__)                                                    \
    default:                                                                                       \
        return ig_fail((c)->err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",        \
                       ingot_dtype_name(dtype_));                                                  \
    }

/* Walks a broadcast: strides[i][d] in elements, 0 where input i repeats. For references. */
typedef struct ig_walk {
    int rank, n;
    int64_t dims[IG_MAX_RANK], index[IG_MAX_RANK], strides[4][IG_MAX_RANK], at[4], left;
} ig_walk;
/* out: the full shape; in[0..n): tensors that broadcast to it (n <= 4). */
void ig_walk_begin(ig_walk *w, const ig_tensor *out, const ig_tensor *const *in, int n);
/* Advance w->at to the next element; false at the end. Use: for (bool more = w.left > 0; more; more
 * = ig_walk_next(&w), i++) */
bool ig_walk_next(ig_walk *w);

/* ---- the table (table.c) and what passes, planner and importer call (op.c) ---- */

#define IG_OWN_HALF                                                                                \
    (1u                                                                                            \
     << 16) /* flag: the reference handles float16 and bfloat16 itself (data movement, Cast, …) */
#define IG_MOVES_UNPACKED                                                                          \
    (1u << 17) /* flag: the reference moves elements; types of 4 and 2 bits reach it as bytes */

size_t ig_ops_count(void);
const ig_op *ig_ops_at(size_t i);
/* The operator for a node of this domain and opset; NULL and a line in err that says what is the
 * matter: unknown operator (with the nearest name), one that came later, or is gone. Newer opsets
 * than known are accepted. */
const ig_op *ig_ops_find(const char *domain, const char *op_type, int64_t opset, ig_error *err);
/* Set node->op for all nodes, subgraphs included; checks numbers of inputs and outputs. */
ig_status ig_ops_resolve(ig_graph *g, ig_error *err) IG_MUST_USE;

/* Infer one node from the infos of its inputs (NULL: absent) into out[n_outputs]. Checks arity,
 * type set and tensor kind; errors name the node. */
ig_status ig_op_infer(const ig_node *node, const ig_info *const *in, ig_info *out, ig_dims *dims,
                      ig_arena *arena, ig_error *err) IG_MUST_USE;
/* Infer a whole graph in order into its values' infos; inputs' infos are given. */
ig_status ig_graph_infer(ig_graph *g, ig_error *err) IG_MUST_USE;
/* Run the reference, widening half types where needed. Output tensors as in ig_call. */
ig_status ig_op_call(ig_call *c) IG_MUST_USE;

#endif
