/* SPDX-License-Identifier: MIT */
/* convert.c - errors, texts and actions between C and Python. */
#include "core.h"

#include <stdlib.h>

PyObject *error_type;

PyObject *raise_text(int code, const char *text)
{
    PyObject *said = str_of(text);
    PyObject *error = said ? PyObject_CallFunction(error_type, "iO", code, said) : NULL;
    if (error)
        PyErr_SetObject(error_type, error);
    Py_XDECREF(error);
    Py_XDECREF(said);
    return NULL;
}

PyObject *none_or_raise(int rc, struct sw_error *err)
{
    if (rc < 0 && !PyErr_Occurred()) /* else by a callback */
        raise_text(err->code ? err->code : rc,
                   err->code ? sw_error_text(err) : "stepwatch refused the call");
    sw_error_free(err);
    if (PyErr_Occurred())
        return NULL;
    Py_RETURN_NONE;
}

PyObject *utf8(PyObject *string, const char **text)
{
    if (!PyUnicode_Check(string)) {
        PyErr_Format(PyExc_TypeError, "a str was expected, not %R", (PyObject *)Py_TYPE(string));
        return NULL;
    }
    PyObject *bytes = PyUnicode_AsEncodedString(string, "utf-8", "surrogateescape");
    if (!bytes) { /* half of a pair that is no byte: show it as \udXXX */
        PyErr_Clear();
        bytes = PyUnicode_AsEncodedString(string, "utf-8", "backslashreplace");
    }
    if (bytes)
        *text = PyBytes_AsString(bytes);
    return bytes;
}

PyObject *str_of(const char *text)
{
    if (!text)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

const char **texts_of(PyObject *list)
{
    Py_ssize_t count = PyList_Size(list);
    const char **text = count < 0 ? NULL : calloc((size_t)count + 1, sizeof *text);
    if (count >= 0 && !text)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; text && i < count; i++)
        if (PyList_GetItem(list, i) != Py_None)
            text[i] = PyBytes_AsString(PyList_GetItem(list, i));
    return text;
}

int action_of(PyObject *object)
{
    if (Py_TYPE(object) == region_type)
        return ((struct region *)object)->action;
    if (PyUnicode_Check(object)) {
        const char *name;
        PyObject *bytes = utf8(object, &name);
        int action = bytes ? sw_action(name) : -1;
        Py_XDECREF(bytes);
        return action;
    }
    long action = PyIndex_Check(object) ? PyLong_AsLong(object) : -1;
    if (action < 0 || action > INT_MAX) {
        if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError))
            PyErr_Format(
                PyExc_TypeError,
                "an action is a number such as stepwatch.FORWARD, a name or a region, not %R",
                object);
        return -1;
    }
    return (int)action;
}

void *object_new(PyTypeObject *type)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    return allocate(type, 0);
}

void object_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}
