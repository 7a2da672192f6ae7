/* SPDX-License-Identifier: MIT */
/* module.c - the module stepwatch._core. */
#include "core.h"

#include <signal.h>

/* The addresses that the observer of torch needs, which links nothing of the library. */
static PyObject *addresses(PyObject *module, PyObject *profiler)
{
    if (!PyObject_TypeCheck(profiler, profiler_type))
        return PyErr_Format(PyExc_TypeError, "a profiler was expected");
    const void *address[] = {((struct profiler *)profiler)->handle->sw,
                             (void *)sw_action,
                             (void *)sw_action_shaped,
                             (void *)sw_begin,
                             (void *)sw_end,
                             (void *)sw_counter,
                             (void *)sw_count};
    return PyBytes_FromStringAndSize((const char *)address, sizeof address);
}

static PyMethodDef functions[] = {
    METHOD("addresses", addresses, METH_O, NULL),
    METHOD("sink_register", sink_register, METH_VARARGS, NULL),
    METHOD("sinks_let_go", sinks_let_go, METH_NOARGS, NULL),
    METHOD("report_render", report_render, METH_VARARGS, NULL),
    {NULL, NULL, 0, NULL},
};

/* The library has one state in a process, and its threads call into the main interpreter. */
static bool is_main_interpreter(void)
{
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0)
        return true;
    PyErr_SetString(PyExc_ImportError,
                    "stepwatch cannot be used in a subinterpreter: import it in the "
                    "main interpreter of the process");
    return false;
}

static PyTypeObject *type_new(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type && PyModule_AddObject(module, strrchr(spec->name, '.') + 1, type) < 0)
        return NULL;
    Py_XINCREF(type); /* PyModule_AddObject() took one */
    return (PyTypeObject *)type;
}

static int module_exec(PyObject *module)
{
    if (!is_main_interpreter())
        return -1;
    /* What a handler of Python makes of these signals ends with the interpreter, and so with the
     * function that _endings.py has registered. */
    sw_closes_at_signal(SIGINT);
    sw_closes_at_signal(SIGTERM);
    sw_closes_at_signal(SIGHUP);
    if (!error_type) {
        PyObject *package = PyImport_ImportModule("stepwatch._error");
        error_type = package ? PyObject_GetAttrString(package, "Error") : NULL;
        Py_XDECREF(package);
    }
    if (!error_type || PyModule_AddFunctions(module, value_methods) < 0 ||
        PyModule_AddStringConstant(module, "VERSION", sw_version()) < 0)
        return -1;
    region_type = type_new(module, &region_spec);
    draws_type = type_new(module, &draws_spec);
    profiler_type = type_new(module, &profiler_spec);
    return region_type && draws_type && profiler_type ? 0 : -1;
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
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
