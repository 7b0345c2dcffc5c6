/* SPDX-License-Identifier: Apache-2.0 */
/* view.c: arrays on the memory of a session's outputs. While one lives, the session does not run:
 * its next run would write into the array, or free it. */
#include "core.h"

typedef struct core_view {
    PyObject_HEAD core_session *session;
    const ingot_value *value;
} core_view;

static int get_buffer(PyObject *object, Py_buffer *buffer, int flags)
{
    const core_view *self = (const core_view *)object;
    static char nothing; /* an array of no elements may have no address */
    void *data = (void *)(uintptr_t)ingot_tensor_data(self->value);
    return PyBuffer_FillInfo(buffer, object, data ? data : &nothing,
                             (Py_ssize_t)ingot_tensor_bytes(self->value), 1, flags);
}

static void dealloc(PyObject *object)
{
    core_view *self = (core_view *)object;
    PyTypeObject *type = Py_TYPE(object);
    self->session->n_views--;
    Py_DECREF((PyObject *)self->session);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

static PyType_Slot slots[] = { { Py_tp_dealloc, dealloc },
                               { Py_bf_getbuffer, get_buffer },
                               { 0, NULL } };
PyType_Spec core_view_spec = { "ingot._core.View", sizeof(core_view), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots };

PyObject *core_value_view(core_session *session, const ingot_value *value)
{
    if (ingot_value_kind(value) != INGOT_KIND_TENSOR || !core.dtypes[ingot_tensor_dtype(value)])
        return core_value_out(value);
    const int rank = ingot_tensor_rank(value);
    core_view *view = PyObject_New(core_view, core.view_type);
    if (!view) return NULL;
    Py_INCREF((PyObject *)session);
    session->n_views++;
    view->session = session;
    view->value = value;
    PyObject *shape = PyTuple_New(rank), *array = NULL;
    for (int i = 0; shape && i < rank; i++) {
        PyObject *dim = PyLong_FromLongLong(ingot_tensor_dims(value)[i]);
        if (!dim || PyTuple_SetItem(shape, i, dim)) Py_CLEAR(shape);
    }
    if (shape)
        array = PyObject_CallFunctionObjArgs(core.ndarray, shape,
                                             core.dtypes[ingot_tensor_dtype(value)], view, NULL);
    Py_XDECREF(shape);
    Py_DECREF((PyObject *)view);
    return array;
}
