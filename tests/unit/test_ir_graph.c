/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs: text round trips, hostile text, verification, sorting, replacing uses. */
#include "check.h"
#include "ir/graph.h"

static ig_alloc alloc;
static ig_arena arena;
static ig_error err;

static ig_graph *parse(const char *text, size_t bytes)
{
    ig_graph *g = NULL;
    ig_dims *dims = ig_arena_get(&arena, sizeof *dims);
    ig_dims_init(dims, &arena);
    ig_error_clear(&err);
    return ig_graph_parse(&arena, dims, text, bytes, &g, &err) == INGOT_OK ? g : NULL;
}

static const char everything[] =
    "graph \"net \\\"x\\\"\\n\" (opset ai.onnx 13, ai.onnx.ml 3) (%input: "
    "float32[batch,3,(height+1)//2,\"past + 1\"], %cond: bool[], "
    "%s: sequence<tensor,float32>, %m: map<tensor,float32,int64>, %u) -> (%probs, %z, %n) {\n"
    "    const %w: float32[2,3] = {1, -0, inf, -inf, nan, nan(0x7fc01234)}\n"
    "    const %h: float16[3] = {0.099976, 65504, 5.9605e-08}\n"
    "    const %d: float64[2] = {0.1, 1e-300}\n"
    "    const %t: string[2] = {\"a\\\"b\", \"\\x00\\n\"}\n"
    "    const %i4: int4[3] = {-8, 7, 0}\n"
    "    const %c: complex64[1] = {1:-2.5}\n"
    "    const %big: uint64[1] = {18446744073709551615}\n"
    "    const %\"odd name\": int64[] = {-9223372036854775808}\n"
    "    const %b: bool[2] = {1, 0}\n"
    "    %sh: int64[4] = {batch, 3, (height+1)//2, ?3} = Shape \"\" (%input)\n"
    "    %#1: float32[*], _, %k: float32[batch*2,?3] = Conv \"conv1\" (%input, %w, _, %h, %d) { "
    "strides = [2, 2], auto_pad = \"VALID\", alpha = 0.5, beta = 1.0, list = [1.0, 1e+30, nan], "
    "names = [\"a\", \"\"], none = ints[], noflo = floats[], nostr = strings[] }\n"
    "    %probs = com.microsoft::\"Odd Op\" @7 \"\" (%#1, %t, %i4, %c, %big, %\"odd name\", %b, "
    "%k) "
    "{ t = tensor int64[2] {1, 2}, ts = tensors[float32[] {2}, float32[0] {}], ty = type "
    "optional<sequence,float32> }\n"
    "    %z = If \"\" (%cond, %probs) { then_branch = graph @1 \"then\" (; %p) -> (%q) {\n"
    "        %q = Relu \"\" (%p)\n"
    "    }, else_branch = graph \"else\" () -> (%r) {\n"
    "        const %r: float32[1] = {2}\n"
    "    } }\n"
    "    = Sink \"sink\" (%z)\n"
    "    %n: int64[1] = {4} = NonZero \"\" (%z)\n"
    "}\n";

static void round_trip(void)
{
    ig_str a, b, dot;
    ig_str_init(&a, &alloc), ig_str_init(&b, &alloc), ig_str_init(&dot, &alloc);
    ig_graph *g = parse(everything, sizeof everything - 1);
    if (!CHECK(g != NULL)) {
        printf("  %s\n", err.message);
        return;
    }
    ig_graph_print(g, true, &a);
    CHECK_STRING(ig_str_cstr(&a), everything);
    ig_graph *again = parse(ig_str_cstr(&a), a.n);
    if (CHECK(again != NULL)) {
        ig_graph_print(again, true, &b);
        CHECK_STRING(ig_str_cstr(&b), ig_str_cstr(&a));
        CHECK(again->nodes[3]->attrs[0].g->n_captures == 1);
        CHECK(again->nodes[3]->attrs[0].g->nodes[0]->opset == 13);
    }
    ig_graph_print_dot(g, &dot);
    CHECK(strstr(ig_str_cstr(&dot), "cluster_1") && strstr(ig_str_cstr(&dot), "Conv\\nconv1"));
    ig_str_deinit(&a), ig_str_deinit(&b), ig_str_deinit(&dot);
}

static void hashes(void)
{
    const char *text =
        "graph \"\" () -> (%x) {\n const %x: int64[17] = {1, 2, 3, 4, 5, 6, 7, 8, 9, "
        "10, 11, 12, 13, 14, 15, 16, 17}\n}\n";
    ig_graph *g = parse(text, strlen(text));
    ig_str s;
    ig_str_init(&s, &alloc);
    if (CHECK(g != NULL)) {
        ig_graph_print(g, false, &s);
        CHECK(strstr(ig_str_cstr(&s), "int64[17] = #") != NULL);
        CHECK(!parse(ig_str_cstr(&s), s.n));
        CHECK(strstr(err.message, "print the graph with data") != NULL);
    }
    ig_str_deinit(&s);
}

/* Mutated text gives a graph that verifies and prints, or an error with a line; never a crash. */
static void hostile(void)
{
    char text[sizeof everything + 64];
    static const char tokens[] = "%#\"{}()[]<>=,;:@_-+*/?0123456789enx\\\n\t \xff";
    uint32_t u = 1;
    int n_parsed = 0, n_failed = 0;
    bool have_messages = true;
    for (int i = 0; i < 20000; i++) {
        size_t n = sizeof everything - 1;
        memcpy(text, everything, n);
        for (int k = 0; k <= i % 4; k++) {
            u = u * 1664525u + 1013904223u;
            const size_t at = (u >> 8) % n;
            u = u * 1664525u + 1013904223u;
            const char c = tokens[(u >> 8) % (sizeof tokens - 1)];
            switch (u % 3) {
            case 0: text[at] = c; break;
            case 1: memmove(text + at, text + at + 1, --n - at); break;
            default:
                memmove(text + at + 1, text + at, n++ - at);
                text[at] = c;
                break;
            }
        }
        if (i % 17 == 0) n = (u >> 4) % n;
        ig_graph *g = parse(text, n);
        if (g) {
            ig_str s;
            ig_str_init(&s, &alloc);
            ig_graph_print(g, true, &s);
            ig_str_deinit(&s);
            n_parsed++;
        } else {
            have_messages &= err.message[0] != 0;
            n_failed++;
        }
        ig_arena_reset(&arena);
    }
    CHECK(have_messages && n_parsed > 100 && n_failed > 1000);
}

static void deep(void)
{
    ig_str s;
    ig_str_init(&s, &alloc);
    ig_str_puts(&s, "graph \"\" (%x: float32[");
    for (int i = 0; i < 100000; i++) ig_str_putc(&s, '(');
    CHECK(!parse(ig_str_cstr(&s), s.n));
    ig_str_clear(&s);
    for (int i = 0; i < 20000; i++) ig_str_puts(&s, "graph \"\" () -> () {\n = If \"\" () { a = ");
    CHECK(!parse(ig_str_cstr(&s), s.n) && strstr(err.message, "nested deeper"));
    ig_str_deinit(&s);
    const char *huge = "graph \"\" () -> (%x) { const %x: float32[4000000000] = {1, 2} }";
    CHECK(!parse(huge, strlen(huge)) && strstr(err.message, "more elements"));
}

static void no_memory(void)
{
    for (int k = 1; k < 400; k++) {
        ig_arena_deinit(&arena);
        ig_arena_init(&arena, &alloc, INGOT_MEM_GRAPH);
        atomic_store(&alloc.is_failing, false);
        atomic_store(&alloc.fail_countdown, k);
        ig_dims dims;
        ig_graph *g = NULL;
        ig_dims_init(&dims, &arena);
        ig_error_clear(&err);
        const ig_status status =
            ig_graph_parse(&arena, &dims, everything, sizeof everything - 1, &g, &err);
        atomic_store(&alloc.fail_countdown, 0);
        atomic_store(&alloc.is_failing, false);
        if (status == INGOT_OK) {
            CHECK(k > 1);
            return;
        }
        CHECK(status == INGOT_ERR_NOMEM || dims.has_failed);
    }
    CHECK(false);
}

static const char chain[] = "graph \"\" (%x: float32[2]) -> (%c) {\n"
                            "    %a = Relu \"\" (%x)\n"
                            "    %b = Relu \"second\" (%a)\n"
                            "    %c = Add \"\" (%a, %b)\n}\n";

static void editing(void)
{
    ig_graph *g = parse(chain, sizeof chain - 1);
    if (!CHECK(g != NULL)) return;
    CHECK(g->values[1]->n_uses == 2 && g->values[1]->producer == 0);
    ig_node *swap = g->nodes[0];
    g->nodes[0] = g->nodes[2];
    g->nodes[2] = swap;
    CHECK(ig_graph_verify(g, &err) == INGOT_ERR_INVALID &&
          strstr(err.message, "before it is computed"));
    ig_error_clear(&err);
    CHECK(ig_graph_sort(g, &err) == INGOT_OK && ig_graph_verify(g, &err) == INGOT_OK);
    CHECK(g->nodes[0] == swap);
    g->nodes[2]->inputs[0] = IG_NONE;
    g->outputs[0] = 2;
    g->nodes[2]->is_dead = true;
    ig_graph_sweep(g);
    CHECK(g->n_nodes == 2 && g->values[2]->is_output && !g->values[3]->is_output);
    CHECK(g->values[0]->is_input && !g->values[2]->is_input && g->values[1]->n_uses == 1);
    CHECK(ig_graph_verify(g, &err) == INGOT_OK);
    CHECK(ig_node_set_input(g, g->nodes[0], 2, 1) && g->nodes[0]->n_inputs == 3 &&
          g->nodes[0]->inputs[1] == IG_NONE);
    CHECK(ig_graph_sort(g, &err) == INGOT_ERR_INVALID && strstr(err.message, "cycle"));
    char text[100];
    CHECK_STRING(ig_node_describe(g, g->nodes[1], text, sizeof text), "node 1 'second' (Relu)");
    CHECK(ig_node_set_int(g, g->nodes[0], "axis", 1) && ig_node_set_int(g, g->nodes[0], "axis", 2));
    CHECK(g->nodes[0]->n_attrs == 1 && ig_node_attr(g->nodes[0], "axis")->i == 2);
    ig_node_remove_attr(g->nodes[0], "axis");
    CHECK(!ig_node_attr(g->nodes[0], "axis"));
}

int main(void)
{
    ig_alloc_init(&alloc, NULL, 0);
    ig_arena_init(&arena, &alloc, INGOT_MEM_GRAPH);
    round_trip();
    hashes();
    editing();
    hostile();
    deep();
    no_memory();
    ig_arena_deinit(&arena);
    CHECK(atomic_load(&alloc.total) == 0);
    return check_report();
}
