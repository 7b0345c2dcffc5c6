/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.c: libraries for --custom-op that something is wrong with. IS_… says what: no entry, an
 * interface of another version, an entry that refuses, one that registers and then refuses.
 */
#include "ingot.h"

#ifdef IS_WITHOUT_ENTRY
INGOT_API int not_an_entry(void);
int not_an_entry(void) { return 1; }
#else

static ingot_status fail(void *user, const void *state, ingot_op_call *call, ingot_error *err)
{
    (void)user, (void)state;
    return ingot_error_set(err, INGOT_ERR_UNSUPPORTED, "%lld elements are too many",
                           (long long)ingot_tensor_count(ingot_op_input(call, 0)));
}

static ingot_status infer(void *user, const void *state, size_t n_inputs,
                          const ingot_op_shape *const *inputs, size_t n_outputs,
                          ingot_op_shape *const *outputs, ingot_error *err)
{
    (void)user, (void)state, (void)n_inputs, (void)n_outputs, (void)err;
    outputs[0]->dtype = inputs[0]->dtype;
    outputs[0]->rank = 2;
    outputs[0]->dims[0] = outputs[0]->dims[1] = -1;
    return INGOT_OK;
}

ingot_status ingot_register_ops(ingot_ops *ops, int api_version, ingot_error *err)
{
    ingot_op_def def = INGOT_OP_DEF_INIT;
    def.domain = "com.example";
    def.name = "SoftThreshold";
    def.n_inputs[0] = def.n_inputs[1] = def.n_outputs[0] = def.n_outputs[1] = 1;
    def.run = fail;
#ifdef IS_OF_ANOTHER_VERSION
    def.api_version = api_version + 1;
#endif
#ifdef IS_REFUSING
    return ingot_error_set(err, INGOT_ERR_UNSUPPORTED, "wants more than version %d", api_version);
#endif
    (void)api_version;
    if (ingot_op_register(ops, &def, err)) return err->status;
    def.name = "Frames";
    def.infer = infer;
#ifdef IS_CLASHING
    def.domain = "";
    def.name = "Relu";
#endif
    return ingot_op_register(ops, &def, err);
}
#endif
