/* SPDX-License-Identifier: MIT */
/* draws.c - iterates over a loader: asking it is the draw, the body of the loop is the batch. */
#include "core.h"

PyTypeObject *draws_type;

struct draws {
    PyObject_HEAD struct handle *handle;
    PyObject *iterator;
    PyObject *samples; /* a function of the batch, or None */
    PyObject *batch;   /* the open one */
    long ended;        /* handle->ended when it began */
    unsigned long thread;
    bool open;
};

PyObject *draws_new(PyObject *profiler, PyObject *args)
{
    PyObject *loader, *samples;
    if (!PyArg_ParseTuple(args, "OO", &loader, &samples))
        return NULL;
    PyObject *iterator = PyObject_GetIter(loader);
    struct draws *self = iterator ? object_new(draws_type) : NULL;
    if (!self) {
        Py_XDECREF(iterator);
        return NULL;
    }
    self->handle = handle_ref(((struct profiler *)profiler)->handle);
    self->iterator = iterator;
    self->samples = samples;
    Py_INCREF(samples);
    return (PyObject *)self;
}

/* Whether the batch is still open: the body of the loop may have called end_batch(). */
static bool is_open(struct draws *self)
{
    return self->open && self->handle->sw && self->handle->ended == self->ended;
}

static int end_batch(struct draws *self)
{
    long long samples = 0;
    PyObject *batch = self->batch;
    bool open = is_open(self);
    self->batch = NULL;
    self->open = false;
    if (open && self->samples != Py_None) {
        PyObject *count = PyObject_CallFunctionObjArgs(self->samples, batch, NULL);
        samples = count ? PyLong_AsLongLong(count) : -1;
        Py_XDECREF(count);
    }
    Py_XDECREF(batch);
    if (samples == -1 && PyErr_Occurred())
        return -1;
    if (open)
        sw_end_batch(self->handle->sw, samples);
    return 0;
}

static PyObject *draws_next(PyObject *object)
{
    struct draws *self = (struct draws *)object;
    if (end_batch(self) < 0)
        return NULL;
    struct sw_profiler *sw = self->handle->sw;
    sw_begin(sw, SW_DRAW);
    PyObject *batch = PyIter_Next(self->iterator);
    sw = self->handle->sw; /* the loader may have closed the profiler */
    if (!batch) {
        sw_cancel(sw, SW_DRAW);
        return NULL;
    }
    sw_next(sw, SW_BATCH);
    self->open = true;
    self->thread = PyThread_get_thread_ident();
    self->ended = self->handle->ended;
    Py_INCREF(batch);
    self->batch = batch;
    return batch;
}

/* The loop was left in the middle: by break, and the batch counts, or by an exception, and it does
 * not. */
static void draws_dealloc(PyObject *object)
{
    struct draws *self = (struct draws *)object;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (is_open(self) && self->thread == PyThread_get_thread_ident()) {
        if (type)
            sw_cancel(self->handle->sw, SW_BATCH);
        else if (end_batch(self) < 0)
            PyErr_WriteUnraisable(NULL);
    }
    Py_CLEAR(self->batch);
    Py_XDECREF(self->iterator);
    Py_XDECREF(self->samples);
    handle_unref(self->handle);
    PyErr_Restore(type, value, traceback);
    object_free(object);
}

static PyType_Slot slots[] = {
    SLOT(Py_tp_dealloc, draws_dealloc),
    SLOT(Py_tp_iter, PyObject_SelfIter),
    SLOT(Py_tp_iternext, draws_next),
    SLOT(Py_tp_doc, "Iterates over a loader and measures draw and batch."),
    {0, NULL},
};

PyType_Spec draws_spec = {"stepwatch._core.Draws", sizeof(struct draws), 0, Py_TPFLAGS_DEFAULT,
                          slots};
