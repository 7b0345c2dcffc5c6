/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.c: `ingot inspect`: what a model is, and what one run of it costs. */
#include <string.h>

#include "base/json.h"
#include "cli/engine.h"
#include "cli/table.h"

#define MAX_METADATA_SHOWN 60

/* What one run costs, for the shapes that were given. */
typedef struct cost {
    bool is_known, has_free_dims; /* free: 1 for want of --shape */
    char reason[1024];            /* why not */
    int64_t flops, bytes;
    size_t n_steps, activation_bytes, packed_bytes;
} cost;

/* ---- graphs ---- */

static int append_text(void *ctx, const char *text, size_t bytes)
{
    ig_str_append(ctx, text, bytes);
    return !ig_str_ok(ctx);
}

static ig_status print_graph(ig_cli *cli, const ig_engine *e, ingot_graph_format format)
{
    ig_str text;
    ig_str_init(&text, cli->alloc);
    ig_status status = ingot_model_write_graph(e->model, format, append_text, &text, &cli->err);
    if (status == INGOT_OK) status = ig_print(cli, &text);
    ig_str_deinit(&text);
    return status;
}

/* ---- costs ---- */

static void add_steps(const ig_engine *e, cost *c)
{
    c->n_steps = ingot_session_n_steps(e->session);
    for (size_t i = 0; i < c->n_steps; i++) {
        ingot_step_info step = { .struct_bytes = sizeof step };
        ingot_session_step(e->session, i, &step);
        c->flops += step.flops;
        c->bytes += step.bytes;
    }
}

/* Prepare a session with made-up inputs. That this fails says nothing against the file. */
static ig_status find_cost(ig_cli *cli, ig_engine *e, cost *c)
{
    memset(c, 0, sizeof *c);
    ig_status status = ig_engine_start(cli, e);
    if (status == INGOT_OK) status = ig_engine_feed_flags(cli, e);
    if (cli->is_usage_error) return status;
    if (status == INGOT_OK) status = ig_engine_make_up(cli, e, -1);
    if (status == INGOT_OK)
        status = ingot_session_prepare(e->session, e->feeds, e->n_inputs, &cli->err);
    if (status == INGOT_ERR_NOMEM || status == INGOT_ERR_LIMIT || status == INGOT_ERR_CANCELLED)
        return status;
    if (status) {
        snprintf(c->reason, sizeof c->reason, "%s", cli->err.message);
        ig_error_clear(&cli->err);
        return INGOT_OK;
    }
    c->is_known = true;
    for (size_t i = 0; i < e->n_inputs; i++)
        for (int d = 0; d < e->shapes[i].rank; d++)
            c->has_free_dims |= e->loaded[i].value && e->shapes[i].dims[d] < 0;
    add_steps(e, c);
    c->activation_bytes = ingot_session_slab_bytes(e->session);
    ingot_model_info info = { .struct_bytes = sizeof info };
    ingot_model_get_info(e->model, &info);
    c->packed_bytes = (size_t)info.packed_bytes;
    return INGOT_OK;
}

/* ---- text ---- */

static void put_field(ig_str *out, const char *name)
{
    ig_str_printf(out, "%s%-12s%s", ig_dim(stdout), name, ig_plain(stdout));
}

static void put_io(const ig_engine *e, bool is_output, ig_str *out)
{
    const size_t n = is_output ? ingot_model_n_outputs(e->model) : ingot_model_n_inputs(e->model);
    for (size_t i = 0; i < n; i++) {
        ingot_io_info info;
        if (is_output)
            ingot_model_output(e->model, i, &info);
        else
            ingot_model_input(e->model, i, &info);
        put_field(out, i ? "" : is_output ? "outputs" : "inputs");
        ig_str_printf(out, "%s  ", info.name);
        ig_describe_io(&info, out);
        ig_str_puts(out, info.has_default ? "  (has a default)\n" : "\n");
    }
}

static void put_operators(const ig_engine *e, ig_str *out)
{
    int column = 0;
    put_field(out, "operators");
    for (size_t i = 0; i < ingot_model_n_operators(e->model); i++) {
        const char *name;
        int64_t count;
        char text[200];
        ingot_model_operator(e->model, i, &name, &count);
        const int n = snprintf(text, sizeof text, "%s %lld", name, (long long)count);
        if (column && column + n > 76) {
            ig_str_printf(out, "\n%-12s", "");
            column = 0;
        }
        ig_str_printf(out, "%s%s", column ? ", " : "", text);
        column += n + 2;
    }
    ig_str_putc(out, '\n');
}

static void put_metadata(const ig_engine *e, ig_str *out)
{
    for (size_t i = 0; i < ingot_model_n_metadata(e->model); i++) {
        const char *key, *value;
        ingot_model_metadata(e->model, i, &key, &value);
        const size_t n_line = strcspn(value, "\n"), n_all = strlen(value);
        int n = (int)(n_line < MAX_METADATA_SHOWN ? n_line : MAX_METADATA_SHOWN);
        while (n > 0 && ((unsigned char)value[n] & 0xc0) == 0x80) n--;
        put_field(out, i ? "" : "metadata");
        ig_str_printf(out, "%s: %.*s%s\n", key, n, value, (size_t)n < n_all ? " …" : "");
    }
}

static void put_cost(const cost *c, ig_str *out)
{
    char a[32], b[32];
    if (!c->is_known) {
        put_field(out, "one run");
        ig_str_printf(out, "not known: %s\n", c->reason);
        return;
    }
    put_field(out, "one run");
    ig_str_printf(out, "%.3f GFLOP, %s moved, %zu steps%s\n", (double)c->flops * 1e-9,
                  ig_format_bytes((double)c->bytes, a), c->n_steps,
                  c->has_free_dims ? " (free dimensions are 1; --shape sets them)" : "");
    put_field(out, "memory");
    ig_str_printf(out, "activations %s (peak), packed weights %s\n",
                  ig_format_bytes((double)c->activation_bytes, a),
                  ig_format_bytes((double)c->packed_bytes, b));
}

static void put_text(const ig_engine *e, const cost *c, ig_str *out)
{
    char bytes[32];
    ingot_model_info info = { .struct_bytes = sizeof info };
    ingot_model_get_info(e->model, &info);
    ig_str_printf(out, "%s%s%s\n", ig_bold(stdout), e->path, ig_plain(stdout));
    put_field(out, "format");
    ig_str_printf(out, "ONNX, opset %lld, IR %lld\n", (long long)info.opset,
                  (long long)info.ir_version);
    if (*info.producer || *info.producer_version) {
        put_field(out, "producer");
        ig_str_printf(out, "%s %s\n", info.producer, info.producer_version);
    }
    if (*info.graph_name) {
        put_field(out, "graph");
        ig_str_printf(out, "%s\n", info.graph_name);
    }
    put_io(e, false, out);
    put_io(e, true, out);
    put_field(out, "nodes");
    ig_str_printf(out, "%lld in the file, %lld after rewriting\n", (long long)info.n_nodes_file,
                  (long long)info.n_nodes);
    put_operators(e, out);
    put_field(out, "parameters");
    ig_str_printf(out, "%lld (weights %s)\n", (long long)info.n_parameters,
                  ig_format_bytes((double)info.weight_bytes, bytes));
    put_metadata(e, out);
    put_cost(c, out);
}

/* ---- JSON ---- */

static void json_text(ig_json_writer *w, const char *key, const char *text)
{
    ig_json_key(w, key);
    ig_json_cstr(w, text);
}

static void json_int(ig_json_writer *w, const char *key, int64_t value)
{
    ig_json_key(w, key);
    ig_json_int(w, value);
}

static void json_io(const ig_engine *e, bool is_output, ig_json_writer *w)
{
    static const char *const kinds[] = { "tensor", "sequence", "map", "optional" };
    const size_t n = is_output ? ingot_model_n_outputs(e->model) : ingot_model_n_inputs(e->model);
    ig_json_key(w, is_output ? "outputs" : "inputs");
    ig_json_open(w, '[');
    for (size_t i = 0; i < n; i++) {
        ingot_io_info info;
        if (is_output)
            ingot_model_output(e->model, i, &info);
        else
            ingot_model_input(e->model, i, &info);
        ig_json_open(w, '{');
        json_text(w, "name", info.name);
        json_text(w, "kind", kinds[info.kind]);
        json_text(w, "type", info.dtype ? ingot_dtype_name(info.dtype) : NULL);
        ig_json_key(w, "shape");
        if (info.rank < 0) {
            ig_json_null(w);
        } else {
            ig_json_open(w, '[');
            for (int d = 0; d < info.rank; d++)
                if (info.dims[d] >= 0)
                    ig_json_int(w, info.dims[d]);
                else
                    ig_json_cstr(w, info.dim_names[d]);
            ig_json_close(w, ']');
        }
        ig_json_key(w, "has_default");
        ig_json_bool(w, info.has_default);
        ig_json_close(w, '}');
    }
    ig_json_close(w, ']');
}

static void json_lists(const ig_engine *e, ig_json_writer *w)
{
    const char *name, *value;
    int64_t count;
    ig_json_key(w, "operators");
    ig_json_open(w, '{');
    for (size_t i = 0; i < ingot_model_n_operators(e->model); i++) {
        ingot_model_operator(e->model, i, &name, &count);
        json_int(w, name, count);
    }
    ig_json_close(w, '}');
    ig_json_key(w, "metadata");
    ig_json_open(w, '{');
    for (size_t i = 0; i < ingot_model_n_metadata(e->model); i++) {
        ingot_model_metadata(e->model, i, &name, &value);
        json_text(w, name, value);
    }
    ig_json_close(w, '}');
}

static void put_json(const ig_engine *e, const cost *c, ig_str *out)
{
    ig_json_writer w;
    ingot_model_info info = { .struct_bytes = sizeof info };
    ingot_model_get_info(e->model, &info);
    ig_json_begin(&w, out, 2);
    ig_json_open(&w, '{');
    json_text(&w, "file", e->path);
    json_text(&w, "format", "onnx");
    json_text(&w, "producer", info.producer);
    json_text(&w, "producer_version", info.producer_version);
    json_text(&w, "graph", info.graph_name);
    json_text(&w, "doc", info.doc);
    json_int(&w, "ir_version", info.ir_version);
    json_int(&w, "opset", info.opset);
    json_io(e, false, &w);
    json_io(e, true, &w);
    json_int(&w, "nodes_in_file", info.n_nodes_file);
    json_int(&w, "nodes", info.n_nodes);
    json_int(&w, "parameters", info.n_parameters);
    json_lists(e, &w);
    ig_json_key(&w, "memory");
    ig_json_open(&w, '{');
    json_int(&w, "weight_bytes", info.weight_bytes);
    if (c->is_known) {
        json_int(&w, "packed_bytes", (int64_t)c->packed_bytes);
        json_int(&w, "activation_bytes", (int64_t)c->activation_bytes);
    }
    ig_json_close(&w, '}');
    ig_json_key(&w, "run");
    ig_json_open(&w, '{');
    if (c->is_known) {
        ig_json_key(&w, "gflop");
        ig_json_number(&w, (double)c->flops * 1e-9);
        json_int(&w, "bytes_moved", c->bytes);
        json_int(&w, "steps", (int64_t)c->n_steps);
    } else {
        json_text(&w, "error", c->reason);
    }
    ig_json_close(&w, '}');
    ig_json_close(&w, '}');
    ig_str_putc(out, '\n');
}

ig_status ig_cli_inspect(ig_cli *cli)
{
    const char *path;
    ig_engine engine;
    cost c;
    IG_TRY(ig_cli_model_path(cli, 1, &path));
    ig_status status = ig_engine_open(cli, path, &engine);
    if (status == INGOT_OK && (cli->options.graph || cli->options.dot)) {
        status = print_graph(cli, &engine, cli->options.dot ? INGOT_GRAPH_DOT : INGOT_GRAPH_TEXT);
    } else if (status == INGOT_OK) {
        ig_str out;
        ig_str_init(&out, cli->alloc);
        status = find_cost(cli, &engine, &c);
        if (status == INGOT_OK) (cli->options.json ? put_json : put_text)(&engine, &c, &out);
        if (status == INGOT_OK) status = ig_print(cli, &out);
        ig_str_deinit(&out);
    }
    ig_engine_close(&engine);
    return status;
}
