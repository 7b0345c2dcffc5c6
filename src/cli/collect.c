/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/collect.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

static ig_status choose_kind(ig_cli *cli, const char *path, ig_out_kind *kind)
{
    struct stat st;
    const bool exists = stat(path, &st) == 0;
    if (ends_with(path, ".npz"))
        *kind = IG_OUT_NPZ;
    else if (ends_with(path, ".npy"))
        *kind = IG_OUT_NPY;
    else if (ends_with(path, "/") || (exists && S_ISDIR(st.st_mode)))
        *kind = IG_OUT_FOLDER;
    else if (strcmp(path, "-") == 0 || (exists && !S_ISREG(st.st_mode))) /* a device or a pipe */
        *kind = IG_OUT_NPZ;
    else
        return ig_cli_usage(cli, "--out: '%s' is no .npz, no .npy and no folder (which ends in /)",
                            path);
    return INGOT_OK;
}

ig_status ig_collect_init(ig_cli *cli, const ig_engine *e, ig_collect *c)
{
    *c = (ig_collect){ .path = cli->options.out };
    if (!c->path) return INGOT_OK;
    IG_TRY(choose_kind(cli, c->path, &c->kind));
    const size_t n = ingot_model_n_outputs(e->model);
    if (c->kind == IG_OUT_NPY && n != 1)
        return ig_cli_usage(cli, "--out: %s has %zu outputs, a .npy holds one; write a .npz",
                            e->path, n);
    c->outputs = ig_arena_array(&cli->arena, n + 1, sizeof *c->outputs);
    c->infos = ig_arena_array(&cli->arena, n + 1, sizeof *c->infos);
    if (!c->outputs || !c->infos) return IG_NOMEM(&cli->err, n * sizeof *c->outputs);
    c->n = n;
    for (size_t i = 0; i < n; i++) {
        ig_str_init(&c->outputs[i].bytes, cli->alloc);
        ingot_model_output(e->model, i, &c->infos[i]);
    }
    return INGOT_OK;
}

/* ---- several runs ---- */

static bool can_join(const ingot_value *a, const ingot_value *b)
{
    if (ingot_value_kind(a) != INGOT_KIND_TENSOR || ingot_value_kind(b) != INGOT_KIND_TENSOR)
        return false;
    const int rank = ingot_tensor_rank(a);
    if (rank != ingot_tensor_rank(b) || rank == 0 ||
        ingot_tensor_dtype(a) != ingot_tensor_dtype(b) ||
        ingot_dtype_bits(ingot_tensor_dtype(a)) < 8)
        return false;
    for (int d = 1; d < rank; d++)
        if (ingot_tensor_dims(a)[d] != ingot_tensor_dims(b)[d]) return false;
    return true;
}

static ig_status append(ig_cli *cli, struct ig_collected *out, const ingot_value *value,
                        const char *name)
{
    if (!can_join(out->first, value)) {
        ig_str a, b;
        ig_str_init(&a, cli->alloc);
        ig_str_init(&b, cli->alloc);
        ig_describe_value(out->first, &a);
        ig_describe_value(value, &b);
        const ig_status status = ig_fail(
            &cli->err, INGOT_ERR_SHAPE,
            "--out: output '%s' is %s for one input and %s for another; they cannot be joined",
            name, ig_str_cstr(&a), ig_str_cstr(&b));
        ig_str_deinit(&a);
        ig_str_deinit(&b);
        return status;
    }
    if (out->bytes.n == 0) {
        ig_str_append(&out->bytes, ingot_tensor_data(out->first), ingot_tensor_bytes(out->first));
        memcpy(out->dims, ingot_tensor_dims(out->first),
               (size_t)ingot_tensor_rank(value) * sizeof *out->dims);
    }
    ig_str_append(&out->bytes, ingot_tensor_data(value), ingot_tensor_bytes(value));
    out->dims[0] += ingot_tensor_dims(value)[0];
    return ig_str_ok(&out->bytes) ? INGOT_OK : IG_NOMEM(&cli->err, out->bytes.n);
}

ig_status ig_collect_add(ig_cli *cli, ig_collect *c, const ig_engine *e)
{
    if (!c->kind) return INGOT_OK;
    for (size_t i = 0; i < c->n; i++) {
        const ingot_value *value = ingot_session_output(e->session, i);
        if (c->n_runs == 0)
            IG_TRY(ingot_value_copy(value, &c->outputs[i].first, &cli->err));
        else
            IG_TRY(append(cli, &c->outputs[i], value, c->infos[i].name));
    }
    c->n_runs++;
    return INGOT_OK;
}

void ig_collect_free(ig_collect *c)
{
    for (size_t i = 0; i < c->n; i++) {
        ingot_value_destroy(c->outputs[i].first);
        ig_str_deinit(&c->outputs[i].bytes);
    }
    c->n = 0;
}

/* The joined value of output i; *made must be destroyed. */
static ig_status joined(ig_cli *cli, const ig_collect *c, size_t i, const ingot_value **out,
                        ingot_value **made)
{
    struct ig_collected *o = &c->outputs[i];
    *made = NULL;
    *out = o->first;
    if (o->bytes.n == 0) return INGOT_OK;
    IG_TRY(ingot_tensor_wrap(ingot_tensor_dtype(o->first), ingot_tensor_rank(o->first), o->dims,
                             o->bytes.data, o->bytes.n, made, &cli->err));
    *out = *made;
    return INGOT_OK;
}

/* ---- archives ---- */

/* Tensors under their name; the parts of other values under NAME.0, NAME.1, … */
static ig_status add_value(ig_cli *cli, ig_npz_writer *w, const char *name,
                           const ingot_value *value)
{
    static const char *const parts[] = { "keys", "values" };
    if (ingot_value_kind(value) == INGOT_KIND_TENSOR) return ig_npz_add(w, name, value, &cli->err);
    for (size_t i = 0; i < ingot_value_n_items(value); i++) {
        const char *part = ingot_value_kind(value) == INGOT_KIND_MAP && i < 2
                               ? ig_arena_printf(&cli->arena, "%s.%s", name, parts[i])
                           : ingot_value_kind(value) == INGOT_KIND_OPTIONAL
                               ? name
                               : ig_arena_printf(&cli->arena, "%s.%zu", name, i);
        if (!part) return IG_NOMEM(&cli->err, strlen(name));
        IG_TRY(add_value(cli, w, part, ingot_value_item(value, i)));
    }
    return INGOT_OK;
}

static ig_status write_npz(ig_cli *cli, const ig_collect *c)
{
    ig_npz_writer w;
    ig_status status = INGOT_OK;
    ig_npz_begin(&w, cli->alloc);
    for (size_t i = 0; i < c->n && status == INGOT_OK; i++) {
        const ingot_value *value;
        ingot_value *made;
        status = joined(cli, c, i, &value, &made);
        if (status == INGOT_OK) status = add_value(cli, &w, c->infos[i].name, value);
        ingot_value_destroy(made);
    }
    if (status == INGOT_OK) status = ig_npz_end(&w, &cli->err);
    if (status == INGOT_OK)
        status = ig_write_file(c->path, w.data.data, w.data.n, &cli->err);
    else
        ig_error_prepend(&cli->err, "%s", c->path);
    ig_npz_free(&w);
    return status;
}

static ig_status write_npy(ig_cli *cli, const ig_collect *c)
{
    const ingot_value *value;
    ingot_value *made;
    ig_str text;
    IG_TRY(joined(cli, c, 0, &value, &made));
    ig_str_init(&text, cli->alloc);
    ig_status status = ingot_value_kind(value) == INGOT_KIND_TENSOR
                           ? ig_npy_write(value, &text, &cli->err)
                           : ig_fail(&cli->err, INGOT_ERR_UNSUPPORTED,
                                     "output '%s' is no tensor; write a .npz", c->infos[0].name);
    if (status == INGOT_OK) status = ig_write_file(c->path, text.data, text.n, &cli->err);
    ig_str_deinit(&text);
    ingot_value_destroy(made);
    return status;
}

/* ---- folders of .pb files ---- */

static int append_bytes(void *ctx, const char *text, size_t bytes)
{
    ig_str_append(ctx, text, bytes);
    return !ig_str_ok(ctx);
}

static ig_status write_pb(ig_cli *cli, const ig_collect *c, size_t i, const char *path)
{
    const ingot_value *value;
    ingot_value *made;
    ig_str text;
    IG_TRY(joined(cli, c, i, &value, &made));
    ig_str_init(&text, cli->alloc);
    ig_status status = ingot_value_to_pb(value, c->infos[i].name, append_bytes, &text, &cli->err);
    if (status == INGOT_ERR_CANCELLED && !ig_str_ok(&text)) {
        ig_error_clear(&cli->err);
        status = IG_NOMEM(&cli->err, text.n);
    }
    if (status == INGOT_OK) status = ig_write_file(path, ig_str_cstr(&text), text.n, &cli->err);
    ig_str_deinit(&text);
    ingot_value_destroy(made);
    return status;
}

static ig_status write_folder(ig_cli *cli, const ig_collect *c)
{
    const bool is_new = mkdir(c->path, 0777) == 0;
    if (!is_new && errno != EEXIST)
        return ig_fail(&cli->err, INGOT_ERR_IO, "%s: cannot create: %s", c->path, strerror(errno));
    const char *between = ends_with(c->path, "/") ? "" : "/";
    const char **paths = ig_arena_array(&cli->arena, c->n + 1, sizeof *paths);
    ig_status status = paths ? INGOT_OK : IG_NOMEM(&cli->err, c->n);
    size_t n_written = 0;
    for (; n_written < c->n && status == INGOT_OK; n_written++) {
        const char *path =
            ig_arena_printf(&cli->arena, "%s%soutput_%zu.pb", c->path, between, n_written);
        paths[n_written] = path;
        status = path ? write_pb(cli, c, n_written, path) : IG_NOMEM(&cli->err, 0);
    }
    if (status == INGOT_OK) return INGOT_OK;
    /* All or nothing; the last one counted is the one that failed. */
    for (size_t i = 0; i + 1 < n_written; i++) unlink(paths[i]);
    if (is_new) rmdir(c->path);
    return status;
}

ig_status ig_collect_write(ig_cli *cli, ig_collect *c)
{
    if (c->n_runs == 0) return INGOT_OK;
    switch (c->kind) {
    case IG_OUT_NPZ: return write_npz(cli, c);
    case IG_OUT_NPY: return write_npy(cli, c);
    case IG_OUT_FOLDER: return write_folder(cli, c);
    default: return INGOT_OK;
    }
}
