/* SPDX-License-Identifier: MIT */
/* region.c - an action of one profiler, as a context manager and a decorator. start(name) and
 * stop(name) of a framework's profiler: a row for each name, and calls for the actions of the loop
 * that some names stand for. The first call of a name asks the resolver for them. */
#include "core.h"

#include <structmember.h>

PyTypeObject *region_type;

PyObject *region_new(struct handle *handle, int action)
{
    struct region *self = (void *)PyType_GenericAlloc(region_type, 0);
    if (!self)
        return NULL;
    self->handle = handle_ref(handle);
    self->action = action;
    return (PyObject *)self;
}

static void region_dealloc(PyObject *self)
{
    Py_XDECREF(((struct region *)self)->calls);
    handle_unref(((struct region *)self)->handle);
    object_free(self);
}

static PyObject *region_enter(PyObject *self, PyObject *none)
{
    struct region *region = (struct region *)self;
    sw_begin(region->handle->sw, region->action);
    Py_INCREF(self);
    return self;
}

/* A batch that an exception leaves is cancelled, as in C++: its figures would be those of half a
 * batch. All other regions count. */
static PyObject *region_exit(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    struct region *region = (struct region *)self;
    region->handle->ended += region->action == SW_BATCH;
    if (region->action == SW_BATCH && count && args[0] != Py_None)
        sw_cancel(region->handle->sw, SW_BATCH);
    else
        sw_end(region->handle->sw, region->action);
    Py_RETURN_NONE;
}

#define REGION_CALL(name, ends_batch)                                                              \
    static PyObject *region_##name(PyObject *self, PyObject *none)                                 \
    {                                                                                              \
        struct region *region = (struct region *)self;                                             \
        (void)none;                                                                                \
        region->handle->ended += (ends_batch) && region->action == SW_BATCH;                       \
        sw_##name(region->handle->sw, region->action);                                             \
        Py_RETURN_NONE;                                                                            \
    }
REGION_CALL(begin, false)
REGION_CALL(next, false)
REGION_CALL(end, true)
REGION_CALL(cancel, true)

/* region() is the region itself, so that `with sw.epoch():` and `with sw.epoch:` are the same;
 * region(function) decorates a function. */
static PyObject *region_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"", NULL};
    PyObject *function = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:region", names, &function))
        return NULL;
    if (function)
        return package_call("stepwatch._decorate", "measured", self, function);
    Py_INCREF(self);
    return self;
}

static PyObject *region_name(PyObject *self, void *closure)
{
    return str_of(sw_action_name(((struct region *)self)->action));
}

static PyObject *region_repr(PyObject *self)
{
    OWNED name = region_name(self, NULL);
    return name ? PyUnicode_FromFormat("<stepwatch region %R>", name) : NULL;
}

/* A copy of a model that has a region measures with the same one. */
static PyObject *region_self(PyObject *self, PyObject *none)
{
    Py_INCREF(self);
    return self;
}

/* In another process, it is a region of a profiler that measures nothing. */
static PyObject *region_reduce(PyObject *self, PyObject *none)
{
    OWNED package = PyImport_ImportModule("stepwatch._decorate");
    return package ? Py_BuildValue("(N(N))", PyObject_GetAttrString(package, "idle"),
                                   region_name(self, NULL))
                   : NULL;
}

static PyObject *region_span_begin(PyObject *self, PyObject *none)
{
    struct region *region = (struct region *)self;
    return PyLong_FromLongLong(sw_span_begin(region->handle->sw, region->action));
}

static PyObject *region_span_end(PyObject *self, PyObject *id)
{
    long long number = PyLong_AsLongLong(id);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    sw_span_end(((struct region *)self)->handle->sw, number);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    METHOD("__enter__", region_enter, METH_NOARGS, NULL),
    METHOD("__exit__", region_exit, METH_FASTCALL, NULL),
    METHOD("__copy__", region_self, METH_NOARGS, NULL),
    METHOD("__deepcopy__", region_self, METH_O, NULL),
    METHOD("__reduce__", region_reduce, METH_NOARGS, NULL),
    METHOD("begin", region_begin, METH_NOARGS, "Begins the region on the calling thread."),
    METHOD("next", region_next, METH_NOARGS,
           "Ends the innermost region and begins this one, with a single clock read."),
    METHOD("end", region_end, METH_NOARGS, "Ends the region and what is still open inside it."),
    METHOD("cancel", region_cancel, METH_NOARGS, "Ends the region without counting it."),
    METHOD("span_begin", region_span_begin, METH_NOARGS,
           "Begins a span of this action: an interval that need not nest. Returns its id."),
    METHOD("span_end", region_span_end, METH_O, "Ends the span of an id."),
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"action", T_INT, offsetof(struct region, action), READONLY, "The number of the action."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"name", region_name, NULL, "The name of the action.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    SLOT(Py_tp_new, object_refuse),
    SLOT(Py_tp_dealloc, region_dealloc),
    SLOT(Py_tp_call, region_call),
    SLOT(Py_tp_repr, region_repr),
    SLOT(Py_tp_methods, methods),
    SLOT(Py_tp_members, members),
    SLOT(Py_tp_getset, properties),
    SLOT(Py_tp_doc, "An action of a profiler: a context manager and a decorator. Durations are in "
                    "nanoseconds."),
    {0, NULL},
};

PyType_Spec region_spec = {"stepwatch._core.Region", sizeof(struct region), 0, Py_TPFLAGS_DEFAULT,
                           slots};

/* ---- start and stop -------------------------------------------------------------------------- */

/* Makes the calls of one of a region's lists. False after an exception. */
static bool calls_make(struct region *region, Py_ssize_t which)
{
    if (region->calls == Py_None)
        return true;
    PyObject *list = PyTuple_GetItem(region->calls, which), *result = Py_None;
    for (Py_ssize_t i = 0; result && i < PyList_Size(list); i++) {
        result = PyObject_CallObject(PyList_GetItem(list, i), NULL);
        Py_XDECREF(result);
    }
    return result != NULL;
}

static PyObject *hook(PyObject *profiler, PyObject *name, bool starts)
{
    PyObject *resolver = ((struct profiler *)profiler)->resolver;
    OWNED known = region_of(profiler, name);
    struct region *region = (struct region *)known;
    if (region && !region->calls)
        region->calls =
            resolver ? PyObject_CallFunctionObjArgs(resolver, name, NULL) : Py_BuildValue("");
    bool done = region && region->calls;
    if (done && region->started == starts) {
        PyErr_Format(PyExc_ValueError,
                     starts
                         ? "Attempted to start %S which has already started."
                         : "Attempting to stop recording an action (%S) which was never started.",
                     name);
        done = false;
    } else if (done) {
        region->started = starts;
        done = calls_make(region, starts ? 0 : 1);
        (starts ? sw_begin : sw_end)(region->handle->sw, region->action);
        done = done && (starts || calls_make(region, 2));
    }
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
