/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c: what a session tells about its model, its plan and its memory, as plain tuples;
 * ingot/_inspect.py names them. */
#include <string.h>

#include "core.h"

/* Text of a file: mostly UTF-8. */
static PyObject *text_of(const char *text)
{
    if (!text) return Py_NewRef(Py_None);
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *one_io(const ingot_io_info *info, PyObject *name)
{
    PyObject *shape = info->rank >= 0 ? PyTuple_New(info->rank) : Py_NewRef(Py_None);
    for (int d = 0; shape && d < info->rank; d++) {
        PyObject *dim =
            info->dims[d] >= 0 ? PyLong_FromLongLong(info->dims[d]) : text_of(info->dim_names[d]);
        if (!dim || PyTuple_SetItem(shape, d, dim)) Py_CLEAR(shape);
    }
    if (!shape) return NULL;
    return Py_BuildValue("(OiiNN)", name, (int)info->kind, (int)info->dtype, shape,
                         PyBool_FromLong(info->has_default));
}

static PyObject *all_io(const ingot_io_info *infos, size_t n, PyObject *names)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *item = one_io(&infos[i], PyTuple_GetItem(names, (Py_ssize_t)i));
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item)) Py_CLEAR(list);
    }
    return list;
}

PyObject *core_session_io(PyObject *object, PyObject *nothing)
{
    const core_session *self = (const core_session *)object;
    (void)nothing;
    PyObject *inputs = all_io(self->inputs, self->n_inputs, self->input_names);
    PyObject *outputs = inputs ? all_io(self->outputs, self->n_outputs, self->output_names) : NULL;
    if (outputs) return Py_BuildValue("(NN)", inputs, outputs);
    Py_XDECREF(inputs);
    return NULL;
}

static PyObject *metadata(const ingot_model *model)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < ingot_model_n_metadata(model); i++) {
        const char *key, *value;
        ingot_model_metadata(model, i, &key, &value);
        PyObject *k = text_of(key), *v = text_of(value);
        if (!k || !v || PyDict_SetItem(dict, k, v)) Py_CLEAR(dict);
        Py_XDECREF(k);
        Py_XDECREF(v);
    }
    return dict;
}

static PyObject *operators(const ingot_model *model)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < ingot_model_n_operators(model); i++) {
        const char *name;
        int64_t count;
        ingot_model_operator(model, i, &name, &count);
        PyObject *k = text_of(name), *v = PyLong_FromLongLong(count);
        if (!k || !v || PyDict_SetItem(dict, k, v)) Py_CLEAR(dict);
        Py_XDECREF(k);
        Py_XDECREF(v);
    }
    return dict;
}

PyObject *core_session_info(PyObject *object, PyObject *nothing)
{
    const ingot_model *model = ((const core_session *)object)->model;
    ingot_model_info info = { .struct_bytes = sizeof info };
    (void)nothing;
    ingot_model_get_info(model, &info);
    /* "N" takes what it is given even when the call fails, and fails when that is NULL. */
    return Py_BuildValue("(NNNNLLLLLLLNN)", text_of(info.producer), text_of(info.producer_version),
                         text_of(info.graph_name), text_of(info.doc), (long long)info.ir_version,
                         (long long)info.opset, (long long)info.n_nodes_file,
                         (long long)info.n_nodes, (long long)info.n_parameters,
                         (long long)info.weight_bytes, (long long)info.packed_bytes,
                         metadata(model), operators(model));
}

static PyObject *one_step(const ingot_session *session, size_t i)
{
    ingot_step_info step = { .struct_bytes = sizeof step };
    ingot_session_step(session, i, &step);
    return Py_BuildValue("(NNNNLLKKKKK)", text_of(step.node), text_of(step.op),
                         text_of(step.kernel), text_of(step.shape), (long long)step.flops,
                         (long long)step.bytes, (unsigned long long)step.n_runs,
                         (unsigned long long)step.total_ns, (unsigned long long)step.min_ns,
                         (unsigned long long)step.last_begin_ns,
                         (unsigned long long)step.last_end_ns);
}

PyObject *core_session_steps(PyObject *object, PyObject *nothing)
{
    core_session *self = (core_session *)object;
    (void)nothing;
    if (!core_session_lock(self)) return NULL;
    const size_t n = ingot_session_n_steps(self->session);
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *item = one_step(self->session, i);
        if (!item || PyList_SetItem(list, (Py_ssize_t)i, item)) Py_CLEAR(list);
    }
    core_session_unlock(self);
    return list;
}

PyObject *core_session_set_profiling(PyObject *object, PyObject *on)
{
    core_session *self = (core_session *)object;
    const int is_on = PyObject_IsTrue(on);
    if (is_on < 0 || !core_session_lock(self)) return NULL;
    ingot_session_set_profiling(self->session, is_on);
    core_session_unlock(self);
    Py_RETURN_NONE;
}

PyObject *core_session_memory(PyObject *object, PyObject *nothing)
{
    static const char *const names[INGOT_N_MEM_TAGS] = { "import", "graph", "weights", "plan",
                                                         "slab",   "value", "other" };
    const core_session *self = (const core_session *)object;
    ingot_memory_stats stats;
    (void)nothing;
    ingot_model_memory(self->model, &stats);
    PyObject *dict = Py_BuildValue("{s(nn)}", "total", (Py_ssize_t)stats.total_current_bytes,
                                   (Py_ssize_t)stats.total_peak_bytes);
    for (int i = 0; dict && i < INGOT_N_MEM_TAGS; i++) {
        PyObject *pair = Py_BuildValue("(nn)", (Py_ssize_t)stats.current_bytes[i],
                                       (Py_ssize_t)stats.peak_bytes[i]);
        if (!pair || PyDict_SetItemString(dict, names[i], pair)) Py_CLEAR(dict);
        Py_XDECREF(pair);
    }
    return dict;
}

/* Appends to a list; the exception of a failure stays set. */
static int append(void *list, const char *text, size_t bytes)
{
    PyObject *piece = PyBytes_FromStringAndSize(text, (Py_ssize_t)bytes);
    const int status = piece ? PyList_Append(list, piece) : -1;
    Py_XDECREF(piece);
    return status;
}

PyObject *core_session_graph(PyObject *object, PyObject *is_dot)
{
    const core_session *self = (const core_session *)object;
    const int dot = PyObject_IsTrue(is_dot);
    ingot_error err;
    PyObject *list = dot < 0 ? NULL : PyList_New(0);
    if (list && ingot_model_write_graph(self->model, dot ? INGOT_GRAPH_DOT : INGOT_GRAPH_TEXT,
                                        append, list, &err)) {
        if (!PyErr_Occurred()) core_raise(&err);
        Py_CLEAR(list);
    }
    return list;
}
