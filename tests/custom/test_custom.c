/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Custom operators through ingot.h: found by domain, name and version, at every level of
 * optimisation, in subgraphs and functions, with shapes that inference, data or only the kernel
 * tells. The models are made by make_models.py.
 */
#include <pthread.h>

#include "custom/fixture.h"

/* ---- what is computed ---- */

static void test_chain(ingot_opt_level level)
{
    fixture f;
    const float x[] = { -1, 2, 3, -4, 5, -6 }, want[] = { 3, 0, 0, 12, 0, 18 };
    const int64_t dims[] = { 2, 3 };
    ingot_value *in = floats(2, dims, x);
    ingot_io_info info;
    init(&f);
    f.options.opt_level = level;
    CHECK(open_model(&f, "chain") == INGOT_OK);
    ingot_model_output(f.model, 0, &info);
    CHECK(info.rank == 2 && info.dims[1] == 3 && info.dim_names[0] && info.dim_names[0][0] == 'n');
    /* The set and the model's handle may go before the session. */
    ingot_ops_destroy(f.ops);
    f.ops = NULL;
    ingot_model_close(f.model);
    f.model = NULL;
    CHECK(run(&f, (const ingot_value *const[]){ in }, 1) == INGOT_OK);
    CHECK(gives(&f, 0, 2, 6, want));
    CHECK(f.c.n_created == 1 && f.c.n_destroyed == 0 && f.c.n_scaled == 1);
    ingot_value_destroy(in);
    deinit(&f);
}

static void test_versions(void)
{
    fixture f;
    const float x[] = { 1, 2, 3 }, want[] = { 5, 10, 15 };
    const int64_t dims[] = { 1, 3 };
    ingot_value *in = floats(2, dims, x);
    init(&f);
    CHECK(open_model(&f, "version2") == INGOT_ERR_UNSUPPORTED);
    CHECK(strstr(f.err.message, "came with version 3, the model declares 2"));
    CHECK(open_model(&f, "version5") == INGOT_OK);
    CHECK(run(&f, (const ingot_value *const[]){ in }, 1) == INGOT_OK && gives(&f, 0, 2, 3, want));
    ingot_value_destroy(in);
    deinit(&f);
}

static void test_twins(ingot_opt_level level)
{
    fixture f;
    const float x[] = { 1, 2, 3 }, want[] = { 4, 8, 12 };
    const int64_t dims[] = { 1, 3 };
    ingot_value *in = floats(2, dims, x);
    init(&f);
    f.options.opt_level = level;
    CHECK(open_model(&f, "twins") == INGOT_OK);
    CHECK(run(&f, (const ingot_value *const[]){ in }, 1) == INGOT_OK);
    CHECK(gives(&f, 0, 2, 3, want) && gives(&f, 1, 2, 3, want));
    CHECK(f.c.n_ticked == 2);
    /* Each tick scales as well. */
    CHECK(f.c.n_scaled - f.c.n_ticked == (level == INGOT_OPT_NONE ? 2 : 1));
    ingot_value_destroy(in);
    deinit(&f);
}

static void test_folded(ingot_opt_level level)
{
    fixture f;
    const float x[] = { 1, 1, 1 }, want[] = { 3, 5, 7 };
    ingot_value *in = vector(3, x);
    init(&f);
    f.options.opt_level = level;
    CHECK(open_model(&f, "folded") == INGOT_OK);
    const int n_folded = f.c.n_scaled;
    CHECK(n_folded == (level == INGOT_OPT_NONE ? 0 : 1) && f.c.n_ticked == 0);
    for (int i = 1; i <= 2; i++) {
        CHECK(run(&f, (const ingot_value *const[]){ in }, 1) == INGOT_OK);
        CHECK(gives(&f, 0, 1, 3, want) && gives(&f, 1, 1, 3, want) && f.c.n_ticked == i);
    }
    ingot_value_destroy(in);
    deinit(&f);
}

static void test_places(ingot_opt_level level)
{
    fixture f;
    /* then: 5x, else: -7x; thrice; twice doubled; rows of what is above 0 */
    const float x[] = { 1, 2, 3 };
    const float want[2][3] = { { -84, -168, -252 }, { 60, 120, 180 } };
    const float rows[] = { 30, 60, 90, 60, 120, 180 };
    ingot_value *in[2] = { vector(3, x), NULL };
    CHECK(ingot_tensor_create(INGOT_BOOL, 0, NULL, &in[1], NULL) == INGOT_OK);
    init(&f);
    f.options.opt_level = level;
    CHECK(open_model(&f, "places") == INGOT_OK);
    for (int c = 0; c < 2; c++) {
        *(unsigned char *)ingot_tensor_data_mutable(in[1]) = (unsigned char)c;
        CHECK(run(&f, (const ingot_value *const *)in, 2) == INGOT_OK);
        CHECK(gives(&f, 0, 1, 3, want[c]) && gives(&f, 1, 2, c ? 6 : 0, rows));
    }
    ingot_value_destroy(in[0]);
    ingot_value_destroy(in[1]);
    deinit(&f);
}

static void test_keep(ingot_opt_level level)
{
    fixture f;
    const float x[] = { 1, -2, 3 }, want[] = { 2, 4 };
    ingot_value *some = vector(3, x), *none = vector(1, x + 1);
    init(&f);
    f.options.opt_level = level;
    CHECK(open_model(&f, "keep") == INGOT_OK);
    CHECK(run(&f, (const ingot_value *const[]){ some }, 1) == INGOT_OK && gives(&f, 0, 1, 2, want));
    CHECK(*(const int64_t *)ingot_tensor_data(ingot_session_output(f.session, 1)) == 2);
    CHECK(run(&f, (const ingot_value *const[]){ none }, 1) == INGOT_OK && gives(&f, 0, 1, 0, NULL));
    ingot_value_destroy(some);
    ingot_value_destroy(none);
    deinit(&f);
}

static void test_repeat(void)
{
    fixture f;
    const float x[] = { 1, 2 }, want[] = { 1, 2, 1, 2, 1, 2 };
    ingot_value *in[2] = { vector(2, x), NULL };
    ingot_io_info info;
    CHECK(ingot_tensor_create(INGOT_INT64, 0, NULL, &in[1], NULL) == INGOT_OK);
    *(int64_t *)ingot_tensor_data_mutable(in[1]) = 2;
    init(&f);
    CHECK(open_model(&f, "repeat") == INGOT_OK);
    ingot_model_output(f.model, 0, &info);
    CHECK(info.rank == 2 && info.dims[0] == 3 && info.dims[1] == 2);
    CHECK(run(&f, (const ingot_value *const *)in, 1) == INGOT_OK && gives(&f, 0, 2, 6, want));
    close_model(&f);
    CHECK(open_model(&f, "repeat_fed") == INGOT_OK);
    CHECK(run(&f, (const ingot_value *const *)in, 2) == INGOT_OK && gives(&f, 0, 2, 4, want));
    ingot_value_destroy(in[0]);
    ingot_value_destroy(in[1]);
    deinit(&f);
}

static void test_words(void)
{
    fixture f;
    ingot_value *in = NULL;
    const int64_t n = 2;
    init(&f);
    CHECK(ingot_tensor_create(INGOT_STRING, 1, &n, &in, NULL) == INGOT_OK);
    CHECK(ingot_tensor_set_string(in, 0, "words", 5, NULL) == INGOT_OK);
    CHECK(open_model(&f, "words") == INGOT_OK);
    CHECK(run(&f, (const ingot_value *const[]){ in }, 1) == INGOT_OK);
    const ingot_string *out = ingot_tensor_data(ingot_session_output(f.session, 0));
    CHECK(out[0].bytes == 5 && memcmp(out[0].data, "WORDS", 5) == 0 && out[1].bytes == 0);
    ingot_value_destroy(in);
    deinit(&f);
}

static void test_operands(void)
{
    fixture f;
    const float x[] = { 1, 2 };
    ingot_value *in = vector(2, x);
    init(&f);
    if (!CHECK(open_model(&f, "operands") == INGOT_OK)) printf("%s\n", f.err.message);
    CHECK(run(&f, (const ingot_value *const[]){ in }, 1) == INGOT_OK && gives(&f, 0, 1, 2, x));
    close_model(&f);
    if (!CHECK(open_model(&f, "attributes") == INGOT_OK)) printf("%s\n", f.err.message);
    ingot_value_destroy(in);
    deinit(&f);
}

/* ---- several sessions at once share the state of a node ---- */

#define N_THREADS 3
#define N_RUNS 50

static void *run_often(void *ctx)
{
    fixture own = { .model = ((const fixture *)ctx)->model }; /* the session is this thread's */
    const float x[] = { -1, 2, 3, -4, 5, -6 }, want[] = { 3, 0, 0, 12, 0, 18 };
    const int64_t dims[] = { 2, 3 };
    ingot_value *in = NULL;
    bool is_right = !ingot_tensor_create(INGOT_FLOAT, 2, dims, &in, NULL) &&
                    !ingot_session_create(own.model, NULL, &own.session, NULL);
    if (is_right) memcpy(ingot_tensor_data_mutable(in), x, sizeof x);
    for (int i = 0; is_right && i < N_RUNS; i++)
        is_right = !ingot_session_run(own.session, (const ingot_value *const[]){ in }, 1, NULL) &&
                   gives(&own, 0, 2, 6, want);
    ingot_session_destroy(own.session);
    ingot_value_destroy(in);
    return is_right ? ctx : NULL;
}

static void test_threads(void)
{
    fixture f;
    pthread_t threads[N_THREADS];
    init(&f);
    CHECK(open_model(&f, "chain") == INGOT_OK);
    for (int i = 0; i < N_THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, run_often, &f) == 0);
    for (int i = 0; i < N_THREADS; i++) {
        void *result = NULL;
        CHECK(pthread_join(threads[i], &result) == 0 && result == &f);
    }
    CHECK(f.c.n_created == 1 && f.c.n_scaled == N_THREADS * N_RUNS);
    deinit(&f);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    folder = argv[1];
    for (int level = INGOT_OPT_ALL; level <= INGOT_OPT_NONE; level++) {
        test_chain((ingot_opt_level)level);
        test_twins((ingot_opt_level)level);
        test_folded((ingot_opt_level)level);
        test_places((ingot_opt_level)level);
        test_keep((ingot_opt_level)level);
    }
    test_versions();
    test_repeat();
    test_words();
    test_operands();
    test_threads();
    return check_report();
}
