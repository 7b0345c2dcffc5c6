/* SPDX-License-Identifier: Apache-2.0 */
/* fixture.h: a set of custom operators, a model, a session. */
#ifndef IG_TESTS_CUSTOM_FIXTURE_H
#define IG_TESTS_CUSTOM_FIXTURE_H

#include <stdlib.h>

#include "custom/ops.h"
#include "unit/check.h"

static const char *folder;
static char path_text[4096];

static inline const char *path_of(const char *name)
{
    snprintf(path_text, sizeof path_text, "%s/%s.onnx", folder, name);
    return path_text;
}

/* A set with the test's operators, a model, a session. */
typedef struct fixture {
    counts c;
    ingot_ops *ops;
    ingot_model_options options;
    ingot_model *model;
    ingot_session *session;
    ingot_error err;
} fixture;

static inline void init(fixture *f)
{
    *f = (fixture){ .options = INGOT_MODEL_OPTIONS_INIT };
    CHECK(ingot_ops_create(&f->ops, &f->err) == INGOT_OK);
    CHECK(register_test_ops(f->ops, &f->c, &f->err) == INGOT_OK);
    f->options.ops = f->ops;
}

static inline ingot_status open_model(fixture *f, const char *name)
{
    ingot_session_options options = INGOT_SESSION_OPTIONS_INIT;
    options.n_threads = 2;
    const ingot_status status = ingot_model_open(path_of(name), &f->options, &f->model, &f->err);
    return status ? status : ingot_session_create(f->model, &options, &f->session, &f->err);
}

static inline void close_model(fixture *f)
{
    ingot_session_destroy(f->session);
    ingot_model_close(f->model);
    f->session = NULL;
    f->model = NULL;
}

static inline void deinit(fixture *f)
{
    close_model(f);
    ingot_ops_destroy(f->ops);
    CHECK(f->c.n_created == f->c.n_destroyed);
}

static inline ingot_value *floats(int rank, const int64_t *dims, const float *x)
{
    ingot_value *v = NULL;
    ingot_error err = { INGOT_OK, "" };
    if (CHECK(ingot_tensor_create(INGOT_FLOAT, rank, dims, &v, &err) == INGOT_OK) &&
        ingot_tensor_bytes(v))
        memcpy(ingot_tensor_data_mutable(v), x, ingot_tensor_bytes(v));
    return v;
}

static inline ingot_value *vector(int64_t n, const float *x) { return floats(1, &n, x); }

/* Is output i a float tensor of n elements with these contents? */
static inline bool gives(const fixture *f, size_t i, int rank, int64_t n, const float *want)
{
    const ingot_value *y = ingot_session_output(f->session, i);
    if (!y || ingot_tensor_dtype(y) != INGOT_FLOAT || ingot_tensor_rank(y) != rank ||
        ingot_tensor_count(y) != n)
        return false;
    return n == 0 || memcmp(ingot_tensor_data(y), want, (size_t)n * sizeof *want) == 0;
}

static inline ingot_status run(fixture *f, const ingot_value *const *in, size_t n)
{
    const ingot_status status = ingot_session_run(f->session, in, n, &f->err);
    if (status) CHECK(f->err.message[0] && !strchr(f->err.message, '\n'));
    return status;
}

#endif
