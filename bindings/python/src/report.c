/* SPDX-License-Identifier: MIT */
/* report.c - a report as dictionaries for the dataclasses of the package, and as text by a sink. */
#include "fields.h"

#include <stdlib.h>

PyTypeObject *report_type;

struct report {
    PyObject_HEAD const struct sw_report *report; /* NULL after a sink's record() */
    bool owned;
    int64_t elapsed_ns;
    PyObject *data;
};

/* clang-format off */
static const struct field report_fields[] = {
    FIELD(INT, sw_report, fit), FIELD(BOOL, sw_report, complete),
    FIELD(BOOL, sw_report, interrupted), FIELD(BOOL, sw_report, drop_first_batch),
    FIELD(INT64, sw_report, epoch), FIELD(INT64, sw_report, step),
    FIELD(DOUBLE, sw_report, fit_ns), FIELD(DOUBLE, sw_report, started_s), FIELDS_END};
static const struct field row_fields[] = {
    FIELD(TEXT, sw_report_row, phase), FIELD(TEXT, sw_report_row, action),
    FIELD(INT64, sw_report_row, calls), FIELD(DOUBLE, sw_report_row, mean_ns),
    FIELD(DOUBLE, sw_report_row, std_ns), FIELD(DOUBLE, sw_report_row, total_ns),
    FIELD(DOUBLE, sw_report_row, self_ns), FIELD(DOUBLE, sw_report_row, p50_ns),
    FIELD(DOUBLE, sw_report_row, p95_ns), FIELD(DOUBLE, sw_report_row, p99_ns),
    FIELD(DOUBLE, sw_report_row, share), FIELD(DOUBLE, sw_report_row, samples_per_s),
    FIELD(DOUBLE, sw_report_row, overall_samples_per_s), FIELD(TEXT, sw_report_row, shape),
    FIELDS_END};
static const struct field distribution_fields[] = {
    FIELD(INT64, sw_distribution, count), FIELD(DOUBLE, sw_distribution, mean),
    FIELD(DOUBLE, sw_distribution, variance), FIELD(DOUBLE, sw_distribution, min),
    FIELD(DOUBLE, sw_distribution, max), FIELDS_END};
static const struct field accounting_fields[] = {
    FIELD(DOUBLE, sw_accounting, accounted_ns), FIELD(DOUBLE, sw_accounting, other_ns),
    FIELD(DOUBLE, sw_accounting, own_ns), FIELD(DOUBLE, sw_accounting, own_ns_per_step),
    FIELD(INT64, sw_accounting, steps), FIELD(INT64, sw_accounting, misuses),
    FIELD(INT64, sw_accounting, discarded), FIELD(DOUBLE, sw_accounting, joules), FIELDS_END};
/* clang-format on */

static PyObject *distribution_data(const struct sw_distribution *d)
{
    PyObject *data = fields_dict(distribution_fields, d), *first = PyList_New(0);
    bool fine = data && first;
    for (size_t i = 0; fine && i < d->kept; i++)
        fine = append(first, PyFloat_FromDouble(d->value[i]));
    return complete(data, data && put(data, "first", complete(first, fine)));
}

static PyObject *counters_data(const struct sw_report *report, const struct sw_report_row *row)
{
    PyObject *data = PyDict_New();
    bool fine = data != NULL;
    for (size_t i = 0; fine && i < report->counter_count; i++) {
        const struct sw_counter_total *counter = sw_row_counter(report, row, i);
        if (counter->total != SW_COUNTER_NONE)
            fine = put_named(data, str_of(counter->name), PyLong_FromLongLong(counter->total));
    }
    return complete(data, fine);
}

static PyObject *rows_data(const struct sw_report *report, size_t count, bool shaped)
{
    PyObject *rows = PyList_New(0);
    bool fine = rows != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        const struct sw_report_row *row =
            shaped ? sw_report_shaped(report, i) : sw_report_row(report, i);
        PyObject *data = fields_dict(row_fields, row);
        fine = data && put(data, "durations", distribution_data(&row->durations)) &&
               put(data, "rates", distribution_data(&row->rates)) &&
               put(data, "counters", counters_data(report, row));
        fine = append(rows, complete(data, fine));
    }
    return complete(rows, fine);
}

static PyObject *misuses_data(const struct sw_report *report)
{
    PyObject *misuses = PyDict_New();
    bool fine = misuses != NULL;
    for (size_t i = 0; fine && i < report->misuse_count; i++) {
        const struct sw_misuse *misuse = sw_report_misuse(report, i);
        fine = put_named(misuses, str_of(misuse->text), PyLong_FromLongLong(misuse->times));
    }
    return complete(misuses, fine);
}

static PyObject *findings_data(const struct sw_report *report)
{
    PyObject *findings = PyList_New(0);
    bool fine = findings != NULL;
    for (size_t i = 0; fine && i < report->finding_count; i++)
        fine = append(findings, str_of(sw_report_finding(report, i)->text));
    return complete(findings, fine);
}

static PyObject *report_data(const struct sw_report *report)
{
    PyObject *data = fields_dict(report_fields, report);
    const char *mode = report->mode == SW_MODE_SIMPLE ? "simple" : "throughput";
    return complete(
        data, data && put(data, "mode", str_of(mode)) &&
                  put(data, "rows", rows_data(report, report->count, false)) &&
                  put(data, "shaped", rows_data(report, report->shaped_count, true)) &&
                  put(data, "misuses", misuses_data(report)) &&
                  put(data, "findings", findings_data(report)) &&
                  put(data, "accounting", fields_dict(accounting_fields, &report->accounting)));
}

/* Makes a copy of the report with the rows that `rows` lists. The array is the caller's to free. */
static void *selected(struct sw_report *copy, const struct sw_report *report, PyObject *rows)
{
    size_t count = (size_t)PyList_Size(rows);
    char *array = calloc(count + 1, report->row_size);
    *copy = *report;
    copy->size = sizeof *copy;
    copy->row = (const struct sw_report_row *)(void *)array;
    copy->count = array ? count : 0;
    for (size_t i = 0; i < copy->count; i++) {
        size_t row = PyLong_AsSize_t(PyList_GetItem(rows, (Py_ssize_t)i));
        if (row < report->count)
            memcpy(array + i * report->row_size, sw_report_row(report, row), report->row_size);
    }
    return array;
}

static int64_t clock_of_report(void *now_ns)
{
    return *(const int64_t *)now_ns;
}

/* Passes the report to a sink, at the time of the run at which it was made. */
static int render(const struct sw_report *report, const struct sw_options *options,
                  int64_t elapsed_ns, struct sw_error *err)
{
    int64_t now_ns = 0;
    struct sw_profiler *sw = sw_open_options(options, err);
    if (!sw)
        return err->code ? err->code : SW_EINVAL;
    sw_set_messages(sw, NULL, NULL);
    sw_set_clock(sw, clock_of_report, &now_ns);
    now_ns = elapsed_ns;
    int rc = sw_log_report(sw, report, err);
    int closed = sw_close(sw, rc < 0 ? NULL : err);
    return rc < 0 ? rc : closed;
}

/* render(sink, [key, value, …], [number of a row, …]): the sink has a path, such as table. */
static PyObject *report_render(PyObject *object, PyObject *args)
{
    struct report *self = (struct report *)object;
    const char *option[64] = {NULL}, *name;
    static const char *const keys[] = {"mode", "simple", "show_report", "false", NULL};
    PyObject *list, *rows;
    struct sw_error err;
    int rc;
    sw_error_init(&err);
    if (!PyArg_ParseTuple(args, "yO!O!", &name, &PyList_Type, &list, &PyList_Type, &rows))
        return NULL;
    if (!self->report)
        return raise_text(SW_EINVAL, "a report of a sink can be printed only during record()");
    for (Py_ssize_t i = 0; i < PyList_Size(list) && i < 63; i++)
        option[i] = PyBytes_AsString(PyList_GetItem(list, i));
    struct sw_sink_options sink = {name, option};
    struct sw_options options;
    struct sw_report report;
    void *array = selected(&report, self->report, rows);
    sw_options_init(&options);
    options.options = keys;
    options.sinks = &sink;
    options.sink_count = 1;
    Py_BEGIN_ALLOW_THREADS rc = render(&report, &options, self->elapsed_ns, &err);
    Py_END_ALLOW_THREADS free(array);
    return none_or_raise(rc, &err);
}

static PyObject *report_get_data(PyObject *object, void *closure)
{
    PyObject *data = ((struct report *)object)->data;
    (void)closure;
    Py_INCREF(data);
    return data;
}

PyObject *report_new(const struct sw_report *report, bool owned, int64_t elapsed_ns)
{
    struct report *self = object_new(report_type);
    if (!self) {
        if (owned)
            sw_report_free((struct sw_report *)report);
        return NULL;
    }
    self->report = report;
    self->owned = owned;
    self->elapsed_ns = elapsed_ns;
    self->data = report_data(report);
    if (!self->data)
        Py_CLEAR(self);
    return (PyObject *)self;
}

void report_detach(PyObject *object)
{
    ((struct report *)object)->report = NULL;
}

static void report_dealloc(PyObject *object)
{
    struct report *self = (struct report *)object;
    if (self->owned)
        sw_report_free((struct sw_report *)self->report);
    Py_XDECREF(self->data);
    object_free(object);
}

static PyMethodDef methods[] = {
    METHOD("render", report_render, METH_VARARGS, NULL),
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"data", report_get_data, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    SLOT(Py_tp_dealloc, report_dealloc),
    SLOT(Py_tp_methods, methods),
    SLOT(Py_tp_getset, properties),
    {0, NULL},
};

PyType_Spec report_spec = {
    .name = "stepwatch._core.Report",
    .basicsize = sizeof(struct report),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
