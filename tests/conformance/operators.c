/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operators.c: the table of operators for people and for tests.
 *
 *   operators          docs/OPERATORS.md (tools/lint-operators compares)
 *   operators --tsv    domain, name, versions, last version, types of input 0; tab-separated
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops/op.h"

static const char *domain_of(const ig_op *op) { return op->domain ? op->domain : "ai.onnx"; }

static int by_domain_and_name(const void *a, const void *b)
{
    const ig_op *x = *(const ig_op *const *)a, *y = *(const ig_op *const *)b;
    const int order = strcmp(domain_of(x), domain_of(y));
    return order ? order : strcmp(x->onnx, y->onnx);
}

static void put_versions(const ig_op *op, const char *between)
{
    for (size_t i = 0; i < IG_COUNT(op->since) && op->since[i]; i++)
        printf("%s%d", i ? between : "", op->since[i]);
}

/* Types are named one by one, but for the groups that most operators take whole. */
static void put_types(ig_dtype_set types, const char *between)
{
    static const struct {
        ig_dtype_set set;
        const char *name;
    } groups[] = { { IG_T_INTS, "int8–64, uint8–64" } };
    bool is_first = true;
    for (size_t i = 0; i < IG_COUNT(groups); i++) {
        if ((types & groups[i].set) != groups[i].set) continue;
        printf("%s%s", is_first ? "" : between, groups[i].name);
        types &= ~groups[i].set;
        is_first = false;
    }
    for (int t = 1; t < INGOT_N_DTYPES; t++) {
        if (!(types & IG_T(t))) continue;
        printf("%s%s", is_first ? "" : between, ingot_dtype_name((ingot_dtype)t));
        is_first = false;
    }
}

static const char *form_of(const ig_op *op)
{
    if (op->flags & IG_CONTROL_FLOW) return "runs its graphs";
    if (op->flags & IG_VIEW) return "no step: a view";
    if (op->prim) return "kernel, in chains";
    if (op->lower) return "kernel";
    return "reference";
}

static void put_page(const ig_op *const *ops, size_t n)
{
    const char *domain = "";
    printf("# Operators\n\n"
           "Made by `tools/lint-operators --fix` from the operators' own files; not edited by "
           "hand.\n\n"
           "Versions are those at which the schema changed; every opset in between works. Types "
           "are those of\n"
           "input 0; an empty cell: any, or none. *Kernel*: vector code for float32 (or the "
           "quantized types) on\n"
           "every instruction set, chosen by shape; other types run on the reference. *In chains*: "
           "several such\n"
           "operators become one pass over memory. Local functions of a model are inlined, "
           "whatever their name.\n");
    for (size_t i = 0; i < n; i++) {
        const ig_op *op = ops[i];
        if (strcmp(domain_of(op), "ingot") == 0) continue; /* made by passes, never in files */
        if (strcmp(domain, domain_of(op)) != 0) {
            size_t count = 0;
            domain = domain_of(op);
            for (size_t k = 0; k < n; k++) count += !strcmp(domain_of(ops[k]), domain);
            printf("\n## %s: %zu\n\n| operator | versions | types | runs as |\n|---|---|---|---|\n",
                   domain, count);
        }
        printf("| %s | ", op->onnx);
        put_versions(op, ", ");
        if (op->until) printf(" (until %d)", op->until);
        printf(" | ");
        put_types(op->types, ", ");
        printf(" | %s |\n", form_of(op));
    }
}

static void put_table(const ig_op *const *ops, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        printf("%s\t%s\t", domain_of(ops[i]), ops[i]->onnx);
        put_versions(ops[i], ",");
        printf("\t%d\t", ops[i]->until);
        for (int t = 1, any = 0; t < INGOT_N_DTYPES; t++)
            if (ops[i]->types & IG_T(t)) printf("%s%d", any++ ? "," : "", t);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    const size_t n = ig_ops_count();
    const ig_op **ops = malloc(n * sizeof *ops);
    if (!ops) return 1;
    for (size_t i = 0; i < n; i++) ops[i] = ig_ops_at(i);
    qsort(ops, n, sizeof *ops, by_domain_and_name);
    if (argc > 1 && !strcmp(argv[1], "--tsv"))
        put_table(ops, n);
    else
        put_page(ops, n);
    free(ops);
    return 0;
}
