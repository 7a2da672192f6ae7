/* SPDX-License-Identifier: MIT */
/* module.c - the module stepwatch._core. */
#include "core.h"

#include <signal.h>

/* The sinks of Python, by name: the library keeps them for the rest of the program. */
static PyObject *registered;

/* Adds what the module has to it. The first one is kept: programs may remove the package from
 * sys.modules and import it again while they still have objects of it. */
static bool add(PyObject *module, const char *name, PyObject *made)
{
    Py_XINCREF(made); /* PyModule_AddObject() takes one */
    return made && PyModule_AddObject(module, name, made) == 0;
}

static bool add_type(PyObject *module, PyTypeObject **type, PyType_Spec *spec)
{
    if (!*type)
        *type = (PyTypeObject *)PyType_FromSpec(spec);
    return add(module, strrchr(spec->name, '.') + 1, (PyObject *)*type);
}

static int module_exec(PyObject *module)
{
    /* The library has one state in a process, and its threads call into the main interpreter. */
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
        PyErr_SetString(PyExc_ImportError, "stepwatch cannot be used in a subinterpreter: import "
                                           "it in the main interpreter of the process");
        return -1;
    }
    /* What a handler of Python makes of these signals ends with the interpreter, and so with the
     * function that _endings.py has registered. */
    sw_closes_at_signal(SIGINT);
    sw_closes_at_signal(SIGTERM);
    sw_closes_at_signal(SIGHUP);
    OWNED package = error_type ? NULL : PyImport_ImportModule("stepwatch._error");
    if (package)
        error_type = PyObject_GetAttrString(package, "Error");
    if (!registered)
        registered = PyDict_New();
    bool added = add(module, "Error", error_type) && add(module, "registered", registered) &&
                 add_type(module, &region_type, &region_spec) &&
                 add_type(module, &draws_type, &draws_spec) &&
                 add_type(module, &profiler_type, &profiler_spec);
    return added ? PyModule_AddStringConstant(module, "VERSION", sw_version()) : -1;
}

static PyModuleDef_Slot slots[] = {
    SLOT(Py_mod_exec, module_exec),
#ifdef Py_GIL_DISABLED
    SLOT(Py_mod_gil, Py_MOD_GIL_NOT_USED),
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_core",
    .m_methods = module_functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
