/* SPDX-License-Identifier: MIT */
/* region.c - an action of one profiler, as a context manager and a decorator. start(name) and
 * stop(name) of a framework's profiler: a row for each name, and calls for the actions of the loop
 * that some names stand for. The first call of a name asks the resolver for them. */
#include "core.h"

static void region_dealloc(PyObject *self)
{
    Py_XDECREF(((struct region *)self)->calls);
    object_free(self);
}

/* Makes the region of a name or a number. */
static PyObject *region_new(PyObject *profiler, PyObject *key)
{
    TEXT(name);
    bool is_name = PyUnicode_Check(key);
    long action = !is_name ? PyLong_AsLong(key) : text_of(key, &name) ? sw_action(name.is) : -1;
    bool fine = action >= 0 && action <= INT_MAX;
    struct region *self = fine ? (void *)PyType_GenericAlloc(region_type, 0) : NULL;
    if (!self)
        return NULL;
    self->object.handle = handle_ref(HANDLE(profiler));
    self->action = (int)action;
    return (PyObject *)self;
}

PyObject *region_of(PyObject *profiler, PyObject *object)
{
    PyObject *regions = ((struct profiler *)profiler)->regions;
    bool is_region = Py_TYPE(object) == region_type, is_key = is_region || PyUnicode_Check(object);
    OWNED key = is_key ? object_self(object, NULL) : PyNumber_Index(object);
    PyObject *region = is_region ? object : key ? PyDict_GetItemWithError(regions, key) : NULL;
    Py_XINCREF(region);
    if (!region && !PyErr_Occurred()) {
        region = region_new(profiler, key);
        /* sw_action() knows 10,000 names; a loop that makes up names must not fill the memory */
        if (region && PyDict_Size(regions) < 10000) {
            OWNED made = region; /* another thread may have made one */
            region = PyObject_CallMethod(regions, "setdefault", "OO", key, made);
        }
    }
    if (region || (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError)))
        return region;
    return PyErr_Format(PyExc_TypeError,
                        "an action is a number such as stepwatch.FORWARD, a name or a region, "
                        "not %R",
                        object);
}

/* The number of an action, or -1 with an exception. Numbers of the loop need no region. */
static inline int action_of(PyObject *profiler, PyObject *action)
{
    long number = PyLong_CheckExact(action) ? PyLong_AsLong(action) : -1;
    if (number >= 0 && number <= SW_PREDICT)
        return (int)number;
    OWNED region = PyErr_Occurred() ? NULL : region_of(profiler, action);
    return region ? ACTION(region) : -1;
}

static inline PyObject *mark(void (*function)(struct sw_profiler *sw, int action),
                             struct handle *handle, int action, bool ends)
{
    if (action < 0)
        return NULL;
    handle->ended += ends && action == SW_BATCH;
    action_call(function, handle, action);
    Py_RETURN_NONE;
}

/* ACTION_CALL(NAME, ENDS): the method of a region, and that of a profiler with an argument. */
#define ACTION_CALL(name, ends)                                                                    \
    static PyObject *region_##name(PyObject *self, PyObject *none)                                 \
    {                                                                                              \
        return mark(sw_##name, HANDLE(self), ACTION(self), ends);                                  \
    }                                                                                              \
    PyObject *loop_##name(PyObject *self, PyObject *action)                                        \
    {                                                                                              \
        return mark(sw_##name, HANDLE(self), action_of(self, action), ends);                       \
    }
ACTION_CALL(begin, false)
ACTION_CALL(next, false)
ACTION_CALL(end, true)
ACTION_CALL(cancel, true)

static PyObject *region_enter(PyObject *self, PyObject *none)
{
    action_call(sw_begin, HANDLE(self), ACTION(self));
    return object_self(self, NULL);
}

/* A batch that an exception leaves is cancelled, as in C++: its figures would be those of half a
 * batch. All other regions count. */
static PyObject *region_exit(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    bool cancels = ACTION(self) == SW_BATCH && count && args[0] != Py_None;
    return (cancels ? region_cancel : region_end)(self, NULL);
}

/* region() is the region itself, so that `with sw.epoch():` and `with sw.epoch:` are the same;
 * region(function) decorates a function. */
static PyObject *region_call(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"", NULL};
    PyObject *function = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:region", names, &function))
        return NULL;
    return function ? package_call("stepwatch._decorate", "measured", self, function)
                    : object_self(self, NULL);
}

static PyObject *region_action(PyObject *self, void *closure)
{
    return PyLong_FromLong(ACTION(self));
}

static PyObject *region_name(PyObject *self, void *closure)
{
    return str_of(sw_action_name(ACTION(self)));
}

static PyObject *region_repr(PyObject *self)
{
    OWNED name = region_name(self, NULL);
    return name ? PyUnicode_FromFormat("<stepwatch region %R>", name) : NULL;
}

/* In another process, it is a region of a profiler that measures nothing. */
static PyObject *region_reduce(PyObject *self, PyObject *none)
{
    OWNED idle = package_call("stepwatch", "Profiler", NULL, NULL);
    return idle ? Py_BuildValue("(N(N))", PyObject_GetAttrString(idle, "region"),
                                region_name(self, NULL))
                : NULL;
}

CALLED(self, region_span_begin, "", , PyLong_FromLongLong(sw_span_begin(SW, ACTION(self))))
CALLED(self, region_span_end, "L", long long id, (sw_span_end(SW, id), object_self(Py_None, NULL)),
       &id)

static PyMethodDef methods[] = {
    METHOD("__enter__", region_enter, METH_NOARGS, NULL),
    METHOD("__exit__", region_exit, METH_FASTCALL, NULL),
    METHOD("__copy__", object_self, METH_NOARGS, NULL),
    METHOD("__deepcopy__", object_self, METH_O, NULL),
    METHOD("__reduce__", region_reduce, METH_NOARGS, NULL),
    METHOD("begin", region_begin, METH_NOARGS, "Begins the region on the calling thread."),
    METHOD("next", region_next, METH_NOARGS,
           "Ends the innermost region and begins this one, with a single clock read."),
    METHOD("end", region_end, METH_NOARGS, "Ends the region and what is still open inside it."),
    METHOD("cancel", region_cancel, METH_NOARGS, "Ends the region without counting it."),
    METHOD("span_begin", region_span_begin, METH_VARARGS,
           "Begins a span of this action: an interval that need not nest. Returns its id."),
    METHOD("span_end", region_span_end, METH_VARARGS, "Ends the span of an id."),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"action", region_action, NULL, "The number of the action.", NULL},
    {"name", region_name, NULL, "The name of the action.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

TYPE(region, "Region", 0, SLOT(Py_tp_new, object_refuse), SLOT(Py_tp_dealloc, region_dealloc),
     SLOT(Py_tp_call, region_call), SLOT(Py_tp_repr, region_repr), SLOT(Py_tp_methods, methods),
     SLOT(Py_tp_getset, properties),
     SLOT(Py_tp_doc, "An action of a profiler: a context manager and a decorator. Durations are in "
                     "nanoseconds."))

/* ---- start and stop -------------------------------------------------------------------------- */

/* Calls what belongs to a region. False after an exception. */
static bool calls_make(struct region *region, int which)
{
    if (!region->calls || region->calls == Py_None)
        return true;
    OWNED calls = object_self(region->calls, NULL); /* it may close the profiler */
    OWNED result = PyObject_CallFunction(calls, "i", which);
    return result != NULL;
}

static PyObject *hook(PyObject *profiler, PyObject *name, bool starts)
{
    OWNED known = region_of(profiler, name);
    struct region *region = (struct region *)known;
    if (!region)
        return NULL;
    LOCKED(known);
    if (!region->calls) {
        OWNED resolver = PyObject_GetAttrString(profiler, "_resolver");
        region->calls = resolver ? PyObject_CallFunctionObjArgs(resolver, name, NULL) : NULL;
    }
    if (!region->calls)
        return NULL;
    if (region->started == starts)
        return PyErr_Format(PyExc_ValueError,
                            starts ? "Attempted to start %S which has already started."
                                   : "Attempting to stop recording an action (%S) which was never "
                                     "started.",
                            name);
    region->started = starts;
    bool done = calls_make(region, starts ? 0 : 1);
    action_call(starts ? sw_begin : sw_end, HANDLE(region), region->action);
    if (!done || (!starts && !calls_make(region, 2)))
        return NULL;
    Py_RETURN_NONE;
}

#define HOOK(name, starts)                                                                         \
    PyObject *loop_##name(PyObject *profiler, PyObject *action)                                    \
    {                                                                                              \
        return hook(profiler, action, starts);                                                     \
    }
HOOK(start, true)
HOOK(stop, false)
