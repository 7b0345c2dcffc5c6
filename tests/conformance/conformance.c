/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conformance.c: runs tests in the layout of the ONNX backend suite and says how each one ends.
 *
 *   conformance [--opt none|basic|all] [--cpu MASK] [--threads N] [--jobs N] [--seconds S]
 *               [--rtol R] [--atol A] FOLDER…
 *
 * A FOLDER is one test (model.onnx, test_data_set_0/input_0.pb, …/output_0.pb, …), or a folder of
 * such tests. A model light_NAME.onnx in a folder is a test, too: its input is i/n, element by
 * element, and the answer stands in light_NAME_output_0.pb. (https://onnx.ai/onnx, "ONNX backend
 * test"; the rules of comparison are those of its runner: element type, shape and strings exactly,
 * |got - want| <= atol + rtol |want|, NaN equals NaN.)
 *
 * One line a test: NAME, result, largest relative difference, cause; separated by tabs.
 * Results: PASS, LOAD (the model is refused), RUN (the run fails), VALUE (another answer),
 * DATA (the test's own files cannot be read), CRASH, HANG. Each test has a process of its own.
 * Exit status: 0 when every test passed, else 1.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "ingot.h"
#include "ir/tensor.h"
#include "test_data.h"

#define MAX_VALUES 64
#define MAX_JOBS 64
#define PATH_BYTES TEST_DATA_PATH_BYTES

typedef struct options {
    ingot_opt_level level;
    const char *cpu;
    int n_threads, n_jobs, seconds;
    double rtol, atol;
} options;

typedef enum result { PASS, LOAD, RUN, VALUE, DATA, CRASH, HANG } result;
static const char *const result_names[] = {
    "PASS", "LOAD", "RUN", "VALUE", "DATA", "CRASH", "HANG"
};

typedef struct outcome {
    result result;
    double worst; /* largest |got - want| / |want| that was seen */
    char why[1024];
} outcome;

/* ---- comparison ---- */

static outcome failed(result r, const char *why)
{
    outcome o = { .result = r };
    snprintf(o.why, sizeof o.why, "%s", why);
    return o;
}

static bool same_value(const ingot_value *got, const ingot_value *want, const options *opt,
                       outcome *o);

static bool differs(outcome *o, const char *format, int64_t i, double got, double want)
{
    o->result = VALUE;
    snprintf(o->why, sizeof o->why, format, (long long)i, got, want);
    return false;
}

static bool same_numbers(const ig_tensor *got, const ig_tensor *want, const options *opt,
                         outcome *o)
{
    const bool is_int = want->dtype != INGOT_BOOL && ingot_dtype_bits(want->dtype) == 64 &&
                        (want->dtype == INGOT_INT64 || want->dtype == INGOT_UINT64);
    const bool is_complex = want->dtype == INGOT_COMPLEX64 || want->dtype == INGOT_COMPLEX128;
    const ingot_dtype part = want->dtype == INGOT_COMPLEX64    ? INGOT_FLOAT
                             : want->dtype == INGOT_COMPLEX128 ? INGOT_DOUBLE
                                                               : want->dtype;
    const int64_t n = ig_tensor_count(want) * (is_complex ? 2 : 1);
    for (int64_t i = 0; i < n; i++) {
        if (is_int && ig_get_i64(part, got->data, i) == ig_get_i64(part, want->data, i)) continue;
        const double g = ig_get_f64(part, got->data, i), w = ig_get_f64(part, want->data, i);
        if ((isnan(g) && isnan(w)) || g == w) continue;
        const double difference = fabs(g - w);
        if (isnan(g) || isnan(w) || isinf(g) || isinf(w) ||
            difference > opt->atol + opt->rtol * fabs(w))
            return differs(o, "element %lld is %.9g, not %.9g", i, g, w);
        if (w != 0 && difference / fabs(w) > o->worst) o->worst = difference / fabs(w);
    }
    return true;
}

static bool same_strings(const ig_tensor *got, const ig_tensor *want, outcome *o)
{
    const ingot_string *g = got->data, *w = want->data;
    for (int64_t i = 0; i < ig_tensor_count(want); i++) {
        if (g[i].bytes == w[i].bytes && (!w[i].bytes || !memcmp(g[i].data, w[i].data, w[i].bytes)))
            continue;
        o->result = VALUE;
        snprintf(o->why, sizeof o->why, "element %lld is \"%.*s\", not \"%.*s\"", (long long)i,
                 (int)g[i].bytes, g[i].data, (int)w[i].bytes, w[i].data);
        return false;
    }
    return true;
}

static bool same_tensor(const ig_tensor *got, const ig_tensor *want, const options *opt, outcome *o)
{
    char a[128], b[128];
    bool same = got->dtype == want->dtype && got->rank == want->rank;
    for (int d = 0; same && d < want->rank; d++) same = got->dims[d] == want->dims[d];
    if (!same) {
        o->result = VALUE;
        snprintf(o->why, sizeof o->why, "is %s, not %s",
                 ig_shape_format(got->dtype, got->rank, got->dims, a, sizeof a),
                 ig_shape_format(want->dtype, want->rank, want->dims, b, sizeof b));
        return false;
    }
    if (want->dtype == INGOT_STRING) return same_strings(got, want, o);
    return same_numbers(got, want, opt, o);
}

static bool same_items(const ingot_value *got, const ingot_value *want, const options *opt,
                       outcome *o)
{
    const size_t n = ingot_value_n_items(want);
    if (ingot_value_n_items(got) != n)
        return differs(o, "has %lld items: %g, not %g", (int64_t)n,
                       (double)ingot_value_n_items(got), (double)n);
    for (size_t i = 0; i < n; i++)
        if (!same_value(ingot_value_item(got, i), ingot_value_item(want, i), opt, o)) return false;
    return true;
}

static bool same_value(const ingot_value *got, const ingot_value *want, const options *opt,
                       outcome *o)
{
    if (!got) {
        *o = failed(VALUE, "is missing");
        return false;
    }
    if (ingot_value_kind(got) != ingot_value_kind(want)) {
        *o = failed(VALUE, "is of another kind");
        return false;
    }
    if (ingot_value_kind(want) == INGOT_KIND_TENSOR) return same_tensor(got, want, opt, o);
    return same_items(got, want, opt, o);
}

/* ---- one test ---- */

/* i/n for each element i of n: what the light models are fed with. */
static ingot_status light_input(const ingot_model *model, ingot_value **out, ingot_error *err)
{
    ingot_io_info info;
    size_t i = 0;
    do ingot_model_input(model, i, &info);
    while (info.has_default && ++i < ingot_model_n_inputs(model));
    const ingot_status status = ingot_tensor_create(INGOT_FLOAT, info.rank, info.dims, out, err);
    if (status) return status;
    float *x = ingot_tensor_data_mutable(*out);
    const int64_t n = ingot_tensor_count(*out);
    for (int64_t k = 0; k < n; k++) x[k] = (float)k / (float)n;
    return INGOT_OK;
}

typedef struct test {
    char name[256], model[PATH_BYTES],
        data[PATH_BYTES]; /* data: folder, or the answer of a light model */
    bool is_light;
} test;

static outcome compare_outputs(const test *t, ingot_model *model, ingot_session *session,
                               const options *opt)
{
    outcome o = { .result = PASS };
    ingot_error err = { 0 };
    char path[PATH_BYTES + 32], why[1024];
    for (size_t i = 0; i < ingot_model_n_outputs(model); i++) {
        const ingot_value *got = ingot_session_output(session, i);
        ingot_io_info info;
        ingot_value *want;
        ingot_model_output(model, i, &info);
        if (t->is_light)
            snprintf(path, sizeof path, "%s", t->data);
        else
            snprintf(path, sizeof path, "%s/output_%zu.pb", t->data, i);
        if (test_data_read(path, &info, &want, &err)) return failed(DATA, err.message);
        if (!want) return failed(DATA, "an answer is missing");
        const bool is_same = same_value(got, want, opt, &o);
        ingot_value_destroy(want);
        if (is_same) continue;
        snprintf(why, sizeof why, "%s", o.why);
        snprintf(o.why, sizeof o.why, "output %zu '%.200s' %.700s", i, info.name, why);
        return o;
    }
    return o;
}

static outcome run_test(const test *t, const options *opt)
{
    ingot_error err = { 0 };
    ingot_model_options model_options = INGOT_MODEL_OPTIONS_INIT;
    ingot_session_options session_options = INGOT_SESSION_OPTIONS_INIT;
    ingot_model *model = NULL;
    ingot_session *session = NULL;
    ingot_value *inputs[MAX_VALUES] = { 0 };
    outcome o = { .result = PASS };
    model_options.opt_level = opt->level;
    model_options.cpu = opt->cpu;
    session_options.n_threads = opt->n_threads;
    if (ingot_model_open(t->model, &model_options, &model, &err)) return failed(LOAD, err.message);
    size_t n = ingot_model_n_inputs(model);
    if (n > MAX_VALUES) n = MAX_VALUES;
    for (size_t i = 0; i < n && o.result == PASS && !t->is_light; i++)
        if (test_data_input(t->data, model, i, &inputs[i], &err)) o = failed(DATA, err.message);
    if (t->is_light && light_input(model, &inputs[0], &err)) o = failed(DATA, err.message);
    if (o.result == PASS && ingot_session_create(model, &session_options, &session, &err))
        o = failed(LOAD, err.message);
    if (o.result == PASS && ingot_session_run(session, (const ingot_value *const *)inputs, n, &err))
        o = failed(RUN, err.message);
    if (o.result == PASS) o = compare_outputs(t, model, session, opt);
    for (size_t i = 0; i < n; i++) ingot_value_destroy(inputs[i]);
    ingot_session_destroy(session);
    ingot_model_close(model);
    return o;
}

/* ---- many tests, a process each ---- */

typedef struct job {
    pid_t pid;
    int pipe;
    size_t i_test;
} job;

typedef struct suite {
    test *tests;
    size_t n, cap;
} suite;

static void print_outcome(const test *t, outcome *o)
{
    for (char *p = o->why; *p; p++)
        if (*p == '\t' || *p == '\n') *p = ' ';
    printf("%s\t%s\t%.3g\t%s\n", t->name, result_names[o->result], o->worst, o->why);
}

static job start(const suite *s, size_t i, const options *opt)
{
    int ends[2];
    job j = { .pid = -1, .pipe = -1, .i_test = i };
    fflush(stdout);
    if (pipe(ends)) return j;
    j.pid = fork();
    if (j.pid == 0) {
        close(ends[0]);
        alarm((unsigned)opt->seconds);
        const outcome o = run_test(&s->tests[i], opt);
        const ssize_t n = write(ends[1], &o, sizeof o);
        _exit(n == (ssize_t)sizeof o ? 0 : 1);
    }
    close(ends[1]);
    j.pipe = ends[0];
    return j;
}

/* Wait for the job; true when it passed. */
static bool finish(const suite *s, const job *j)
{
    outcome o = failed(CRASH, "no process could be started");
    int status = 0;
    if (j->pid > 0) {
        const ssize_t n = read(j->pipe, &o, sizeof o);
        close(j->pipe);
        waitpid(j->pid, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
            o = failed(HANG, "took too long");
        } else if (WIFSIGNALED(status) || n != (ssize_t)sizeof o || WEXITSTATUS(status)) {
            o = (outcome){ .result = CRASH };
            snprintf(o.why, sizeof o.why, "ended by %s %d",
                     WIFSIGNALED(status) ? "signal" : "status",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        }
    }
    print_outcome(&s->tests[j->i_test], &o);
    return o.result == PASS;
}

/* In order; n_jobs run at a time. Returns how many did not pass. */
static size_t run_all(const suite *s, const options *opt)
{
    job jobs[MAX_JOBS];
    size_t n_failed = 0, n_started = 0;
    const size_t n_jobs = (size_t)opt->n_jobs;
    for (size_t i = 0; i < s->n; i++) {
        for (; n_started < s->n && n_started < i + n_jobs; n_started++)
            jobs[n_started % n_jobs] = start(s, n_started, opt);
        n_failed += !finish(s, &jobs[i % n_jobs]);
    }
    return n_failed;
}

/* ---- finding tests ---- */

static bool add(suite *s, const test *t)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 256;
        test *more = realloc(s->tests, s->cap * sizeof *more);
        if (!more) return false;
        s->tests = more;
    }
    s->tests[s->n++] = *t;
    return true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Every test_data_set_N is a test; the first has the folder's name. */
static bool add_folder(suite *s, const char *folder)
{
    test t = { 0 };
    bool ok = true;
    snprintf(t.model, sizeof t.model, "%s/model.onnx", folder);
    if (access(t.model, R_OK)) return false;
    for (int i = 0; ok; i++) {
        snprintf(t.data, sizeof t.data, "%s/test_data_set_%d", folder, i);
        if (access(t.data, R_OK)) return i > 0;
        if (i)
            snprintf(t.name, sizeof t.name, "%.200s/%d", base_name(folder), i);
        else
            snprintf(t.name, sizeof t.name, "%.200s", base_name(folder));
        ok = add(s, &t);
    }
    return ok;
}

static bool add_light(suite *s, const char *path)
{
    test t = { .is_light = true };
    const char *name = base_name(path), *end = strrchr(name, '.');
    if (strncmp(name, "light_", 6) || !end || strcmp(end, ".onnx")) return false;
    snprintf(t.name, sizeof t.name, "%.*s", (int)(end - name), name);
    snprintf(t.model, sizeof t.model, "%s", path);
    snprintf(t.data, sizeof t.data, "%.*s_output_0.pb", (int)(strlen(path) - 5), path);
    return add(s, &t);
}

static int is_visible(const struct dirent *e) { return e->d_name[0] != '.'; }

static bool find_tests(suite *s, const char *folder)
{
    struct dirent **entries;
    char path[PATH_BYTES];
    if (add_folder(s, folder)) return true;
    const int n = scandir(folder, &entries, is_visible, alphasort);
    const size_t before = s->n;
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        (void)(add_folder(s, path) || add_light(s, path));
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    if (s->n > before) return true;
    fprintf(stderr, "conformance: %s: %s\n", folder, n < 0 ? strerror(errno) : "no tests in it");
    return false;
}

/* ---- command line ---- */

static int usage(void)
{
    fprintf(stderr,
            "usage: conformance [--opt none|basic|all] [--cpu MASK] [--threads N] [--jobs N] "
            "[--seconds S] [--rtol R] [--atol A] FOLDER...\n");
    return 2;
}

static bool set_option(options *o, const char *name, const char *value)
{
    if (!strcmp(name, "--opt")) {
        o->level = !strcmp(value, "none")    ? INGOT_OPT_NONE
                   : !strcmp(value, "basic") ? INGOT_OPT_BASIC
                                             : INGOT_OPT_ALL;
        return !strcmp(value, "none") || !strcmp(value, "basic") || !strcmp(value, "all");
    }
    if (!strcmp(name, "--cpu")) return o->cpu = value, true;
    if (!strcmp(name, "--threads")) return (o->n_threads = atoi(value)) > 0;
    if (!strcmp(name, "--jobs")) return (o->n_jobs = atoi(value)) > 0 && o->n_jobs <= MAX_JOBS;
    if (!strcmp(name, "--seconds")) return (o->seconds = atoi(value)) > 0;
    if (!strcmp(name, "--rtol")) return (o->rtol = atof(value)) >= 0;
    if (!strcmp(name, "--atol")) return (o->atol = atof(value)) >= 0;
    return false;
}

int main(int argc, char **argv)
{
    options opt = { .level = INGOT_OPT_ALL,
                    .n_threads = 1,
                    .n_jobs = 2,
                    .seconds = 60,
                    .rtol = 1e-3,
                    .atol = 1e-7 };
    suite s = { 0 };
    int i = 1;
    for (; i + 1 < argc && !strncmp(argv[i], "--", 2); i += 2)
        if (!set_option(&opt, argv[i], argv[i + 1])) return usage();
    if (i >= argc) return usage();
    for (; i < argc; i++)
        if (!find_tests(&s, argv[i])) return 2;
    const size_t n_failed = run_all(&s, &opt);
    fprintf(stderr, "%zu of %zu tests pass\n", s.n - n_failed, s.n);
    free(s.tests);
    return n_failed ? 1 : 0;
}
