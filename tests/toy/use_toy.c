/* SPDX-License-Identifier: Apache-2.0 */
/* use_toy.c: runs the model y = Toy(x) through the public API. */
#include <stdio.h>

#include "ingot.h"

/* clang-format off */
static const unsigned char model_bytes[] = {
    0x08, 8,                                                        /* ModelProto.ir_version */
    0x42, 2, 0x10, 13,                                              /* .opset_import: version */
    0x3a, 50,                                                       /* .graph */
    0x0a, 11, 0x0a, 1, 'x', 0x12, 1, 'y', 0x22, 3, 'T', 'o', 'y',   /* node: input, output, op */
    0x12, 1, 'g',                                                   /* name */
    0x5a, 15, 0x0a, 1, 'x', 0x12, 10, 0x0a, 8, 0x08, 1,             /* input x: float, */
                0x12, 4, 0x0a, 2, 0x08, 3,                          /* of 3 */
    0x62, 15, 0x0a, 1, 'y', 0x12, 10, 0x0a, 8, 0x08, 1,             /* output y: the same */
                0x12, 4, 0x0a, 2, 0x08, 3,
};
/* clang-format on */

int main(void)
{
    float x[] = { 0.0f, 1.0f, -2.5f };
    const int64_t dims[] = { 3 };
    const ingot_value *inputs[1];
    ingot_model *model = NULL;
    ingot_session *session = NULL;
    ingot_value *value = NULL;
    ingot_error err;

    if (ingot_model_open_memory(model_bytes, sizeof model_bytes, NULL, &model, &err) ||
        ingot_session_create(model, NULL, &session, &err) ||
        ingot_tensor_wrap(INGOT_FLOAT, 1, dims, x, sizeof x, &value, &err)) {
        printf("%s\n", err.message);
        return 1;
    }
    inputs[0] = value;
    if (ingot_session_run(session, inputs, 1, &err)) {
        printf("%s\n", err.message);
        return 1;
    }
    const float *y = ingot_tensor_data(ingot_session_output(session, 0));
    printf("%g %g %g\n", (double)y[0], (double)y[1], (double)y[2]);
    ingot_value_destroy(value);
    ingot_session_destroy(session);
    ingot_model_close(model);
    return 0;
}
