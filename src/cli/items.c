/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/items.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct file_list {
    const char **items;
    size_t n, cap;
} file_list;

/* ---- folders and patterns ---- */

static bool is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ig_status push(ig_cli *cli, file_list *list, const char *path)
{
    if (!path || !IG_ARENA_PUSH(&cli->arena, list->items, list->n, list->cap, path))
        return IG_NOMEM(&cli->err, 0);
    return INGOT_OK;
}

bool ig_items_is_offered(const char *name)
{
    const ig_file_kind kind = ig_file_kind_of_name(name);
    return name[0] != '.' && kind != IG_FILE_UNKNOWN && kind != IG_FILE_RAW;
}

static ig_status expand_folder(ig_cli *cli, const char *path, file_list *list)
{
    const size_t first = list->n, n_path = strlen(path);
    DIR *dir = opendir(path);
    if (!dir) return ig_fail(&cli->err, INGOT_ERR_IO, "%s: %s", path, strerror(errno));
    ig_status status = INGOT_OK;
    const char *between = path[n_path - 1] == '/' ? "" : "/";
    for (struct dirent *entry; status == INGOT_OK && (entry = readdir(dir));) {
        if (!ig_items_is_offered(entry->d_name)) continue;
        const char *file = ig_arena_printf(&cli->arena, "%s%s%s", path, between, entry->d_name);
        if (!file || !is_folder(file)) status = push(cli, list, file);
    }
    closedir(dir);
    if (status) return status;
    if (list->n == first)
        return ig_fail(&cli->err, INGOT_ERR_IO, "%s: no pictures, arrays or sounds in this folder",
                       path);
    qsort(list->items + first, list->n - first, sizeof *list->items, by_name);
    return INGOT_OK;
}

static ig_status expand_pattern(ig_cli *cli, const char *pattern, file_list *list)
{
    glob_t found;
    const int result = glob(pattern, 0, NULL, &found); /* sorted */
    if (result == GLOB_NOSPACE) return IG_NOMEM(&cli->err, 0);
    if (result != 0)
        return ig_fail(&cli->err, INGOT_ERR_IO, "%s: no file matches this pattern", pattern);
    ig_status status = INGOT_OK;
    for (size_t i = 0; i < found.gl_pathc && status == INGOT_OK; i++)
        if (!is_folder(found.gl_pathv[i]))
            status = push(cli, list, ig_arena_strdup(&cli->arena, found.gl_pathv[i]));
    globfree(&found);
    return status;
}

static ig_status expand(ig_cli *cli, const char *path, file_list *list)
{
    if (is_folder(path)) return expand_folder(cli, path, list);
    if (strpbrk(path, "*?[") && !exists(path)) return expand_pattern(cli, path, list);
    return push(cli, list, path);
}

/* ---- operands ---- */

static bool is_wanted(const ig_engine *e, size_t i)
{
    return !e->feeds[i] && !e->inputs[i].has_default;
}

static size_t n_wanted(const ig_engine *e)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n_inputs; i++) n += is_wanted(e, i);
    return n;
}

size_t ig_items_main_input(const ig_engine *e, bool is_picture)
{
    for (int round = is_picture ? 0 : 1; round < 2; round++)
        for (size_t i = 0; i < e->n_inputs; i++) {
            const int rank = e->inputs[i].rank;
            if (is_wanted(e, i) && (round == 1 || rank == 3 || rank == 4)) return i;
        }
    return 0;
}

static ig_status set_items(ig_cli *cli, const file_list *files, size_t input, ig_items *items)
{
    items->items = ig_arena_array(&cli->arena, files->n, sizeof *items->items);
    if (!items->items) return IG_NOMEM(&cli->err, files->n * sizeof *items->items);
    items->n = files->n;
    items->input = input;
    for (size_t i = 0; i < files->n; i++)
        items->items[i] = (ig_item){ files->items[i], ig_file_kind_of(files->items[i]) };
    return INGOT_OK;
}

/* NAME=FILE: read at once, unless it is a picture or many files. */
static ig_status take_named(ig_cli *cli, ig_engine *e, size_t i, const char *path, ig_items *items)
{
    file_list files = { 0 };
    IG_TRY(expand(cli, path, &files));
    if (files.n == 1 && ig_file_kind_of(files.items[0]) != IG_FILE_PICTURE)
        return ig_engine_feed(cli, e, i, files.items[0]);
    if (items->n)
        return ig_cli_usage(cli, "pictures or several files for two inputs: '%s' and '%s'",
                            e->inputs[items->input].name, e->inputs[i].name);
    return set_items(cli, &files, i, items);
}

static ig_status fail_unknown_name(ig_cli *cli, const ig_engine *e, const char *text)
{
    ig_str names;
    ig_str_init(&names, cli->alloc);
    for (size_t i = 0; i < e->n_inputs && i < 8; i++)
        ig_str_printf(&names, "%s%s", i ? ", " : "", e->inputs[i].name);
    const ig_status status =
        ig_cli_usage(cli, "%s has no input '%.*s'; its inputs are: %s", e->path,
                     (int)strcspn(text, "="), text, ig_str_cstr(&names));
    ig_str_deinit(&names);
    return status;
}

/* As many files as inputs that lack a value: one for each, in order. */
static bool is_one_each(const ig_engine *e, const file_list *files)
{
    const size_t n = n_wanted(e);
    if (n < 2 || files->n != n) return false;
    for (size_t i = 0; i < files->n; i++) {
        const ig_file_kind kind = ig_file_kind_of(files->items[i]);
        if (kind == IG_FILE_PICTURE || kind == IG_FILE_NPZ) return false;
    }
    return true;
}

static ig_status take_unnamed(ig_cli *cli, ig_engine *e, const file_list *files, ig_items *items)
{
    if (files->n == 0) return INGOT_OK;
    if (items->n)
        return ig_cli_usage(cli, "'%s' is for no input: say NAME=%s", files->items[0],
                            files->items[0]);
    if (e->n_inputs == 0) return ig_cli_usage(cli, "%s has no inputs", e->path);
    if (is_one_each(e, files)) {
        for (size_t i = 0, k = 0; i < e->n_inputs; i++)
            if (is_wanted(e, i)) IG_TRY(ig_engine_feed(cli, e, i, files->items[k++]));
        return INGOT_OK;
    }
    const bool is_picture = ig_file_kind_of(files->items[0]) == IG_FILE_PICTURE;
    return set_items(cli, files, ig_items_main_input(e, is_picture), items);
}

ig_status ig_items_init(ig_cli *cli, ig_engine *e, ig_items *items)
{
    const ig_text_list *operands = &cli->options.operands;
    file_list unnamed = { 0 };
    *items = (ig_items){ 0 };
    for (size_t k = 1; k < operands->n; k++) {
        const char *text = operands->items[k], *path;
        size_t i;
        if (ig_engine_split(e, text, &i, &path)) {
            IG_TRY(take_named(cli, e, i, path, items));
        } else if (strchr(text, '=') && !exists(text) && !strpbrk(text, "*?[")) {
            return fail_unknown_name(cli, e, text);
        } else {
            IG_TRY(expand(cli, text, &unnamed));
        }
    }
    IG_TRY(take_unnamed(cli, e, &unnamed, items));
    if (items->n == 0 && operands->n < 2 && !cli->options.inputs.n && !cli->options.random &&
        n_wanted(e))
        return ig_cli_usage(cli, "no input given; usage: ingot run %s", cli->command->operands);
    return INGOT_OK;
}
