/* SPDX-License-Identifier: Apache-2.0 */
/* folders.c: a folder with a folder for each class, which is called like it: its number or its
 * name. It becomes a list in memory. A folder that has a labels.tsv is that list. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/eval/dataset.h"
#include "cli/items.h"

typedef struct entries {
    struct dirent **items;
    int n;
} entries;

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* Bytes, not the language of the environment, are the order. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static ig_status read_folder(ig_dataset *d, const char *path, entries *out)
{
    out->n = scandir(path, &out->items, is_visible, by_name);
    if (out->n >= 0) return INGOT_OK;
    out->n = 0;
    out->items = NULL;
    return ig_fail(&d->cli->err, INGOT_ERR_IO, "%s: %s", path, strerror(errno));
}

static void free_entries(entries *e)
{
    for (int i = 0; i < e->n; i++) free(e->items[i]);
    free(e->items);
}

static ig_status list_class(ig_dataset *d, const char *base, const char *name, ig_str *out)
{
    entries files;
    const char *path = ig_arena_printf(&d->scratch, "%s%s", base, name);
    struct stat st;
    if (!path) return IG_NOMEM(&d->cli->err, 0);
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return INGOT_OK;
    IG_TRY(read_folder(d, path, &files));
    ig_status status = INGOT_OK;
    for (int i = 0; i < files.n && !status; i++) {
        const char *file = files.items[i]->d_name;
        if (!ig_items_is_offered(file)) continue;
        if (strpbrk(file, "\t\n") || strpbrk(name, "\t\n"))
            status = ig_fail(&d->cli->err, INGOT_ERR_UNSUPPORTED,
                             "%s: a file's name has a tab or a line break", path);
        ig_str_printf(out, "%s/%s\t%s\n", name, file, name);
    }
    free_entries(&files);
    return status;
}

static ig_status list_classes(ig_dataset *d, const char *base, ig_str *out)
{
    entries classes;
    IG_TRY(read_folder(d, d->path, &classes));
    ig_status status = INGOT_OK;
    for (int i = 0; i < classes.n && !status; i++)
        status = list_class(d, base, classes.items[i]->d_name, out);
    free_entries(&classes);
    if (!status && !ig_str_ok(out)) status = IG_NOMEM(&d->cli->err, out->n);
    if (!status && out->n == 0)
        status = ig_fail(&d->cli->err, INGOT_ERR_INVALID,
                         "%s: has neither a labels.tsv nor folders of classes with files in them",
                         d->path);
    return status;
}

ig_status ig_folder_open(ig_dataset *d)
{
    ig_str text;
    const size_t n = strlen(d->path);
    ig_arena *arena = &d->cli->arena;
    const char *base = ig_arena_printf(arena, "%s%s", d->path, d->path[n - 1] == '/' ? "" : "/");
    const char *list = ig_arena_printf(arena, "%slabels.tsv", base ? base : "");
    if (!base || !list) return IG_NOMEM(&d->cli->err, n);
    if (access(list, F_OK) == 0) {
        d->path = list;
        return ig_list_open(d);
    }
    if (d->truth != IG_TRUTH_CLASS)
        return ig_fail(&d->cli->err, INGOT_ERR_INVALID,
                       "%s: folders tell classes alone; this metric needs a list or a .npz",
                       d->path);
    ig_str_init(&text, d->cli->alloc);
    ig_status status = list_classes(d, base, &text);
    const char *kept = status ? NULL : ig_arena_copy(arena, text.data, text.n);
    if (!status && !kept) status = IG_NOMEM(&d->cli->err, text.n);
    if (!status) status = ig_list_open_text(d, kept, text.n, base, true);
    ig_str_deinit(&text);
    return status;
}
