/* SPDX-License-Identifier: MIT */
/* draws.c - iterates over a loader: asking it is the draw, the body of the loop is the batch. */
#include "core.h"

struct draws {
    struct object object;
    PyObject *iterator;
    PyObject *samples; /* a function of the batch */
    PyObject *batch;   /* the open one, or NULL */
    long ended;        /* handle->ended when it began */
    unsigned long thread;
};

/* draws(profiler, loader, samples) */
PyObject *loop_draws(PyObject *module, PyObject *args)
{
    PyObject *profiler, *loader, *samples;
    if (!PyArg_ParseTuple(args, "O!OO", profiler_type, &profiler, &loader, &samples))
        return NULL;
    PyObject *iterator = PyObject_GetIter(loader);
    struct draws *self = iterator ? (void *)PyType_GenericAlloc(draws_type, 0) : NULL;
    if (!self) {
        Py_XDECREF(iterator);
        return NULL;
    }
    self->object.handle = handle_ref(HANDLE(profiler));
    self->iterator = iterator;
    self->samples = object_self(samples, NULL);
    return (PyObject *)self;
}

/* Ends or cancels the batch, unless the body of the loop has called end_batch(). */
static int end_batch(struct draws *self, bool cancel)
{
    long long samples = 0;
    PyObject *batch = self->batch;
    bool open = batch && HANDLE(self)->ended == self->ended;
    self->batch = NULL;
    if (open && !cancel && HANDLE(self)->sw) {
        OWNED count = PyObject_CallFunctionObjArgs(self->samples, batch, NULL);
        samples = count ? PyLong_AsLongLong(count) : -1;
        cancel = PyErr_Occurred();
    }
    Py_XDECREF(batch);
    CALLS(HANDLE(self));
    if (open && cancel)
        sw_cancel(HANDLE(self)->sw, SW_BATCH);
    else if (open)
        sw_end_batch(HANDLE(self)->sw, samples);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *draws_next(PyObject *object)
{
    struct draws *self = (struct draws *)object;
    LOCKED(object);
    if (end_batch(self, false) < 0)
        return NULL;
    action_call(sw_begin, HANDLE(object), SW_DRAW);
    PyObject *batch = PyIter_Next(self->iterator);
    if (!batch) {
        action_call(sw_cancel, HANDLE(object), SW_DRAW);
        return NULL;
    }
    action_call(sw_next, HANDLE(object), SW_BATCH);
    self->thread = PyThread_get_thread_ident();
    self->ended = HANDLE(self)->ended;
    self->batch = object_self(batch, NULL);
    return batch;
}

/* The loop was left in the middle: by break, and the batch counts, or by an exception, and it does
 * not. */
static void draws_dealloc(PyObject *object)
{
    struct draws *self = (struct draws *)object;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (self->thread == PyThread_get_thread_ident() && end_batch(self, type != NULL) < 0)
        print_exception(NULL);
    Py_XDECREF(self->batch);
    Py_XDECREF(self->iterator);
    Py_XDECREF(self->samples);
    PyErr_Restore(type, value, traceback);
    object_free(object);
}

TYPE(draws, "Draws", 0, SLOT(Py_tp_new, object_refuse), SLOT(Py_tp_dealloc, draws_dealloc),
     SLOT(Py_tp_iter, PyObject_SelfIter), SLOT(Py_tp_iternext, draws_next),
     SLOT(Py_tp_doc, "Iterates over a loader and measures draw and batch."))
