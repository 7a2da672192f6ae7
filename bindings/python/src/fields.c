/* SPDX-License-Identifier: MIT */
/* fields.c - structs of the library as dictionaries and lists of Python. */
#include "core.h"

#include <stdarg.h>

/* clang-format off */
static PyObject *value_of(enum field_kind kind, const void *field)
{
    switch (kind) {
    case FIELD_TEXT: return str_of(*(const char *const *)field);
    case FIELD_INT64: return PyLong_FromLongLong(*(const int64_t *)field);
    case FIELD_INT: return PyLong_FromLong(*(const int *)field);
    case FIELD_DOUBLE: return PyFloat_FromDouble(*(const double *)field);
    default: return PyBool_FromLong(*(const bool *)field);
    }
}
/* clang-format on */

static void put(PyObject **dict, const char *key, PyObject *value)
{
    if (!value || (*dict && PyDict_SetItemString(*dict, key, value) < 0))
        Py_CLEAR(*dict);
    Py_XDECREF(value);
}

PyObject *fields_dict(const struct field *field, const void *object, ...)
{
    PyObject *dict = PyDict_New();
    for (; field && field->kind != FIELD_END; field++)
        put(&dict, field->key, value_of(field->kind, (const char *)object + field->offset));
    va_list pairs;
    va_start(pairs, object);
    for (const char *key; (key = va_arg(pairs, const char *));)
        put(&dict, key, va_arg(pairs, PyObject *));
    va_end(pairs);
    return dict;
}

PyObject *list_of(size_t count, const void *from, PyObject *(*item)(const void *, size_t))
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *made = item(from, i);
        if (!made || PyList_Append(list, made) < 0)
            Py_CLEAR(list);
        Py_XDECREF(made);
    }
    return list;
}

PyObject *dict_of(size_t count, const void *from, PyObject *(*item)(const void *, size_t))
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < count; i++) {
        PyObject *pair = item(from, i);
        if (PyErr_Occurred() ||
            (pair && PyDict_SetItem(dict, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1)) < 0))
            Py_CLEAR(dict);
        Py_XDECREF(pair);
    }
    return dict;
}
