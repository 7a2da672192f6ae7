/* SPDX-License-Identifier: MIT */
/* module.c - the module stepwatch._core. */
#include "core.h"

static PyObject *closes_at_signal(PyObject *module, PyObject *args)
{
    int signal;
    (void)module;
    if (!PyArg_ParseTuple(args, "i", &signal))
        return NULL;
    sw_closes_at_signal(signal);
    Py_RETURN_NONE;
}

/* The addresses of functions of the library, for the observer of torch, which links nothing of it.
 */
static PyObject *addresses(PyObject *module, PyObject *profiler)
{
    (void)module;
    if (!PyObject_TypeCheck(profiler, profiler_type))
        return PyErr_Format(PyExc_TypeError, "a profiler was expected");
    return Py_BuildValue(
        "[KKKKK]", (unsigned long long)(uintptr_t)((struct profiler *)profiler)->handle->sw,
        (unsigned long long)(uintptr_t)sw_action, (unsigned long long)(uintptr_t)sw_action_shaped,
        (unsigned long long)(uintptr_t)sw_begin, (unsigned long long)(uintptr_t)sw_end);
}

static PyMethodDef functions[] = {
    METHOD("closes_at_signal", closes_at_signal, METH_VARARGS, NULL),
    METHOD("addresses", addresses, METH_O, NULL),
    METHOD("sink_register", sink_register, METH_VARARGS, NULL),
    METHOD("sinks_let_go", sinks_let_go, METH_NOARGS, NULL),
    METHOD("handles_forked", handles_forked, METH_NOARGS, NULL),
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

static int module_exec(PyObject *module)
{
    if (!is_main_interpreter())
        return -1;
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
    report_type = type_new(module, &report_spec);
    profiler_type = type_new(module, &profiler_spec);
    return region_type && draws_type && report_type && profiler_type ? 0 : -1;
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
