/* SPDX-License-Identifier: Apache-2.0 */
/*
 * same.h: an operator that is another one at a fixed version of it, by another name.
 *
 *     IG_SAME_AS(trilu, 14)          // infer, ref, lower: those of trilu.c at opset 14
 */
#ifndef IG_OPS_SAME_H
#define IG_OPS_SAME_H

#include "ops/op.h"

/* The context shows the other version while the other operator's function runs. */
#define IG_SAME_CALL_(context, version, call)                                                      \
    const int opset = (context)->opset;                                                            \
    (context)->opset = (version);                                                                  \
    const ig_status status = (call);                                                               \
    (context)->opset = opset;                                                                      \
    return status;

#define IG_SAME_INFER(of, version)                                                                 \
    extern const ig_op ig_op_##of;                                                                 \
    static ig_status infer(ig_infer *c) { IG_SAME_CALL_(c, version, ig_op_##of.infer(c)) }
#define IG_SAME_REF(of, version)                                                                   \
    static ig_status ref(ig_call *c) { IG_SAME_CALL_(c, version, ig_op_##of.ref(c)) }
#define IG_SAME_LOWER(of, version)                                                                 \
    static ig_status lower(ig_lower *l)                                                            \
    {                                                                                              \
        if (!ig_op_##of.lower) return INGOT_OK;                                                    \
        IG_SAME_CALL_(l, version, ig_op_##of.lower(l))                                             \
    }
#define IG_SAME_AS(of, version)                                                                    \
    IG_SAME_INFER(of, version)                                                                     \
    IG_SAME_REF(of, version)                                                                       \
    IG_SAME_LOWER(of, version)

/* A copy of a node in which the integer attribute `name` is `value`; it lives in arena. */
ig_status ig_node_with(const ig_node *node, const char *name, int64_t value, ig_arena *arena,
                       const ig_node **out, ig_error *err) IG_MUST_USE;

#define IG_SAME_WITH_CALL_(context, arena, attr, value, call)                                      \
    const ig_node *const node = (context)->node;                                                   \
    IG_TRY(ig_node_with(node, attr, value, arena, &(context)->node, (context)->err));              \
    const ig_status status = (call);                                                               \
    (context)->node = node;                                                                        \
    return status;

/* infer, ref, lower: those of another operator on the node with one integer attribute added. */
#define IG_SAME_WITH(of, attr, value)                                                              \
    extern const ig_op ig_op_##of;                                                                 \
    static ig_status infer(ig_infer *c)                                                            \
    {                                                                                              \
        IG_SAME_WITH_CALL_(c, c->arena, attr, value, ig_op_##of.infer(c))                          \
    }                                                                                              \
    static ig_status ref(ig_call *c)                                                               \
    {                                                                                              \
        IG_SAME_WITH_CALL_(c, c->scratch, attr, value, ig_op_##of.ref(c))                          \
    }                                                                                              \
    static ig_status lower(ig_lower *l)                                                            \
    {                                                                                              \
        IG_SAME_WITH_CALL_(l, l->arena, attr, value, ig_op_##of.lower(l))                          \
    }

#endif
