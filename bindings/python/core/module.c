/* SPDX-License-Identifier: Apache-2.0 */
/* module.c: the module ingot._core: what it takes from Python when it is imported, and functions
 * without a session. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core.h"

core_imports core;

PyObject *core_raise(const ingot_error *err)
{
    PyObject *class = err->status > 0 && err->status < INGOT_N_STATUS ? core.errors[err->status]
                                                                      : PyExc_RuntimeError;
    PyObject *text =
        PyUnicode_DecodeUTF8(err->message, (Py_ssize_t)strlen(err->message), "replace");
    if (text) PyErr_SetObject(class, text);
    Py_XDECREF(text);
    return NULL;
}

PyObject *core_raise_text(ingot_status status, const char *format, ...)
{
    va_list args;
    ingot_error err = { .status = status };
    va_start(args, format);
    vsnprintf(err.message, sizeof err.message, format, args);
    va_end(args);
    return core_raise(&err);
}

static PyObject *cpu_describe(PyObject *module, PyObject *nothing)
{
    char text[256];
    (void)module;
    (void)nothing;
    return PyUnicode_FromString(ingot_cpu_describe(text, sizeof text));
}

static PyObject *dtype_name(PyObject *module, PyObject *number)
{
    const long n = PyLong_AsLong(number);
    (void)module;
    if (n == -1 && PyErr_Occurred()) return NULL;
    return PyUnicode_FromString(
        ingot_dtype_name(n > 0 && n < INGOT_N_DTYPES ? (ingot_dtype)n : INGOT_UNDEFINED));
}

static PyObject *pass_names(PyObject *module, PyObject *nothing)
{
    PyObject *list = PyList_New(0);
    (void)module;
    (void)nothing;
    for (size_t i = 0; list && ingot_pass_name(i); i++) {
        PyObject *name = PyUnicode_FromString(ingot_pass_name(i));
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyMethodDef functions[] = {
    { "cpu", cpu_describe, METH_NOARGS,
      "cpu()\n--\n\nOne line about this CPU and the kernels that run on it." },
    { "dtype_name", dtype_name, METH_O, NULL },
    { "passes", pass_names, METH_NOARGS,
      "passes()\n--\n\nNames of the passes, in the order in which they run." },
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "ingot._core", NULL, -1, functions, NULL, NULL, NULL, NULL
};

static PyObject *import_from(const char *module_name, const char *name)
{
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *found = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return found;
}

/* Take n things from a list of that length or more; None becomes NULL. */
static int take_list(PyObject *list, PyObject **to, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (!item) return 0;
        to[i] = Py_IsNone(item) ? NULL : Py_NewRef(item);
    }
    return 1;
}

static int take_imports(void)
{
    PyObject *errors = import_from("ingot._errors", "BY_STATUS"),
             *dtypes = import_from("ingot._values", "PLAIN");
    const int is_whole = errors && dtypes && take_list(errors, core.errors, INGOT_N_STATUS) &&
                         take_list(dtypes, core.dtypes, INGOT_N_DTYPES) &&
                         (core.empty = import_from("numpy", "empty")) &&
                         (core.ndarray = import_from("numpy", "ndarray")) &&
                         (core.describe = import_from("ingot._values", "describe")) &&
                         (core.deliver = import_from("ingot._values", "deliver"));
    Py_XDECREF(errors);
    Py_XDECREF(dtypes);
    return is_whole;
}

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = take_imports() ? PyModule_Create(&definition) : NULL;
    if (!module) return NULL;
    core.session_type = (PyTypeObject *)PyType_FromSpec(&core_session_spec);
    core.view_type = (PyTypeObject *)PyType_FromSpec(&core_view_spec);
    if (!core.session_type || !core.view_type ||
        PyModule_AddObjectRef(module, "Session", (PyObject *)core.session_type) ||
        PyModule_AddStringConstant(module, "version", ingot_version())) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
