/* SPDX-License-Identifier: Apache-2.0 */
/* value_in.c: Python objects become values. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

/* Formats of the struct module, in native size and order. long is 8 bytes on one system and 4 on
 * another. */
static ingot_dtype dtype_of_integer(char code, Py_ssize_t itemsize)
{
    static const ingot_dtype is_signed[] = { 0, INGOT_INT8, INGOT_INT16, 0,          INGOT_INT32,
                                             0, 0,          0,           INGOT_INT64 };
    static const ingot_dtype is_unsigned[] = { 0, INGOT_UINT8, INGOT_UINT16, 0, INGOT_UINT32, 0,
                                               0, 0,           INGOT_UINT64 };
    if (itemsize > 8) return INGOT_UNDEFINED;
    return strchr("bhilq", code) ? is_signed[itemsize] : is_unsigned[itemsize];
}

ingot_dtype core_buffer_dtype(const Py_buffer *buffer)
{
    const char *format = buffer->format ? buffer->format : "B";
    const Py_ssize_t size = buffer->itemsize;
    if (*format == '@') format++;
    if (format[0] == 'Z' && format[1] && !format[2]) {
        if (format[1] == 'f' && size == 8) return INGOT_COMPLEX64;
        return format[1] == 'd' && size == 16 ? INGOT_COMPLEX128 : INGOT_UNDEFINED;
    }
    if (!format[0] || format[1]) return INGOT_UNDEFINED;
    switch (format[0]) {
    case 'f': return size == 4 ? INGOT_FLOAT : INGOT_UNDEFINED;
    case 'd': return size == 8 ? INGOT_DOUBLE : INGOT_UNDEFINED;
    case 'e': return size == 2 ? INGOT_FLOAT16 : INGOT_UNDEFINED;
    case '?': return size == 1 ? INGOT_BOOL : INGOT_UNDEFINED;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q': return dtype_of_integer(format[0], size);
    default: return INGOT_UNDEFINED;
    }
}

void core_holds_release(core_hold *holds)
{
    while (holds) {
        core_hold *next = holds->next;
        PyBuffer_Release(&holds->buffer);
        PyMem_Free(holds);
        holds = next;
    }
}

/* Ask for the object's memory, in one block and C order. NULL with an exception. */
static core_hold *hold(PyObject *object, core_hold **holds)
{
    core_hold *made = PyMem_Malloc(sizeof *made);
    if (!made) {
        PyErr_NoMemory();
        return NULL;
    }
    if (PyObject_GetBuffer(object, &made->buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT)) {
        PyMem_Free(made);
        return NULL;
    }
    made->next = *holds;
    return *holds = made;
}

static ingot_value *wrap(const Py_buffer *buffer, ingot_dtype dtype, int rank, const int64_t *dims)
{
    ingot_error err;
    ingot_value *value = NULL;
    if (ingot_tensor_wrap(dtype, rank, dims, buffer->buf, (size_t)buffer->len, &value, &err))
        core_raise(&err);
    return value;
}

/* A plain array in one block. NULL without an exception when it is something else. */
static ingot_value *plain_in(PyObject *object, const ingot_io_info *info, core_hold **holds)
{
    if (!PyObject_CheckBuffer(object)) return NULL;
    core_hold *held = hold(object, holds);
    if (!held) {
        PyErr_Clear(); /* strided, or without a format: _values.describe sees to it, or says why not
                        */
        return NULL;
    }
    const Py_buffer *buffer = &held->buffer;
    const ingot_dtype dtype = core_buffer_dtype(buffer);
    const uintptr_t align = buffer->itemsize >= 8 ? 8 : (uintptr_t)buffer->itemsize;
    const int is_plain =
        dtype && (dtype == info->dtype || !info->dtype || core.dtypes[info->dtype]);
    if (!is_plain || (uintptr_t)buffer->buf % align || buffer->ndim > INGOT_MAX_RANK) return NULL;
    int64_t dims[INGOT_MAX_RANK];
    for (int i = 0; i < buffer->ndim; i++) dims[i] = buffer->shape[i];
    return wrap(buffer, dtype, buffer->ndim, dims);
}

/* Fill dims from a tuple of integers; the rank, or -1 with an exception. */
static int shape_in(PyObject *shape, int64_t dims[INGOT_MAX_RANK])
{
    const Py_ssize_t rank = PyTuple_Size(shape);
    if (rank > INGOT_MAX_RANK) {
        core_raise_text(INGOT_ERR_LIMIT, "an array has %zd dimensions, at most %d are possible",
                        rank, INGOT_MAX_RANK);
        return -1;
    }
    for (Py_ssize_t i = 0; i < rank; i++) {
        dims[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
        if (dims[i] == -1 && PyErr_Occurred()) return -1;
    }
    return (int)rank;
}

static ingot_value *tensor_in(PyObject *description, core_hold **holds)
{
    PyObject *shape, *memory;
    int tag, dtype;
    int64_t dims[INGOT_MAX_RANK];
    if (!PyArg_ParseTuple(description, "iiO!O", &tag, &dtype, &PyTuple_Type, &shape, &memory))
        return NULL;
    const int rank = shape_in(shape, dims);
    core_hold *held = rank < 0 ? NULL : hold(memory, holds);
    return held ? wrap(&held->buffer, (ingot_dtype)dtype, rank, dims) : NULL;
}

static ingot_value *strings_in(PyObject *description)
{
    PyObject *shape, *texts;
    int tag;
    int64_t dims[INGOT_MAX_RANK];
    ingot_error err;
    ingot_value *value = NULL;
    if (!PyArg_ParseTuple(description, "iO!O!", &tag, &PyTuple_Type, &shape, &PyList_Type, &texts))
        return NULL;
    const int rank = shape_in(shape, dims);
    if (rank < 0) return NULL;
    if (ingot_tensor_create(INGOT_STRING, rank, dims, &value, &err)) {
        core_raise(&err);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(texts) && i < ingot_tensor_count(value); i++) {
        char *text;
        Py_ssize_t bytes;
        if (PyBytes_AsStringAndSize(PyList_GetItem(texts, i), &text, &bytes)) goto failed;
        if (ingot_tensor_set_string(value, i, text, (size_t)bytes, &err)) {
            core_raise(&err);
            goto failed;
        }
    }
    return value;
failed:
    ingot_value_destroy(value);
    return NULL;
}

static ingot_value *described_in(PyObject *description, core_hold **holds);

static ingot_value *sequence_in(PyObject *description, core_hold **holds)
{
    PyObject *items = PyTuple_GetItem(description, 1);
    ingot_error err;
    ingot_value *value = NULL;
    if (!items || !PyList_Check(items)) return NULL;
    if (ingot_sequence_create(&value, &err)) {
        core_raise(&err);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < PyList_Size(items); i++) {
        ingot_value *item = described_in(PyList_GetItem(items, i), holds);
        if (item && ingot_sequence_push(value, item, &err)) {
            core_raise(&err);
            ingot_value_destroy(item);
            item = NULL;
        }
        if (!item) {
            ingot_value_destroy(value);
            return NULL;
        }
    }
    return value;
}

static ingot_value *map_in(PyObject *description, core_hold **holds)
{
    ingot_error err;
    ingot_value *map = NULL;
    PyObject *key_part = PyTuple_GetItem(description, 1),
             *value_part = PyTuple_GetItem(description, 2);
    if (!key_part || !value_part) return NULL;
    ingot_value *keys = described_in(key_part, holds);
    ingot_value *values = keys ? described_in(value_part, holds) : NULL;
    if (!values || ingot_map_create(keys, values, &map, &err)) {
        if (values) core_raise(&err);
        ingot_value_destroy(keys);
        ingot_value_destroy(values);
        return NULL;
    }
    return map;
}

static ingot_value *optional_in(PyObject *description, core_hold **holds)
{
    ingot_error err;
    ingot_value *item = NULL, *optional = NULL;
    PyObject *inner = PyTuple_GetItem(description, 1);
    if (!inner) return NULL;
    if (!Py_IsNone(inner) && !(item = described_in(inner, holds))) return NULL;
    if (ingot_optional_create(item, &optional, &err)) {
        core_raise(&err);
        ingot_value_destroy(item);
    }
    return optional;
}

/* NULL with an exception. */
static ingot_value *described_in(PyObject *description, core_hold **holds)
{
    const long tag = PyTuple_Check(description) && PyTuple_Size(description)
                         ? PyLong_AsLong(PyTuple_GetItem(description, 0))
                         : -1;
    ingot_value *value = NULL;
    if (PyErr_Occurred() || Py_EnterRecursiveCall(" in an input")) return NULL;
    switch (tag) {
    case TAG_TENSOR: value = tensor_in(description, holds); break;
    case TAG_STRINGS: value = strings_in(description); break;
    case TAG_SEQUENCE: value = sequence_in(description, holds); break;
    case TAG_MAP: value = map_in(description, holds); break;
    case TAG_OPTIONAL: value = optional_in(description, holds); break;
    default: break;
    }
    Py_LeaveRecursiveCall();
    if (!value && !PyErr_Occurred())
        core_raise_text(INGOT_ERR_INTERNAL, "an input has a description that means nothing");
    return value;
}

ingot_value *core_value_in(PyObject *object, const ingot_io_info *info, core_hold **holds)
{
    if (info->kind == INGOT_KIND_TENSOR && info->dtype != INGOT_STRING) {
        ingot_value *value = plain_in(object, info, holds);
        if (value || PyErr_Occurred()) return value;
    }
    PyObject *description = PyObject_CallFunction(core.describe, "Oiis", object, (int)info->kind,
                                                  (int)info->dtype, info->name);
    if (!description) return NULL;
    /* Values lie on memory that the description owns: the buffers that are held keep it. */
    ingot_value *value = described_in(description, holds);
    Py_DECREF(description);
    return value;
}
