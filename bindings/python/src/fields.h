/* SPDX-License-Identifier: MIT */
/* fields.h - structs of the library as dictionaries of Python, by tables of their fields. */
#ifndef STEPWATCH_PYTHON_FIELDS_H
#define STEPWATCH_PYTHON_FIELDS_H

#include "core.h"

/* The type of a field. */
enum field_kind { FIELD_END, FIELD_TEXT, FIELD_INT64, FIELD_INT, FIELD_DOUBLE, FIELD_BOOL };

/* A field of a struct, and its key in the dictionary. */
struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
};

/* clang-format off */
#define FIELD(kind, struct_, name) {#name, FIELD_##kind, offsetof(struct struct_, name)}
#define FIELDS_END {NULL, FIELD_END, 0}
/* clang-format on */

/* Returns a dictionary with the fields of an object; NULL with an exception. */
PyObject *fields_dict(const struct field *field, const void *object);
/* Adds the fields of an object to a dictionary. */
bool fields_put(PyObject *dict, const struct field *field, const void *object);
/* Sets dict[key] to value and takes value, which may be NULL after a failure. */
bool put(PyObject *dict, const char *key, PyObject *value);
/* Appends item to list and takes it. Returns false after a failure, also if item is NULL. */
bool append(PyObject *list, PyObject *item);
/* Sets dict[key] to value and takes both. */
bool put_named(PyObject *dict, PyObject *key, PyObject *value);
/* Returns object if it is complete, else frees it and returns NULL. */
PyObject *complete(PyObject *object, bool fine);

#endif
