/* SPDX-License-Identifier: Apache-2.0 */
/* custom_op.c: two operators that Ingot does not have, as a library for the command:
 *
 *     cc -shared -fPIC custom_op.c $(pkg-config --cflags ingot) -o custom_op.so
 *     ingot run --custom-op custom_op.so custom_op.onnx --random --shape n=8
 *
 * SoftThreshold: y = sign(x) * max(|x| - threshold, 0)
 * Frames: [n] → [number of frames, size], each beginning `step` elements after the one before
 */
#include <math.h>
#include <stdlib.h>

#include "ingot.h"

typedef struct attributes { /* of either */
    float threshold;
    int64_t size, step;
} attributes;

static ingot_status create(void *user, const ingot_op_node *node, void **state, ingot_error *err)
{
    attributes *a = malloc(sizeof *a);
    (void)user;
    if (!a) return ingot_error_set(err, INGOT_ERR_NOMEM, "no memory for attributes");
    *a = (attributes){ 1, 1, 1 };
    if (!ingot_op_attr_float(node, "threshold", &a->threshold, err) &&
        !ingot_op_attr_int(node, "size", &a->size, err) &&
        !ingot_op_attr_int(node, "step", &a->step, err) && (a->size < 1 || a->step < 1))
        ingot_error_set(err, INGOT_ERR_INVALID, "size and step are at least 1");
    *state = a;
    if (err->status) free(a);
    return err->status;
}

static void destroy(void *user, void *state) { (void)user, free(state); }

static ingot_status soften(void *user, const void *state, ingot_op_call *call, ingot_error *err)
{
    const ingot_value *x = ingot_op_input(call, 0);
    const float threshold = ((const attributes *)state)->threshold, *from = ingot_tensor_data(x);
    void *to = NULL;
    (void)user;
    if (ingot_tensor_dtype(x) != INGOT_FLOAT)
        return ingot_error_set(err, INGOT_ERR_UNSUPPORTED, "takes float32 only");
    if (ingot_op_output(call, 0, INGOT_FLOAT, ingot_tensor_rank(x), ingot_tensor_dims(x), &to))
        return err->status;
    for (int64_t i = 0; i < ingot_tensor_count(x); i++)
        ((float *)to)[i] = copysignf(fmaxf(fabsf(from[i]) - threshold, 0), from[i]);
    return INGOT_OK;
}

static ingot_status frames_shape(void *user, const void *state, size_t n_inputs,
                                 const ingot_op_shape *const *inputs, size_t n_outputs,
                                 ingot_op_shape *const *outputs, ingot_error *err)
{
    const attributes *a = state;
    const int64_t n = inputs[0]->dims[0]; /* -1 while it is not known */
    (void)user, (void)n_inputs, (void)n_outputs;
    if (inputs[0]->dtype != INGOT_FLOAT || inputs[0]->rank != 1)
        return ingot_error_set(err, INGOT_ERR_SHAPE, "takes float32 of rank 1");
    outputs[0]->dtype = INGOT_FLOAT;
    outputs[0]->rank = 2;
    outputs[0]->dims[0] = n < 0 ? -1 : n < a->size ? 0 : (n - a->size) / a->step + 1;
    outputs[0]->dims[1] = a->size;
    return INGOT_OK;
}

static ingot_status frames(void *user, const void *state, ingot_op_call *call, ingot_error *err)
{
    const attributes *a = state;
    const ingot_value *x = ingot_op_input(call, 0);
    const float *from = ingot_tensor_data(x);
    const int64_t n = ingot_tensor_count(x),
                  dims[] = { n < a->size ? 0 : (n - a->size) / a->step + 1, a->size };
    void *to = NULL;
    (void)user;
    if (ingot_op_output(call, 0, INGOT_FLOAT, 2, dims, &to)) return err->status;
    for (int64_t i = 0; i < dims[0] * dims[1]; i++)
        ((float *)to)[i] = from[i / a->size * a->step + i % a->size];
    return INGOT_OK;
}

ingot_status ingot_register_ops(ingot_ops *ops, int api_version, ingot_error *err)
{
    ingot_op_def soft = INGOT_OP_DEF_INIT, cut;
    (void)api_version; /* the one that this file is compiled for is in the struct: Ingot compares */
    soft.domain = "com.example";
    soft.name = "SoftThreshold";
    soft.n_inputs[0] = soft.n_inputs[1] = soft.n_outputs[0] = soft.n_outputs[1] = 1;
    soft.flags = INGOT_OP_PURE;
    soft.create = create;
    soft.destroy = destroy;
    soft.run = soften; /* without infer: the output is like input 0 */
    cut = soft;
    cut.name = "Frames";
    cut.infer = frames_shape;
    cut.run = frames;
    return ingot_op_register(ops, &soft, err) ? err->status : ingot_op_register(ops, &cut, err);
}
