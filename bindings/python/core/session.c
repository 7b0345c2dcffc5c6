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
        const char *path = PyBytes_AsString(PyList_GetItem(paths, i));
        if (path && !ingot_ops_load(*ops, path, &err)) continue;
        if (path) core_raise(&err);
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

/* What a session is made of. */
typedef struct recipe {
    const char *path; /* or */
    PyObject *source; /* bytes of a file, or a session whose model is shared */
    ingot_model_options model;
    ingot_session_options session;
    const char **overridable; /* strings of a list that the caller holds */
} recipe;

/* A bytes object with a path, or None. False with an exception. */
static int path_of(PyObject *object, const char **path)
{
    char *text = NULL;
    if (!Py_IsNone(object) && PyBytes_AsStringAndSize(object, &text, NULL)) return 0;
    *path = text;
    return 1;
}

/* A list of bytes as names ended by NULL. False with an exception. */
static int names_of(PyObject *list, recipe *r)
{
    const Py_ssize_t n = PyList_Size(list);
    r->overridable = PyMem_Calloc((size_t)n + 1, sizeof *r->overridable);
    if (!r->overridable) {
        PyErr_NoMemory();
        return 0;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!(r->overridable[i] = PyBytes_AsString(PyList_GetItem(list, i)))) return 0;
    r->model.overridable = r->overridable;
    return 1;
}

/* (path, source, threads, seed, opt, cpu, max_memory, timeout_ms, custom_ops, disable_passes,
 * allow_links, overridable, data_folder, precision) */
static int parse_recipe(PyObject *args, recipe *r)
{
    PyObject *path, *custom_ops, *overridable, *folder;
    int opt, precision;
    unsigned long long seed;
    long long timeout_ms;
    Py_ssize_t max_memory;
    *r = (recipe){ .model = INGOT_MODEL_OPTIONS_INIT, .session = INGOT_SESSION_OPTIONS_INIT };
    if (!PyArg_ParseTuple(args, "OOiKiznLO!zpO!Oi", &path, &r->source, &r->session.n_threads, &seed,
                          &opt, &r->model.cpu, &max_memory, &timeout_ms, &PyList_Type, &custom_ops,
                          &r->model.disable_passes, &r->model.allow_links, &PyList_Type,
                          &overridable, &folder, &precision) ||
        !path_of(path, &r->path) || !path_of(folder, &r->model.data_folder))
        return 0;
    r->session.seed = seed;
    r->session.timeout_ms = timeout_ms;
    r->model.opt_level = (ingot_opt_level)opt;
    r->model.precision = (ingot_precision)precision;
    r->model.max_memory_bytes = (size_t)max_memory;
    if (!r->path && !PyBytes_Check(r->source) &&
        !PyObject_TypeCheck(r->source, core.session_type)) {
        PyErr_SetString(PyExc_TypeError, "a model is a path, bytes or a session");
        return 0;
    }
    return names_of(overridable, r) && load_ops(custom_ops, &r->model.ops);
}

/* Open the model and make the session. False with an exception. */
static int open_session(core_session *self, const recipe *r)
{
    ingot_error err;
    ingot_status status = INGOT_OK;
    const char *data = NULL;
    size_t bytes = 0;
    if (!r->path) {
        self->source = Py_NewRef(r->source);
        self->is_sharing = !PyBytes_Check(r->source);
        data = self->is_sharing ? NULL : PyBytes_AsString(r->source);
        bytes = self->is_sharing ? 0 : (size_t)PyBytes_Size(r->source);
        if (self->is_sharing) self->model = ((core_session *)r->source)->model;
    }
    PyThreadState *state = PyEval_SaveThread();
    if (r->path)
        status = ingot_model_open(r->path, &r->model, &self->model, &err);
    else if (!self->is_sharing)
        status = ingot_model_open_memory(data, bytes, &r->model, &self->model, &err);
    if (!status) status = ingot_session_create(self->model, &r->session, &self->session, &err);
    PyEval_RestoreThread(state);
    if (status) core_raise(&err);
    return status == INGOT_OK;
}

static PyObject *session_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    recipe r;
    (void)kwargs;
    core_session *self = NULL;
    if (parse_recipe(args, &r)) {
        allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
        self = (core_session *)alloc(type, 0);
        if (self && !open_session(self, &r)) Py_CLEAR(self);
    }
    ingot_ops_destroy(r.model.ops);
    PyMem_Free(r.overridable);
    if (!self) return NULL;
    self->n_inputs = ingot_model_n_inputs(self->model);
    self->n_outputs = ingot_model_n_outputs(self->model);
    if (!(self->lock = PyThread_allocate_lock())) {
        PyErr_NoMemory();
        Py_CLEAR(self);
    } else if (!describe_io(self->model, self->n_inputs, ingot_model_input, &self->inputs,
                            &self->input_names) ||
               !describe_io(self->model, self->n_outputs, ingot_model_output, &self->outputs,
                            &self->output_names)) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void session_dealloc(PyObject *object)
{
    core_session *self = (core_session *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyThreadState *state = PyEval_SaveThread(); /* the session's threads are joined */
    ingot_session_destroy(self->session);
    if (!self->is_sharing) ingot_model_close(self->model);
    PyEval_RestoreThread(state);
    PyMem_Free(self->inputs);
    PyMem_Free(self->outputs);
    Py_XDECREF(self->input_names);
    Py_XDECREF(self->output_names);
    Py_XDECREF(self->source);
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
        PyThreadState *state = PyEval_SaveThread();
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        PyEval_RestoreThread(state);
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
