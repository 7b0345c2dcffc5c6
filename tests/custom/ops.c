/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: operators for tests: written against ingot.h alone. */
#include "custom/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))
#define CREATE(name)                                                                               \
    static ingot_status name(UNUSED void *user, UNUSED const ingot_op_node *node,                  \
                             UNUSED void **state, UNUSED ingot_error *err)
#define INFER(name)                                                                                \
    static ingot_status name(UNUSED void *user, UNUSED const void *state, UNUSED size_t n_inputs,  \
                             UNUSED const ingot_op_shape *const *inputs, UNUSED size_t n_outputs,  \
                             UNUSED ingot_op_shape *const *outputs, UNUSED ingot_error *err)
#define RUN(name)                                                                                  \
    static ingot_status name(UNUSED void *user, UNUSED const void *state,                          \
                             UNUSED ingot_op_call *call, UNUSED ingot_error *err)

static ingot_status output_like(ingot_op_call *call, const ingot_value *x, void **data)
{
    return ingot_op_output(call, 0, ingot_tensor_dtype(x), ingot_tensor_rank(x),
                           ingot_tensor_dims(x), data);
}

/* ---- Scale, Tick ---- */

CREATE(create_factor)
{
    float *factor = malloc(sizeof *factor);
    if (!factor) return INGOT_ERR_NOMEM;
    *factor = 2;
    if (ingot_op_attr_float(node, "factor", factor, err)) {
        free(factor);
        return err->status;
    }
    atomic_fetch_add(&((counts *)user)->n_created, 1);
    *state = factor;
    return INGOT_OK;
}

static void destroy_state(void *user, void *state)
{
    atomic_fetch_add(&((counts *)user)->n_destroyed, 1);
    free(state);
}

typedef struct scaling {
    const float *from;
    float *to, factor;
} scaling;

static void scale_part(void *ctx, int64_t begin, int64_t end)
{
    const scaling *s = ctx;
    for (int64_t i = begin; i < end; i++) s->to[i] = s->from[i] * s->factor;
}

RUN(scale)
{
    const ingot_value *x = ingot_op_input(call, 0);
    scaling s = { .from = ingot_tensor_data(x), .factor = *(const float *)state };
    void *data = NULL;
    if (output_like(call, x, &data)) return err->status;
    s.to = data;
    ingot_op_parallel(call, ingot_tensor_count(x), 2, scale_part, &s);
    atomic_fetch_add(&((counts *)user)->n_scaled, 1);
    return INGOT_OK;
}

RUN(tick)
{
    atomic_fetch_add(&((counts *)user)->n_ticked, 1);
    return scale(user, state, call, err);
}

/* ---- Later: the factor is its version ---- */

static ingot_status times(ingot_op_call *call, float factor, ingot_error *err)
{
    const ingot_value *x = ingot_op_input(call, 0);
    scaling s = { .from = ingot_tensor_data(x), .factor = factor };
    void *data = NULL;
    if (output_like(call, x, &data)) return err->status;
    s.to = data;
    scale_part(&s, 0, ingot_tensor_count(x));
    return INGOT_OK;
}

RUN(later3) { return times(call, 3, err); }
RUN(later5) { return times(call, 5, err); }

/* ---- Keep ---- */

INFER(infer_keep)
{
    outputs[0]->dtype = inputs[0]->dtype;
    outputs[0]->rank = 1;
    outputs[0]->dims[0] = -1;
    return INGOT_OK;
}

RUN(keep)
{
    const ingot_value *x = ingot_op_input(call, 0);
    const float *from = ingot_tensor_data(x);
    float *kept = ingot_op_scratch(call, ingot_tensor_bytes(x) + 1);
    void *data = NULL;
    int64_t n = 0;
    if (!kept) return ingot_error_set(err, INGOT_ERR_NOMEM, "no scratch");
    for (int64_t i = 0; i < ingot_tensor_count(x); i++)
        if (from[i] > 0) kept[n++] = from[i];
    if (ingot_op_output(call, 0, INGOT_FLOAT, 1, &n, &data)) return err->status;
    if (n) memcpy(data, kept, (size_t)n * sizeof *kept);
    return INGOT_OK;
}

/* ---- Repeat ---- */

INFER(infer_repeat)
{
    outputs[0]->dtype = inputs[0]->dtype;
    outputs[0]->rank = 2;
    outputs[0]->dims[0] = -1;
    outputs[0]->dims[1] = inputs[0]->dims[0];
    if (inputs[1]->value)
        outputs[0]->dims[0] = *(const int64_t *)ingot_tensor_data(inputs[1]->value);
    return INGOT_OK;
}

RUN(repeat)
{
    const ingot_value *x = ingot_op_input(call, 0), *n = ingot_op_input(call, 1);
    const int64_t dims[] = { *(const int64_t *)ingot_tensor_data(n), ingot_tensor_count(x) };
    const size_t bytes = ingot_tensor_bytes(x);
    void *data = NULL;
    if (ingot_op_output(call, 0, INGOT_FLOAT, 2, dims, &data)) return err->status;
    for (int64_t i = 0; i < dims[0]; i++)
        memcpy((char *)data + (size_t)i * bytes, ingot_tensor_data(x), bytes);
    return INGOT_OK;
}

/* ---- Upper ---- */

RUN(upper)
{
    const ingot_value *x = ingot_op_input(call, 0);
    const ingot_string *from = ingot_tensor_data(x);
    void *data = NULL;
    if (output_like(call, x, &data)) return err->status;
    ingot_string *to = data;
    for (int64_t i = 0; i < ingot_tensor_count(x); i++) {
        char *text = ingot_op_scratch(call, from[i].bytes + 1);
        if (!text) return ingot_error_set(err, INGOT_ERR_NOMEM, "no scratch");
        for (size_t k = 0; k < from[i].bytes; k++)
            text[k] = (char)toupper((unsigned char)from[i].data[k]);
        to[i] = (ingot_string){ text, from[i].bytes };
    }
    return INGOT_OK;
}

/* ---- Attributes ---- */

static int equals(ingot_string s, const char *text)
{
    return s.bytes == strlen(text) && memcmp(s.data, text, s.bytes) == 0;
}

CREATE(create_attributes)
{
    int64_t i = 0, absent = 42;
    float f = 0;
    ingot_string s = { "", 0 };
    const ingot_value *t = NULL;
    const int64_t *ints = NULL;
    const float *floats = NULL;
    const ingot_string *strings = NULL;
    size_t n_ints = 0, n_floats = 0, n_strings = 0, n_absent = 7;
    ingot_error wrong = { INGOT_OK, "" };
    if (ingot_op_attr_int(node, "i", &i, err) || ingot_op_attr_float(node, "f", &f, err) ||
        ingot_op_attr_string(node, "s", &s, err) || ingot_op_attr_tensor(node, "t", &t, err) ||
        ingot_op_attr_ints(node, "ints", &ints, &n_ints, err) ||
        ingot_op_attr_floats(node, "floats", &floats, &n_floats, err) ||
        ingot_op_attr_strings(node, "strings", &strings, &n_strings, err) ||
        ingot_op_attr_int(node, "absent", &absent, err) ||
        ingot_op_attr_ints(node, "absent", &ints, &n_absent, err))
        return err->status;
    const float *elements = t ? ingot_tensor_data(t) : NULL;
    const int is_right =
        i == -7 && f == 0.5f && equals(s, "word") && n_ints == 3 && ints[2] == 3 && n_floats == 2 &&
        floats[1] == 4 && n_strings == 2 && equals(strings[1], "bc") && absent == 42 &&
        n_absent == 7 && t && ingot_tensor_count(t) == 2000 && elements[1999] == 1999 &&
        (uintptr_t)elements % sizeof *elements == 0 && ingot_op_has_attr(node, "i") &&
        !ingot_op_has_attr(node, "absent") && strcmp(ingot_op_node_name(node), "y") == 0 &&
        ingot_op_node_version(node) == 1 && ingot_op_node_n_inputs(node) == 1 &&
        ingot_op_node_n_outputs(node) == 1 &&
        ingot_op_attr_int(node, "f", &i, &wrong) == INGOT_ERR_INVALID &&
        strstr(wrong.message, "attribute f is not an int") &&
        ingot_op_attr_floats(node, "ints", &floats, &n_floats, NULL) == INGOT_ERR_INVALID;
    return is_right ? INGOT_OK : ingot_error_set(err, INGOT_ERR_INVALID, "not as expected");
}

RUN(copy) { return times(call, 1, err); }

/* ---- Operands ---- */

INFER(infer_operands)
{
    if (n_inputs != 3 || !inputs[0] || inputs[1] || !inputs[2] || n_outputs != 2)
        return ingot_error_set(err, INGOT_ERR_INVALID, "wrong operands in infer");
    *outputs[0] = *inputs[0];
    *outputs[1] = *inputs[2];
    return INGOT_OK;
}

RUN(operands)
{
    const ingot_value *x = ingot_op_input(call, 2);
    void *data = &data;
    const int is_right = ingot_op_n_inputs(call) == 3 && ingot_op_n_outputs(call) == 2 &&
                         !ingot_op_input(call, 1) && !ingot_op_input(call, 3) &&
                         !output_like(call, x, &data) && data == NULL;
    if (!is_right) return ingot_error_set(err, INGOT_ERR_INVALID, "wrong operands in run");
    if (ingot_op_output(call, 1, INGOT_FLOAT, 1, ingot_tensor_dims(x), &data)) return err->status;
    memcpy(data, ingot_tensor_data(x), ingot_tensor_bytes(x));
    return INGOT_OK;
}

/* ---- Trouble ---- */

CREATE(create_trouble)
{
    ingot_string how = { "", 0 };
    if (ingot_op_attr_string(node, "how", &how, err)) return err->status;
    if (equals(how, "create__")) return ingot_error_set(err, INGOT_ERR_IO, "create says\nno");
    char *copy = calloc(how.bytes + 1, 1);
    if (!copy) return INGOT_ERR_NOMEM;
    memcpy(copy, how.data, how.bytes);
    atomic_fetch_add(&((counts *)user)->n_created, 1);
    *state = copy;
    return INGOT_OK;
}

INFER(infer_trouble)
{
    const char *how = state;
    *outputs[0] = *inputs[0];
    if (!strcmp(how, "infer___")) return ingot_error_set(err, INGOT_ERR_SHAPE, "infer says no");
    if (!strcmp(how, "dtype___")) outputs[0]->dtype = INGOT_UNDEFINED;
    if (!strcmp(how, "dtype99_")) outputs[0]->dtype = (ingot_dtype)99;
    if (!strcmp(how, "rank____")) outputs[0]->rank = 1000;
    if (!strcmp(how, "dim_____")) outputs[0]->dims[0] = -7;
    if (!strcmp(how, "huge____")) outputs[0]->dims[0] = INT64_MAX;
    if (!strcmp(how, "foretold")) outputs[0]->dims[0] = 5;
    if (!strncmp(how, "born", 4)) outputs[0]->dims[0] = -1;
    return INGOT_OK;
}

RUN(trouble)
{
    const char *how = state;
    const int64_t negative = -1, huge = INT64_MAX;
    void *data = NULL;
    if (!strcmp(how, "run_____")) return ingot_error_set(err, INGOT_ERR_IO, "run says no: %d", 7);
    if (!strcmp(how, "silent__")) return INGOT_ERR_UNSUPPORTED;
    if (!strcmp(how, "status__")) return (ingot_status)4711;
    if (!strcmp(how, "nothing_") || !strcmp(how, "born_no_")) return INGOT_OK;
    if (!strcmp(how, "born_neg")) return ingot_op_output(call, 0, INGOT_FLOAT, 1, &negative, &data);
    if (!strcmp(how, "born_big")) return ingot_op_output(call, 0, INGOT_FLOAT, 1, &huge, &data);
    if (!strcmp(how, "born_99_"))
        return ingot_op_output(call, 0, (ingot_dtype)99, 1, &negative, &data);
    if (!strcmp(how, "born_rnk")) return ingot_op_output(call, 0, INGOT_FLOAT, 9, &huge, &data);
    if (!strcmp(how, "swallow_")) { /* a failure that is ignored leaves the output missing */
        (void)ingot_op_output(call, 0, INGOT_FLOAT, 1, &negative, &data);
        return INGOT_OK;
    }
    return times(call, 1, err);
}

/* ---- the table ---- */

ingot_status register_test_ops(ingot_ops *ops, counts *c, ingot_error *err)
{
    static const struct {
        const char *name;
        int since_version, n_in, n_out;
        unsigned flags;
        ingot_status (*create)(void *, const ingot_op_node *, void **, ingot_error *);
        ingot_status (*infer)(void *, const void *, size_t, const ingot_op_shape *const *, size_t,
                              ingot_op_shape *const *, ingot_error *);
        ingot_status (*run)(void *, const void *, ingot_op_call *, ingot_error *);
    } table[] = {
        { "Scale", 0, 1, 1, INGOT_OP_PURE, create_factor, NULL, scale },
        { "Tick", 1, 1, 1, 0, create_factor, NULL, tick },
        { "Later", 5, 1, 1, INGOT_OP_PURE, NULL, NULL, later5 },
        { "Later", 3, 1, 1, INGOT_OP_PURE, NULL, NULL, later3 },
        { "Keep", 1, 1, 1, INGOT_OP_PURE, NULL, infer_keep, keep },
        { "Repeat", 1, 2, 1, INGOT_OP_PURE, NULL, infer_repeat, repeat },
        { "Upper", 1, 1, 1, INGOT_OP_PURE, NULL, NULL, upper },
        { "Attributes", 1, 1, 1, 0, create_attributes, NULL, copy },
        { "Operands", 1, 3, 2, INGOT_OP_PURE, NULL, infer_operands, operands },
        { "Trouble", 1, 1, 1, INGOT_OP_PURE, create_trouble, infer_trouble, trouble },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ingot_op_def def = INGOT_OP_DEF_INIT;
        def.domain = "test";
        def.name = table[i].name;
        def.since_version = table[i].since_version;
        def.n_inputs[0] = table[i].n_in == 3 ? 1 : table[i].n_in;
        def.n_inputs[1] = table[i].n_in;
        def.n_outputs[0] = 1;
        def.n_outputs[1] = table[i].n_out;
        def.flags = table[i].flags;
        def.user = c;
        def.create = table[i].create;
        def.destroy =
            table[i].create && table[i].create != create_attributes ? destroy_state : NULL;
        def.infer = table[i].infer;
        def.run = table[i].run;
        if (ingot_op_register(ops, &def, err)) return err->status;
    }
    return INGOT_OK;
}
