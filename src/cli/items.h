/* SPDX-License-Identifier: Apache-2.0 */
/* items.h: the operands of `ingot run`: which file is for which input, and what is run in turn. */
#ifndef IG_CLI_ITEMS_H
#define IG_CLI_ITEMS_H

#include "cli/engine.h"

typedef struct ig_item {
    const char *path;
    ig_file_kind kind;
} ig_item;

/* Files that are run one after the other. n 0: one run of what the inputs have already. */
typedef struct ig_items {
    ig_item *items;
    size_t n;
    size_t input; /* that they are for */
} ig_items;

/* Sort the operands after the model: single files with a name are read right away, the rest becomes
 * items. Folders and patterns are expanded, in the order of names. */
ig_status ig_items_init(ig_cli *cli, ig_engine *engine, ig_items *items) IG_MUST_USE;

/* The input that files without a name are for: the first that has nothing yet; pictures go to the
 * first with the dimensions for them. */
size_t ig_items_main_input(const ig_engine *engine, bool is_picture);

/* Does a folder offer a file of this name? Not raw elements, which have names like many others. */
bool ig_items_is_offered(const char *name);

#endif
