/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opcheck.h: checks every case of every operator (the case language is at the end of ops/op.h),
 * without knowing any operator.
 *
 *   parse.c    case text to attributes and operands      values.c   random contents, comparison
 *   guard.c    memory with forbidden pages round it      model.c    a case as a graph, and its run
 *   infer.c    shape inference against the reference     kernels.c  kernels against the reference
 *   whole.c    folding, plans, failures, broken attributes, failing allocations
 *   list.c     --list        bench.c  --bench            main.c     the walk, a process an operator
 */
#ifndef IG_TESTS_OPCHECK_H
#define IG_TESTS_OPCHECK_H

#include "exec/frame.h"
#include "passes/pass.h"

#define OC_MAX_OPERANDS 40
#define OC_MAX_ATTRS 24

typedef struct oc_operand {
    bool is_absent, is_const, has_contents;
    ig_tensor *value; /* NULL where absent */
} oc_operand;

typedef struct oc_case {
    const ig_op *op;
    size_t index;
    const char *text;
    int opset;
    bool has_opset; /* the text states it */
    int n_in, n_out, n_expected, n_attrs;
    oc_operand in[OC_MAX_OPERANDS], expected[OC_MAX_OPERANDS];
    ig_attr attrs[OC_MAX_ATTRS];
    const char *graph_text[OC_MAX_ATTRS]; /* of attributes that are graphs */
    const char *fails; /* words of the message that it must fail with; NULL: must not fail */
} oc_case;

/* One case being checked. Memory of `arena` lives as long. */
typedef struct oc_env {
    ig_alloc alloc;
    ig_arena arena;
    ig_dims dims;
    const oc_case *c;
    ig_isa best;
    int n_failures;
    char *phase; /* what is being checked, for the report of a crash */
    ig_tensor *reference[OC_MAX_OPERANDS];
} oc_env;

#define OC_PHASE_BYTES 160
/* What is being checked from here on. */
void oc_phase(oc_env *env, const char *format, ...) IG_PRINTF(2, 3);
/* Count and print a failure: operator, case, phase, text. */
void oc_failure(oc_env *env, const char *format, ...) IG_PRINTF(2, 3);

/* ---- parse.c ---- */

/* Newest known version of the operator's domain that still has it. */
int oc_newest_opset(const ig_op *op);
/* Fills c (op, index and text are set); INGOT_ERR_PARSE says what is malformed. Tensors and strings
 * go to arena. */
ig_status oc_parse(oc_case *c, ig_arena *arena, ig_dims *dims, ig_error *err) IG_MUST_USE;
/* "f32" for INGOT_FLOAT; "?" for types without a short name. */
const char *oc_type_name(ingot_dtype dtype);

/* ---- values.c ---- */

/* Deterministic contents. */
ig_status oc_fill_random(ig_tensor *t, uint64_t seed, ig_arena *arena, ig_error *err) IG_MUST_USE;

typedef struct oc_tolerance {
    double relative, absolute,
        of_largest;  /* |a-b| <= relative*|b| + absolute + of_largest*max|b| */
    bool is_rounded; /* half types: allow a rounding more */
} oc_tolerance;
extern const oc_tolerance oc_exact, oc_literal, oc_kernel;

/* Same kind, type, shape and contents within tol; else false and the difference in why. NaNs equal
 * each other. */
bool oc_same(const ig_tensor *got, const ig_tensor *want, const oc_tolerance *tol, char *why,
             size_t why_bytes);

/* ---- guard.c ---- */

typedef struct oc_guard {
    struct {
        void *map;
        size_t map_bytes;
    } blocks[4 * OC_MAX_OPERANDS];
    int n;
    bool is_before; /* the forbidden page lies right before the block, else right after */
} oc_guard;

/* Garbage-filled memory whose one end is the end of the world. NULL when the system has none. */
void *oc_guard_get(oc_guard *g, size_t bytes, size_t align);
void oc_guard_free(oc_guard *g);

/* ---- model.c ---- */

typedef enum oc_consts { OC_AS_GIVEN, OC_ALL_CONST, OC_NONE_CONST } oc_consts;

/* Infos of the inputs: shapes, and contents of constants; in[i] is NULL where absent. */
void oc_infos(const oc_case *c, oc_consts consts, bool with_data, ig_info *infos,
              const ig_info **in);
/* The case as a graph of one node, resolved. */
ig_status oc_graph(const oc_case *c, oc_consts consts, ig_arena *arena, ig_dims *dims,
                   ig_graph **out, ig_error *err) IG_MUST_USE;

typedef struct oc_model {
    ig_arena arena;
    ig_dims dims;
    ig_graph *g;
    ig_plan plan;
    ig_run_context context;
    ig_frame *frame;
    const ig_tensor *inputs[OC_MAX_OPERANDS];
} oc_model;

/* Build, infer and optimise; graph_alloc has the graph. Close it in any case. */
ig_status oc_model_open(oc_model *m, const oc_case *c, oc_consts consts, ig_isa isa,
                        ingot_opt_level level, ig_alloc *graph_alloc, ig_error *err) IG_MUST_USE;
/* Plan with memory of run_alloc, and run once. */
ig_status oc_model_run(oc_model *m, ig_alloc *run_alloc, ig_error *err) IG_MUST_USE;
void oc_model_stop(oc_model *m); /* frees what oc_model_run made */
void oc_model_close(oc_model *m);

/* Run the reference alone with all contents known; outputs from guarded memory (descriptors from
 * env's arena). in_place: the input whose bytes output 0 gets, -1 for none. */
ig_status oc_run_reference(oc_env *env, const ig_node *node, oc_guard *guard, int in_place,
                           ig_tensor **out, ig_error *err) IG_MUST_USE;
/* Copy of the contents of in[i] in guarded memory. */
void *oc_guarded_copy(oc_guard *g, const ig_tensor *t);
/* Does IG_INPLACE let output 0 overwrite input i? */
bool oc_may_overwrite(const oc_case *c, const ig_tensor *out, int i);
/* Cut memory short of what the case needs, so that absurd sizes fail. */
#define OC_MEMORY_BYTES ((size_t)256 << 20)

/* ---- checks: each calls oc_failure for what it finds ---- */

void oc_check_inference(oc_env *env, const ig_node *node);
void oc_check_symbolic(oc_env *env, const ig_node *node);
void oc_check_kernels(oc_env *env);
void oc_check_fold(oc_env *env);
void oc_check_plan(oc_env *env);
void oc_check_must_fail(oc_env *env);
void oc_check_broken_attrs(oc_env *env);
void oc_check_failing_allocs(oc_env *env);

/* One line, not empty. */
bool oc_error_is_fine(const ig_error *err);

/* ---- list.c, bench.c ---- */

void oc_list(oc_env *env);
void oc_bench(oc_env *env);

/* A lowered step with its operands, for checks and benchmarks. */
typedef struct oc_step {
    ig_plan plan;
    ig_arena arena;
    ig_step step;
    ig_sharing sharing;
    void *operands[3 * OC_MAX_OPERANDS];
} oc_step;

/* Lower the node of g for isa. Close it in any case. */
ig_status oc_step_open(oc_step *s, oc_env *env, ig_graph *g, oc_consts consts, ig_isa isa,
                       ig_error *err) IG_MUST_USE;
/* Operands in guarded memory, outputs as the reference's. in_place as in oc_run_reference. */
bool oc_step_operands(oc_step *s, oc_env *env, oc_guard *guard, int in_place, ig_tensor **out);
void oc_step_close(oc_step *s);

#endif
