/* SPDX-License-Identifier: MIT */
/* sink.c - sinks that are written in Python. The library calls them on their own threads, which
 * take the GIL for each call. */
#include "fields.h"

#include <stdlib.h>

/* What a sink was registered with. Descriptors must be valid for the rest of the program, so none
 * is ever freed. */
struct written {
    struct sw_sink_plugin plugin;
    PyObject *make; /* make(options, name) returns an object with record(), flush() and close() */
    struct sw_option option[]; /* ends with a name of NULL */
};

/* The state of an open sink, and after it a field of 8 bytes for each option. */
struct state {
    struct written *written;
    PyObject *object;
    int64_t field[];
};

static bool python_is_up = true;

bool is_python_up(void)
{
    return __atomic_load_n(&python_is_up, __ATOMIC_ACQUIRE);
}

/* Called when the interpreter is about to end, after all profilers were closed. */
PyObject *sinks_let_go(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    __atomic_store_n(&python_is_up, false, __ATOMIC_RELEASE);
    Py_RETURN_NONE;
}

static bool is_up(struct sw_error *err, int *rc)
{
    if (is_python_up())
        return true;
    *rc = sw_error_set(err, SW_ESINK, "the Python interpreter has ended");
    return false;
}

/* Turns the exception of a sink into err. */
static int failed(struct sw_error *err)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    PyObject *name = type ? PyObject_GetAttrString(type, "__name__") : NULL;
    const char *message = "it failed", *what = "an exception";
    PyObject *bytes = text ? utf8(text, &message) : NULL;
    PyObject *kind = name ? utf8(name, &what) : NULL;
    int rc = sw_error_set(err, SW_ESINK, "%s: %s", what, message);
    PyErr_Clear();
    Py_XDECREF(bytes);
    Py_XDECREF(kind);
    Py_XDECREF(name);
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return rc;
}

static PyObject *texts_of(const char *const *text)
{
    PyObject *list = PyList_New(0);
    for (; list && text && *text; text++) {
        PyObject *item = str_of(*text);
        if (!item || PyList_Append(list, item) < 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *option_value(const struct sw_option *option, const void *field)
{
    switch (option->type) {
    case SW_OPTION_BOOL:
        return PyBool_FromLong(*(const bool *)field);
    case SW_OPTION_INT:
    case SW_OPTION_SIZE:
        return PyLong_FromLongLong(*(const int64_t *)field);
    case SW_OPTION_DURATION:
        return PyFloat_FromDouble((double)*(const int64_t *)field / 1e9);
    case SW_OPTION_FLOAT:
        return PyFloat_FromDouble(*(const double *)field);
    case SW_OPTION_LIST:
    case SW_OPTION_PATHS:
    case SW_OPTION_MAP:
        return texts_of(*(const char *const *const *)field);
    default:
        return str_of(*(const char *const *)field);
    }
}

static PyObject *options_of(struct state *state)
{
    PyObject *options = PyDict_New();
    for (const struct sw_option *option = state->written->option; options && option->name; option++)
        if (!put(options, option->name, option_value(option, (const char *)state + option->offset)))
            Py_CLEAR(options);
    return options;
}

static int sink_open(void *data, struct sw_sink *sink, struct sw_error *err)
{
    struct state *state = data;
    int rc = 0;
    state->written = sink->user;
    if (!is_up(err, &rc))
        return rc;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *options = options_of(state), *name = str_of(sink->name);
    PyObject *path = str_of(sink->run->directory);
    if (options && name && path)
        state->object =
            PyObject_CallFunctionObjArgs(state->written->make, options, name, path, NULL);
    if (!state->object)
        rc = failed(err);
    Py_XDECREF(options);
    Py_XDECREF(name);
    Py_XDECREF(path);
    PyGILState_Release(gil);
    return rc;
}

static int sink_record(void *data, const struct sw_record *record, struct sw_error *err)
{
    struct state *state = data;
    int rc = 0;
    if (!is_up(err, &rc))
        return rc;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *object = record_dict(record);
    PyObject *result = object ? PyObject_CallMethod(state->object, "record", "O", object) : NULL;
    if (!result)
        rc = failed(err);
    PyObject *report = object ? PyDict_GetItemString(object, "report") : NULL;
    if (report)
        report_detach(report);
    Py_XDECREF(object);
    Py_XDECREF(result);
    PyGILState_Release(gil);
    return rc;
}

static int call(struct state *state, const char *method, struct sw_error *err)
{
    int rc = 0;
    if (!is_up(err, &rc))
        return rc;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *result = PyObject_CallMethod(state->object, method, NULL);
    if (!result)
        rc = failed(err);
    Py_XDECREF(result);
    PyGILState_Release(gil);
    return rc;
}

static int sink_flush(void *state, struct sw_error *err)
{
    return call(state, "flush", err);
}

static int sink_close(void *data, struct sw_error *err)
{
    struct state *state = data;
    int rc = call(state, "close", err);
    if (is_python_up()) {
        PyGILState_STATE gil = PyGILState_Ensure();
        Py_CLEAR(state->object);
        PyGILState_Release(gil);
    }
    return rc;
}

/* A copy that is never freed; NULL for None, and for a failure with an exception. */
static const char *kept(PyObject *string)
{
    const char *text = NULL;
    if (string == Py_None)
        return NULL;
    PyObject *bytes = utf8(string, &text);
    char *copy = bytes ? strdup(text) : NULL;
    Py_XDECREF(bytes);
    return copy;
}

/* options: [(name, type, default, min, max, choices, help, required, secret), …] */
static bool options_fill(struct sw_option *option, PyObject *options)
{
    for (Py_ssize_t i = 0; i < PyList_Size(options); i++) {
        PyObject *name, *fallback, *choices, *help;
        int type, required, secret;
        if (!PyArg_ParseTuple(PyList_GetItem(options, i), "OiOddOOpp", &name, &type, &fallback,
                              &option[i].min, &option[i].max, &choices, &help, &required, &secret))
            return false;
        option[i].name = kept(name);
        option[i].type = (enum sw_option_type)type;
        option[i].offset = offsetof(struct state, field) + (size_t)i * sizeof(int64_t);
        option[i].fallback = kept(fallback);
        option[i].choices = kept(choices);
        option[i].help = kept(help);
        option[i].required = required;
        option[i].secret = secret;
    }
    return !PyErr_Occurred();
}

/* sink_register(name, summary, version, wants, options, keep_newest, make) */
PyObject *sink_register(PyObject *module, PyObject *args)
{
    PyObject *name, *summary, *version, *options, *make;
    unsigned wants;
    int newest;
    struct sw_error err;
    (void)module;
    sw_error_init(&err);
    if (!PyArg_ParseTuple(args, "OOOIO!pO", &name, &summary, &version, &wants, &PyList_Type,
                          &options, &newest, &make))
        return NULL;
    size_t count = (size_t)PyList_Size(options);
    struct written *written = calloc(1, sizeof *written + (count + 1) * sizeof(struct sw_option));
    if (!written)
        return PyErr_NoMemory();
    written->plugin = sw_sink_plugin_make(kept(name), kept(version), "unknown", kept(summary));
    written->plugin.wants = wants;
    written->plugin.queue = newest ? SW_QUEUE_DROP_OLDEST : SW_QUEUE_DROP_NEWEST;
    written->plugin.options = written->option;
    written->plugin.state_size = sizeof(struct state) + count * sizeof(int64_t);
    written->plugin.open = sink_open;
    written->plugin.record = sink_record;
    written->plugin.flush = sink_flush;
    written->plugin.close = sink_close;
    written->make = make;
    if (PyErr_Occurred() || !options_fill(written->option, options))
        return NULL;
    int rc = sw_sink_register(&written->plugin, written, &err);
    if (rc >= 0)
        Py_INCREF(make);
    return none_or_raise(rc, &err);
}
