/* SPDX-License-Identifier: MIT */
/* report.c - a report as dictionaries for the dataclasses of the package, and as text by a sink. */
#include "core.h"

#include <stepwatch/replay.h>

/* The name of the capsule while its report is valid. */
static const char valid[] = "stepwatch.report";

ITEM(number, double, (const double *)from + i, PyFloat_FromDouble(*it))

static PyObject *distribution_data(const struct sw_distribution *d)
{
    return dict_with(FIELD(d, count), FIELD(d, mean), FIELD(d, variance), FIELD(d, min),
                     FIELD(d, max), "first", list_of(d->kept, d->value, number_item), NULL);
}

/* A row, and the report that it is in. */
struct row_of {
    const struct sw_report *report;
    const struct sw_report_row *row;
    bool self; /* without the regions inside */
};

static PyObject *counter_item(const void *object, size_t i)
{
    const struct row_of *of = object;
    const struct sw_counter_total *counter = sw_row_counter(of->report, of->row, i);
    int64_t count = of->self ? counter->self : counter->total;
    if (count == SW_COUNTER_NONE)
        return NULL;
    return Py_BuildValue("(NL)", str_of(counter->name), (long long)count);
}

static PyObject *row_data(const struct sw_report *report, const struct sw_report_row *row)
{
    struct row_of all = {report, row, false}, self = {report, row, true};
    return dict_with(FIELD(row, phase), FIELD(row, action), FIELD(row, calls), FIELD(row, mean_ns),
                     FIELD(row, std_ns), FIELD(row, total_ns), FIELD(row, self_ns),
                     FIELD(row, p50_ns), FIELD(row, p95_ns), FIELD(row, p99_ns), FIELD(row, share),
                     FIELD(row, samples_per_s), FIELD(row, overall_samples_per_s),
                     FIELD(row, shape), "durations", distribution_data(&row->durations), "rates",
                     distribution_data(&row->rates), "counters",
                     dict_of(report->counter_count, &all, counter_item), "self_counters",
                     dict_of(report->counter_count, &self, counter_item), NULL);
}

/* clang-format off */
ITEM(row, struct sw_report_row, sw_report_row(from, i), row_data(from, it))
ITEM(shaped, struct sw_report_row, sw_report_shaped(from, i), row_data(from, it))
ITEM(misuse, struct sw_misuse, sw_report_misuse(from, i),
     Py_BuildValue("(NL)", str_of(it->text), (long long)it->times))
ITEM(finding, struct sw_finding, sw_report_finding(from, i), str_of(it->text))
/* clang-format on */

void report_free(PyObject *capsule)
{
    sw_report_free(PyCapsule_GetPointer(capsule, valid));
}

PyObject *report_dict(const struct sw_report *report, void (*release)(PyObject *capsule),
                      int64_t elapsed_ns)
{
    PyObject *capsule = PyCapsule_New((void *)report, valid, release);
    const char *mode = report->mode == SW_MODE_SIMPLE ? "simple" : "throughput";
    const struct sw_accounting *a = &report->accounting;
    return dict_with(FIELD(report, fit), FIELD(report, complete), FIELD(report, interrupted),
                     FIELD(report, drop_first_batch), FIELD(report, epoch), FIELD(report, step),
                     FIELD(report, fit_ns), FIELD(report, started_s), "_capsule", capsule,
                     "_elapsed_ns", PyLong_FromLongLong(elapsed_ns), "mode", str_of(mode), "rows",
                     list_of(report->count, report, row_item), "shaped",
                     list_of(report->shaped_count, report, shaped_item), "misuses",
                     dict_of(report->misuse_count, report, misuse_item), "findings",
                     list_of(report->finding_count, report, finding_item), "accounting",
                     dict_with(FIELD(a, accounted_ns), FIELD(a, other_ns), FIELD(a, own_ns),
                               FIELD(a, own_ns_per_step), FIELD(a, own_threads_ns), FIELD(a, steps),
                               FIELD(a, misuses), FIELD(a, discarded), FIELD(a, joules), NULL),
                     NULL);
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

PyObject *report_log(struct sw_profiler *sw, PyObject *capsule, PyObject *rows)
{
    struct sw_report report;
    struct sw_error err;
    sw_error_init(&err);
    if (!PyCapsule_IsValid(capsule, valid))
        return raise_text(SW_EINVAL, "a copy of a report can be printed as a table only, and a "
                                     "report of a sink only during record()");
    OWNED_MEMORY void *array = selected(&report, PyCapsule_GetPointer(capsule, valid), rows);
    return none_or_raise(sw_log_report(sw, &report, &err), &err);
}
