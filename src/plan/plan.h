/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h: from a graph to a straight list of steps.
 *
 * An ig_plan is the compiled model: the final graph, the instruction set, and the packed weights.
 * It is shared by all sessions. A *binding* is the plan for one set of input shapes: which nodes
 * run, with which kernel, on which bytes of the slab. It is made once per set of shapes (bind.c
 * infers every shape again with numbers in place of symbols, drops what is known, lowers the rest;
 * memory.c places the buffers), and kept.
 *
 * Steps whose shapes only a run can tell are *dynamic*: they are inferred and lowered when the run
 * reaches them, and their outputs come from the heap. Everything computed from them is dynamic too.
 */
#ifndef IG_PLAN_PLAN_H
#define IG_PLAN_PLAN_H

#include <pthread.h>

#include "base/limits.h"
#include "ops/choices.h"
#include "ops/op.h"

typedef struct ig_pack_entry {
    const void *source; /* bytes of the constant */
    uint64_t key;
    void *packed;
} ig_pack_entry;

/* Packed weights share blocks: fewer pages to fault in, and huge ones where the system has them. */
typedef struct ig_pack_block {
    struct ig_pack_block *next;
    uint8_t *data;
    size_t bytes, used_bytes;
} ig_pack_block;

/* Weights in the form that kernels want, made on first use. */
typedef struct ig_packs {
    pthread_mutex_t lock;
    ig_alloc *alloc;
    ig_pack_entry *entries; /* open addressing, source NULL: free */
    size_t n, cap;
    size_t packed_bytes;
    ig_pack_block *blocks; /* the one with room first */
    void *staging;         /* aligned copy of a source; given back by ig_packs_trim */
    size_t staging_bytes;
    const uint8_t *mapped; /* the model file: pages of a source inside are dropped once packed */
    size_t mapped_bytes;
} ig_packs;

typedef struct ig_plan {
    ig_alloc *alloc;
    ig_graph *graph;
    ig_isa isa;
    const ingot_log *log;
    ig_limits limits;   /* set after ig_plan_init; zeroes are no bounds */
    ig_choices choices; /* set after ig_plan_init; zeroes are the defaults */
    ig_packs packs;
} ig_plan;

/* graph, alloc and log are borrowed and must outlive the plan. mapped may be NULL. */
ig_status ig_plan_init(ig_plan *plan, ig_alloc *alloc, ig_graph *graph, ig_isa isa,
                       const ingot_log *log, const uint8_t *mapped, size_t mapped_bytes,
                       ig_error *err) IG_MUST_USE;
void ig_plan_deinit(ig_plan *plan); /* accepts a zeroed plan */

/* Packed form of a constant for `key`, made by fn(ctx, source, packed) if it isn't there.
 * Thread-safe. */
ig_status ig_packs_get(ig_packs *packs, const ig_tensor *source, uint64_t key, size_t bytes,
                       ig_pack_fn fn, const void *ctx, const void **packed,
                       ig_error *err) IG_MUST_USE;

/* Give back working memory, after a binding was made. */
void ig_packs_trim(ig_packs *packs);

/* ---- bindings ---- */

typedef enum ig_place {
    IG_AT_NOWHERE = 0, /* not needed */
    IG_AT_CONST,       /* contents known: a constant, or found by inference */
    IG_AT_INPUT,       /* the caller's bytes */
    IG_AT_SLAB,
    IG_AT_HEAP /* output of a dynamic step */
} ig_place;

typedef struct ig_spot {
    size_t offset_bytes; /* into the input, the buffer or the slab */
    ig_place place;
    union {
        uint32_t i_input;  /* IG_AT_INPUT */
        uint32_t i_buffer; /* IG_AT_SLAB, before memory is placed */
    };
    uint32_t last_use; /* step; UINT32_MAX for graph outputs */
} ig_spot;

typedef struct ig_step {
    const ig_node *node;
    uint32_t order; /* number of the step as lives of values count them */
    bool is_dynamic;
    /* as lowered; neither kernel: the reference */
    ig_kernel_fn kernel;
    ig_team_kernel_fn team_kernel;
    const char *kernel_name;
    const void *params;
    int64_t n_work, grain;
    void **operands; /* inputs, outputs, scratch */
    uint32_t n_operands, n_operand_in, n_operand_out;
    const int8_t *operand_inputs; /* node input of each of the first n_operand_in; NULL: the same */
    size_t scratch_bytes;
    uint32_t scratch_buffer;
    const void **operand_const; /* packed inputs, see ig_lower */
    const ig_tensor **in;       /* into binding->tensors, NULL where absent */
    ig_tensor **out;
    int64_t flops, bytes;
    uint64_t n_runs, total_ns, min_ns, begin_ns, end_ns; /* profile */
} ig_step;

/* A piece of slab with a life: [first, last] in steps. One with a parent lies inside of that, at
 * offset_bytes of it until memory is placed; parents come after their pieces. */
typedef struct ig_buffer {
    size_t bytes, offset_bytes;
    uint32_t first, last;
    uint32_t parent; /* IG_NONE: none */
} ig_buffer;

/* An operand or tensor that points into a caller's input. */
typedef struct ig_patch {
    void **pointer;
    uint32_t i_input;
    size_t offset_bytes;
} ig_patch;

typedef struct ig_binding {
    struct ig_binding *next; /* most recently used first */
    ig_arena arena;
    const ig_graph *graph;
    ig_info *inputs; /* the shapes that it is for */
    ig_dims dims;
    ig_info *outputs;   /* what is known of the graph's outputs */
    ig_spot *spots;     /* by value */
    ig_tensor *tensors; /* by value */
    ig_step *steps;
    size_t n_steps;
    ig_buffer *buffers;
    size_t n_buffers, cap_buffers;
    ig_patch *patches;
    size_t n_patches, cap_patches;
    size_t slab_bytes;
    void *slab; /* base that operands point to now */
} ig_binding;

/* Make the binding for these inputs (data of inputs is not looked at). n_threads bounds scratch.
 * Errors name the node. */
ig_status ig_binding_create(ig_plan *plan, const ig_graph *graph, const ig_tensor *const *inputs,
                            int n_threads, ig_binding **out, ig_error *err) IG_MUST_USE;
void ig_binding_destroy(ig_binding *binding); /* accepts NULL */
bool ig_binding_matches(const ig_binding *binding, const ig_tensor *const *inputs);
/* Point operands into this slab. */
void ig_binding_set_slab(ig_binding *binding, void *slab);

/* How the operands of a step share bytes; see ig_lower. */
typedef struct ig_sharing {
    bool is_view;
    const size_t *view_offset_bytes, *join_offset_bytes;
} ig_sharing;

/* Lower one node with concrete infos into step (kernel, params, …); params live in arena. */
ig_status ig_step_lower(ig_plan *plan, const ig_node *node, const ig_info *const *in,
                        const ig_info *out, int n_threads, ig_arena *arena, ig_step *step,
                        ig_sharing *sharing, ig_error *err) IG_MUST_USE;

/* Node input that feeds operand k < n_operand_in, or IG_NONE. */
static inline uint32_t ig_step_input_of(const struct ig_step *step, uint32_t k)
{
    const int at = step->operand_inputs ? step->operand_inputs[k] : (int)k;
    return at >= 0 && (uint32_t)at < step->node->n_inputs ? (uint32_t)at : IG_NONE;
}

/* Place buffers in one slab so that no two that live at the same time overlap; returns its size.
 * scratch: memory for order arrays. */
ig_status ig_memory_place(ig_buffer *buffers, size_t n, ig_arena *scratch, size_t *slab_bytes,
                          ig_error *err) IG_MUST_USE;

#endif
