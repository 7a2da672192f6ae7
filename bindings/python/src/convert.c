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

void print_exception(PyObject *function)
{
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
        PyErr_SetInterrupt();
    } else {
        PyErr_WriteUnraisable(function);
    }
}

PyObject *package_call(const char *module, const char *function, PyObject *a, PyObject *b)
{
    OWNED package = PyImport_ImportModule(module);
    OWNED callable = package ? PyObject_GetAttrString(package, function) : NULL;
    return callable ? PyObject_CallFunctionObjArgs(callable, a, b, NULL) : NULL;
}

int text_of(PyObject *string, void *to)
{
    struct text *text = to;
    if (!PyUnicode_Check(string)) {
        PyErr_Format(PyExc_TypeError, "a str was expected, not %R", (PyObject *)Py_TYPE(string));
    } else if (PyArg_Parse(string, "s", &text->is)) {
        text->kept = object_self(string, NULL);
    } else { /* surrogates or NUL */
        PyErr_Clear();
        text->kept = package_call("stepwatch._options", "encoded", string, NULL);
        text->is = text->kept ? PyBytes_AsString(text->kept) : NULL;
    }
    return text->is != NULL;
}

PyObject *str_of(const char *text)
{
    if (!text)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

void *array_for(PyObject *list, size_t size, size_t *count)
{
    Py_ssize_t items = PyList_Size(list);
    void *array = items < 0 ? NULL : calloc((size_t)items + 1, size);
    *count = array ? (size_t)items : 0;
    if (!array && items >= 0)
        PyErr_NoMemory();
    return array;
}

const char **texts_of(PyObject *list)
{
    size_t count;
    const char **text = array_for(list, sizeof *text, &count);
    for (size_t i = 0; i < count; i++)
        text_or_null(PyList_GetItem(list, (Py_ssize_t)i), &text[i]);
    return text;
}

int text_or_null(PyObject *object, void *text)
{
    *(const char **)text = object == Py_None ? NULL : PyBytes_AsString(object);
    return !PyErr_Occurred();
}

int address_of(PyObject *object, void *address)
{
    if (PyList_Check(object))
        *(const void **)address = texts_of(object);
    else
        *(const void **)address = (const void *)(uintptr_t)PyLong_AsUnsignedLongLong(object);
    return !PyErr_Occurred();
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

PyObject *dict_with(const char *key, ...)
{
    PyObject *dict = PyDict_New();
    va_list pairs;
    va_start(pairs, key);
    for (; key; key = va_arg(pairs, const char *)) {
        OWNED value = va_arg(pairs, PyObject *);
        if (!value || (dict && PyDict_SetItemString(dict, key, value) < 0))
            Py_CLEAR(dict);
    }
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
