/* SPDX-License-Identifier: MIT */
/* open.c - opens a profiler with what the package has made of the arguments: lists of texts. Its
 * handle, and where its messages go. */
#include "core.h"

#include <time.h>

struct handle *handle_ref(struct handle *handle)
{
    __atomic_add_fetch(&handle->references, 1, __ATOMIC_RELAXED);
    return handle;
}

void handle_unref(struct handle *handle)
{
    if (!handle || __atomic_sub_fetch(&handle->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    Py_XDECREF(handle->messages);
    free(handle);
}

int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

_Thread_local struct calling *calling;

static void pass_message(void *arg, enum sw_level level, const char *text)
{
    struct handle *handle = arg;
    if (!Py_IsInitialized())
        return;
    /* In a call of the program; on a thread of the library, a function that hangs is abandoned. */
    bool inside = PyGILState_GetThisThreadState() != NULL;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    CALLING(handle);
    BUSY_ADD(handle, inside);
    PyObject *result = PyObject_CallFunction(handle->messages, "iN", (int)level, str_of(text));
    BUSY_ADD(handle, -inside);
    if (!result)
        print_exception(handle->messages);
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(state);
}

/* sinks: [[name, key, value, …], …] */
static struct sw_sink_options *sinks_of(PyObject *sinks, size_t *count)
{
    struct sw_sink_options *sink = array_for(sinks, sizeof *sink, count);
    for (size_t i = 0; i < *count && !PyErr_Occurred(); i++) {
        const char **text = texts_of(PyList_GetItem(sinks, (Py_ssize_t)i));
        if (text)
            sink[i] = (struct sw_sink_options){.name = text[0], .options = text + 1};
    }
    return sink;
}

/* open(profiler, path, yaml, name, directory, options, plugin_path, rank, ranks, messages, sinks):
 * texts are bytes */
PyObject *loop_open(PyObject *module, PyObject *args)
{
    OWNED_MEMORY const char **keys = NULL;
    OWNED_MEMORY const char **folders = NULL;
    const char *yaml;
    PyObject *profiler, *sinks, *messages;
    struct sw_options options;
    struct sw_error err;
    sw_error_init(&err);
    sw_options_init(&options);
    if (!PyArg_ParseTuple(args, "O!O&O&O&O&O&O&LLOO", profiler_type, &profiler, text_or_null,
                          &options.file, text_or_null, &yaml, text_or_null, &options.name,
                          text_or_null, &options.directory, address_of, &keys, address_of, &folders,
                          &options.rank, &options.ranks, &messages, &sinks))
        return NULL;
    struct handle *handle = HANDLE(profiler);
    OWNED_MEMORY struct sw_sink_options *sink = sinks_of(sinks, &options.sink_count);
    if (!PyErr_Occurred()) {
        options.options = keys;
        options.plugin_path = folders;
        options.sinks = sink;
        if (messages != Py_None) {
            handle->messages = object_self(messages, NULL);
            options.messages = pass_message;
            options.messages_arg = handle_ref(handle);
        }
        struct sw_profiler *sw;
        /* Sinks of Python are opened here: without the GIL, their threads can begin. */
        WITHOUT_GIL(sw = yaml ? sw_open_text(yaml, &err) : sw_open_options(&options, &err));
        handle->sw = sw;
        handle->opened_ns = monotonic_ns();
        handle->thread = PyThread_get_thread_ident();
    }
    if (!handle->sw && handle->messages)
        handle_unref(handle); /* of messages_arg */
    for (size_t i = 0; sink && sink[i].name; i++)
        free((void *)(sink[i].options - 1));
    return none_or_raise(handle->sw ? 0 : err.code, &err);
}
