/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a model that is opened, optimised and run through the public API, with small inputs
 * and a bound on memory. Whatever happens must end in a result or in a one-line error. A run that
 * takes long (a Loop of 2^63 iterations is a valid model) is cancelled by a timer, which tests
 * that, too.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "ingot.h"

#define MAX_INPUTS 16
#define MAX_INPUT_ELEMENTS 65536
#define RUN_MS 300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static ingot_session *volatile running; /* what the timer cancels */

static void on_timer(int signal_number)
{
    (void)signal_number;
    if (running) ingot_session_cancel(running);
}

static void set_timer(int ms)
{
    struct itimerval timer = { .it_value = { 0, ms * 1000 } };

    signal(SIGALRM, on_timer);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void check_error(const ingot_error *err)
{
    if (!err->message[0] || strchr(err->message, '\n') || err->status == INGOT_ERR_INTERNAL) {
        fprintf(stderr, "bad error %d: %s\n", (int)err->status, err->message);
        abort();
    }
}

/* Small whole numbers, both signs where the type has them. */
static void fill(ingot_value *tensor)
{
    int64_t n = ingot_tensor_count(tensor);
    void *data = ingot_tensor_data_mutable(tensor);

    for (int64_t i = 0; i < n; i++) {
        int x = (int)(i % 5) - 1;

        switch ((int)ingot_tensor_dtype(tensor)) {
        case INGOT_FLOAT: ((float *)data)[i] = (float)x; break;
        case INGOT_DOUBLE: ((double *)data)[i] = x; break;
        case INGOT_INT64: ((int64_t *)data)[i] = x; break;
        case INGOT_INT32: ((int32_t *)data)[i] = x; break;
        case INGOT_INT8: ((int8_t *)data)[i] = (int8_t)x; break;
        case INGOT_UINT8: ((uint8_t *)data)[i] = (uint8_t)(x + 1); break;
        case INGOT_BOOL: ((uint8_t *)data)[i] = x > 0; break;
        case INGOT_STRING: (void)ingot_tensor_set_string(tensor, i, "a1", 1 + (i & 1), NULL); break;
        default: break; /* zeroes */
        }
    }
}

/* A tensor as the input declares it; free dimensions are 2. NULL when too large. */
static ingot_value *make_tensor(const ingot_io_info *info)
{
    int64_t dims[INGOT_MAX_RANK] = { 2 }, count = 1;
    int rank = info->rank < 0 ? 1 : info->rank;
    ingot_value *tensor = NULL;

    for (int d = 0; d < rank; d++) {
        dims[d] = info->rank < 0 || info->dims[d] < 0 ? 2 : info->dims[d];
        if (dims[d] > MAX_INPUT_ELEMENTS) return NULL;
        count *= dims[d];
        if (count > MAX_INPUT_ELEMENTS) return NULL;
    }
    if (ingot_tensor_create(info->dtype, rank, dims, &tensor, NULL) != INGOT_OK) return NULL;
    fill(tensor);
    return tensor;
}

static ingot_value *make_input(const ingot_io_info *info)
{
    ingot_value *item = info->kind == INGOT_KIND_MAP ? NULL : make_tensor(info), *value = NULL;

    if (!item || info->kind == INGOT_KIND_TENSOR) return item;
    if (info->kind == INGOT_KIND_OPTIONAL) {
        if (ingot_optional_create(item, &value, NULL) == INGOT_OK) return value;
    } else if (ingot_sequence_create(&value, NULL) == INGOT_OK) {
        if (ingot_sequence_push(value, item, NULL) == INGOT_OK) return value;
        ingot_value_destroy(value);
    }
    ingot_value_destroy(item);
    return NULL;
}

/* Touch every output, so that sanitizers see what is not there. */
static void read_outputs(const ingot_model *model, const ingot_session *session)
{
    volatile uint8_t sum = 0;

    for (size_t i = 0; i < ingot_model_n_outputs(model); i++) {
        const ingot_value *out = ingot_session_output(session, i);
        const uint8_t *bytes;

        if (!out) abort();
        if (ingot_value_kind(out) != INGOT_KIND_TENSOR) continue;
        bytes = ingot_tensor_data(out);
        for (size_t k = 0; k < ingot_tensor_bytes(out); k++) sum = (uint8_t)(sum + bytes[k]);
    }
}

static void run(ingot_model *model)
{
    ingot_value *inputs[MAX_INPUTS] = { NULL };
    ingot_session_options options = INGOT_SESSION_OPTIONS_INIT;
    ingot_session *session = NULL;
    size_t n = ingot_model_n_inputs(model);
    ingot_error err = { 0 };

    options.n_threads = 1;
    if (n > MAX_INPUTS) return;
    if (ingot_session_create(model, &options, &session, &err) != INGOT_OK) {
        check_error(&err);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        ingot_io_info info;

        ingot_model_input(model, i, &info);
        inputs[i] = make_input(&info);
    }
    for (int again = 0; again < 2; again++) {
        ingot_status status;

        running = session;
        set_timer(RUN_MS);
        status = ingot_session_run(session, (const ingot_value *const *)inputs, n, &err);
        set_timer(0);
        running = NULL;
        if (status == INGOT_OK) {
            read_outputs(model, session);
        } else {
            check_error(&err);
            break;
        }
    }
    ingot_session_destroy(session);
    for (size_t i = 0; i < n; i++) ingot_value_destroy(inputs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const ingot_opt_level levels[] = { INGOT_OPT_NONE, INGOT_OPT_ALL };

    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
        ingot_model *model = NULL;
        ingot_error err = { 0 };

        options.opt_level = levels[i];
        options.max_memory_bytes = (size_t)64 << 20;
        if (ingot_model_open_memory(data, bytes, &options, &model, &err) != INGOT_OK) {
            check_error(&err);
            return 0;
        }
        run(model);
        ingot_model_close(model);
    }
    return 0;
}
