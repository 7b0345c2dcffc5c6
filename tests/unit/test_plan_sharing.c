/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that share bytes: views, outputs over inputs, parts of a concatenation that are computed
 * where they belong. Each graph runs with and without sharing (the level ref shares nothing but
 * reshapes), must give the same bits, and must take as many steps as said.
 */
#include "check.h"
#include "exec/frame.h"
#include "ops/op.h"

typedef struct sharing_case {
    const char *what, *text;
    size_t n_steps; /* with sharing */
} sharing_case;

#define GRAPH(outputs, nodes)                                                                      \
    "graph \"\" (opset ai.onnx 13) (%x: float32[1,3,3000]) -> (" outputs ") {\n" nodes "}\n"
#define A "%a = Relu \"\" (%x)\n"
#define B "%b = Neg \"\" (%x)\n"

static const sharing_case cases[] = {
    { "two parts", GRAPH("%c", A B "%c = Concat \"\" (%a, %b) { axis = 1 }\n"), 2 },
    { "parts that are not one after the other",
      GRAPH("%c", A B "%c = Concat \"\" (%a, %b) { axis = 2 }\n"), 3 },
    { "a part that lives on",
      GRAPH("%c, %d", A B "%c = Concat \"\" (%a, %b) { axis = 0 }\n %d = Floor \"\" (%a)\n"), 3 },
    { "a concatenation in another",
      GRAPH("%d", A B "%c = Concat \"\" (%a, %b) { axis = 1 }\n %e = Floor \"\" (%x)\n"
                      "%d = Concat \"\" (%e, %c, %e) { axis = 1 }\n"),
      4 },
    { "nested",
      GRAPH("%d", A B "%c = Concat \"\" (%a, %b) { axis = 1 }\n %e = Floor \"\" (%x)\n"
                      "%d = Concat \"\" (%e, %c) { axis = 1 }\n"),
      3 },
    { "one part twice", GRAPH("%c", A "%c = Concat \"\" (%a, %a) { axis = 1 }\n"), 2 },
    { "an input of the caller", GRAPH("%c", A "%c = Concat \"\" (%a, %x) { axis = 1 }\n"), 2 },
    { "two concatenations of one part",
      GRAPH("%c, %d", A B "%c = Concat \"\" (%a, %b) { axis = 1 }\n"
                          "%d = Concat \"\" (%b, %a) { axis = 1 }\n"),
      3 },
    { "a part as the other operand",
      GRAPH("%y", A B "%c = Concat \"\" (%a, %b) { axis = 0 }\n %y = Sub \"\" (%c, %a)\n"), 3 },
    { "a view of a part that outlives the whole",
      GRAPH("%y, %z", A B "%c = Concat \"\" (%a, %b) { axis = 0 }\n"
                          "%v = Flatten \"\" (%a)\n %y = Floor \"\" (%c)\n %z = Neg \"\" (%v)\n"),
      4 },
    { "split", GRAPH("%p, %q, %r", A "%p, %q, %r = Split \"\" (%a) { axis = 1 }\n"), 1 },
    { "split, and one part changed",
      GRAPH("%s, %q, %r", A "%p, %q, %r = Split \"\" (%a) { axis = 1 }\n %s = Floor \"\" (%p)\n"),
      2 },
    { "split and joined again",
      GRAPH("%c", A "%p, %q, %r = Split \"\" (%a) { axis = 1 }\n"
                    "%c = Concat \"\" (%r, %q, %p) { axis = 1 }\n"),
      2 },
    { "split of an input",
      GRAPH("%s, %r", "%p, %q, %r = Split \"\" (%x) { axis = 1 }\n %s = Mul \"\" (%p, %q)\n"), 1 },
};

static ig_graph *parse(ig_arena *arena, const char *text, ig_error *err)
{
    ig_graph *g = NULL;
    ig_dims *dims = ig_arena_get(arena, sizeof *dims);
    if (!dims) return NULL;
    ig_dims_init(dims, arena);
    if (ig_graph_parse(arena, dims, text, strlen(text), &g, err) || ig_ops_resolve(g, err) ||
        ig_graph_infer(g, err))
        return NULL;
    return g;
}

/* Outputs are copied into arena; returns the number of steps, 0 when something failed. */
static size_t run(ig_alloc *alloc, ig_arena *arena, const char *text, ig_isa isa,
                  ig_tensor **outputs, ig_error *err)
{
    ig_tensor x = { .dtype = INGOT_FLOAT, .rank = 3, .dims = { 1, 3, 3000 } };
    const ig_tensor *inputs[] = { &x };
    ig_plan plan = { 0 };
    ig_run_context context = { .plan = &plan };
    ig_frame *frame = NULL;
    size_t n_steps = 0;
    ig_graph *g = parse(arena, text, err);
    float *numbers = ig_arena_array(arena, 9000, sizeof *numbers); /* more than a tile holds */
    if (!numbers) return 0;
    for (int i = 0; i < 9000; i++) numbers[i] = (float)(i % 5) - 2 + (float)(i % 1000) / 8;
    x.data = numbers;
    if (!g || ig_plan_init(&plan, alloc, g, isa, NULL, NULL, 0, err)) return 0;
    if (!ig_frame_create(&context, g, 0, &frame, err) && !ig_frame_run(frame, inputs, err)) {
        n_steps = ig_frame_binding(frame)->n_steps;
        for (size_t i = 0; i < g->n_outputs; i++) {
            const ig_tensor *t = ig_frame_output(frame, i);
            if (ig_tensor_in_arena(arena, t->dtype, t->rank, t->dims, NULL, &outputs[i], err))
                n_steps = 0;
            else
                memcpy(outputs[i]->data, t->data, (size_t)ig_tensor_count(t) * sizeof(float));
        }
    }
    ig_frame_destroy(frame);
    ig_plan_deinit(&plan);
    return n_steps;
}

static void check_case(const sharing_case *c, ig_alloc *alloc)
{
    ig_arena arena;
    ig_error err = { 0 };
    ig_tensor *shared[4] = { 0 }, *apart[4] = { 0 };
    ig_arena_init(&arena, alloc, INGOT_MEM_OTHER);
    const size_t n_apart = run(alloc, &arena, c->text, IG_ISA_REF, apart, &err);
    const size_t n = run(alloc, &arena, c->text, IG_ISA_PORTABLE, shared, &err);
    if (!CHECK(n_apart > 0) || !CHECK(n == c->n_steps))
        printf("  %s: %zu steps, %zu without sharing; %s\n", c->what, n, n_apart, err.message);
    for (int i = 0; i < 4 && shared[i] && apart[i]; i++)
        if (!CHECK(ig_tensor_count(shared[i]) == ig_tensor_count(apart[i]) &&
                   !memcmp(shared[i]->data, apart[i]->data,
                           (size_t)ig_tensor_count(apart[i]) * sizeof(float))))
            printf("  %s: output %d has other numbers\n", c->what, i);
    ig_arena_deinit(&arena);
}

int main(void)
{
    ig_alloc alloc;
    ig_alloc_init(&alloc, NULL, 0);
    for (size_t i = 0; i < IG_COUNT(cases); i++) check_case(&cases[i], &alloc);
    CHECK(atomic_load(&alloc.total) == 0);
    return check_report();
}
