/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a model that is opened, optimised and run through the public API, with small inputs
 * and all the bounds that a caller can set. Whatever happens must end in a result or in a one-line
 * error, and outputs have the same types and shapes at each level of optimisation. A run that takes
 * long (a Loop of 2^63 iterations is a valid model) ends by its bounds, or is cancelled by a timer,
 * which tests that, too.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "../fault/feed.h"
#include "ingot.h"

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

static void check_error(const ingot_error *err, ingot_status status)
{
    if (!feed_is_clean_error(err, status) || status == INGOT_ERR_INTERNAL) {
        fprintf(stderr, "bad error %d (%d): %s\n", (int)status, (int)err->status, err->message);
        abort();
    }
}

/* Kinds, types and shapes, not contents. */
static uint64_t hash_shape(uint64_t hash, const ingot_value *value)
{
    const int kind = (int)ingot_value_kind(value);

    hash = feed_hash(hash, &kind, sizeof kind);
    for (size_t i = 0; i < ingot_value_n_items(value); i++)
        hash = hash_shape(hash, ingot_value_item(value, i));
    if (kind != INGOT_KIND_TENSOR) return hash;
    const int dtype = (int)ingot_tensor_dtype(value);
    hash = feed_hash(hash, &dtype, sizeof dtype);
    return feed_hash(hash, ingot_tensor_dims(value),
                     (size_t)ingot_tensor_rank(value) * sizeof(int64_t));
}

typedef struct outcome {
    ingot_status status;
    ingot_error err;
    uint64_t shapes; /* of the outputs of the first run */
} outcome;

static void run(ingot_model *model, outcome *o)
{
    ingot_session_options options = INGOT_SESSION_OPTIONS_INIT;
    ingot_session *session = NULL;
    feed inputs;

    options.n_threads = 1;
    options.timeout_ms = RUN_MS * 2 / 3;
    o->status = ingot_session_create(model, &options, &session, &o->err);
    if (o->status) return;
    feed_make(&inputs, model, 2, 0);
    for (int again = 0; again < 2 && !o->status; again++) {
        running = session;
        set_timer(RUN_MS);
        o->status = feed_run(&inputs, session, &o->err);
        set_timer(0);
        running = NULL;
        if (o->status) break;
        /* All bytes are read, so that sanitizers see what is not there. */
        if (feed_outputs(model, session) == 0) abort();
        o->shapes = 0;
        for (size_t i = 0; i < ingot_model_n_outputs(model); i++)
            o->shapes = hash_shape(o->shapes, ingot_session_output(session, i));
    }
    ingot_session_destroy(session);
    feed_free(&inputs);
}

static bool is_bound(ingot_status status)
{
    return status == INGOT_ERR_NOMEM || status == INGOT_ERR_LIMIT || status == INGOT_ERR_CANCELLED;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const ingot_opt_level levels[] = { INGOT_OPT_NONE, INGOT_OPT_ALL };
    outcome outcomes[2] = { 0 };

    for (size_t i = 0; i < 2; i++) {
        ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
        ingot_model *model = NULL;
        outcome *o = &outcomes[i];

        options.opt_level = levels[i];
        options.max_memory_bytes = (size_t)64 << 20;
        options.max_tensor_bytes = (size_t)16 << 20;
        options.max_nodes = 10000;
        options.max_loop_steps = 1000;
        o->status = ingot_model_open_memory(data, bytes, &options, &model, &o->err);
        if (!o->status) run(model, o);
        if (o->status) check_error(&o->err, o->status);
        ingot_model_close(model);
        if (o->status && i == 0) return 0;
    }
    /* Passes may drop a node that fails, but make none that does. */
    if (is_bound(outcomes[1].status)) return 0;
    if (outcomes[1].status || outcomes[1].shapes != outcomes[0].shapes) {
        fprintf(stderr, "other shapes, or a failure, when optimised: %s\n",
                outcomes[1].err.message);
        abort();
    }
    return 0;
}
