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

#endif
