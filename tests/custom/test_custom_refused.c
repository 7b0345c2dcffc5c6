/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with custom operators: names, versions, callbacks that fail, memory that runs out.
 */
#include "base/alloc.h"
#include "custom/fixture.h"

/* ---- what is refused ---- */

static ingot_status never(void *user, const void *state, ingot_op_call *call, ingot_error *err)
{
    (void)user, (void)state, (void)call, (void)err;
    return INGOT_ERR_INTERNAL;
}

static void test_registering(void)
{
    ingot_ops *ops = NULL;
    ingot_error err;
    const ingot_op_def empty = INGOT_OP_DEF_INIT;
    ingot_op_def good, bad;
    counts c = { 0 };
    CHECK(ingot_ops_create(&ops, &err) == INGOT_OK && register_test_ops(ops, &c, &err) == INGOT_OK);
    good = empty;
    good.domain = "elsewhere";
    good.name = "Relu";
    good.n_inputs[1] = good.n_outputs[1] = -1;
    CHECK(ingot_op_register(ops, &good, &err) == INGOT_ERR_INVALID && strstr(err.message, "run"));
    good.run = never;
    CHECK(ingot_op_register(ops, &good, &err) == INGOT_OK);
    CHECK(ingot_op_register(ops, &good, &err) == INGOT_ERR_INVALID);
    CHECK(strstr(err.message, "custom operator Relu: version 1 of it is registered"));
    const struct {
        const char *domain, *name, *mention;
        int since, least, most, version;
        unsigned flags;
        ingot_status status;
    } wrong[] = {
        { "", "Relu", "has an operator of that name", 1, 0, 1, 0, 0, INGOT_ERR_INVALID },
        { NULL, "Relu", "domain 'ai.onnx'", 1, 0, 1, 0, 0, INGOT_ERR_INVALID },
        { "ai.onnx", "Relu", "domain 'ai.onnx'", 1, 0, 1, 0, 0, INGOT_ERR_INVALID },
        { "ingot", "X", "is Ingot's own", 1, 0, 1, 0, 0, INGOT_ERR_INVALID },
        { "d", "", "no name", 1, 0, 1, 0, 0, INGOT_ERR_INVALID },
        { "d", NULL, "no name", 1, 0, 1, 0, 0, INGOT_ERR_INVALID },
        { "d", "X", "version -1", -1, 0, 1, 0, 0, INGOT_ERR_INVALID },
        { "d", "X", "2 to 1 inputs", 1, 2, 1, 0, 0, INGOT_ERR_INVALID },
        { "d", "X", "0 to 128 inputs", 1, 0, 128, 0, 0, INGOT_ERR_INVALID },
        { "d", "X", "-1 to 1 inputs", 1, -1, 1, 0, 0, INGOT_ERR_INVALID },
        { "d", "X", "flags 0x2", 1, 0, 1, 0, 2, INGOT_ERR_INVALID },
        { "d", "X", "version 9 of the operator interface", 1, 0, 1, 9, 0, INGOT_ERR_UNSUPPORTED },
    };
    for (size_t i = 0; i < IG_COUNT(wrong); i++) {
        bad = good;
        bad.domain = wrong[i].domain;
        bad.name = wrong[i].name;
        bad.since_version = wrong[i].since;
        bad.n_inputs[0] = wrong[i].least;
        bad.n_inputs[1] = wrong[i].most;
        bad.flags = wrong[i].flags;
        if (wrong[i].version) bad.api_version = wrong[i].version;
        CHECK(ingot_op_register(ops, &bad, &err) == wrong[i].status);
        if (!CHECK(strstr(err.message, wrong[i].mention))) printf("  %s\n", err.message);
    }
    bad = good;
    bad.struct_bytes = 0;
    CHECK(ingot_op_register(ops, &bad, NULL) == INGOT_ERR_INVALID);
    CHECK(ingot_ops_load(ops, "/nowhere/ops.so", &err) == INGOT_ERR_IO);
    CHECK(strstr(err.message, "/nowhere/ops.so: no such file"));
    ingot_ops_destroy(ops);
    ingot_ops_destroy(NULL);
}

static void test_unknown(void)
{
    fixture f;
    init(&f);
    CHECK(open_model(&f, "unknown") == INGOT_ERR_UNSUPPORTED);
    CHECK(strstr(f.err.message,
                 "node 1 'y' (test.Nowhere): operator Nowhere of domain 'test', version "
                 "4, is not known"));
    CHECK(strstr(f.err.message, "--custom-op") && strstr(f.err.message, "ingot_op_register"));
    CHECK(f.c.n_created == 1 && f.c.n_destroyed == 1);
    CHECK(open_model(&f, "graph") == INGOT_ERR_UNSUPPORTED && strstr(f.err.message, "is a graph"));
    CHECK(open_model(&f, "sequence") == INGOT_ERR_UNSUPPORTED);
    CHECK(strstr(f.err.message, "input 0 is no tensor"));
    f.options.ops = NULL;
    CHECK(open_model(&f, "chain") == INGOT_ERR_UNSUPPORTED && strstr(f.err.message, "Scale"));
    deinit(&f);
}

static const struct trouble {
    const char *how; /* 8 letters */
    bool at_open;
    ingot_status status;
    const char *mention;
} troubles[] = {
    { "create__", true, INGOT_ERR_IO, "node 1 'y' (test.Trouble): create says?no" },
    { "infer___", true, INGOT_ERR_SHAPE, "node 1 'y' (test.Trouble): infer says no" },
    { "dtype___", true, INGOT_ERR_INVALID, "no element type" },
    { "dtype99_", true, INGOT_ERR_INVALID, "no element type" },
    { "rank____", true, INGOT_ERR_LIMIT, "rank 1000" },
    { "dim_____", true, INGOT_ERR_SHAPE, "dimension 0 of output 0 as -7" },
    { "huge____", true, INGOT_ERR_SHAPE, "dimension 0 of output 0" },
    { "foretold", false, INGOT_ERR_SHAPE, "another shape than inferred" },
    { "run_____", false, INGOT_ERR_IO, "(test.Trouble): run says no: 7" },
    { "silent__", false, INGOT_ERR_UNSUPPORTED, "gave no reason" },
    { "status__", false, INGOT_ERR_INVALID, "returned 4711, no status" },
    { "nothing_", false, INGOT_ERR_INVALID, "without giving output 0" },
    { "swallow_", false, INGOT_ERR_INVALID, "without giving output 0" },
    { "born_no_", false, INGOT_ERR_INVALID, "without giving output 0" },
    { "born_neg", false, INGOT_ERR_SHAPE, "negative dimension" },
    { "born_big", false, INGOT_ERR_SHAPE, "too large" },
    { "born_99_", false, INGOT_ERR_INVALID, "element type 99" },
    { "born_rnk", false, INGOT_ERR_LIMIT, "rank 9" },
    { "harmless", false, INGOT_OK, "" },
    { "born_ok_", false, INGOT_OK, "" },
};

static void test_trouble(const char *bytes, size_t n, const struct trouble *t)
{
    fixture f;
    const float x[] = { 1, 2 };
    ingot_value *in = vector(2, x);
    char *copy = malloc(n);
    init(&f);
    memcpy(copy, bytes, n);
    for (size_t i = 0; i + 8 <= n; i++)
        if (memcmp(copy + i, "________", 8) == 0) memcpy(copy + i, t->how, 8);
    ingot_status status = ingot_model_open_memory(copy, n, &f.options, &f.model, &f.err);
    CHECK((status != INGOT_OK) == t->at_open);
    if (!status) {
        CHECK(ingot_session_create(f.model, NULL, &f.session, &f.err) == INGOT_OK);
        for (int i = 0; i < 2; i++) status = run(&f, (const ingot_value *const[]){ in }, 1);
    }
    const bool is_right = status == t->status && strstr(f.err.message, t->mention);
    if (!CHECK(is_right)) printf("  %s: %d %s\n", t->how, (int)status, f.err.message);
    ingot_value_destroy(in);
    deinit(&f);
    free(copy);
}

static void test_troubles(void)
{
    char bytes[4096];
    FILE *file = fopen(path_of("trouble"), "rb");
    if (!CHECK(file)) return;
    const size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i < IG_COUNT(troubles); i++) test_trouble(bytes, n, &troubles[i]);
}

/* ---- memory that runs out ---- */

typedef struct failing {
    int64_t left, n_blocks;
} failing;

static void *failing_alloc(void *ctx, size_t bytes, size_t align, ingot_mem_tag tag)
{
    failing *a = ctx;
    void *p = NULL;
    (void)tag;
    if (--a->left < 0 || posix_memalign(&p, align, bytes ? bytes : 1)) return NULL;
    a->n_blocks++;
    return p;
}

static void failing_free(void *ctx, void *p, size_t bytes, ingot_mem_tag tag)
{
    (void)bytes, (void)tag;
    ((failing *)ctx)->n_blocks--;
    free(p);
}

/* Allocation k and all after it fail; true when there were fewer. */
static bool survives(int64_t k, const char *name)
{
    fixture f;
    failing a = { .left = k };
    const ingot_allocator allocator = { &a, failing_alloc, failing_free };
    const float x[] = { 1, 2, 3 };
    ingot_value *in[2] = { vector(3, x), NULL };
    CHECK(ingot_tensor_create(INGOT_BOOL, 0, NULL, &in[1], NULL) == INGOT_OK);
    init(&f);
    f.options.allocator = &allocator;
    ingot_status status = ingot_model_open(path_of(name), &f.options, &f.model, &f.err);
    if (!status) status = ingot_session_create(f.model, NULL, &f.session, &f.err);
    if (!status) status = run(&f, (const ingot_value *const *)in, ingot_model_n_inputs(f.model));
    if (!CHECK(status == INGOT_OK || status == INGOT_ERR_NOMEM)) printf("  %s\n", f.err.message);
    deinit(&f);
    CHECK(a.n_blocks == 0);
    ingot_value_destroy(in[0]);
    ingot_value_destroy(in[1]);
    return status == INGOT_OK;
}

static void test_no_memory(void)
{
    for (int64_t k = 0; k < 2000 && !survives(k, "places"); k++) continue;
    for (int64_t k = 0; k < 2000 && !survives(k, "keep"); k++) continue;
    CHECK(survives(2000, "places") && survives(2000, "keep"));
    /* The set itself is the default allocator's. */
    for (int64_t k = 1; k < 30; k++) {
        ingot_ops *ops = NULL;
        ingot_error err = { INGOT_OK, "" };
        counts c = { 0 };
        atomic_store(&ig_alloc_default()->fail_countdown, k);
        ingot_status status = ingot_ops_create(&ops, &err);
        if (!status) status = register_test_ops(ops, &c, &err);
        atomic_store(&ig_alloc_default()->fail_countdown, 0);
        atomic_store(&ig_alloc_default()->is_failing, false);
        CHECK(status == INGOT_OK || status == INGOT_ERR_NOMEM);
        CHECK(k > 1 || status == INGOT_ERR_NOMEM);
        ingot_ops_destroy(ops);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    folder = argv[1];
    test_registering();
    test_unknown();
    test_troubles();
    test_no_memory();
    return check_report();
}
