/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_bytes.h: build small ONNX files byte by byte, well-formed or not, and import them. */
#ifndef IG_TESTS_ONNX_BYTES_H
#define IG_TESTS_ONNX_BYTES_H

#include <stdlib.h>

#include "import/onnx/onnx.h"
#include "check.h"

/* A message under construction. Large enough for every test; overflow is a failed check. */
typedef struct msg {
    uint8_t bytes[1 << 16];
    size_t n;
} msg;

static inline void msg_byte(msg *m, int byte)
{
    if (CHECK(m->n < sizeof m->bytes)) m->bytes[m->n++] = (uint8_t)byte;
}

static inline void msg_varint(msg *m, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) msg_byte(m, (int)(value & 0x7f) | 0x80);
    msg_byte(m, (int)value);
}

static inline void msg_int(msg *m, int field, int64_t value)
{
    msg_varint(m, (uint64_t)field << 3);
    msg_varint(m, (uint64_t)value);
}

static inline void msg_bytes(msg *m, int field, const void *data, size_t n)
{
    msg_varint(m, ((uint64_t)field << 3) | 2);
    msg_varint(m, n);
    for (size_t i = 0; i < n; i++) msg_byte(m, ((const uint8_t *)data)[i]);
}

static inline void msg_text(msg *m, int field, const char *text)
{
    msg_bytes(m, field, text, strlen(text));
}

static inline void msg_msg(msg *m, int field, const msg *inner)
{
    msg_bytes(m, field, inner->bytes, inner->n);
}

/* A zeroed message on the heap, for the bigger tests; free it. */
static inline msg *msg_new(void) { return calloc(1, sizeof(msg)); }

/* NodeProto with up to one input and one output (NULL: none). */
static inline void msg_node(msg *graph, const char *op, const char *in, const char *out)
{
    msg *node = msg_new();

    if (in) msg_text(node, 1, in);
    if (out) msg_text(node, 2, out);
    msg_text(node, 4, op);
    msg_msg(graph, 1, node);
    free(node);
}

/* ValueInfoProto of a float tensor of n unknown dimensions; field 11: input, 12: output. */
static inline void msg_value(msg *graph, int field, const char *name, int rank)
{
    msg *value = msg_new(), *type = msg_new(), *tensor = msg_new(), *shape = msg_new();

    for (int i = 0; i < rank; i++) msg_bytes(shape, 1, "", 0);
    msg_int(tensor, 1, INGOT_FLOAT);
    msg_msg(tensor, 2, shape);
    msg_msg(type, 1, tensor);
    msg_text(value, 1, name);
    msg_msg(value, 2, type);
    msg_msg(graph, field, value);
    free(value);
    free(type);
    free(tensor);
    free(shape);
}

/* ModelProto round a graph. */
static inline void msg_model(msg *model, const msg *graph)
{
    msg *opset = msg_new();

    msg_int(opset, 2, 13);
    msg_int(model, 1, 8);
    msg_msg(model, 8, opset);
    msg_msg(model, 7, graph);
    free(opset);
}

/* One import with all that it needs. */
typedef struct import {
    ig_alloc alloc;
    ig_arena arena;
    ig_dims dims;
    ig_onnx_model model;
    ig_error err;
    ig_status status;
    char log[1000];
} import;

static inline void import_log(void *ctx, ingot_log_level level, const char *line)
{
    import *im = ctx;

    (void)level;
    snprintf(im->log + strlen(im->log), sizeof im->log - strlen(im->log), "%s\n", line);
}

/* The bytes are copied to a block of exactly their size, so that sanitizers see every overread. */
static inline ig_status import_bytes_at(import *im, const void *data, size_t n, const char *path,
                                        void **copy)
{
    ingot_log log = { im, import_log };

    memset(im, 0, sizeof *im);
    *copy = malloc(n ? n : 1);
    if (n) memcpy(*copy, data, n);
    ig_alloc_init(&im->alloc, NULL, (size_t)64 << 20);
    ig_arena_init(&im->arena, &im->alloc, INGOT_MEM_GRAPH);
    ig_dims_init(&im->dims, &im->arena);
    im->status = ig_onnx_import(*copy, n, path, &im->arena, &im->dims, &im->alloc, &log, NULL,
                                &im->model, &im->err);
    if (im->status == INGOT_OK) {
        ig_error err = { 0 };

        if (!CHECK(ig_graph_verify(im->model.graph, &err) == INGOT_OK)) printf("%s\n", err.message);
    } else {
        CHECK(im->err.message[0] && !strchr(im->err.message, '\n'));
    }
    return im->status;
}

static inline void import_end(import *im, void *copy)
{
    ig_onnx_model_deinit(&im->model);
    ig_arena_deinit(&im->arena);
    CHECK(atomic_load(&im->alloc.total) == 0);
    free(copy);
}

/* Expect a failure of this class whose line holds `text`. */
static inline void expect_failure(const void *data, size_t n, const char *path, ig_status status,
                                  const char *text, int line)
{
import im;
    void *copy;

    import_bytes_at(&im, data, n, path, &copy);
    if (im.status != status || !strstr(im.err.message, text)) {
        CHECK(!"expected failure");
        printf("  line %d: got %s: %s\n  want %s: …%s…\n", line, ingot_status_name(im.status),
               im.err.message, ingot_status_name(status), text);
    } else {
        CHECK(true);
    }
    import_end(&im, copy);
}

#endif
