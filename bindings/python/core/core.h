/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core.h: the extension module ingot._core: ingot.h for Python, on the limited API.
 *
 * What is plain (numbers that NumPy has a type for, in one block) is wrapped, run and copied here.
 * Everything else goes through ingot/_values.py as a description, a tuple that begins with one of
 * the tags below:
 *
 *     (0, dtype, shape, buffer)   a tensor: the bytes as ingot.h wants them
 *     (1, shape, [bytes, …])      a tensor of strings
 *     (2, [description, …])       a sequence
 *     (3, keys, values)           a map, of two descriptions
 *     (4, description or None)    an optional
 *
 * In descriptions of outputs a plain tensor is a NumPy array instead.
 */
#ifndef INGOT_CORE_H
#define INGOT_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <ingot.h>

enum { TAG_TENSOR, TAG_STRINGS, TAG_SEQUENCE, TAG_MAP, TAG_OPTIONAL };

/* Set once, while the module is imported, and read-only from then on. A static of the process, as
 * NumPy, which it needs, is one of the process too. */
typedef struct core_imports {
    PyObject *errors[INGOT_N_STATUS]; /* exception classes */
    PyObject *dtypes[INGOT_N_DTYPES]; /* NumPy's types; NULL for what is not plain */
    PyObject *empty;                  /* numpy.empty */
    PyObject *ndarray;                /* numpy.ndarray */
    PyObject *describe;               /* _values.describe: an input becomes a description */
    PyObject *deliver;                /* _values.deliver: a description becomes an output */
    PyTypeObject *session_type, *view_type;
} core_imports;
extern core_imports core;

/* Raise the exception of err->status with its message. Returns NULL. */
PyObject *core_raise(const ingot_error *err);
/* The same with a status and a text. */
PyObject *core_raise_text(ingot_status status, const char *format, ...);

/* ---- Session ---- */

typedef struct core_session {
    PyObject_HEAD ingot_model *model;
    ingot_session *session;
    PyObject *source;        /* bytes of the model, or a session whose model is used too, or NULL */
    int is_sharing;          /* the model is the other session's */
    PyThread_type_lock lock; /* held while the session is used */
    unsigned long owner;     /* thread that holds it, 0: none */
    size_t n_inputs, n_outputs;
    ingot_io_info *inputs, *outputs;
    PyObject *input_names, *output_names; /* tuples */
    Py_ssize_t n_views;                   /* arrays that look at the session's memory */
} core_session;

extern PyType_Spec core_session_spec;

/* Wait for the session, with the GIL released. Raises InvalidError, and returns false, when this
 * very thread has it. */
int core_session_lock(core_session *self);
void core_session_unlock(core_session *self);

/* Methods of Session that tell what it is and did; see _core.pyi. */
PyObject *core_session_info(PyObject *self, PyObject *nothing);
PyObject *core_session_io(PyObject *self, PyObject *nothing);
PyObject *core_session_steps(PyObject *self, PyObject *nothing);
PyObject *core_session_memory(PyObject *self, PyObject *nothing);
PyObject *core_session_graph(PyObject *self, PyObject *is_dot);
PyObject *core_session_set_profiling(PyObject *self, PyObject *on);

/* run(feeds, outputs=None, out=None, copy=True) and the call of a session. */
PyObject *core_session_run(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names);
PyObject *core_session_call(PyObject *self, PyObject *args, PyObject *kwargs);

/* ---- Inputs ---- */

/* A Python buffer that is read during a run. */
typedef struct core_hold {
    Py_buffer buffer;
    struct core_hold *next;
} core_hold;

/* Make the value of an input out of a Python object, on the object's memory where that fits. Adds
 * to *holds; returns NULL with an exception. */
ingot_value *core_value_in(PyObject *object, const ingot_io_info *info, core_hold **holds);
void core_holds_release(core_hold *holds);
/* The element type of a buffer's items; INGOT_UNDEFINED where it is not plain. */
ingot_dtype core_buffer_dtype(const Py_buffer *buffer);

/* ---- Outputs ---- */

/* A new Python object with a copy of the value. */
PyObject *core_value_out(const ingot_value *value);
/* Copy a plain tensor into the caller's array, which must be of its type and shape. 0, or -1 with
 * an exception. */
int core_value_copy_to(const ingot_value *value, PyObject *array, const char *name);
/* A read-only array on the memory of a session's output; the copy, where it is not plain. */
PyObject *core_value_view(core_session *session, const ingot_value *value);

extern PyType_Spec core_view_spec;

#endif
