/* SPDX-License-Identifier: MIT */
/* core.h - what the files of the module stepwatch._core share.
 *
 * The module uses the limited API of Python 3.9, so that one wheel serves all later versions. It
 * has what must be fast or needs a pointer; the rest is Python, in the package stepwatch. */
#ifndef STEPWATCH_PYTHON_CORE_H
#define STEPWATCH_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

/* Tables of slots have functions as void pointers, and most functions in tables have parameters
 * that only some need. */
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* This flag of a method is older than the limited API that declares it, and its value belongs to
 * the stable ABI since Python 3.10. Python 3.9 has the same one. */
#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif

/* clang-format off */
/* METHOD(NAME, FUNCTION, FLAGS, DOC): an entry of a table of methods. The cast to a function
 * without arguments in between keeps compilers from comparing the types. */
#define METHOD(name, function, flags, doc) {name, (PyCFunction)(void (*)(void))(function), flags, doc}
/* CALLED(OF, NAME, FORMAT, VARIABLES, RESULT, &VARIABLE...): a function for such a table that parses
 * its arguments into the variables and returns the result. This may use the `handle` of the profiler
 * `of`, and SW, the open one of the library: what is parsed may close it. */
#define CALLED(of, name, format, variables, result, ...)                                           \
    static PyObject *name(PyObject *self, PyObject *args)                                          \
    {                                                                                              \
        variables;                                                                                 \
        if (!PyArg_ParseTuple(args, format, ##__VA_ARGS__))                                        \
            return NULL;                                                                           \
        struct handle *handle = HANDLE(of);                                                        \
        CALLS(handle);                                                                             \
        return (result);                                                                           \
    }
#define SW (handle->sw)
/* WITHOUT_GIL(STATEMENT): other threads of Python can run meanwhile. */
#define WITHOUT_GIL(...)                                                                           \
    do {                                                                                           \
        Py_BEGIN_ALLOW_THREADS __VA_ARGS__;                                                        \
        Py_END_ALLOW_THREADS                                                                       \
    } while (0)
/* A reference, and memory, that end with their block. */
#define OWNED __attribute__((cleanup(owned_end), unused)) PyObject *
#define OWNED_MEMORY __attribute__((cleanup(memory_end), unused))
/* TYPE(STRUCT, NAME, FLAGS, SLOT(SLOT, VALUE), ...): a type of the module, for the objects of a struct. */
#define SLOT(slot, value) {slot, (void *)(value)}
#define TYPE(of, name, flags, ...)                                                                 \
    PyTypeObject *of##_type;                                                                       \
    static PyType_Slot of##_slots[] = {__VA_ARGS__, {0, NULL}};                                    \
    PyType_Spec of##_spec = {"stepwatch._core." name, sizeof(struct of), 0, Py_TPFLAGS_DEFAULT | flags, of##_slots};
/* FIELD(STRUCT, NAME): the name and the value of a field, for dict_with(). */
#define FIELD(of, name) #name, _Generic((of)->name, const char *: str_of, bool: PyBool_FromLong,      \
    int: PyLong_FromLong, int64_t: PyLong_FromLongLong, double: PyFloat_FromDouble)((of)->name)
/* clang-format on */

static inline void owned_end(PyObject **object)
{
    Py_XDECREF(*object);
}

static inline void memory_end(void *memory)
{
    free(*(void **)memory);
}

/* ---- handles --------------------------------------------------------------------------------- */

/* A profiler as long as any Python object refers to it. sw is NULL when the profiler is off, has
 * been closed or belongs to a parent process: all calls do nothing then. */
struct handle {
    struct sw_profiler *sw;
    long references;
    long busy;            /* calls that use sw now; close waits for them */
    bool child;           /* made by fork(): nothing is measured here */
    bool ends;            /* the program does */
    bool clock;           /* the clock is a made-up one */
    int64_t now_ns;       /* of the made-up clock */
    int64_t opened_ns;    /* CLOCK_MONOTONIC, or the first time of the made-up clock */
    unsigned long thread; /* that opened it */
    unsigned long closer; /* the thread that closes it, until that is done; or 0 */
    long ended;           /* batches that the program has ended, for the iterator of draws() */
    PyObject *messages;
};

/* CALLING(HANDLE): the block calls a function of the program for events or messages of a profiler,
 * or a sink, of which it is not known whose it is: NULL. */
struct calling {
    struct handle *of;
    struct calling *outer;
};
extern _Thread_local struct calling *calling; /* on this thread */
#define CALLING(handle)                                                                            \
    __attribute__((cleanup(calling_end), unused)) struct calling calling_ = {handle, calling};     \
    calling = &calling_

static inline void calling_end(struct calling *ended)
{
    calling = ended->outer;
}

/* BUSY(HANDLE): close() waits for the end of this block. CALLS(HANDLE): the same for calls of the
 * library that keep the GIL, which keeps close() away: only callbacks let other threads run, and
 * they are busy. LOCKED(OBJECT): the rest of the block uses the object alone; with the GIL it does.
 */
#ifdef Py_GIL_DISABLED
#define BUSY_ADD(of, n) __atomic_fetch_add(&(of)->busy, n, __ATOMIC_SEQ_CST)
#define CALLS(of) BUSY(of)
#define LOCKED(object)                                                                             \
    __attribute__((cleanup(PyCriticalSection_End))) PyCriticalSection locked_;                     \
    PyCriticalSection_Begin(&locked_, object)
#else /* only close() reads it without the GIL */
#define BUSY_ADD(of, n) __atomic_store_n(&(of)->busy, (of)->busy + (n), __ATOMIC_RELEASE)
#define CALLS(of) (void)(of)
#define LOCKED(object) (void)(object)
#endif
#define BUSY(of)                                                                                   \
    __attribute__((cleanup(busy_end), unused)) struct handle *busy_ = (of);                        \
    BUSY_ADD(busy_, 1)

static inline void busy_end(struct handle **of)
{
    BUSY_ADD(*of, -1);
}

struct handle *handle_ref(struct handle *handle);
void handle_unref(struct handle *handle);
int64_t monotonic_ns(void);

/* ---- errors and conversions ------------------------------------------------------------------ */

extern PyObject *error_type; /* stepwatch.Error */

/* Raises stepwatch.Error with a text. Returns NULL. */
PyObject *raise_text(int code, const char *text);
/* Returns None, or raises what rc and err say. Frees err. */
PyObject *none_or_raise(int rc, struct sw_error *err);
/* Prints the exception of a function whose caller cannot get it. Ctrl-C is for the program: it then
 * interrupts that as soon as it goes on. */
void print_exception(PyObject *function);
/* Calls a function of the package. The second argument may be NULL. */
PyObject *package_call(const char *module, const char *function, PyObject *a, PyObject *b);
/* TEXT(NAME): a variable whose field `is` is the UTF-8 of a str, until the end of its block.
 * text_of() sets it, also as a converter of PyArg_ParseTuple(). */
struct text {
    PyObject *kept;
    const char *is;
};
#define TEXT(name) __attribute__((cleanup(text_end))) struct text name = {0}
int text_of(PyObject *string, void *text);

static inline void text_end(struct text *text)
{
    Py_XDECREF(text->kept);
}

/* A str of bytes that may not be UTF-8; None for NULL. */
PyObject *str_of(const char *text);
/* Returns an array for what a list has, zeroed, and one more; NULL with an exception. It is the
 * caller's to free, as is that of the texts of bytes and None. */
void *array_for(PyObject *list, size_t size, size_t *count);
const char **texts_of(PyObject *list);
/* Converters of PyArg_ParseTuple(): bytes or None; a number, or a list of texts. */
int text_or_null(PyObject *object, void *text);
int address_of(PyObject *object, void *address);

/* ---- structs of the library as dictionaries -------------------------------------------------- */

/* Returns a dictionary of pairs of const char * and PyObject *, which end with NULL. Takes these
 * objects; returns NULL if one of them is NULL. */
PyObject *dict_with(const char *key, ...);
/* Returns a list of what item(object, 0) and so on make, or a dictionary of these pairs. Without an
 * exception, NULL leaves one out. */
PyObject *list_of(size_t count, const void *object, PyObject *(*item)(const void *, size_t));
PyObject *dict_of(size_t count, const void *object, PyObject *(*item)(const void *, size_t));

/* ITEM(NAME, TYPE, GET, MADE): such an item. GET is element `i` of `from`, and MADE is made of
 * `it`. */
#define ITEM(name, type, get, made)                                                                \
    static PyObject *name##_item(const void *from, size_t i)                                       \
    {                                                                                              \
        const type *it = (get);                                                                    \
        return (made);                                                                             \
    }

/* ---- the types ------------------------------------------------------------------------------- */

/* What the objects of all types begin with. */
struct object {
    PyObject_HEAD struct handle *handle;
};

struct region {
    struct object object;
    int action;
    bool started;    /* by start() */
    PyObject *calls; /* a function of 0 at start(), 1 before stop() and 2 after it; or None */
};

struct profiler {
    struct object object;
    PyObject *regions;   /* key: region, of all that were asked for */
    PyObject *functions; /* a list: of on_event() */
};

#define HANDLE(self) (((struct object *)(self))->handle)
#define ACTION(self) (((struct region *)(self))->action)

extern PyTypeObject *region_type, *profiler_type, *draws_type;
extern PyType_Spec region_spec, profiler_spec, draws_spec;
extern PyMethodDef module_functions[];

/* __new__ of types whose objects only the module makes. */
PyObject *object_refuse(PyTypeObject *type, PyObject *args, PyObject *keywords);
void object_free(PyObject *self);
PyObject *object_self(PyObject *self, PyObject *none);

/* Returns the region of an action: a region, a number, or a name. New reference. */
PyObject *region_of(PyObject *profiler, PyObject *action);

/* Calls the library for an action. */
static inline void action_call(void (*function)(struct sw_profiler *sw, int action),
                               struct handle *handle, int action)
{
    CALLS(handle);
    function(handle->sw, action);
}

/* Methods of a profiler. start() and stop() are for profilers of frameworks. */
PyObject *loop_begin(PyObject *profiler, PyObject *action);
PyObject *loop_next(PyObject *profiler, PyObject *action);
PyObject *loop_end(PyObject *profiler, PyObject *action);
PyObject *loop_cancel(PyObject *profiler, PyObject *action);
PyObject *loop_start(PyObject *profiler, PyObject *name);
PyObject *loop_stop(PyObject *profiler, PyObject *name);
/* A dictionary of the report, which also has the capsule for report_log().
 *
 * release: frees the report, or NULL: it is then valid until the capsule has another name.
 * elapsed_ns: since the run began. */
PyObject *report_dict(const struct sw_report *report, void (*release)(PyObject *capsule),
                      int64_t elapsed_ns);
void report_free(PyObject *capsule);
/* Passes the rows of a report, by their numbers, to the sinks of a profiler. */
PyObject *report_log(struct sw_profiler *sw, PyObject *capsule, PyObject *rows);

/* Functions of the module. Where they take a single argument, it is the profiler. */
PyObject *loop_open(PyObject *module, PyObject *args);
PyObject *loop_close(PyObject *module, PyObject *args);
PyObject *loop_draws(PyObject *module, PyObject *args);
PyObject *loop_forked(PyObject *module, PyObject *profiler);
PyObject *loop_may_close(PyObject *module, PyObject *profiler);
PyObject *loop_report(PyObject *module, PyObject *profiler);
PyObject *sink_register(PyObject *module, PyObject *args);

#endif
