/* SPDX-License-Identifier: Apache-2.0 */
/* scatter_update.c: see scatter_update.h. */
#include "ops/scatter_update.h"

#include <string.h>

#include "ops/strided.h"

ig_status ig_scatter_reduction(const ig_node *node, int opset, ig_scatter_op *out, ig_error *err)
{
    static const char *const names[] = { "none", "add", "mul", "min", "max" };
    const int n = opset < 16 ? 1 : opset < 18 ? 3 : 5;
    *out = IG_SCATTER_SET;
    if (!ig_node_attr(node, "reduction")) return INGOT_OK;
    for (int i = 0; i < n; i++)
        if (ig_attr_is(node, "reduction", names[i], false)) {
            *out = (ig_scatter_op)i;
            return INGOT_OK;
        }
    return ig_fail(err, INGOT_ERR_INVALID, "reduction is none of none, add, mul%s",
                   opset >= 18 ? ", min, max" : " (min and max need opset 18)");
}

#define REDUCE(T, GET, SET)                                                                        \
    for (int64_t i = 0; i < n; i++) {                                                              \
        const T a = GET(dst, i), b = GET(src, i);                                                  \
        T y = b;                                                                                   \
        if (op == IG_SCATTER_ADD) y = (T)(a + b);                                                  \
        if (op == IG_SCATTER_MUL) y = (T)(a * b);                                                  \
        if (op == IG_SCATTER_MIN) y = b < a || b != b ? b : a;                                     \
        if (op == IG_SCATTER_MAX) y = b > a || b != b ? b : a;                                     \
        SET(dst, i, y);                                                                            \
    }

#define AT(p, i) ((const elem *)(p))[i]
#define PUT(p, i, y) ((elem *)(p))[i] = (elem)(y)
/* TYPE holds the elements, MATH computes: unsigned, so that overflow wraps. */
#define REDUCE_AS(tag, TYPE, MATH)                                                                 \
    case tag: {                                                                                    \
        typedef TYPE elem;                                                                         \
        REDUCE(MATH, AT, PUT)                                                                      \
        return INGOT_OK;                                                                           \
    }
/* Signed: order in the type itself, sums and products in unsigned. */
#define REDUCE_SIGNED(tag, TYPE, UNSIGNED)                                                         \
    case tag: {                                                                                    \
        if (op == IG_SCATTER_ADD || op == IG_SCATTER_MUL) {                                        \
            typedef UNSIGNED elem;                                                                 \
            REDUCE(uint64_t, AT, PUT)                                                              \
        } else {                                                                                   \
            typedef TYPE elem;                                                                     \
            REDUCE(int64_t, AT, PUT)                                                               \
        }                                                                                          \
        return INGOT_OK;                                                                           \
    }
#define HALF_AT(p, i) ig_get_f64(dtype, p, i)
#define HALF_PUT(p, i, y) ig_set_f64(dtype, p, i, y)

ig_status ig_scatter_apply(ingot_dtype dtype, ig_scatter_op op, void *dst, const void *src,
                           int64_t n, ig_error *err)
{
    if (op == IG_SCATTER_SET) {
        size_t bytes;
        IG_TRY(ig_movable_bytes(dtype, &bytes, err));
        if (n > 0) memcpy(dst, src, (size_t)n * bytes);
        return INGOT_OK;
    }
    switch ((int)dtype) {
        REDUCE_AS(INGOT_FLOAT, float, float)
        REDUCE_AS(INGOT_DOUBLE, double, double)
        REDUCE_AS(INGOT_UINT8, uint8_t, uint64_t)
        REDUCE_AS(INGOT_UINT16, uint16_t, uint64_t)
        REDUCE_AS(INGOT_UINT32, uint32_t, uint64_t)
        REDUCE_AS(INGOT_UINT64, uint64_t, uint64_t)
        REDUCE_SIGNED(INGOT_INT8, int8_t, uint8_t)
        REDUCE_SIGNED(INGOT_INT16, int16_t, uint16_t)
        REDUCE_SIGNED(INGOT_INT32, int32_t, uint32_t)
        REDUCE_SIGNED(INGOT_INT64, int64_t, uint64_t)
    case INGOT_FLOAT16:
    case INGOT_BFLOAT16: REDUCE(double, HALF_AT, HALF_PUT) return INGOT_OK;
    default:
        return ig_fail(err, INGOT_ERR_UNSUPPORTED, "element type %s is not supported",
                       ingot_dtype_name(dtype));
    }
}
