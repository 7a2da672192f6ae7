/* SPDX-License-Identifier: MIT */
/* open.c - opens a profiler with what the package has made of the arguments: lists of texts. */
#include "core.h"

#include <stdlib.h>

/* sinks: [[name, key, value, …], …] */
static struct sw_sink_options *sinks_of(PyObject *sinks, size_t *count)
{
    *count = (size_t)PyList_Size(sinks);
    struct sw_sink_options *sink = calloc(*count + 1, sizeof *sink);
    if (!sink)
        PyErr_NoMemory();
    for (size_t i = 0; i < *count && !PyErr_Occurred(); i++) {
        const char **text = texts_of(PyList_GetItem(sinks, (Py_ssize_t)i));
        if (text)
            sink[i] = (struct sw_sink_options){.name = text[0], .options = text + 1};
    }
    return sink;
}

static void sinks_free(struct sw_sink_options *sink)
{
    for (size_t i = 0; sink && sink[i].name; i++)
        free((void *)(sink[i].options - 1));
    free(sink);
}

/* _open([path, yaml, name, directory], options, sinks, plugin_path, rank, ranks, messages): the
 * texts of all lists are bytes */
PyObject *open_profiler(PyObject *self, PyObject *args)
{
    struct handle *handle = ((struct profiler *)self)->handle;
    PyObject *list, *keys, *sinks, *folders, *messages;
    struct sw_options options;
    struct sw_error err;
    sw_error_init(&err);
    sw_options_init(&options);
    if (!PyArg_ParseTuple(args, "OOO!OLLO", &list, &keys, &PyList_Type, &sinks, &folders,
                          &options.rank, &options.ranks, &messages))
        return NULL;
    struct sw_sink_options *sink = sinks_of(sinks, &options.sink_count);
    const char **text = texts_of(list), **key = texts_of(keys), **folder = texts_of(folders);
    if (!PyErr_Occurred()) {
        struct sw_profiler *sw;
        options.file = text[0];
        options.name = text[2];
        options.directory = text[3];
        options.options = key;
        options.plugin_path = folder;
        options.sinks = sink;
        bool plain = messages == Py_None && !key[0] && !options.sink_count && !folder[0] &&
                     !options.ranks && !options.name && !options.directory;
        if (messages != Py_None) {
            Py_INCREF(messages);
            handle->messages = messages;
            options.messages = handle_message;
            options.messages_arg = handle_ref(handle);
        }
        /* Sinks of Python are opened here: without the GIL, their threads can begin. */
        Py_BEGIN_ALLOW_THREADS if (text[1]) sw = sw_open_text(text[1], &err);
        else if (plain) sw = sw_open(text[0], &err);
        else sw = sw_open_options(&options, &err);
        Py_END_ALLOW_THREADS handle->sw = sw;
        handle->opened_ns = monotonic_ns();
    }
    sinks_free(sink);
    free((void *)text);
    free((void *)key);
    free((void *)folder);
    return none_or_raise(handle->sw ? 0 : err.code, &err);
}
