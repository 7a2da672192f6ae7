/* SPDX-License-Identifier: MIT */
/* handle.c - how long a profiler's handle lives, its clock, and where its messages go. */
#include "core.h"

#include <stdlib.h>
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

int64_t handle_clock(void *handle)
{
    return __atomic_load_n(&((struct handle *)handle)->now_ns, __ATOMIC_RELAXED);
}

void handle_message(void *arg, enum sw_level level, const char *text)
{
    struct handle *handle = arg;
    if (!is_python_up())
        return;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *said = str_of(text);
    PyObject *result =
        said ? PyObject_CallFunction(handle->messages, "iO", (int)level, said) : NULL;
    if (!result)
        PyErr_WriteUnraisable(handle->messages);
    Py_XDECREF(said);
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
    PyGILState_Release(state);
}
