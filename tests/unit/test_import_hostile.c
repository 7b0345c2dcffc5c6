/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX files that lie: each is refused with one line that says what and where. */
#include <unistd.h>

#include "onnx_bytes.h"

#define REFUSED(m, status, text)                                                                   \
    expect_failure((m)->bytes, (m)->n, NULL, (status), (text), __LINE__)

/* A model whose graph is `graph` plus an output y. */
static msg *with_output(msg *graph)
{
    msg *model = msg_new();

    msg_value(graph, 12, "y", 1);
    msg_model(model, graph);
    return model;
}

static void refuse_graph(msg *graph, ig_status status, const char *text, int line)
{
    msg *model = with_output(graph);

    expect_failure(model->bytes, model->n, NULL, status, text, line);
    free(model);
    free(graph);
}
#define GRAPH_REFUSED(graph, status, text) refuse_graph((graph), (status), (text), __LINE__)

static msg *graph_with_input(void)
{
    msg *graph = msg_new();

    msg_value(graph, 11, "x", 1);
    return graph;
}

static void test_not_a_model(void)
{
    msg *m = msg_new();

    REFUSED(m, INGOT_ERR_PARSE, "no graph");
    expect_failure("\x89PNG\r\n\x1a\n", 8, NULL, INGOT_ERR_PARSE, "not an ONNX model", __LINE__);
    expect_failure("{\"ir_version\": 8}", 17, NULL, INGOT_ERR_PARSE, "at byte", __LINE__);
    msg_bytes(m, 7, "", 0);
    msg_bytes(m, 7, "", 0);
    REFUSED(m, INGOT_ERR_PARSE, "second graph");
    m->n = 0;
    msg_bytes(m, 7, "", 0);
    REFUSED(m, INGOT_ERR_INVALID, "no outputs");
    free(m);
}

static void test_nodes(void)
{
    msg *g = graph_with_input();

    msg_node(g, "Relu", "x", "a");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "output 'y': 'y' is not an input");
    g = graph_with_input();
    msg_node(g, "Relu", "nowhere", "y");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "node 0 (Relu): 'nowhere' is not");
    g = graph_with_input();
    msg_node(g, "Relu", "y", "z");
    msg_node(g, "Relu", "z", "y");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "cycle");
    g = graph_with_input();
    msg_node(g, "Relu", "y", "y");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "cycle");
    g = graph_with_input();
    msg_node(g, "Relu", "x", "y");
    msg_node(g, "Neg", "x", "y");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "node 1 (Neg): value 'y' is defined twice");
    g = graph_with_input();
    msg_node(g, "Relu", "x", "x");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "defined twice");
    g = graph_with_input();
    msg_node(g, "", "x", "y");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "no operator type");
    g = graph_with_input();
    msg_node(g, "Bad\nName", "x", "nothing");
    msg_node(g, "Bad\nName", "lost", "y");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "node 1 (Bad?Name)");
    g = graph_with_input();
    msg_node(g, "Constant", NULL, "y");
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "constant has no value");
}

static void test_inputs(void)
{
    msg *g = msg_new(), *name = msg_new();

    msg_value(g, 11, "x", 9);
    GRAPH_REFUSED(g, INGOT_ERR_LIMIT, "input 'x': more than 8 dimensions");
    g = msg_new();
    msg_value(g, 11, "x", 1);
    msg_value(g, 11, "x", 1);
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "input 'x': value 'x' is defined twice");
    g = msg_new();
    msg_value(g, 11, "", 1);
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "has no name");
    g = msg_new();
    msg_text(name, 1, "x");
    msg_msg(g, 11, name);
    GRAPH_REFUSED(g, INGOT_ERR_INVALID, "has no element type");
    free(name);
}

/* TensorProto 'w' with these dims, element type and raw bytes, as the graph's initializer. */
static msg *graph_with_tensor(const int64_t *dims, int rank, int dtype, const void *raw, size_t n)
{
    msg *graph = graph_with_input(), *tensor = msg_new();

    for (int i = 0; i < rank; i++) msg_int(tensor, 1, dims[i]);
    msg_int(tensor, 2, dtype);
    msg_text(tensor, 8, "w");
    if (raw) msg_bytes(tensor, 9, raw, n);
    msg_msg(graph, 5, tensor);
    free(tensor);
    return graph;
}

static void test_tensors(void)
{
    const int64_t two[] = { 2 }, minus[] = { -1 }, nine[9] = { 0 }, one[] = { 1 };
    const int64_t huge[] = { INT64_MAX, INT64_MAX }, absurd[] = { (int64_t)1 << 40 };
    const float data[2] = { 1, 2 };

    GRAPH_REFUSED(graph_with_tensor(two, 1, INGOT_FLOAT, data, 7), INGOT_ERR_INVALID,
                  "initializer: tensor 'w': has 7 bytes of data, its shape needs 8");
    GRAPH_REFUSED(graph_with_tensor(two, 1, INGOT_FLOAT, NULL, 0), INGOT_ERR_INVALID,
                  "has 0 numbers of data, its shape needs 2");
    GRAPH_REFUSED(graph_with_tensor(minus, 1, INGOT_FLOAT, data, 8), INGOT_ERR_INVALID,
                  "dimension 0 is -1");
    GRAPH_REFUSED(graph_with_tensor(huge, 2, INGOT_FLOAT, data, 8), INGOT_ERR_INVALID, "overflows");
    GRAPH_REFUSED(graph_with_tensor(absurd, 1, INGOT_FLOAT, data, 8), INGOT_ERR_INVALID,
                  "has 8 bytes");
    GRAPH_REFUSED(graph_with_tensor(absurd, 1, INGOT_STRING, NULL, 0), INGOT_ERR_INVALID,
                  "has 0 numbers");
    GRAPH_REFUSED(graph_with_tensor(nine, 9, INGOT_FLOAT, data, 8), INGOT_ERR_LIMIT,
                  "8 dimensions");
    GRAPH_REFUSED(graph_with_tensor(two, 1, 0, data, 8), INGOT_ERR_INVALID, "undefined");
    GRAPH_REFUSED(graph_with_tensor(two, 1, 99, data, 8), INGOT_ERR_UNSUPPORTED, "99 is unknown");
    GRAPH_REFUSED(graph_with_tensor(one, 1, INGOT_STRING, "abc", 3), INGOT_ERR_INVALID,
                  "strings cannot come as raw bytes");
}

/* A graph in an attribute of a node in a graph …, `depth` times. */
static msg *nest(int depth)
{
    msg *graph = graph_with_input();

    for (int i = 0; i < depth; i++) {
        msg *outer = graph_with_input(), *attr = msg_new(), *node = msg_new();

        graph->n = i ? graph->n : 0;
        msg_text(attr, 1, "body");
        msg_msg(attr, 6, graph);
        msg_int(attr, 20, 5);
        msg_text(node, 4, "If");
        msg_msg(node, 5, attr);
        outer->n = 0;
        msg_msg(outer, 1, node);
        free(attr);
        free(node);
        free(graph);
        graph = outer;
    }
    return graph;
}

static void test_depth(void)
{
import im;
    void *copy;
    msg *graph = nest(32), *model;

    msg_value(graph, 11, "y", 1);
    model = with_output(graph);
    CHECK(import_bytes_at(&im, model->bytes, model->n, NULL, &copy) == INGOT_OK);
    import_end(&im, copy);
    free(model);
    free(graph);
    graph = nest(33);
    msg_value(graph, 11, "y", 1);
    GRAPH_REFUSED(graph, INGOT_ERR_LIMIT, "nested deeper than 32");
}

/* FunctionProto `name`: y = callee(callee(x)). */
static void add_function(msg *model, const char *name, const char *callee)
{
    msg *function = msg_new();
    const char *const chain[] = { "x", "t", "y" };

    msg_text(function, 1, name);
    msg_text(function, 10, "local");
    msg_text(function, 4, "x");
    msg_text(function, 5, "y");
    for (int i = 0; i < 2; i++) {
        msg *node = msg_new();

        msg_text(node, 1, chain[i]);
        msg_text(node, 2, chain[i + 1]);
        msg_text(node, 4, callee);
        msg_text(node, 7, "local");
        msg_msg(function, 7, node);
        free(node);
    }
    msg_msg(model, 25, function);
    free(function);
}

static msg *call_of(const char *name)
{
    msg *graph = graph_with_input(), *node = msg_new(), *model;

    msg_text(node, 1, "x");
    msg_text(node, 2, "y");
    msg_text(node, 4, name);
    msg_text(node, 7, "local");
    msg_msg(graph, 1, node);
    model = with_output(graph);
    free(node);
    free(graph);
    return model;
}

static void test_functions(void)
{
    msg *m = call_of("f");

    add_function(m, "f", "f");
    REFUSED(m, INGOT_ERR_INVALID, "function 'f' calls itself");
    free(m);
    m = call_of("f");
    add_function(m, "f", "g");
    add_function(m, "g", "f");
    REFUSED(m, INGOT_ERR_INVALID, "function 'f' calls itself");
    add_function(m, "g", "f");
    REFUSED(m, INGOT_ERR_INVALID, "function 'g' is defined twice");
    free(m);
    /* 2^30 calls of a few bytes each. */
    m = call_of("f0");
    for (int i = 0; i < 30; i++) {
        char name[16], callee[16];

        snprintf(name, sizeof name, "f%d", i);
        snprintf(callee, sizeof callee, "f%d", i + 1);
        add_function(m, name, callee);
    }
    {
import im;
        void *copy;

        import_bytes_at(&im, m->bytes, m->n, NULL, &copy);
        CHECK(im.status == INGOT_ERR_NOMEM || im.status == INGOT_ERR_LIMIT);
        import_end(&im, copy);
    }
    free(m);
}

/* ---- external data ---- */

static msg *graph_with_external(const char *location, const char *offset, const char *length)
{
    const char *const entries[3][2] = { { "location", location },
                                        { "offset", offset },
                                        { "length", length } };
    msg *graph = msg_new(), *tensor = msg_new();

    msg_int(tensor, 1, 2);
    msg_int(tensor, 2, INGOT_FLOAT);
    msg_text(tensor, 8, "y");
    msg_int(tensor, 14, 1);
    for (int i = 0; i < 3; i++) {
        msg *entry = msg_new();

        if (entries[i][1]) {
            msg_text(entry, 1, entries[i][0]);
            msg_text(entry, 2, entries[i][1]);
            msg_msg(tensor, 13, entry);
        }
        free(entry);
    }
    msg_msg(graph, 5, tensor);
    free(tensor);
    return graph;
}

static void refuse_external(const char *path, const char *location, const char *offset,
                            const char *length, ig_status status, const char *text, int line)
{
    msg *graph = graph_with_external(location, offset, length), *model = with_output(graph);

    expect_failure(model->bytes, model->n, path, status, text, line);
    free(model);
    free(graph);
}

static void test_external(void)
{
    char dir[] = "/tmp/ingot-test-XXXXXX", path[100], data_path[100];
    const float data[] = { 1, 2, 3, 4 };
    ig_error err = { 0 };
    msg *graph, *model;
import im;
    void *copy;

    if (!CHECK(mkdtemp(dir) != NULL)) return;
    snprintf(path, sizeof path, "%s/m.onnx", dir);
    snprintf(data_path, sizeof data_path, "%s/w.bin", dir);
    CHECK(ig_file_write(data_path, data, sizeof data, &err) == INGOT_OK);
    graph = graph_with_external("w.bin", "8", "8");
    model = with_output(graph);
    CHECK(import_bytes_at(&im, model->bytes, model->n, path, &copy) == INGOT_OK);
    if (im.status == INGOT_OK) {
        const ig_value *y = im.model.graph->values[im.model.graph->outputs[0]];

        CHECK(((const float *)y->info.data->data)[1] == 4);
        CHECK(im.model.n_files == 1);
    }
    import_end(&im, copy);
    free(model);
    free(graph);
    refuse_external(path, "w.bin", "12", "8", INGOT_ERR_INVALID, "lies outside 'w.bin'", __LINE__);
    refuse_external(path, "w.bin", "9223372036854775807", NULL, INGOT_ERR_INVALID, "outside",
                    __LINE__);
    refuse_external(path, "w.bin", "0", "12", INGOT_ERR_INVALID, "shape needs 8", __LINE__);
    refuse_external(path, "w.bin", "-1", "8", INGOT_ERR_INVALID, "is no number", __LINE__);
    refuse_external(path, "../w.bin", NULL, NULL, INGOT_ERR_INVALID, "..", __LINE__);
    refuse_external(path, "/etc/passwd", NULL, NULL, INGOT_ERR_INVALID, "/etc/passwd", __LINE__);
    refuse_external(path, NULL, NULL, NULL, INGOT_ERR_INVALID, "without a location", __LINE__);
    refuse_external(path, "gone.bin", NULL, NULL, INGOT_ERR_IO, "gone.bin", __LINE__);
    refuse_external(NULL, "w.bin", NULL, NULL, INGOT_ERR_UNSUPPORTED, "in memory", __LINE__);
    unlink(data_path);
    rmdir(dir);
}

int main(void)
{
    test_not_a_model();
    test_nodes();
    test_inputs();
    test_tensors();
    test_depth();
    test_functions();
    test_external();
    return check_report();
}
