/* SPDX-License-Identifier: Apache-2.0 */
/* value_out.c: values become Python objects. */
#include <string.h>

#include "core.h"

/* From here on copying is worth letting other threads in. */
enum { LARGE_BYTES = 1 << 18 };

static PyObject *shape_out(const ingot_value *tensor)
{
    const int rank = ingot_tensor_rank(tensor);
    const int64_t *dims = ingot_tensor_dims(tensor);
    PyObject *shape = PyTuple_New(rank);
    for (int i = 0; shape && i < rank; i++) {
        PyObject *dim = PyLong_FromLongLong(dims[i]);
        if (!dim || PyTuple_SetItem(shape, i, dim)) Py_CLEAR(shape);
    }
    return shape;
}

static void copy_bytes(void *to, const ingot_value *tensor)
{
    const size_t bytes = ingot_tensor_bytes(tensor);
    const void *from = ingot_tensor_data(tensor);
    if (bytes >= LARGE_BYTES) {
        PyThreadState *state = PyEval_SaveThread();
        memcpy(to, from, bytes);
        PyEval_RestoreThread(state);
    } else if (bytes) {
        memcpy(to, from, bytes);
    }
}

static int is_plain(const ingot_value *value)
{
    return ingot_value_kind(value) == INGOT_KIND_TENSOR &&
           core.dtypes[ingot_tensor_dtype(value)] != NULL;
}

/* A new array of a plain tensor. */
static PyObject *array_out(const ingot_value *tensor)
{
    Py_buffer buffer;
    PyObject *shape = shape_out(tensor);
    if (!shape) return NULL;
    PyObject *array = PyObject_CallFunctionObjArgs(core.empty, shape,
                                                   core.dtypes[ingot_tensor_dtype(tensor)], NULL);
    Py_DECREF(shape);
    if (!array || PyObject_GetBuffer(array, &buffer, PyBUF_WRITABLE)) {
        Py_XDECREF(array);
        return NULL;
    }
    copy_bytes(buffer.buf, tensor);
    PyBuffer_Release(&buffer);
    return array;
}

static PyObject *strings_out(const ingot_value *tensor)
{
    const int64_t n = ingot_tensor_count(tensor);
    const ingot_string *text = ingot_tensor_data(tensor);
    PyObject *shape = shape_out(tensor), *texts = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; texts && i < n; i++) {
        PyObject *item =
            PyBytes_FromStringAndSize(text[i].data ? text[i].data : "", (Py_ssize_t)text[i].bytes);
        if (!item || PyList_SetItem(texts, (Py_ssize_t)i, item)) Py_CLEAR(texts);
    }
    if (shape && texts) return Py_BuildValue("(iNN)", TAG_STRINGS, shape, texts);
    Py_XDECREF(shape);
    Py_XDECREF(texts);
    return NULL;
}

static PyObject *packed_out(const ingot_value *tensor)
{
    PyObject *shape = shape_out(tensor);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)ingot_tensor_bytes(tensor));
    if (shape && bytes) {
        copy_bytes(PyBytes_AsString(bytes), tensor);
        return Py_BuildValue("(iiNN)", TAG_TENSOR, (int)ingot_tensor_dtype(tensor), shape, bytes);
    }
    Py_XDECREF(shape);
    Py_XDECREF(bytes);
    return NULL;
}

static PyObject *description_out(const ingot_value *value);

static PyObject *item_out(const ingot_value *value)
{
    return is_plain(value) ? array_out(value) : description_out(value);
}

static PyObject *sequence_out(const ingot_value *sequence)
{
    const size_t n = ingot_value_n_items(sequence);
    PyObject *items = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; items && i < n; i++) {
        PyObject *item = item_out(ingot_value_item(sequence, i));
        if (!item || PyList_SetItem(items, (Py_ssize_t)i, item)) Py_CLEAR(items);
    }
    return items ? Py_BuildValue("(iN)", TAG_SEQUENCE, items) : NULL;
}

static PyObject *map_out(const ingot_value *map)
{
    PyObject *keys = item_out(ingot_value_item(map, 0));
    PyObject *values = keys ? item_out(ingot_value_item(map, 1)) : NULL;
    if (values) return Py_BuildValue("(iNN)", TAG_MAP, keys, values);
    Py_XDECREF(keys);
    return NULL;
}

static PyObject *optional_out(const ingot_value *optional)
{
    if (ingot_value_n_items(optional) == 0) return Py_BuildValue("(iO)", TAG_OPTIONAL, Py_None);
    PyObject *item = item_out(ingot_value_item(optional, 0));
    return item ? Py_BuildValue("(iN)", TAG_OPTIONAL, item) : NULL;
}

static PyObject *description_out(const ingot_value *value)
{
    PyObject *description = NULL;
    if (Py_EnterRecursiveCall(" in an output")) return NULL;
    switch (ingot_value_kind(value)) {
    case INGOT_KIND_TENSOR:
        description =
            ingot_tensor_dtype(value) == INGOT_STRING ? strings_out(value) : packed_out(value);
        break;
    case INGOT_KIND_SEQUENCE: description = sequence_out(value); break;
    case INGOT_KIND_MAP: description = map_out(value); break;
    case INGOT_KIND_OPTIONAL: description = optional_out(value); break;
    }
    Py_LeaveRecursiveCall();
    return description;
}

PyObject *core_value_out(const ingot_value *value)
{
    if (is_plain(value)) return array_out(value);
    PyObject *description = description_out(value);
    PyObject *result =
        description ? PyObject_CallFunctionObjArgs(core.deliver, description, NULL) : NULL;
    Py_XDECREF(description);
    return result;
}

/* True when the array is what the tensor is; else false with an exception. */
static int fits(const Py_buffer *buffer, const ingot_value *tensor, const char *name)
{
    const ingot_dtype dtype = ingot_tensor_dtype(tensor), given = core_buffer_dtype(buffer);
    const int64_t *dims = ingot_tensor_dims(tensor);
    if (given != dtype) {
        core_raise_text(INGOT_ERR_SHAPE, "out: output \"%s\" is %s, its array is %s", name,
                        ingot_dtype_name(dtype), given ? ingot_dtype_name(given) : buffer->format);
        return 0;
    }
    if (buffer->ndim != ingot_tensor_rank(tensor)) {
        core_raise_text(INGOT_ERR_SHAPE, "out: output \"%s\" has %d dimensions, its array has %d",
                        name, ingot_tensor_rank(tensor), buffer->ndim);
        return 0;
    }
    for (int i = 0; i < buffer->ndim; i++) {
        if (buffer->shape[i] == dims[i]) continue;
        core_raise_text(INGOT_ERR_SHAPE,
                        "out: dimension %d of output \"%s\" is %lld, that of its array is %zd", i,
                        name, (long long)dims[i], buffer->shape[i]);
        return 0;
    }
    return 1;
}

int core_value_copy_to(const ingot_value *value, PyObject *array, const char *name)
{
    Py_buffer buffer;
    if (!is_plain(value)) {
        core_raise_text(INGOT_ERR_UNSUPPORTED,
                        "out: output \"%s\" is no array of plain numbers; leave it out (None)",
                        name);
        return -1;
    }
    if (PyObject_GetBuffer(array, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | PyBUF_WRITABLE)) {
        PyErr_Clear();
        core_raise_text(INGOT_ERR_INVALID,
                        "out: what is given for output \"%s\" is no writable array in C order",
                        name);
        return -1;
    }
    const int is_same = fits(&buffer, value, name);
    if (is_same) copy_bytes(buffer.buf, value);
    PyBuffer_Release(&buffer);
    return is_same ? 0 : -1;
}
