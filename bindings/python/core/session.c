/* SPDX-License-Identifier: Apache-2.0 */
/* session.c: the type ingot._core.Session: opens a model, makes its session, and keeps both. */
#include <dlfcn.h>
#include <string.h>

#include "core.h"

/* Libraries of operators leave the functions of ingot.h undefined: from now on they find those
 * inside of this module. */
static void export_own_symbols(void)
{
    Dl_info me;
    if (dladdr((void *)(uintptr_t)&ingot_version, &me) && me.dli_fname)
        (void)dlopen(me.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* A set of the operators in the libraries of a list of paths; NULL for an empty list. False with an
 * exception. */
static int load_ops(PyObject *paths, ingot_ops **ops)
{
    ingot_error err;
    const Py_ssize_t n = PyList_Size(paths);
    if (n == 0) return 1;
    export_own_symbols();
    if (ingot_ops_create(ops, &err)) {
        core_raise(&err);
        return 0;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *path = PyUnicode_AsUTF8AndSize(PyList_GetItem(paths, i), NULL);
        if (path && !ingot_ops_load(*ops, path, &err)) continue;
        if (path) core_raise(&err);
        ingot_ops_destroy(*ops);
        return 0;
    }
    return 1;
}

/* Names and types of inputs or outputs: fills *infos and *names. False with an exception. */
static int describe_io(const ingot_model *model, size_t n,
                       void (*get)(const ingot_model *, size_t, ingot_io_info *),
                       ingot_io_info **infos, PyObject **names)
{
    *infos = PyMem_Calloc(n ? n : 1, sizeof **infos);
    *names = PyTuple_New((Py_ssize_t)n);
    if (!*infos || !*names) {
        PyErr_NoMemory();
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        get(model, i, &(*infos)[i]);
        PyObject *name = PyUnicode_DecodeUTF8(
            (*infos)[i].name, (Py_ssize_t)strlen((*infos)[i].name), "surrogateescape");
        if (!name) return 0;
        PyUnicode_InternInPlace(&name);
        if (PyTuple_SetItem(*names, (Py_ssize_t)i, name)) return 0;
    }
    return 1;
}

static ingot_status open_model(core_session *self, const char *path,
                               const ingot_model_options *options,
                               const ingot_session_options *session_options, ingot_error *err)
{
    ingot_status status;
    const char *data = self->bytes ? PyBytes_AsString(self->bytes) : NULL;
    const size_t bytes = self->bytes ? (size_t)PyBytes_Size(self->bytes) : 0;
    Py_BEGIN_ALLOW_THREADS status =
        self->bytes ? ingot_model_open_memory(data, bytes, options, &self->model, err)
                    : ingot_model_open(path, options, &self->model, err);
    if (!status) status = ingot_session_create(self->model, session_options, &self->session, err);
    Py_END_ALLOW_THREADS return status;
}

/* Session(path, bytes, threads, seed, opt, cpu, max_memory, timeout_ms, custom_ops, disable_passes,
 * allow_links) */
static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *path, *cpu, *disable_passes;
    PyObject *bytes, *custom_ops;
    int threads, opt, allow_links;
    unsigned long long seed;
    long long timeout_ms;
    Py_ssize_t max_memory;
    ingot_error err;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "zOiKiznLO!zp", &path, &bytes, &threads, &seed, &opt, &cpu,
                          &max_memory, &timeout_ms, &PyList_Type, &custom_ops, &disable_passes,
                          &allow_links))
        return NULL;
    ingot_model_options options = INGOT_MODEL_OPTIONS_INIT;
    ingot_session_options session_options = INGOT_SESSION_OPTIONS_INIT;
    options.opt_level = (ingot_opt_level)opt;
    options.cpu = cpu;
    options.disable_passes = disable_passes;
    options.max_memory_bytes = (size_t)max_memory;
    options.allow_links = allow_links;
    session_options.n_threads = threads;
    session_options.seed = seed;
    session_options.timeout_ms = timeout_ms;
    if (!path && !PyBytes_Check(bytes))
        return PyErr_Format(PyExc_TypeError, "a model is a path or bytes");
    if (!load_ops(custom_ops, &options.ops)) return NULL;

    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_session *self = (core_session *)alloc(type, 0);
    if (self) {
        self->bytes = path ? NULL : Py_NewRef(bytes);
        self->lock = PyThread_allocate_lock();
        if (open_model(self, path, &options, &session_options, &err)) {
            core_raise(&err);
            Py_CLEAR(self);
        }
    }
    ingot_ops_destroy(options.ops);
    if (!self) return NULL;
    self->n_inputs = ingot_model_n_inputs(self->model);
    self->n_outputs = ingot_model_n_outputs(self->model);
    if (!self->lock) PyErr_NoMemory();
    if (!self->lock ||
        !describe_io(self->model, self->n_inputs, ingot_model_input, &self->inputs,
                     &self->input_names) ||
        !describe_io(self->model, self->n_outputs, ingot_model_output, &self->outputs,
                     &self->output_names))
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void session_dealloc(PyObject *object)
{
    core_session *self = (core_session *)object;
    PyTypeObject *type = Py_TYPE(object);
    Py_BEGIN_ALLOW_THREADS /* joins the session's threads */
        ingot_session_destroy(self->session);
    ingot_model_close(self->model);
    Py_END_ALLOW_THREADS PyMem_Free(self->inputs);
    PyMem_Free(self->outputs);
    Py_XDECREF(self->input_names);
    Py_XDECREF(self->output_names);
    Py_XDECREF(self->bytes);
    if (self->lock) PyThread_free_lock(self->lock);
    freefunc free_object = (freefunc)PyType_GetSlot(type, Py_tp_free);
    free_object(object);
    Py_DECREF((PyObject *)type);
}

int core_session_lock(core_session *self)
{
    const unsigned long me = PyThread_get_thread_ident();
    if (!PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) {
        if (self->owner == me) {
            core_raise_text(INGOT_ERR_INVALID,
                            "a session cannot be used from inside of its own run");
            return 0;
        }
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(self->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    self->owner = me;
    return 1;
}

void core_session_unlock(core_session *self)
{
    self->owner = 0;
    PyThread_release_lock(self->lock);
}

static PyObject *session_cancel(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    ingot_session_cancel(((core_session *)self)->session);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    { "run", (PyCFunction)(void (*)(void))core_session_run, METH_FASTCALL | METH_KEYWORDS,
      "run($self, feeds=(), outputs=None, *, out=None, copy=True)\n--\n\nRun the model once; see "
      "ingot.Session." },
    { "cancel", session_cancel, METH_NOARGS,
      "cancel($self)\n--\n\nAsk a run that another thread is in to stop; it then raises "
      "CancelledError." },
    { "set_profiling", core_session_set_profiling, METH_O,
      "Time each step of the runs that follow." },
    { "_info", core_session_info, METH_NOARGS, NULL },
    { "_io", core_session_io, METH_NOARGS, NULL },
    { "_steps", core_session_steps, METH_NOARGS, NULL },
    { "_memory", core_session_memory, METH_NOARGS, NULL },
    { "_graph", core_session_graph, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};

static PyObject *get_input_names(PyObject *self, void *nothing)
{
    (void)nothing;
    return Py_NewRef(((core_session *)self)->input_names);
}

static PyObject *get_output_names(PyObject *self, void *nothing)
{
    (void)nothing;
    return Py_NewRef(((core_session *)self)->output_names);
}

static PyObject *get_threads(PyObject *self, void *nothing)
{
    (void)nothing;
    return PyLong_FromLong(ingot_session_n_threads(((core_session *)self)->session));
}

static PyGetSetDef getters[] = {
    { "input_names", get_input_names, NULL, "Names of the inputs, in order.", NULL },
    { "output_names", get_output_names, NULL, "Names of the outputs, in order.", NULL },
    { "threads", get_threads, NULL, "Threads that a run uses.", NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

static PyType_Slot slots[] = {
    { Py_tp_new, session_new }, { Py_tp_dealloc, session_dealloc }, { Py_tp_methods, methods },
    { Py_tp_getset, getters },  { Py_tp_call, core_session_call },  { 0, NULL },
};
PyType_Spec core_session_spec = { "ingot._core.Session", sizeof(core_session), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots };
