/* SPDX-License-Identifier: MIT */
#include "fields.h"

bool put(PyObject *dict, const char *key, PyObject *value)
{
    bool done = value && PyDict_SetItemString(dict, key, value) == 0;
    Py_XDECREF(value);
    return done;
}

bool put_named(PyObject *dict, PyObject *key, PyObject *value)
{
    bool done = key && value && PyDict_SetItem(dict, key, value) == 0;
    Py_XDECREF(key);
    Py_XDECREF(value);
    return done;
}

bool append(PyObject *list, PyObject *item)
{
    bool done = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return done;
}

PyObject *complete(PyObject *object, bool fine)
{
    if (fine)
        return object;
    Py_XDECREF(object);
    return NULL;
}

static PyObject *value_of(enum field_kind kind, const void *field)
{
    switch (kind) {
    case FIELD_TEXT:
        return str_of(*(const char *const *)field);
    case FIELD_INT64:
        return PyLong_FromLongLong(*(const int64_t *)field);
    case FIELD_INT:
        return PyLong_FromLong(*(const int *)field);
    case FIELD_DOUBLE:
        return PyFloat_FromDouble(*(const double *)field);
    default:
        return PyBool_FromLong(*(const bool *)field);
    }
}

bool fields_put(PyObject *dict, const struct field *field, const void *object)
{
    bool fine = dict != NULL;
    for (; fine && field->kind != FIELD_END; field++)
        fine = put(dict, field->key, value_of(field->kind, (const char *)object + field->offset));
    return fine;
}

PyObject *fields_dict(const struct field *field, const void *object)
{
    PyObject *dict = PyDict_New();
    return complete(dict, fields_put(dict, field, object));
}
