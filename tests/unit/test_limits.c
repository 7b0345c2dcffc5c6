/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds of ingot_model_options and ingot_session_options, through the API. */
#include "base/limits.h"
#include "check.h"

/* One run of a model whose inputs all have one element of zeroes, or the status of opening it. */
static ingot_status run_once(const char *path, const ingot_model_options *options,
                             const ingot_session_options *how, ingot_error *err)
{
    ingot_model *model = NULL;
    ingot_session *session = NULL;
    ingot_value *in[8] = { NULL };
    ingot_status status = ingot_model_open(path, options, &model, err);
    if (!status) status = ingot_session_create(model, how, &session, err);
    const size_t n = model ? ingot_model_n_inputs(model) : 0;
    for (size_t i = 0; !status && i < n && i < IG_COUNT(in); i++) {
        ingot_io_info info;
        ingot_model_input(model, i, &info);
        for (int d = 0; d < info.rank; d++)
            if (info.dims[d] < 0) info.dims[d] = 1;
        status = ingot_tensor_create(info.dtype, info.rank, info.dims, &in[i], err);
    }
    if (!status) status = ingot_session_run(session, (const ingot_value *const *)in, n, err);
    for (size_t i = 0; i < IG_COUNT(in); i++) ingot_value_destroy(in[i]);
    ingot_session_destroy(session);
    ingot_model_close(model);
    return status;
}

static void test_defaults(void)
{
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    ig_error err = { INGOT_OK, "" };
    ig_limits limits;
    CHECK(ig_limits_of(&options, &limits, &err) == INGOT_OK);
    CHECK(limits.max_nodes == 1000000 && limits.max_loop_steps == 100000000);
    CHECK(limits.max_tensor_bytes > (size_t)1 << 24);
    CHECK(ig_limits_check_tensor(NULL, SIZE_MAX, &err) == INGOT_OK);
    CHECK(ig_limits_check_tensor(&limits, limits.max_tensor_bytes, &err) == INGOT_OK);
    CHECK(ig_limits_check_tensor(&limits, limits.max_tensor_bytes + 1, &err) == INGOT_ERR_LIMIT);
    CHECK(strstr(err.message, "max_tensor_bytes (--max-tensor)"));
}

static void test_endless(const char *path)
{
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    ingot_session_options how = INGOT_SESSION_OPTIONS_INIT;
    ingot_error err;
    options.max_loop_steps = 20;
    CHECK(run_once(path, &options, &how, &err) == INGOT_ERR_LIMIT);
    CHECK(strstr(err.message, "max_loop_steps") && strstr(err.message, " 20 steps"));
    options.max_loop_steps = 0;
    how.timeout_ms = 50;
    CHECK(run_once(path, &options, &how, &err) == INGOT_ERR_LIMIT);
    CHECK(strstr(err.message, "timeout_ms") && strstr(err.message, " 50 ms"));
    options.max_nodes = 1;
    CHECK(run_once(path, &options, &how, &err) == INGOT_ERR_LIMIT);
    CHECK(strstr(err.message, "max_nodes"));
}

static void test_nonsense(const char *path)
{
    ingot_error err;
    const struct {
        int64_t max_nodes, max_loop_steps, timeout_ms;
    } wrong[] = { { -1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 }, { 0, 0, INT64_MAX } };
    for (size_t i = 0; i < IG_COUNT(wrong); i++) {
        ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
        ingot_session_options how = INGOT_SESSION_OPTIONS_INIT;
        options.max_nodes = wrong[i].max_nodes;
        options.max_loop_steps = wrong[i].max_loop_steps;
        how.timeout_ms = wrong[i].timeout_ms;
        CHECK(run_once(path, &options, &how, &err) == INGOT_ERR_INVALID);
    }
}

/* Steps count by run: three a run of this model, however often it runs. */
static void test_again(const char *path)
{
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    const int64_t dims[] = { 3, 2 };
    ingot_value *in[2] = { NULL };
    ingot_error err;
    CHECK(ingot_tensor_create(INGOT_FLOAT, 1, dims + 1, &in[0], &err) == INGOT_OK);
    CHECK(ingot_tensor_create(INGOT_FLOAT, 2, dims, &in[1], &err) == INGOT_OK);
    for (options.max_loop_steps = 2; options.max_loop_steps <= 3; options.max_loop_steps++) {
        ingot_model *model = NULL;
        ingot_session *session = NULL;
        const ingot_status want = options.max_loop_steps < 3 ? INGOT_ERR_LIMIT : INGOT_OK;
        CHECK(ingot_model_open(path, &options, &model, &err) == INGOT_OK);
        CHECK(ingot_session_create(model, NULL, &session, &err) == INGOT_OK);
        for (int i = 0; i < 3; i++)
            CHECK(ingot_session_run(session, (const ingot_value *const *)in, 2, &err) == want);
        ingot_session_destroy(session);
        ingot_model_close(model);
    }
    ingot_value_destroy(in[0]);
    ingot_value_destroy(in[1]);
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    test_defaults();
    test_endless(argv[1]);
    test_nonsense(argv[1]);
    test_again(argv[2]);
    return check_report();
}
