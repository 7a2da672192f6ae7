/* SPDX-License-Identifier: MIT */
/* open.c - opens a profiler with what the package has made of the arguments: lists of texts. */
#include "core.h"

#include <stdlib.h>

/* `texts` below is a list of the bytes objects that have the texts, and keeps them valid. */

/* Returns an array of the texts of a list of str, which ends with NULL; the caller frees it. */
static const char **array_of(PyObject *texts, PyObject *list)
{
    Py_ssize_t count = PyList_Size(list);
    if (count < 0)
        return NULL;
    const char **array = calloc((size_t)count + 1, sizeof *array);
    if (!array)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; array && i < count; i++) {
        PyObject *bytes = utf8(PyList_GetItem(list, i), &array[i]);
        if (!bytes || PyList_Append(texts, bytes) < 0) {
            free(array);
            array = NULL;
        }
        Py_XDECREF(bytes);
    }
    return array;
}

static const char *text_of(PyObject *texts, PyObject *string)
{
    const char *text = NULL;
    if (string == Py_None)
        return NULL;
    PyObject *bytes = utf8(string, &text);
    if (bytes)
        PyList_Append(texts, bytes); /* a failure leaves an exception, which the caller sees */
    Py_XDECREF(bytes);
    return text;
}

static void sinks_free(struct sw_sink_options *sink, size_t count)
{
    for (size_t i = 0; sink && i < count; i++)
        free((void *)sink[i].options);
    free(sink);
}

/* sinks: [(name, [key, value, …]), …] */
static struct sw_sink_options *sinks_of(PyObject *texts, PyObject *sinks, size_t *count)
{
    *count = (size_t)PyList_Size(sinks);
    struct sw_sink_options *sink = calloc(*count + 1, sizeof *sink);
    if (!sink)
        PyErr_NoMemory();
    for (size_t i = 0; sink && i < *count; i++) {
        PyObject *name, *options;
        if (!PyArg_ParseTuple(PyList_GetItem(sinks, (Py_ssize_t)i), "OO", &name, &options))
            break;
        sink[i].name = text_of(texts, name);
        sink[i].options = array_of(texts, options);
    }
    return sink;
}

/* The library that a mistake is found by does not call back into Python, but sinks of Python are
 * checked and opened here: without the GIL, their threads can begin. */
static struct sw_profiler *opened(const struct sw_options *options, const char *yaml,
                                  const char *path, bool plain, struct sw_error *err)
{
    struct sw_profiler *sw;
    Py_BEGIN_ALLOW_THREADS if (yaml) sw = sw_open_text(yaml, err);
    else if (plain) sw = sw_open(path, err);
    else sw = sw_open_options(options, err);
    Py_END_ALLOW_THREADS return sw;
}

/* _open(path, yaml, name, directory, options, sinks, plugin_path, rank, ranks, messages) */
PyObject *open_profiler(PyObject *self, PyObject *args)
{
    struct handle *handle = ((struct profiler *)self)->handle;
    PyObject *path, *yaml, *name, *directory, *keys, *sinks, *folders, *messages;
    struct sw_options options;
    struct sw_error err;
    PyObject *texts = PyList_New(0);
    long long rank, ranks;
    PyObject *result = NULL;
    sw_error_init(&err);
    if (!texts || !PyArg_ParseTuple(args, "OOOOO!O!O!LLO", &path, &yaml, &name, &directory,
                                    &PyList_Type, &keys, &PyList_Type, &sinks, &PyList_Type,
                                    &folders, &rank, &ranks, &messages)) {
        Py_XDECREF(texts);
        return NULL;
    }
    sw_options_init(&options);
    options.file = text_of(texts, path);
    options.name = text_of(texts, name);
    options.directory = text_of(texts, directory);
    options.rank = rank;
    options.ranks = ranks;
    const char *text = text_of(texts, yaml);
    const char **key = array_of(texts, keys), **folder = array_of(texts, folders);
    struct sw_sink_options *sink = sinks_of(texts, sinks, &options.sink_count);
    options.options = key;
    options.plugin_path = folder;
    options.sinks = sink;
    bool plain = messages == Py_None && !PyList_Size(keys) && !PyList_Size(sinks) &&
                 !PyList_Size(folders) && !ranks && name == Py_None && directory == Py_None;
    if (messages != Py_None) {
        Py_INCREF(messages);
        handle->messages = messages;
        options.messages = handle_message;
        options.messages_arg = handle_ref(handle);
    }
    if (!PyErr_Occurred()) {
        handle_opened(handle, opened(&options, text, options.file, plain, &err));
        if (handle->sw || !err.code) {
            Py_INCREF(Py_None);
            result = Py_None;
        } else {
            raise(&err);
        }
    }
    sw_error_free(&err);
    sinks_free(sink, options.sink_count);
    free((void *)key);
    free((void *)folder);
    Py_DECREF(texts);
    return result;
}
