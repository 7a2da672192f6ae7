/* SPDX-License-Identifier: MIT */
/* values.c - functions of the module that log values which are more than a number, for the methods
 * of stepwatch.Profiler. Arrays come as an address and a count: the limited API of Python 3.9 has
 * no buffers. The caller keeps the array alive during the call. */
#include "core.h"

#include <stdlib.h>

/* Calls function with the profiler that is the first argument, and a tuple of the others. */
static PyObject *with_profiler(PyObject *args,
                               PyObject *(*function)(struct sw_profiler *, PyObject *))
{
    PyObject *first = PyTuple_Size(args) ? PyTuple_GetItem(args, 0) : Py_None;
    if (!PyObject_TypeCheck(first, profiler_type))
        return PyErr_Format(PyExc_TypeError, "the first argument must be a profiler");
    PyObject *rest = PyTuple_GetSlice(args, 1, PyTuple_Size(args));
    PyObject *result = rest ? function(((struct profiler *)first)->handle->sw, rest) : NULL;
    Py_XDECREF(rest);
    return result;
}

/* Begins a function of the module whose first argument is a profiler. */
#define VALUE(name)                                                                                \
    static PyObject *name##_of(struct sw_profiler *sw, PyObject *args);                            \
    static PyObject *value_##name(PyObject *module, PyObject *args)                                \
    {                                                                                              \
        (void)module;                                                                              \
        return with_profiler(args, name##_of);                                                     \
    }                                                                                              \
    static PyObject *name##_of(struct sw_profiler *sw, PyObject *args)

/* Refused values are reported by the library, once for each name: they never end the program. */
static PyObject *done(int rc)
{
    return PyErr_Occurred() ? NULL : PyBool_FromLong(rc == 0);
}

/* log_text(sw, name, text) */
VALUE(text)
{
    const char *name, *text;
    if (!PyArg_ParseTuple(args, "yy", &name, &text))
        return NULL;
    return done(sw_log_text(sw, name, text));
}

/* log_line(sw, level, text) */
VALUE(line)
{
    const char *text;
    int level;
    if (!PyArg_ParseTuple(args, "iy", &level, &text))
        return NULL;
    return done(sw_log_line(sw, (enum sw_level)level, text));
}

/* note(sw, text) */
VALUE(note)
{
    const char *text;
    if (!PyArg_ParseTuple(args, "y", &text))
        return NULL;
    sw_note(sw, text);
    Py_RETURN_NONE;
}

/* alert(sw, level, title, text) */
VALUE(alert)
{
    const char *title, *text;
    int level;
    if (!PyArg_ParseTuple(args, "iyy", &level, &title, &text))
        return NULL;
    if (sw_alert(sw, (enum sw_level)level, title, text) == SW_EINVAL)
        return raise_text(SW_EINVAL, "alert: the title is empty or the level is unknown");
    Py_RETURN_NONE;
}

/* print(sw, text) */
VALUE(print)
{
    const char *text;
    if (!PyArg_ParseTuple(args, "y", &text))
        return NULL;
    sw_print(sw, "%s", text);
    Py_RETURN_NONE;
}

/* hparam(sw, name, value): an int, a float, or bytes of a text */
VALUE(hparam)
{
    const char *name;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "yO", &name, &value))
        return NULL;
    if (PyBytes_Check(value))
        sw_hparam_string(sw, name, PyBytes_AsString(value));
    else if (PyFloat_Check(value))
        sw_hparam_float(sw, name, PyFloat_AsDouble(value));
    else
        sw_hparam_int(sw, name, PyLong_AsLongLong(value));
    return PyErr_Occurred() ? NULL : done(0);
}

/* param(sw, name, fallback) */
VALUE(param)
{
    const char *name;
    double fallback;
    if (!PyArg_ParseTuple(args, "yd", &name, &fallback))
        return NULL;
    return PyFloat_FromDouble(sw_param(sw, name, fallback));
}

/* summary(sw, name, value): a float, or bytes of a text */
VALUE(summary)
{
    const char *name;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "yO", &name, &value))
        return NULL;
    if (PyBytes_Check(value))
        sw_summary_text(sw, name, PyBytes_AsString(value));
    else
        sw_summary(sw, name, PyFloat_AsDouble(value));
    return PyErr_Occurred() ? NULL : done(0);
}

/* define(sw, pattern, axis, keep, goal, hidden, unit, description) */
VALUE(define)
{
    struct sw_rule rule = {.size = sizeof rule};
    const char *pattern;
    int keep, goal, hidden;
    if (!PyArg_ParseTuple(args, "yziipzz", &pattern, &rule.axis, &keep, &goal, &hidden, &rule.unit,
                          &rule.description))
        return NULL;
    rule.keep = (unsigned)keep;
    rule.goal = (enum sw_goal)goal;
    rule.hidden = hidden;
    return done(sw_define(sw, pattern, &rule));
}

/* log_many(sw, [(name, value), …]): names are bytes */
VALUE(many)
{
    PyObject *list;
    if (!PyArg_ParseTuple(args, "O", &list))
        return NULL;
    Py_ssize_t count = PyList_Size(list);
    struct sw_named *named = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *named);
    if (!named)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++)
        PyArg_ParseTuple(PyList_GetItem(list, i), "yd", &named[i].name, &named[i].value);
    if (!PyErr_Occurred())
        sw_log_many(sw, named, (size_t)count);
    free(named);
    return done(0);
}

/* log_vector(sw, name, type, address, count, what) */
VALUE(vector)
{
    const char *name;
    int type, what;
    unsigned long long address;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(args, "yiKni", &name, &type, &address, &count, &what))
        return NULL;
    return done(sw_log_vector(sw, name, (enum sw_type)type, (const void *)(uintptr_t)address,
                              (size_t)count, (unsigned)what));
}

/* log_bins(sw, name, [(low, high, count), …]) */
VALUE(bins)
{
    const char *name;
    PyObject *list;
    int rc = 0;
    if (!PyArg_ParseTuple(args, "yO", &name, &list))
        return NULL;
    Py_ssize_t count = PyList_Size(list);
    struct sw_bin *bin = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *bin);
    if (!bin)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
        unsigned long long calls = 0;
        PyArg_ParseTuple(PyList_GetItem(list, i), "ddK", &bin[i].low, &bin[i].high, &calls);
        bin[i].count = calls;
    }
    if (!PyErr_Occurred())
        rc = sw_log_bins(sw, name, bin, (size_t)count);
    free(bin);
    return done(rc);
}

/* log_images(sw, name, [(data, bytes, layout, type, width, height, channels, low, high, caption)]):
 * data is an address, or bytes of a file */
VALUE(images)
{
    const char *name;
    PyObject *list;
    int rc = 0;
    if (!PyArg_ParseTuple(args, "yO", &name, &list))
        return NULL;
    Py_ssize_t count = PyList_Size(list);
    struct sw_image *image = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *image);
    if (!image)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
        PyObject *data;
        Py_ssize_t bytes;
        int layout, type;
        image[i].size = sizeof image[i];
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "Oniiiiiddz", &data, &bytes, &layout, &type,
                              &image[i].width, &image[i].height, &image[i].channels, &image[i].low,
                              &image[i].high, &image[i].caption))
            break;
        image[i].bytes = (size_t)bytes;
        image[i].layout = (enum sw_layout)layout;
        image[i].type = (enum sw_type)type;
        image[i].data = PyBytes_Check(data)
                            ? (const void *)PyBytes_AsString(data)
                            : (const void *)(uintptr_t)PyLong_AsUnsignedLongLong(data);
    }
    if (!PyErr_Occurred())
        rc = sw_log_images(sw, name, image, (size_t)count);
    free(image);
    return done(rc);
}

/* Fills a column's array from a list. Texts are bytes, which the list keeps alive. */
static bool cells_of(PyObject *list, enum sw_type type, void *cells, size_t rows)
{
    for (size_t i = 0; i < rows && !PyErr_Occurred(); i++) {
        PyObject *cell = PyList_GetItem(list, (Py_ssize_t)i);
        if (!cell)
            break;
        if (type == SW_I64)
            ((int64_t *)cells)[i] = PyLong_AsLongLong(cell);
        else if (type == SW_F64)
            ((double *)cells)[i] = PyFloat_AsDouble(cell);
        else if (type == SW_BOOL)
            ((bool *)cells)[i] = PyObject_IsTrue(cell) == 1;
        else
            ((const char **)cells)[i] = cell == Py_None ? NULL : PyBytes_AsString(cell);
    }
    return !PyErr_Occurred();
}

/* log_table(sw, name, rows, [(name, type, list), …]) */
VALUE(table)
{
    const char *name;
    PyObject *list;
    Py_ssize_t rows;
    int rc = 0;
    if (!PyArg_ParseTuple(args, "ynO", &name, &rows, &list))
        return NULL;
    Py_ssize_t count = PyList_Size(list);
    struct sw_table_column *column = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *column);
    if (!column)
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++) {
        PyObject *cells;
        int type;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "yiO", &column[i].name, &type, &cells))
            break;
        void *data = calloc((size_t)rows + 1, sizeof(int64_t));
        column[i].type = (enum sw_type)type;
        column[i].data = data;
        if (!data)
            PyErr_NoMemory();
        else
            cells_of(cells, column[i].type, data, (size_t)rows);
    }
    if (!PyErr_Occurred())
        rc = sw_log_table(sw, name, column, (size_t)count, (size_t)rows);
    for (Py_ssize_t i = 0; i < count; i++)
        free((void *)column[i].data);
    free(column);
    return done(rc);
}

/* log_file(sw, path, name, type, description, [alias, …]): texts are bytes or None */
VALUE(file)
{
    struct sw_file file = {.size = sizeof file};
    const char *path, *aliases[17] = {NULL};
    PyObject *list;
    if (!PyArg_ParseTuple(args, "yzzzO", &path, &file.name, &file.type, &file.description, &list))
        return NULL;
    for (Py_ssize_t i = 0; i < PyList_Size(list) && i < 16; i++)
        aliases[i] = PyBytes_AsString(PyList_GetItem(list, i));
    file.aliases = aliases;
    return done(PyErr_Occurred() ? 0 : sw_log_file(sw, path, &file));
}

/* wants(sw, kind) */
VALUE(wants)
{
    int kind;
    if (!PyArg_ParseTuple(args, "i", &kind))
        return NULL;
    return PyBool_FromLong(sw_wants(sw, (enum sw_value_kind)kind));
}

/* action_shaped(action, shape): a number */
static PyObject *value_shaped(PyObject *module, PyObject *args)
{
    int action;
    const char *shape;
    (void)module;
    if (!PyArg_ParseTuple(args, "iy", &action, &shape))
        return NULL;
    return PyLong_FromLong(sw_action_shaped(action, shape));
}

PyMethodDef value_methods[] = {
    METHOD("log_text", value_text, METH_VARARGS, NULL),
    METHOD("log_line", value_line, METH_VARARGS, NULL),
    METHOD("note", value_note, METH_VARARGS, NULL),
    METHOD("alert", value_alert, METH_VARARGS, NULL),
    METHOD("print", value_print, METH_VARARGS, NULL),
    METHOD("hparam", value_hparam, METH_VARARGS, NULL),
    METHOD("param", value_param, METH_VARARGS, NULL),
    METHOD("summary", value_summary, METH_VARARGS, NULL),
    METHOD("define", value_define, METH_VARARGS, NULL),
    METHOD("log_many", value_many, METH_VARARGS, NULL),
    METHOD("log_vector", value_vector, METH_VARARGS, NULL),
    METHOD("log_bins", value_bins, METH_VARARGS, NULL),
    METHOD("log_images", value_images, METH_VARARGS, NULL),
    METHOD("log_table", value_table, METH_VARARGS, NULL),
    METHOD("log_file", value_file, METH_VARARGS, NULL),
    METHOD("wants", value_wants, METH_VARARGS, NULL),
    METHOD("action_shaped", value_shaped, METH_VARARGS, NULL),
    {NULL, NULL, 0, NULL},
};
