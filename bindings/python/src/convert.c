/* SPDX-License-Identifier: MIT */
/* convert.c - errors, texts and structs of the library as objects of Python. */
#include "core.h"

#include <stdarg.h>

PyObject *error_type;

PyObject *raise_text(int code, const char *text)
{
    OWNED error = PyObject_CallFunction(error_type, "iN", code, str_of(text));
    if (error)
        PyErr_SetObject(error_type, error);
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

PyObject *package_call(const char *module, const char *function, PyObject *a, PyObject *b)
{
    OWNED package = PyImport_ImportModule(module);
    OWNED callable = package ? PyObject_GetAttrString(package, function) : NULL;
    return callable ? PyObject_CallFunctionObjArgs(callable, a, b, NULL) : NULL;
}

PyObject *utf8(PyObject *string, const char **text)
{
    if (!PyUnicode_Check(string))
        return PyErr_Format(PyExc_TypeError, "a str was expected, not %R",
                            (PyObject *)Py_TYPE(string));
    if (PyArg_Parse(string, "s", text)) {
        Py_INCREF(string);
        return string;
    }
    PyErr_Clear(); /* surrogates or NUL */
    PyObject *bytes = package_call("stepwatch._options", "encoded", string, NULL);
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

PyObject *object_refuse(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    return PyErr_Format(PyExc_TypeError, "only a profiler makes objects of %R", (PyObject *)type);
}

void object_free(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    handle_unref(HANDLE(self));
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

PyObject *object_self(PyObject *self, PyObject *none)
{
    Py_INCREF(self);
    return self;
}

/* ---- dictionaries and lists ------------------------------------------------------------------ */

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

static void put(PyObject **dict, const char *key, PyObject *taken)
{
    OWNED value = taken;
    if (!value || (*dict && PyDict_SetItemString(*dict, key, value) < 0))
        Py_CLEAR(*dict);
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
        OWNED made = item(from, i);
        if (PyErr_Occurred() || (made && PyList_Append(list, made) < 0))
            Py_CLEAR(list);
    }
    return list;
}

PyObject *dict_of(size_t count, const void *from, PyObject *(*item)(const void *, size_t))
{
    OWNED pairs = list_of(count, from, item);
    PyObject *dict = pairs ? PyDict_New() : NULL;
    if (dict && PyDict_MergeFromSeq2(dict, pairs, true) < 0)
        Py_CLEAR(dict);
    return dict;
}
