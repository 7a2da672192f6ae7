/* SPDX-License-Identifier: MIT */
/* hooks.c - start(name) and stop(name) of a framework's profiler: a row for each name, and calls
 * for the actions of the loop that some names stand for. The first call of a name asks the
 * resolver for them. */
#include "core.h"

static bool calls_find(struct profiler *profiler, struct region *region, PyObject *name)
{
    if (region->calls[0])
        return true;
    PyObject *lists = NULL;
    if (profiler->resolver)
        lists = PyObject_CallFunctionObjArgs(profiler->resolver, name, NULL);
    else
        lists = Py_BuildValue("([][][])");
    PyObject **calls = region->calls;
    bool found = lists && PyArg_ParseTuple(lists, "O!O!O!", &PyList_Type, &calls[0], &PyList_Type,
                                           &calls[1], &PyList_Type, &calls[2]);
    for (int i = 0; i < 3; i++)
        if (found)
            Py_INCREF(calls[i]);
        else
            calls[i] = NULL;
    Py_XDECREF(lists);
    return found;
}

/* Makes the calls of a list. False after an exception. */
static bool calls_make(PyObject *list)
{
    PyObject *result = Py_None;
    for (Py_ssize_t i = 0; result && i < PyList_Size(list); i++) {
        result = PyObject_CallObject(PyList_GetItem(list, i), NULL);
        Py_XDECREF(result);
    }
    return result != NULL;
}

static PyObject *hook(PyObject *profiler, PyObject *name, bool starts)
{
    struct region *region = (struct region *)region_of((struct profiler *)profiler, name);
    bool done = region && calls_find((struct profiler *)profiler, region, name);
    if (done && region->started == starts) {
        PyErr_Format(PyExc_ValueError,
                     starts
                         ? "Attempted to start %S which has already started."
                         : "Attempting to stop recording an action (%S) which was never started.",
                     name);
        done = false;
    } else if (done && starts) {
        region->started = true;
        done = calls_make(region->calls[0]);
        sw_begin(region->handle->sw, region->action);
    } else if (done) {
        region->started = false;
        done = calls_make(region->calls[1]);
        sw_end(region->handle->sw, region->action);
        done = done && calls_make(region->calls[2]);
    }
    Py_XDECREF(region);
    if (!done)
        return NULL;
    Py_RETURN_NONE;
}

PyObject *hook_start(PyObject *profiler, PyObject *name)
{
    return hook(profiler, name, true);
}

PyObject *hook_stop(PyObject *profiler, PyObject *name)
{
    return hook(profiler, name, false);
}
