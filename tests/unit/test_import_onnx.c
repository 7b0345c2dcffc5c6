/* SPDX-License-Identifier: Apache-2.0 */
/* Models of tests/fuzz/corpus/onnx (made by make_corpus.py), imported and looked at. The folder is
 * the argument. */
#include <dirent.h>

#include "onnx_bytes.h"

static const char *folder;

/* An open model file. */
typedef struct opened {
    ig_file file;
import im;
    void *copy;
} opened;

static bool open_model(opened *o, const char *name)
{
    char path[1000];
    ig_error err = { 0 };

    memset(o, 0, sizeof *o);
    snprintf(path, sizeof path, "%s/%s.onnx", folder, name);
    if (!CHECK(ig_file_open(path, &o->file, &err) == INGOT_OK)) return false;
    import_bytes_at(&o->im, o->file.data, o->file.bytes, NULL, &o->copy);
    if (!CHECK(o->im.status == INGOT_OK)) printf("  %s: %s\n", name, o->im.err.message);
    return o->im.status == INGOT_OK;
}

static void close_model(opened *o)
{
    import_end(&o->im, o->copy);
    ig_file_close(&o->file);
}

/* The graph's text, to be compared in one piece. */
static void check_text(const char *name, const char *want)
{
    opened o;
    ig_str text;

    if (open_model(&o, name)) {
        ig_str_init(&text, &o.im.alloc);
        ig_graph_print(o.im.model.graph, true, &text);
        CHECK_STRING(ig_str_cstr(&text), want);
        ig_str_deinit(&text);
    }
    close_model(&o);
}

static const ig_value *find_value(const ig_graph *g, const char *name)
{
    for (size_t i = 0; i < g->n_values; i++)
        if (strcmp(g->values[i]->name, name) == 0) return g->values[i];
    return NULL;
}

static void test_data_types(void)
{
    opened o;

    if (open_model(&o, "data_types")) {
        const ig_graph *g = o.im.model.graph;
        const ig_value *i64 = find_value(g, "i64"), *str = find_value(g, "str");
        const ig_value *i4 = find_value(g, "i4"), *bf16 = find_value(g, "bf16");
        const ig_value *raw = find_value(g, "raw"), *u64 = find_value(g, "u64");
        const ig_value *empty = find_value(g, "empty"), *u16 = find_value(g, "u16");

        CHECK(g->n_outputs == 22 && g->n_nodes == 0);
        CHECK(((const int64_t *)i64->info.data->data)[0] == INT64_MIN);
        CHECK(((const uint64_t *)u64->info.data->data)[0] == UINT64_MAX);
        CHECK(((const uint16_t *)u16->info.data->data)[0] == 65535);
        CHECK(((const uint16_t *)bf16->info.data->data)[1] == 0xc000);
        CHECK(((const ingot_string *)str->info.data->data)[1].bytes == 2);
        CHECK(ig_get_i64(INGOT_INT4, i4->info.data->data, 0) == -8);
        CHECK(ig_get_i64(INGOT_INT4, i4->info.data->data, 1) == 7);
        CHECK(((const float *)raw->info.data->data)[5] == 5);
        CHECK(empty->info.rank == 2 && empty->info.dims[0] == 0 && empty->info.dims[1] == 3);
        CHECK(o.im.model.n_parameters == 45);
    }
    close_model(&o);
}

static void test_metadata(void)
{
    opened o;

    if (open_model(&o, "metadata")) {
        const ig_onnx_model *m = &o.im.model;

        CHECK_STRING(m->producer, "maker");
        CHECK_STRING(m->producer_version, "1.2");
        CHECK_STRING(m->doc, "about");
        CHECK_STRING(m->domain, "org.example");
        CHECK_STRING(m->graph_name, "g");
        CHECK(m->model_version == 7 && m->ir_version == 9 && m->opset == 17);
        CHECK(m->n_metadata == 2);
        CHECK_STRING(m->metadata[1].key, "second");
        CHECK_STRING(m->metadata[1].value, "two");
        CHECK(m->inputs[0].rank == 4 && m->inputs[0].dims[0] == -1 && m->inputs[0].dims[1] == 3);
        CHECK_STRING(m->inputs[0].dim_names[0], "batch");
        CHECK(m->inputs[0].dim_names[2] == NULL);
        CHECK(m->inputs[0].dims[3] == -1 && m->inputs[0].dim_names[3] == NULL); /* "?" */
        CHECK(m->n_operators == 1 && m->operators[0].n == 1);
        CHECK(m->graph->nodes[0]->opset == 17);
    }
    close_model(&o);
}

static void test_types(void)
{
    opened o;

    if (open_model(&o, "types")) {
        const ig_graph *g = o.im.model.graph;
        const ig_type *map = &find_value(g, "map")->info.type;
        const ig_type *opt_seq = &find_value(g, "opt_seq")->info.type;

        CHECK(find_value(g, "seq")->info.type.kind == INGOT_KIND_SEQUENCE);
        CHECK(find_value(g, "opt")->info.type.kind == INGOT_KIND_OPTIONAL);
        CHECK(opt_seq->kind == INGOT_KIND_OPTIONAL && opt_seq->item_kind == INGOT_KIND_SEQUENCE &&
              opt_seq->dtype == INGOT_INT32);
        CHECK(map->kind == INGOT_KIND_MAP && map->key_dtype == INGOT_STRING &&
              map->dtype == INGOT_FLOAT);
    }
    close_model(&o);
}

static void test_defaults(void)
{
    opened o;

    if (open_model(&o, "defaults_ir3")) {
        CHECK(o.im.model.graph->n_inputs == 1);
        CHECK(find_value(o.im.model.graph, "w")->info.data != NULL);
    }
    close_model(&o);
    if (open_model(&o, "defaults_ir8")) {
        const ig_tensor *value = o.im.model.inputs[1].default_value;

        CHECK(o.im.model.graph->n_inputs == 2 && o.im.model.inputs[0].default_value == NULL);
        CHECK(value && ((const float *)value->data)[1] == 2);
        CHECK(find_value(o.im.model.graph, "w")->info.data == NULL);
        ig_onnx_freeze_defaults(&o.im.model, (const char *const[]){ "none", "w", NULL });
        CHECK(o.im.model.graph->n_inputs == 2);
        ig_onnx_freeze_defaults(&o.im.model, NULL);
        CHECK(o.im.model.graph->n_inputs == 1);
        CHECK(find_value(o.im.model.graph, "w")->info.data == value);
    }
    close_model(&o);
}

static void test_branches(void)
{
    opened o;

    if (open_model(&o, "branches")) {
        const ig_graph *g = o.im.model.graph;
        const ig_node *node = g->nodes[1];
        const ig_attr *other = ig_node_attr(node, "else_branch");
        const ig_attr *then = ig_node_attr(node, "then_branch");
        const ig_graph *inner = ig_node_attr(then->g->nodes[0], "then_branch")->g;

        /* Operators: condition; x of else; c2, x, a of then. */
        CHECK(node->n_inputs == 5 && other->first_capture == 1 && then->first_capture == 2);
        CHECK(other->g->n_captures == 1 && then->g->n_captures == 3);
        CHECK_STRING(g->values[node->inputs[4]]->name, "a");
        /* 'a' of the else branch is its own, not the outer one. */
        CHECK(find_value(other->g, "a")->producer == 0);
        /* The outer constant is repeated, on the same bytes. */
        CHECK(inner->n_captures == 2);
        CHECK(find_value(inner, "k")->info.data == find_value(g, "k")->info.data);
        CHECK(o.im.model.n_nodes == 8);
    }
    close_model(&o);
}

static void test_functions(void)
{
    check_text("functions",
               "graph \"g\" (opset ai.onnx 13, local 1) (%x: float32[2], %c: bool[]) -> (%y, %z, "
               "%w, %same) {\n"
               "    const %\"Scale#1/k\": float32[] = {2}\n"
               "    const %\"Scale#3/k\": float32[] = {2}\n"
               "    %\"Outer#0/t\" = Mul \"Scale#1/mul\" (%x, %\"Scale#1/k\")\n"
               "    %y = LeakyRelu \"Outer#0/LeakyRelu\" (%\"Outer#0/t\") { alpha = 0.25 }\n"
               "    %\"Outer#0/x2\" = Identity \"Outer#0/Identity\" (%x)\n"
               "    %\"Outer#2/t\" = Mul \"Scale#3/mul\" (%y, %\"Scale#3/k\")\n"
               "    %z = LeakyRelu \"Outer#2/LeakyRelu\" (%\"Outer#2/t\") { alpha = 0.5 }\n"
               "    %\"Outer#2/x2\" = Identity \"Outer#2/Identity\" (%y)\n"
               "    %w = If \"Choose#4/If\" (%c, %z, %z) { else_branch = graph @1 \"else\" (; %v) "
               "-> (%m) {\n"
               "        %m = Identity \"\" (%v)\n"
               "    }, then_branch = graph @2 \"then\" (; %v) -> (%n) {\n"
               "        %n = Neg \"\" (%v)\n"
               "    } }\n"
               "    %same = Identity \"Choose#4/\" (%z)\n"
               "}\n");
}

static void test_small_ones(void)
{
    check_text("unsorted", "graph \"g\" (opset ai.onnx 13) (%x: float32[2]) -> (%y) {\n"
                           "    %a = Abs \"first\" (%x)\n"
                           "    %b = Neg \"middle\" (%a)\n"
                           "    %y = Add \"last\" (%b, %x)\n"
                           "}\n");
    check_text("sparse", "graph \"g\" (opset ai.onnx 13) () -> (%s, %c) {\n"
                         "    const %s: float32[2,3] = {0, 5, 0, 0, 0, 7}\n"
                         "    const %c: float32[2,2] = {0, 0, 3, 0}\n"
                         "}\n");
    check_text("constants", "graph \"g\" (opset ai.onnx 13) () -> (%f, %fs, %i, %is_, %s, %ss, %t) "
                            "{\n"
                            "    const %f: float32[] = {1.5}\n"
                            "    const %fs: float32[2] = {1, 2}\n"
                            "    const %i: int64[] = {-3}\n"
                            "    const %is_: int64[3] = {4, 5, 6}\n"
                            "    const %s: string[] = {\"hi\"}\n"
                            "    const %ss: string[2] = {\"a\", \"bc\"}\n"
                            "    const %t: float32[1] = {9}\n"
                            "}\n");
    check_text("attributes",
               "graph \"g\" (opset ai.onnx 13, org.example 1) (%x: float32[2]) -> (%y) {\n"
               "    %y = org.example::Strange \"\" (%x) { a = 1, b = 2.5, c = \"text\", d = [1, 2, "
               "-3], e = [0.5, 1.5], f = [\"p\", \"q\"], g = tensor int64[2] {1, 2}, h = "
               "tensors[float32[1] {1}, float32[1] {2}], i = type float32 }\n"
               "}\n");
}

static void test_newer_versions_warn(void)
{
    opened o;

    if (open_model(&o, "newer")) {
        CHECK(strstr(o.im.log, "IR version 77") != NULL);
        CHECK(strstr(o.im.log, "opset 99") != NULL);
    }
    close_model(&o);
}

/* Every prefix of every model, every byte changed, and every allocation failing: no crash, no leak,
 * one line (import_bytes_at checks). */
static void damage(const uint8_t *data, size_t n)
{
    uint8_t *changed = malloc(n + 1);
import im;
    void *copy;

    for (size_t i = 0; i < n; i++) {
        static const uint8_t flips[] = { 0x01, 0x80, 0xff };

        import_bytes_at(&im, data, i, NULL, &copy);
        import_end(&im, copy);
        for (size_t k = 0; k < sizeof flips; k++) {
            memcpy(changed, data, n);
            changed[i] ^= flips[k];
            import_bytes_at(&im, changed, n, NULL, &copy);
            import_end(&im, copy);
        }
    }
    free(changed);
}

/* The k-th allocation fails, for every k, until the file ends as it does with memory enough. */
static void fail_allocations(const uint8_t *data, size_t n)
{
import im;
    void *copy;
    import_bytes_at(&im, data, n, NULL, &copy);
    const ig_status expected = im.status;
    import_end(&im, copy);
    for (int64_t k = 1; k < 10000; k++) {
        ig_alloc alloc;
        ig_arena arena;
        ig_dims dims;
        ig_onnx_model model;
        ig_error err = { 0 };
        ig_status status;

        ig_alloc_init(&alloc, NULL, 0);
        atomic_store(&alloc.fail_countdown, k);
        ig_arena_init(&arena, &alloc, INGOT_MEM_GRAPH);
        ig_dims_init(&dims, &arena);
        status = ig_onnx_import(data, n, NULL, &arena, &dims, &alloc, NULL, NULL, &model, &err);
        if (status == INGOT_OK)
            ig_onnx_model_deinit(&model);
        else
            CHECK((status == INGOT_ERR_NOMEM || status == expected) && err.message[0]);
        ig_arena_deinit(&arena);
        CHECK(atomic_load(&alloc.total) == 0);
        if (status == expected) return;
    }
    CHECK(!"import never came to its end");
}

static void test_damaged(void)
{
    DIR *dir = opendir(folder);
    int n_files = 0;

    if (!CHECK(dir != NULL)) return;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char path[1300];
        ig_file file = { 0 };
        ig_error err = { 0 };

        if (!strstr(entry->d_name, ".onnx")) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!CHECK(ig_file_open(path, &file, &err) == INGOT_OK)) continue;
        n_files++;
        damage(file.data, file.bytes);
        fail_allocations(file.data, file.bytes);
        ig_file_close(&file);
    }
    closedir(dir);
    CHECK(n_files >= 14);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : "tests/fuzz/corpus/onnx";
    test_data_types();
    test_metadata();
    test_types();
    test_defaults();
    test_branches();
    test_functions();
    test_small_ones();
    test_newer_versions_warn();
    test_damaged();
    return check_report();
}
