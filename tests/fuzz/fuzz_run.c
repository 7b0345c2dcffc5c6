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

static void run(ingot_model *model)
{
    ingot_session_options options = INGOT_SESSION_OPTIONS_INIT;
    ingot_session *session = NULL;
    ingot_error err = { 0 };
    feed inputs;

    options.n_threads = 1;
    ingot_status status = ingot_session_create(model, &options, &session, &err);
    if (status) {
        check_error(&err, status);
        return;
    }
    feed_make(&inputs, model, 2, 0);
    for (int again = 0; again < 2 && !status; again++) {
        running = session;
        set_timer(RUN_MS);
        status = feed_run(&inputs, session, &err);
        set_timer(0);
        running = NULL;
        if (status) check_error(&err, status);
        /* All bytes are read, so that sanitizers see what is not there. */
        if (!status && feed_outputs(model, session) == 0) abort();
    }
    ingot_session_destroy(session);
    feed_free(&inputs);
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
        const ingot_status status = ingot_model_open_memory(data, bytes, &options, &model, &err);
        if (status) {
            check_error(&err, status);
            return 0;
        }
        run(model);
        ingot_model_close(model);
    }
    return 0;
}
