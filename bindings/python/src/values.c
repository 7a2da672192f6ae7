/* SPDX-License-Identifier: MIT */
/* values.c - functions of the module that log values which are more than a number, for the methods
 * of stepwatch.Profiler. Texts come as bytes. Arrays come as an address and a count: the limited
 * API of Python 3.9 has no buffers. The caller keeps the array alive during the call. */
#include "core.h"

/* Refused values are reported by the library, once for each name: they never end the program. */
static PyObject *done(int rc)
{
    return PyErr_Occurred() ? NULL : PyBool_FromLong(rc == 0);
}

static PyObject *flush(struct handle *handle, double seconds)
{
    int rc;
    BUSY(handle);
    if (!(seconds >= 0 && seconds < 9e9))
        return raise_text(SW_EINVAL, "flush: the timeout must be 0 to 9e9 seconds");
    WITHOUT_GIL(rc = SW ? sw_flush(SW, (int64_t)(seconds * 1e9)) : 0);
    return PyBool_FromLong(rc == 0);
}

/* FILL(LIST, COUNT, FORMAT, &FIELD...): parses each tuple of a list into the fields of element `i`.
 */
#define FILL(list, count, ...)                                                                     \
    for (size_t i = 0; i < (count) && !PyErr_Occurred(); i++)                                      \
    PyArg_ParseTuple(PyList_GetItem(list, (Py_ssize_t)i), __VA_ARGS__)

/* list: [(name, value), …] */
static PyObject *many(struct sw_profiler *sw, PyObject *list)
{
    size_t count;
    OWNED_MEMORY struct sw_named *named = array_for(list, sizeof *named, &count);
    FILL(list, count, "yd", &named[i].name, &named[i].value);
    if (!PyErr_Occurred())
        sw_log_many(sw, named, count);
    return done(0);
}

/* list: [(low, high, count), …] */
static PyObject *bins(struct sw_profiler *sw, const char *name, PyObject *list)
{
    size_t count;
    OWNED_MEMORY struct sw_bin *bin = array_for(list, sizeof *bin, &count);
    FILL(list, count, "ddL", &bin[i].low, &bin[i].high, (long long *)&bin[i].count);
    return done(PyErr_Occurred() ? 0 : sw_log_bins(sw, name, bin, count));
}

/* list: [(address, bytes, layout, type, width, height, channels, low, high, caption), …] */
static PyObject *images(struct sw_profiler *sw, const char *name, PyObject *list)
{
    size_t count;
    OWNED_MEMORY struct sw_image *image = array_for(list, sizeof *image, &count);
    FILL(list, count, "O&kiiiiiddO&", address_of, &image[i].data, &image[i].bytes,
         (int *)&image[i].layout, (int *)&image[i].type, &image[i].width, &image[i].height,
         &image[i].channels, &image[i].low, &image[i].high, text_or_null, &image[i].caption);
    for (size_t i = 0; i < count; i++)
        image[i].size = sizeof image[i];
    return done(PyErr_Occurred() ? 0 : sw_log_images(sw, name, image, count));
}

/* list: [(name, type, address of an array or list of texts), …] */
static PyObject *table(struct sw_profiler *sw, const char *name, Py_ssize_t rows, PyObject *list)
{
    size_t count;
    OWNED_MEMORY struct sw_table_column *column = array_for(list, sizeof *column, &count);
    FILL(list, count, "yiO&", &column[i].name, (int *)&column[i].type, address_of, &column[i].data);
    int rc = PyErr_Occurred() ? 0 : sw_log_table(sw, name, column, count, (size_t)rows);
    for (size_t i = 0; i < count; i++)
        if (column[i].type == SW_TEXT)
            free((void *)column[i].data);
    return done(rc);
}

/* The addresses that the observer of torch needs, which links nothing of the library. */
static PyObject *address_bytes(struct sw_profiler *sw)
{
    void *address[] = {sw,
                       (void *)sw_action,
                       (void *)sw_action_shaped,
                       (void *)sw_begin,
                       (void *)sw_end,
                       (void *)sw_counter,
                       (void *)sw_count};
    return PyBytes_FromStringAndSize((const char *)address, sizeof address);
}

/* clang-format off */
#define CHARS(name) const char *name
/* X(NAME, FORMAT, VARIABLES, RESULT, &VARIABLE...): the functions of the module whose first argument is the profiler. */
#define VALUES(X) \
    X(is_on, "", , PyBool_FromLong(SW != NULL))                                                                                   \
    X(get_step, "", , PyLong_FromLongLong(sw_get_step(SW)))                                                                       \
    X(set_step, "L", long long step, (sw_set_step(SW, step), done(0)), &step)                                                     \
    X(flush, "d", double seconds, flush(handle, seconds), &seconds)                                                               \
    X(log_number, "O&d", TEXT(name); double number, (sw_log(SW, name.is, number), done(0)), text_of, &name, &number)              \
    X(log_at, "O&dL", TEXT(name); double number; long long step, (sw_log_at(SW, name.is, number, step), done(0)),                 \
      text_of, &name, &number, &step)                                                                                             \
    X(log_text, "yy", CHARS(name); CHARS(text), done(sw_log_text(SW, name, text)), &name, &text)                                  \
    X(log_line, "iy", int level; CHARS(text),                                                                                     \
        done(sw_log_line(SW, (enum sw_level)level, text)), &level, &text)                                                         \
    X(note, "y", CHARS(text), (sw_note(SW, text), done(0)), &text)                                                                \
    X(alert, "iyy", int level; CHARS(title); CHARS(text),                                                                         \
        sw_alert(SW, (enum sw_level)level, title, text) != SW_EINVAL ? done(0) :                                                  \
        raise_text(SW_EINVAL, "alert: the title is empty or the level is unknown"),                                               \
        &level, &title, &text)                                                                                                    \
    X(print, "y", CHARS(text), (sw_print(SW, "%s", text), done(0)), &text)                                                        \
    X(hparam_int, "yL", CHARS(name); long long value, (sw_hparam_int(SW, name, value), done(0)), &name, &value)                   \
    X(hparam_float, "yd", CHARS(name); double value, (sw_hparam_float(SW, name, value), done(0)), &name, &value)                  \
    X(hparam_text, "yy", CHARS(name); CHARS(value), (sw_hparam_string(SW, name, value), done(0)), &name, &value)                  \
    X(param, "yd", CHARS(name); double fallback,                                                                                  \
        PyFloat_FromDouble(sw_param(SW, name, fallback)), &name, &fallback)                                                       \
    X(summary, "yd", CHARS(name); double value, (sw_summary(SW, name, value), done(0)), &name, &value)                            \
    X(summary_text, "yy", CHARS(name); CHARS(value),                                                                              \
        (sw_summary_text(SW, name, value), done(0)), &name, &value)                                                               \
    X(define, "yO&IIpO&O&",                                                                                                       \
        CHARS(pattern); struct sw_rule r = {.size = sizeof r}; unsigned goal; int hidden,                                         \
        (r.goal = (enum sw_goal)goal, r.hidden = hidden, done(sw_define(SW, pattern, &r))),                                       \
        &pattern, text_or_null, &r.axis, &r.keep, &goal, &hidden, text_or_null, &r.unit, text_or_null, &r.description)            \
    X(log_many, "O", PyObject *list, many(SW, list), &list)                                                                       \
    X(log_vector, "yiO&nI",                                                                                                       \
        CHARS(name); int type; const void *address; Py_ssize_t count; unsigned what,                                              \
        done(sw_log_vector(SW, name, (enum sw_type)type, address, (size_t)count, what)),                                          \
        &name, &type, address_of, &address, &count, &what)                                                                        \
    X(log_bins, "yO", CHARS(name); PyObject *list, bins(SW, name, list), &name, &list)                                            \
    X(log_images, "yO", CHARS(name); PyObject *list, images(SW, name, list), &name, &list)                                        \
    X(log_table, "ynO", CHARS(name); Py_ssize_t rows; PyObject *list,                                                             \
        table(SW, name, rows, list), &name, &rows, &list)                                                                         \
    X(log_file, "yO&O&O&O&", CHARS(path); struct sw_file f = {.size = sizeof f}; OWNED_MEMORY const char **aliases = NULL,        \
        (f.aliases = aliases, done(sw_log_file(SW, path, &f))), &path, text_or_null, &f.name, text_or_null, &f.type,              \
        text_or_null, &f.description, address_of, &aliases)                                                                       \
    X(wants, "i", int kind, PyBool_FromLong(sw_wants(SW, (enum sw_value_kind)kind)), &kind)                                       \
    X(action_shaped, "iy", int action; CHARS(shape),                                                                              \
        PyLong_FromLong(sw_action_shaped(action, shape)), &action, &shape)                                                        \
    X(addresses, "", , address_bytes(SW))                                                                                         \
    X(report_log, "OO", PyObject *capsule; PyObject *rows, report_log(SW, capsule, rows), &capsule, &rows)
#define DEFINED(name, format, variables, result, ...) \
    CALLED(profiler, value_##name, "O!" format ":" #name, PyObject *profiler; variables, result, profiler_type, &profiler, ##__VA_ARGS__)
VALUES(DEFINED)

#define LISTED(name, ...) METHOD(#name, value_##name, METH_VARARGS, NULL),
#define ENTRY(name, function, flags) METHOD(#name, function, METH_##flags, NULL)
PyMethodDef module_functions[] = {
    VALUES(LISTED) ENTRY(sink_register, sink_register, VARARGS), ENTRY(draws, loop_draws, VARARGS),
    ENTRY(open, loop_open, VARARGS), ENTRY(close, loop_close, VARARGS), ENTRY(may_close, loop_may_close, O),
    ENTRY(report, loop_report, O), ENTRY(forked, loop_forked, O), {NULL, NULL, 0, NULL},
};
