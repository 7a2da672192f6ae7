/* SPDX-License-Identifier: MIT */
/* hooks.c - start(name) and stop(name) of a framework's profiler: a row for each name, and the
 * actions of the loop that some names stand for. The first call of a name asks the resolver. */
#include "core.h"

#include <stdlib.h>

/* steps: a list of (op, action) at the start, and one at the stop */
static bool hook_fill(struct hook *hook, PyObject *steps)
{
    PyObject *lists[2];
    if (!PyArg_ParseTuple(steps, "O!O!", &PyList_Type, &lists[0], &PyList_Type, &lists[1]))
        return false;
    for (int when = 0; when < 2; when++)
        for (Py_ssize_t i = 0; i < PyList_Size(lists[when]) && i < HOOK_STEPS; i++) {
            int op, action;
            if (!PyArg_ParseTuple(PyList_GetItem(lists[when], i), "ii", &op, &action))
                return false;
            if (action < 0 || action >= SW_BUILTIN_ACTIONS)
                return raise_text(SW_EINVAL, "a hook begins actions of the loop only");
            hook->step[when][i].op = (enum hook_op)op;
            hook->step[when][i].action = action;
            hook->count[when]++;
        }
    return true;
}

static struct hook *hook_new(struct profiler *self, PyObject *name)
{
    struct hook *hook = calloc(1, sizeof *hook);
    if (!hook || !self->resolver || self->resolver == Py_None)
        return hook;
    PyObject *steps = PyObject_CallFunctionObjArgs(self->resolver, name, NULL);
    if (!steps || (steps != Py_None && !hook_fill(hook, steps))) {
        free(hook);
        hook = NULL;
    }
    Py_XDECREF(steps);
    return hook;
}

/* The region of a name, which the profiler keeps; NULL with an exception. */
static struct region *hooked(PyObject *profiler, PyObject *name)
{
    struct profiler *self = (struct profiler *)profiler;
    struct region *region = (struct region *)region_of(self, name);
    if (region && !region->hook && !(region->hook = hook_new(self, name))) {
        if (!PyErr_Occurred())
            PyErr_NoMemory();
        Py_CLEAR(region);
    }
    return region;
}

static void hook_begin(struct handle *handle, int action)
{
    handle->hooked |= 1U << action;
    sw_begin(handle->sw, action);
}

static void hook_end(struct handle *handle, int action)
{
    unsigned bit = 1U << action;
    handle->asked &= ~bit;
    if (!(handle->hooked & bit))
        return;
    handle->hooked &= ~bit;
    if (action == SW_BATCH) {
        sw_end_batch(handle->sw, handle->samples);
        handle->samples = 0;
    } else {
        sw_end(handle->sw, action);
    }
}

/* Does what a name means at its start (0) or stop (1): what leaves its region, or all else. */
static void hook_do(struct handle *handle, const struct hook *hook, int when, bool leaves)
{
    for (int i = 0; i < hook->count[when]; i++) {
        int action = hook->step[when][i].action;
        enum hook_op op = hook->step[when][i].op;
        if ((op == HOOK_LEAVE) != leaves)
            continue;
        if (op == HOOK_END || op == HOOK_LEAVE)
            hook_end(handle, action);
        else if (op == HOOK_ASK)
            handle->asked |= 1U << action;
        else if (op == HOOK_BEGIN || (op == HOOK_ENSURE && !(handle->hooked >> action & 1)) ||
                 (op == HOOK_ASKED && handle->asked >> action & 1))
            hook_begin(handle, action);
    }
}

PyObject *hook_start(PyObject *profiler, PyObject *name)
{
    struct region *region = hooked(profiler, name);
    if (!region)
        return NULL;
    if (region->hook->open) {
        PyErr_Format(PyExc_ValueError, "Attempted to start %S which has already started.", name);
        Py_DECREF(region);
        return NULL;
    }
    region->hook->open = true;
    hook_do(region->handle, region->hook, 0, false);
    sw_begin(region->handle->sw, region->action);
    Py_DECREF(region);
    Py_RETURN_NONE;
}

PyObject *hook_stop(PyObject *profiler, PyObject *name)
{
    struct region *region = hooked(profiler, name);
    if (!region)
        return NULL;
    if (!region->hook->open) {
        PyErr_Format(PyExc_ValueError,
                     "Attempting to stop recording an action (%S) which was never started.", name);
        Py_DECREF(region);
        return NULL;
    }
    struct hook *hook = region->hook;
    hook->open = false;
    hook_do(region->handle, hook, 1, true);
    sw_end(region->handle->sw, region->action);
    hook_do(region->handle, hook, 1, false);
    Py_DECREF(region);
    Py_RETURN_NONE;
}
