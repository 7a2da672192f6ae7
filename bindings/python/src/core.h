/* SPDX-License-Identifier: MIT */
/* core.h - what the files of the module stepwatch._core share.
 *
 * The module uses the limited API of Python 3.9, so that one wheel serves all later versions. It
 * has what must be fast or needs a pointer; the rest is Python, in the package stepwatch. */
#ifndef STEPWATCH_PYTHON_CORE_H
#define STEPWATCH_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

/* Tables of slots have functions as void pointers. */
#pragma GCC diagnostic ignored "-Wpedantic"

/* These flags of a method are older than the limited API that declares them, and their values
 * belong to the stable ABI since Python 3.10. Python 3.9 has the same ones. */
#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif

/* METHOD(NAME, FUNCTION, FLAGS, DOC): an entry of a table of methods. The cast to a function
 * without arguments in between keeps compilers from comparing the types. */
#define METHOD(name, function, flags, doc)                                                         \
    {                                                                                              \
        name, (PyCFunction)(void (*)(void))(function), flags, doc                                  \
    }

/* SLOT(SLOT, VALUE): an entry of a table of slots. */
#define SLOT(slot, value)                                                                          \
    {                                                                                              \
        slot, (void *)(value)                                                                      \
    }

/* ---- handles --------------------------------------------------------------------------------- */

/* A profiler as long as any Python object refers to it. sw is NULL when the profiler is off, has
 * been closed or belongs to a parent process: all calls do nothing then. */
struct handle {
    struct sw_profiler *sw;
    long references;
    long busy;         /* calls that released the GIL and use sw; close waits for them */
    bool child;        /* made by fork(): nothing is measured here */
    bool clock;        /* the clock is a made-up one */
    int64_t now_ns;    /* of the made-up clock */
    long long samples; /* of the batch that a hook ends */
    unsigned hooked;   /* a bit for each action that a hook has begun */
    unsigned asked;    /* the same, of HOOK_ASK */
    int64_t opened_ns; /* CLOCK_MONOTONIC, or the first time of the made-up clock */
    long ended;        /* batches that the program has ended, for the iterator of draws() */
    PyObject *messages;
    struct handle *next; /* of the list of open handles */
};

struct handle *handle_new(void);
struct handle *handle_ref(struct handle *handle);
void handle_unref(struct handle *handle);
/* Enters the handle into the list of handles that a fork must detach. */
void handle_opened(struct handle *handle, struct sw_profiler *sw);
/* Takes the profiler out of the handle, after all calls in other threads have ended. */
struct sw_profiler *handle_take(struct handle *handle);
/* In a child of fork(): no handle has a profiler any more. */
PyObject *handles_forked(PyObject *module, PyObject *none);
/* Nanoseconds since the profiler was opened. */
int64_t handle_elapsed(const struct handle *handle);
/* A made-up clock, for sw_set_clock(). */
int64_t handle_clock(void *handle);
/* Receives messages, for struct sw_options. */
void handle_message(void *handle, enum sw_level level, const char *text);

/* ---- errors and conversions ------------------------------------------------------------------ */

extern PyObject *error_type; /* stepwatch.Error */

/* Raises stepwatch.Error and frees err. Returns NULL. */
PyObject *raise(struct sw_error *err);
/* Raises stepwatch.Error with a text. Returns NULL. */
PyObject *raise_text(int code, const char *text);
/* Returns None, or raises what rc and err say. */
PyObject *none_or_raise(int rc, struct sw_error *err);
/* Returns a new bytes object with the UTF-8 of a str and sets *text; NULL with an exception set. */
PyObject *utf8(PyObject *string, const char **text);
/* A str of bytes that may not be UTF-8; None for NULL. */
PyObject *str_of(const char *text);
/* An action given as a number, a name or a region; -1 with an exception set. */
int action_of(PyObject *object);

/* ---- the types ------------------------------------------------------------------------------- */

/* What a name of a framework's profiler means to the loop, done when it starts or stops. */
enum hook_op {
    HOOK_BEGIN,
    HOOK_ENSURE, /* begins the action if no hook has */
    HOOK_END,    /* ends the action if a hook has begun it */
    HOOK_LEAVE,  /* the same, before the region of the name ends */
    HOOK_ASK,    /* the action begins at the next HOOK_ASKED */
    HOOK_ASKED
};

#define HOOK_STEPS 4

struct hook {
    bool open;
    int count[2]; /* at the start, at the stop */
    struct {
        enum hook_op op;
        int action;
    } step[2][HOOK_STEPS];
};

struct region {
    PyObject_HEAD struct handle *handle;
    int action;
    struct hook *hook; /* NULL until start() has got the name */
};

struct profiler {
    PyObject_HEAD struct handle *handle;
    PyObject *resolver; /* of start(): a function of a name */
    PyObject *regions;  /* name: region, of all actions that were asked for */
    PyObject *builtin[SW_BUILTIN_ACTIONS];
};

extern PyTypeObject *region_type, *profiler_type, *report_type, *draws_type;

PyTypeObject *type_new(PyObject *module, PyType_Spec *spec);
/* Returns a new object of the type, zeroed; NULL with an exception. */
void *object_new(PyTypeObject *type);
void object_free(PyObject *self);
PyObject *region_new(struct handle *handle, int action);
PyObject *draws_new(PyObject *profiler, PyObject *iterator, PyObject *samples);
/* report: owned by the object if it owns it, else valid until report_detach().
 * elapsed_ns: since the run began. */
PyObject *report_new(const struct sw_report *report, bool owned, int64_t elapsed_ns);
void report_detach(PyObject *object);
PyObject *record_dict(const struct sw_record *record);

extern PyType_Spec region_spec, profiler_spec, report_spec, draws_spec;
extern PyMethodDef value_methods[];

/* start(name) and stop(name), for profilers of frameworks. */
PyObject *hook_start(PyObject *profiler, PyObject *name);
PyObject *hook_stop(PyObject *profiler, PyObject *name);
PyObject *region_of(struct profiler *profiler, PyObject *name);

/* False once the interpreter ends: a thread that then asks for the GIL would never return. */
bool is_python_up(void);

PyObject *open_profiler(PyObject *module, PyObject *args);
PyObject *sink_register(PyObject *module, PyObject *args);
PyObject *sinks_let_go(PyObject *module, PyObject *none);

#endif
