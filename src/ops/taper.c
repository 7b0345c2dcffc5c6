/* SPDX-License-Identifier: Apache-2.0 */
/* taper.c: window functions. A periodic one of n elements is a symmetric one of n + 1 without its
 * last. */
#include "ops/taper.h"

#include <math.h>

#include "ops/strided.h"

ig_status ig_infer_taper(ig_infer *c)
{
    const ingot_dtype dtype = (ingot_dtype)ig_attr_int(c->node, "output_datatype", INGOT_FLOAT);
    bool known;
    int64_t size;
    if ((int)dtype < 1 || (int)dtype > 31 || !(IG_T(dtype) & IG_T_NUMERIC))
        return ig_fail(c->err, INGOT_ERR_INVALID, "output_datatype %d is no number", (int)dtype);
    IG_TRY(ig_infer_scalar(c, 0, 0, &known, &size));
    if (known && size < 0)
        return ig_fail(c->err, INGOT_ERR_INVALID, "size is %lld", (long long)size);
    const ig_dim dims[1] = { known ? size : ig_dim_born(c->dims) };
    ig_info_set_shape(&c->out[0], dtype, 1, dims);
    return INGOT_OK;
}

ig_status ig_ref_taper(ig_call *c, double a0, double a1, double a2)
{
    const ingot_dtype dtype = (ingot_dtype)ig_attr_int(c->node, "output_datatype", INGOT_FLOAT);
    int64_t size;
    IG_TRY(ig_call_scalar(c, 0, 0, &size));
    if (size < 0) return ig_fail(c->err, INGOT_ERR_INVALID, "size is %lld", (long long)size);
    IG_TRY(ig_call_output(c, 0, dtype, 1, &size));
    const int64_t n = ig_attr_int(c->node, "periodic", 1) ? size : size - 1;
    for (int64_t i = 0; i < size; i++) {
        const double x =
            n > 0 ? 6.283185307179586476925 * (double)i / (double)n : 3.14159265358979323846;
        ig_set_f64(c->out[0]->dtype, c->out[0]->data, i, a0 - a1 * cos(x) + a2 * cos(2 * x));
    }
    return INGOT_OK;
}
