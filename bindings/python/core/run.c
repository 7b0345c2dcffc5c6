/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: Session.run: from a collection of Python objects through the session to another one. */
#include <string.h>

#include "core.h"

enum { N_INLINE = 16 }; /* models of more inputs take their lists from the heap */

/* One run. Objects are borrowed from the caller's collection, which `feeds` keeps. */
typedef struct run_state {
    core_session *session;
    PyObject *feeds;   /* a dict, or a tuple */
    PyObject *outputs; /* a tuple of names, or NULL: all */
    PyObject *out;     /* a dict or tuple of arrays, or NULL */
    int is_copy;
    ingot_value **values;
    core_hold *holds;
    ingot_value *inline_values[N_INLINE];
} run_state;

static const char *name_of(PyObject *key)
{
    const char *text = PyUnicode_Check(key) ? PyUnicode_AsUTF8AndSize(key, NULL) : NULL;
    PyErr_Clear();
    return text ? text : "(no text)";
}

/* A key of a dict is no name of ours: say which. Returns false. */
static int refuse_unknown(PyObject *given, PyObject *names, const char *what)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(given, &at, &key, &value)) {
        Py_INCREF(key); /* comparing can run code of its own, which could change the dict */
        const int is_known = PySequence_Contains(names, key);
        PyObject *shown = is_known ? NULL : PyObject_Repr(names);
        if (shown)
            core_raise_text(INGOT_ERR_INVALID, "the model has no %s \"%s\"; it has %s", what,
                            name_of(key), name_of(shown));
        Py_XDECREF(shown);
        Py_DECREF(key);
        if (is_known <= 0) return 0;
    }
    return 1;
}

static int set_value(run_state *run, size_t i, PyObject *object)
{
    const ingot_io_info *info = &run->session->inputs[i];
    if (Py_IsNone(object) && info->kind != INGOT_KIND_OPTIONAL) return 1; /* left out */
    run->values[i] = core_value_in(object, info, &run->holds);
    return run->values[i] != NULL;
}

static int values_of_dict(run_state *run)
{
    core_session *session = run->session;
    Py_ssize_t n_found = 0;
    for (size_t i = 0; i < session->n_inputs; i++) {
        PyObject *name = PyTuple_GetItem(session->input_names, (Py_ssize_t)i);
        PyObject *object = PyDict_GetItemWithError(run->feeds, name);
        if (!object && PyErr_Occurred()) return 0;
        if (!object) continue;
        n_found++;
        /* Reading an object can run code of its own, which could take it out of the dict. */
        Py_INCREF(object);
        const int is_set = set_value(run, i, object);
        Py_DECREF(object);
        if (!is_set) return 0;
    }
    return n_found == PyDict_Size(run->feeds) ||
           refuse_unknown(run->feeds, session->input_names, "input");
}

static int values_of_tuple(run_state *run)
{
    const Py_ssize_t n = PyTuple_Size(run->feeds);
    if ((size_t)n > run->session->n_inputs) {
        core_raise_text(INGOT_ERR_INVALID, "%zd inputs are given, the model has %zu", n,
                        run->session->n_inputs);
        return 0;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (!set_value(run, (size_t)i, PyTuple_GetItem(run->feeds, i))) return 0;
    return 1;
}

static int run_session(run_state *run)
{
    core_session *session = run->session;
    ingot_error err;
    if (session->n_views) {
        core_raise_text(
            INGOT_ERR_INVALID,
            "%zd arrays of the last run still look at the session's memory (copy=False): "
            "delete them before the next run",
            session->n_views);
        return 0;
    }
    PyThreadState *state = PyEval_SaveThread();
    const ingot_status status = ingot_session_run(
        session->session, (const ingot_value *const *)run->values, session->n_inputs, &err);
    PyEval_RestoreThread(state);
    if (status) core_raise(&err);
    return status == INGOT_OK;
}

/* The caller's array for output i, borrowed, or NULL. */
static PyObject *array_of(const run_state *run, Py_ssize_t i, Py_ssize_t position)
{
    PyObject *array = NULL;
    if (!run->out) return NULL;
    if (PyDict_Check(run->out))
        array = PyDict_GetItemWithError(run->out, PyTuple_GetItem(run->session->output_names, i));
    else if (position < PyTuple_Size(run->out))
        array = PyTuple_GetItem(run->out, position);
    return array && !Py_IsNone(array) ? array : NULL;
}

/* Output i as a new reference; position is that among the wanted outputs. */
static PyObject *output(const run_state *run, Py_ssize_t i, Py_ssize_t position)
{
    const ingot_value *value = ingot_session_output(run->session->session, (size_t)i);
    PyObject *array = array_of(run, i, position);
    if (PyErr_Occurred()) return NULL;
    if (array) {
        Py_INCREF(array); /* asking for its memory can run code of its own */
        if (core_value_copy_to(value, array, run->session->outputs[i].name)) Py_CLEAR(array);
        return array;
    }
    return run->is_copy ? core_value_out(value) : core_value_view(run->session, value);
}

/* Index of a wanted output, or -1 with an exception. */
static Py_ssize_t output_index(const run_state *run, PyObject *name)
{
    const Py_ssize_t n = (Py_ssize_t)run->session->n_outputs;
    for (Py_ssize_t i = 0; i < n; i++) {
        const int is_it =
            PyObject_RichCompareBool(PyTuple_GetItem(run->session->output_names, i), name, Py_EQ);
        if (is_it < 0) return -1;
        if (is_it) return i;
    }
    PyObject *shown = PyObject_Repr(run->session->output_names);
    if (shown)
        core_raise_text(INGOT_ERR_INVALID, "the model has no output \"%s\"; it has %s",
                        name_of(name), name_of(shown));
    Py_XDECREF(shown);
    return -1;
}

/* A dict or list of the wanted outputs. */
static PyObject *collect(const run_state *run)
{
    const int is_dict = PyDict_Check(run->feeds);
    const Py_ssize_t n =
        run->outputs ? PyTuple_Size(run->outputs) : (Py_ssize_t)run->session->n_outputs;
    PyObject *result = is_dict ? PyDict_New() : PyList_New(n);
    for (Py_ssize_t position = 0; result && position < n; position++) {
        const Py_ssize_t i =
            run->outputs ? output_index(run, PyTuple_GetItem(run->outputs, position)) : position;
        PyObject *made = i < 0 ? NULL : output(run, i, position);
        int status = -1;
        if (made && is_dict) {
            status = PyDict_SetItem(result, PyTuple_GetItem(run->session->output_names, i), made);
            Py_DECREF(made);
        } else if (made) {
            status = PyList_SetItem(result, position, made);
        }
        if (status) Py_CLEAR(result);
    }
    return result;
}

static PyObject *run_locked(run_state *run)
{
    PyObject *result = NULL;
    if (!core_session_lock(run->session)) return NULL;
    if (run_session(run)) result = collect(run);
    core_session_unlock(run->session);
    return result;
}

/* feeds is a dict or a tuple here. */
static PyObject *run_prepared(run_state *run)
{
    const size_t n = run->session->n_inputs;
    PyObject *result = NULL;
    run->values = run->inline_values;
    if (n > N_INLINE && !(run->values = PyMem_Calloc(n, sizeof(ingot_value *))))
        return PyErr_NoMemory();
    if (PyDict_Check(run->feeds) ? values_of_dict(run) : values_of_tuple(run))
        result = run_locked(run);
    for (size_t i = 0; i < n; i++) ingot_value_destroy(run->values[i]);
    core_holds_release(run->holds);
    if (run->values != run->inline_values) PyMem_Free(run->values);
    return result;
}

/* A new reference to a dict or tuple: what is given, where it is one; lists and mappings as such; a
 * single thing alone. */
static PyObject *collection(PyObject *given)
{
    if (PyDict_Check(given) || PyTuple_Check(given)) return Py_NewRef(given);
    if (PyList_Check(given)) return PyList_AsTuple(given);
    if (PyMapping_Check(given) && PyObject_HasAttrString(given, "keys")) {
        PyObject *dict = PyDict_New();
        if (dict && PyDict_Update(dict, given)) Py_CLEAR(dict);
        return dict;
    }
    return PyTuple_Pack(1, given);
}

/* outputs: a name, or names. */
static PyObject *name_tuple(PyObject *given)
{
    return PyUnicode_Check(given) ? PyTuple_Pack(1, given) : PySequence_Tuple(given);
}

/* out must name outputs, or be as long as they are. False with an exception. */
static int check_out(const run_state *run)
{
    if (!run->out) return 1;
    if (PyDict_Check(run->out))
        return refuse_unknown(run->out, run->session->output_names, "output");
    const Py_ssize_t n =
        run->outputs ? PyTuple_Size(run->outputs) : (Py_ssize_t)run->session->n_outputs;
    if (PyTuple_Size(run->out) == n) return 1;
    core_raise_text(INGOT_ERR_INVALID, "out: %zd arrays are given for %zd outputs",
                    PyTuple_Size(run->out), n);
    return 0;
}

static PyObject *run_collections(core_session *self, PyObject *feeds, PyObject *outputs,
                                 PyObject *out, int is_copy)
{
    PyObject *result = NULL;
    run_state run = { .session = self, .is_copy = is_copy };
    run.feeds = feeds ? collection(feeds) : PyTuple_New(0);
    if (!run.feeds) return NULL;
    if (outputs && !Py_IsNone(outputs) && !(run.outputs = name_tuple(outputs))) goto end;
    if (out && !Py_IsNone(out) && !(run.out = collection(out))) goto end;
    if (check_out(&run)) result = run_prepared(&run);
end:
    Py_XDECREF(run.out);
    Py_XDECREF(run.outputs);
    Py_DECREF(run.feeds);
    return result;
}

PyObject *core_session_run(PyObject *self, PyObject *const *args, Py_ssize_t n, PyObject *names)
{
    static const char *const known[] = { "feeds", "outputs", "out", "copy" };
    PyObject *given[4] = { NULL, NULL, NULL, NULL };
    if (n > 2)
        return PyErr_Format(PyExc_TypeError,
                            "run takes feeds and outputs by position, %zd arguments are given", n);
    for (Py_ssize_t i = 0; i < n; i++) given[i] = args[i];
    for (Py_ssize_t k = 0; names && k < PyTuple_Size(names); k++) {
        PyObject *name = PyTuple_GetItem(names, k);
        size_t i = 0;
        while (i < 4 && PyUnicode_CompareWithASCIIString(name, known[i])) i++;
        if (i == 4 || given[i])
            return PyErr_Format(PyExc_TypeError, "run: unexpected argument %R", name);
        given[i] = args[n + k];
    }
    const int is_copy = given[3] ? PyObject_IsTrue(given[3]) : 1;
    if (is_copy < 0) return NULL;
    return run_collections((core_session *)self, given[0], given[1], given[2], is_copy);
}

PyObject *core_session_call(PyObject *self, PyObject *args, PyObject *kwargs)
{
    const int is_named = kwargs && PyDict_Size(kwargs) > 0;
    if (is_named && PyTuple_Size(args))
        return PyErr_Format(PyExc_TypeError, "inputs are given by position or by name, not both");
    /* A dict in front of others is an input of kind map: args is a tuple, so it stays one. */
    PyObject *outputs =
        run_collections((core_session *)self, is_named ? kwargs : args, NULL, NULL, 1);
    if (!outputs) return NULL;
    PyObject *list = is_named ? PyDict_Values(outputs) : Py_NewRef(outputs);
    Py_DECREF(outputs);
    if (!list) return NULL;
    PyObject *result =
        PyList_Size(list) == 1 ? Py_NewRef(PyList_GetItem(list, 0)) : PyList_AsTuple(list);
    Py_DECREF(list);
    return result;
}
