/* SPDX-License-Identifier: MIT */
/* sink.c - sinks that are written in Python. The library calls them on their own threads, which
 * take the GIL for each call. */
#include "core.h"

/* What a sink was registered with. Descriptors must be valid for the rest of the program, so none
 * is ever freed. */
struct written {
    struct sw_sink_plugin plugin;
    PyObject *make; /* make(options, folder) returns a function of a method's name and a record */
    size_t count;
    struct sw_option option[]; /* ends with a name of NULL */
};

/* The state of an open sink, and after it a field of 8 bytes for each option. */
struct state {
    struct written *written;
    PyObject *object;
    int64_t field[];
};

/* Turns the exception of a sink into err. */
static int failed(struct sw_error *err)
{
    OWNED type = NULL;
    OWNED value = NULL;
    OWNED traceback = NULL;
    const char *message = "an exception";
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    OWNED name = PyObject_GetAttrString(type, "__name__");
    OWNED text = name ? PyUnicode_FromFormat("%U: %S", name, value) : NULL;
    PyErr_Clear(); /* of the exception's own __str__() */
    OWNED bytes = name ? utf8(text ? text : name, &message) : NULL;
    PyErr_Clear();
    return sw_error_set(err, SW_ESINK, "%s", message);
}

ITEM(text, char *const, (const char *const *)from + i, str_of(*it))

static PyObject *texts_list(const char *const *text)
{
    size_t count = 0;
    while (text && text[count])
        count++;
    return list_of(count, text, text_item);
}

/* clang-format off */
static PyObject *option_value(const struct sw_option *option, const void *field)
{
    switch (option->type) {
    case SW_OPTION_BOOL: return PyBool_FromLong(*(const bool *)field);
    case SW_OPTION_INT:
    case SW_OPTION_SIZE: return PyLong_FromLongLong(*(const int64_t *)field);
    case SW_OPTION_DURATION: return PyFloat_FromDouble((double)*(const int64_t *)field / 1e9);
    case SW_OPTION_FLOAT: return PyFloat_FromDouble(*(const double *)field);
    case SW_OPTION_LIST:
    case SW_OPTION_PATHS:
    case SW_OPTION_MAP: return texts_list(*(const char *const *const *)field);
    default: return str_of(*(const char *const *)field);
    }
}
/* clang-format on */

/* An option's name and its value in the state. */
static PyObject *option_item(const void *data, size_t i)
{
    const struct state *state = data;
    const struct sw_option *option = &state->written->option[i];
    return Py_BuildValue("(NN)", str_of(option->name),
                         option_value(option, (const char *)data + option->offset));
}

/* Opens the sink with its folder, or calls it with the name of a method and the record, if any. */
static int call(struct state *state, const char *folder, const char *method,
                const struct sw_record *record, struct sw_error *err)
{
    if (!Py_IsInitialized()) /* a thread that then asks for the GIL would never return */
        return sw_error_set(err, SW_ESINK, "the Python interpreter has ended");
    PyGILState_STATE gil = PyGILState_Ensure();
    CALLING(NULL);
    PyObject *dict = record ? record_dict(record) : object_self(Py_None, NULL), *result = NULL;
    if (folder)
        result = state->object = PyObject_CallFunction(
            state->written->make, "NN", dict_of(state->written->count, state, option_item),
            str_of(folder));
    else if (dict)
        result = PyObject_CallFunction(state->object, "sO", method, dict);
    int rc = result ? 0 : failed(err);
    PyObject *report = record && dict ? PyDict_GetItemString(dict, "report") : NULL;
    if (report)
        PyCapsule_SetName(PyDict_GetItemString(report, "_capsule"), "past");
    Py_XDECREF(dict);
    if (!folder)
        Py_XDECREF(result);
    if (method && strcmp(method, "close") == 0)
        Py_CLEAR(state->object);
    PyGILState_Release(gil);
    return rc;
}

static int sink_open(void *data, struct sw_sink *sink, struct sw_error *err)
{
    struct state *state = data;
    state->written = sink->user;
    return call(state, sink->run->directory, NULL, NULL, err);
}

static int sink_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    return call(state, NULL, "record", record, err);
}

static int sink_flush(void *state, struct sw_error *err)
{
    return call(state, NULL, "flush", NULL, err);
}

static int sink_close(void *state, struct sw_error *err)
{
    return call(state, NULL, "close", NULL, err);
}

/* options: [(name, default, choices, help, type, min, max, required, secret), …] */
static bool options_fill(struct sw_option *option, PyObject *options)
{
    for (Py_ssize_t i = 0; i < PyList_Size(options); i++, option++) {
        int required, secret;
        if (!PyArg_ParseTuple(PyList_GetItem(options, i), "yO&O&yiddpp", &option->name,
                              text_or_null, &option->fallback, text_or_null, &option->choices,
                              &option->help, (int *)&option->type, &option->min, &option->max,
                              &required, &secret))
            return false;
        option->offset = offsetof(struct state, field) + (size_t)i * sizeof(int64_t);
        option->required = required;
        option->secret = secret;
    }
    return true;
}

/* sink_register(name, summary, version, wants, options, keep_newest, make): the texts are those of
 * the tuple, which is never freed */
PyObject *sink_register(PyObject *module, PyObject *args)
{
    const char *name, *summary, *version;
    PyObject *options, *make;
    unsigned wants;
    int newest;
    struct sw_error err;
    sw_error_init(&err);
    if (!PyArg_ParseTuple(args, "yyyIO!pO", &name, &summary, &version, &wants, &PyList_Type,
                          &options, &newest, &make))
        return NULL;
    size_t count = (size_t)PyList_Size(options);
    struct written *written = calloc(1, sizeof *written + (count + 1) * sizeof(struct sw_option));
    if (!written)
        return PyErr_NoMemory();
    written->plugin = (struct sw_sink_plugin){
        SW_SINK_HEADER,
        .name = name,
        .version = version,
        .license = "unknown",
        .summary = summary,
        .wants = wants,
        .queue = newest ? SW_QUEUE_DROP_OLDEST : SW_QUEUE_DROP_NEWEST,
        .options = written->option,
        .state_size = sizeof(struct state) + count * sizeof(int64_t),
        .open = sink_open,
        .record = sink_record,
        .flush = sink_flush,
        .close = sink_close,
    };
    written->make = make;
    written->count = count;
    if (!options_fill(written->option, options))
        return NULL;
    Py_INCREF(args);
    return none_or_raise(sw_sink_register(&written->plugin, written, &err), &err);
}
