/* SPDX-License-Identifier: MIT */
/* loop.c - the type Profiler: the calls of the loop. What is logged besides numbers is in
 * values.c. */
#include "core.h"

#include <time.h>

static PyObject *none(void)
{
    Py_RETURN_NONE;
}

static PyObject *event(struct handle *handle, int event, long long samples)
{
    BUSY(handle);
    CALLING(handle);
    if (event == SW_AFTER_BATCH)
        sw_event_batch(handle->sw, samples);
    else
        sw_event(handle->sw, (enum sw_event)event);
    return PyErr_Occurred() ? NULL : none(); /* in a function of on_event() */
}

/* The GIL is held: this runs inside of event(). An exception ends that call. */
static void call_on_event(void *function, enum sw_event event)
{
    PyGILState_STATE state = PyGILState_Ensure();
    if (!PyErr_Occurred())
        Py_XDECREF(PyObject_CallFunction(function, "i", (int)event));
    PyGILState_Release(state);
}

/* The function stays until close(). */
static PyObject *on_event(PyObject *self, int event, PyObject *function)
{
    struct sw_profiler *sw = HANDLE(self)->sw;
    if (!PyCallable_Check(function))
        return PyErr_Format(PyExc_TypeError, "on_event: %R is not a function", function);
    if (sw && PyList_Append(((struct profiler *)self)->functions, function) < 0)
        return NULL;
    int rc = sw ? sw_on_event(sw, (enum sw_event)event, call_on_event, function) : 0;
    return rc < 0 ? raise_text(rc, "on_event: this is not an event") : none();
}

static int64_t made_up_clock(void *handle)
{
    return __atomic_load_n(&((struct handle *)handle)->now_ns, __ATOMIC_RELAXED);
}

static PyObject *set_clock(struct handle *handle, long long now_ns)
{
    __atomic_store_n(&handle->now_ns, (int64_t)now_ns, __ATOMIC_RELAXED);
    if (!handle->clock && handle->sw) {
        handle->clock = true;
        handle->opened_ns = now_ns;
        sw_set_clock(handle->sw, made_up_clock, handle);
    }
    Py_RETURN_NONE;
}

PyObject *loop_report(PyObject *module, PyObject *profiler)
{
    struct handle *handle = HANDLE(profiler);
    BUSY(handle);
    struct sw_profiler *sw = handle->sw;
    struct sw_report *report = NULL;
    struct sw_error err;
    int rc;
    sw_error_init(&err);
    if (!sw)
        return raise_text(SW_EINVAL, handle->child
                                         ? "a child process has no report: it measures nothing"
                                         : "the profiler has no report: it is off or closed");
    WITHOUT_GIL(rc = sw_report_new(sw, &report, &err));
    if (rc < 0)
        return none_or_raise(rc, &err);
    sw_error_free(&err);
    int64_t now_ns = handle->clock ? handle->now_ns : monotonic_ns();
    return report_dict(report, report_free, now_ns - handle->opened_ns);
}

/* Why the function that this thread calls cannot close a profiler, which would wait for it. */
static const char *close_refused(const struct handle *handle)
{
    for (const struct calling *of = calling; of; of = of->outer) {
        if (of->of == handle)
            return "close: a function for events or messages cannot close a profiler";
        if (!of->of && handle->thread != PyThread_get_thread_ident())
            return "close: a sink cannot close a profiler that it has not opened";
    }
    return NULL;
}

/* Raises what close_refused() says: close() asks before it ends anything. */
PyObject *loop_may_close(PyObject *module, PyObject *profiler)
{
    const char *refused = HANDLE(profiler)->sw ? close_refused(HANDLE(profiler)) : NULL;
    return refused ? raise_text(SW_EINVAL, refused) : none();
}

/* close(profiler, program ends): ends the run after all calls in other threads have ended. If the
 * program ends, calls that this close() interrupts never go on, others have a second, and a close()
 * in another thread is waited for. Until then, Ctrl-C leaves the profiler open. */
PyObject *loop_close(PyObject *module, PyObject *args)
{
    PyObject *profiler;
    struct sw_profiler *sw;
    struct sw_error err;
    unsigned long self = PyThread_get_thread_ident();
    int ends, rc;
    sw_error_init(&err);
    if (!PyArg_ParseTuple(args, "O!p", profiler_type, &profiler, &ends))
        return NULL;
    struct handle *handle = HANDLE(profiler);
    bool busy, within = close_refused(handle) != NULL; /* a call that is busy, too */
    if (ends)
        __atomic_store_n(&handle->ends, true, __ATOMIC_RELEASE);
    for (int tries = 0;; tries = busy ? tries + 1 : 0) {
        sw = __atomic_exchange_n(&handle->sw, NULL, __ATOMIC_SEQ_CST);
        unsigned long closer = sw ? 0 : __atomic_load_n(&handle->closer, __ATOMIC_ACQUIRE);
        busy = __atomic_load_n(&handle->busy, __ATOMIC_ACQUIRE) > within;
        ends = __atomic_load_n(&handle->ends, __ATOMIC_ACQUIRE);
        if (sw)
            handle->closer = self;
        bool waits = sw ? busy : ends && closer && closer != self;
        if (!waits || (ends && tries >= 10000))
            break;
        WITHOUT_GIL(nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL));
        if (sw) { /* a handler of a signal finds it as it was */
            handle->closer = 0;
            __atomic_store_n(&handle->sw, sw, __ATOMIC_SEQ_CST);
        }
        if (!ends && PyErr_CheckSignals() < 0)
            return NULL;
    }
    WITHOUT_GIL(rc = sw ? sw_close(sw, &err) : 0);
    if (sw)
        __atomic_store_n(&handle->closer, 0, __ATOMIC_RELEASE);
    if (sw && rc == 0 && handle->messages) { /* no thread is left that could have a message */
        Py_CLEAR(handle->messages);
        handle_unref(handle);
    }
    if (!__atomic_load_n(&handle->closer, __ATOMIC_ACQUIRE)) { /* they often keep this profiler */
        PyList_SetSlice(((struct profiler *)profiler)->functions, 0, PY_SSIZE_T_MAX, NULL);
        OWNED regions = PyDict_Values(((struct profiler *)profiler)->regions);
        for (Py_ssize_t i = 0; regions && i < PyList_Size(regions); i++)
            Py_CLEAR(((struct region *)PyList_GetItem(regions, i))->calls);
    }
    return none_or_raise(rc, &err);
}

/* In a child of fork(): nothing is measured any more. */
PyObject *loop_forked(PyObject *module, PyObject *profiler)
{
    struct handle *handle = HANDLE(profiler);
    handle->sw = NULL;
    handle->busy = 0;
    handle->closer = 0;
    handle->child = true;
    Py_RETURN_NONE;
}

static PyObject *captured(int rc)
{
    return rc < 0 ? raise_text(rc, "capture: the number of steps must be at least 1") : none();
}

/* clang-format off */
/* Methods that pass their arguments on: X(NAME, DOC, FORMAT, VARIABLES, RESULT, &VARIABLE...). */
#define PASSED_ON(X)                                                                               \
    X(pause, "Excludes all time until resume().", "", , (sw_pause(SW), none()))                    \
    X(resume, "Ends the pause.", "", , (sw_resume(SW), none()))                                    \
    X(should_stop, "Returns True if a sink was asked to stop the run.",                            \
      "", , PyBool_FromLong(sw_should_stop(SW)))                                                   \
    X(expect_steps, "Sets the total number of training steps, for the time that is left.",         \
      "L", long long steps, (sw_expect_steps(SW, steps), none()), &steps)                          \
    X(set_exit_status, "Passes the program's exit status to the sinks.",                           \
      "i", int n, (sw_set_exit_status(SW, n), none()), &n)                                         \
    X(capture, "Records the regions of the next n training steps.",                                \
      "L", long long steps, captured(SW ? sw_capture(SW, steps) : 0), &steps)                      \
    X(end_batch, "Ends the batch and the step. The argument is the number of samples.",            \
      "|L", long long samples = 0, (handle->ended++, sw_end_batch(SW, samples), none()), &samples) \
    X(event, "Reports an event of stepwatch.events; AFTER_BATCH takes the number of samples.",     \
      "i|L", int number; long long samples = 0, event(handle, number, samples), &number, &samples) \
    X(on_event, "on_event(event, function): calls function(event) at each such event.",            \
      "iO", int event; PyObject *function, on_event(self, event, function), &event, &function)     \
    X(count, "count(name, n): adds n to a counter, such as tokens, of all open regions.",          \
      "O&L", TEXT(name); long long n, (sw_count(SW, sw_counter(name.is), n), none()),              \
      text_of, &name, &n)                                                                          \
    X(set_clock, "Sets a made-up clock to this many nanoseconds, for tests. The first call must "  \
      "come before the first region.", "L", long long ns, set_clock(handle, ns), &ns)
#define DEFINED(name, doc, format, ...) CALLED(self, loop_##name, format ":" #name, __VA_ARGS__)
PASSED_ON(DEFINED)
/* clang-format on */

/* ---- the type -------------------------------------------------------------------------------- */

static PyObject *profiler_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    struct profiler *self = (void *)PyType_GenericAlloc(type, 0);
    if (!self)
        return NULL;
    struct handle *handle = self->object.handle = calloc(1, sizeof *handle);
    self->regions = PyDict_New();
    self->functions = PyList_New(0);
    if (handle && handle_ref(handle) && self->regions && self->functions)
        return (PyObject *)self;
    Py_DECREF(self);
    return PyErr_NoMemory();
}

static void profiler_dealloc(PyObject *object)
{
    struct profiler *self = (struct profiler *)object;
    Py_XDECREF(self->regions);
    Py_XDECREF(self->functions);
    object_free(object);
}

/* clang-format off */
#define ENTRY(name, kind, doc) METHOD(#name, loop_##name, METH_##kind, doc)
#define LISTED(name, doc, ...) METHOD(#name, loop_##name, METH_VARARGS, doc),
static PyMethodDef methods[] = {
    METHOD("__enter__", object_self, METH_NOARGS, NULL),
    METHOD("__copy__", object_self, METH_NOARGS, NULL),
    METHOD("__deepcopy__", object_self, METH_O, NULL),
    METHOD("region", region_of, METH_O, "Returns the region of a name: a context manager and a decorator."),
    ENTRY(begin, O, "Begins a region of an action (a number such as stepwatch.FORWARD, or a name)."),
    ENTRY(next, O, "Ends the innermost region and begins an action, with a single clock read."),
    ENTRY(end, O, "Ends the region of an action, and what is open inside it."),
    ENTRY(cancel, O, "Ends the region of an action without counting it."),
    ENTRY(start, O, "Begins an action of a framework's profiler. Raises ValueError if it has begun already."),
    ENTRY(stop, O, "Ends an action that start() has begun."),
    PASSED_ON(LISTED) {NULL, NULL, 0, NULL},
};
/* clang-format on */

TYPE(profiler, "Profiler", Py_TPFLAGS_BASETYPE, SLOT(Py_tp_new, profiler_new),
     SLOT(Py_tp_dealloc, profiler_dealloc), SLOT(Py_tp_methods, methods))
