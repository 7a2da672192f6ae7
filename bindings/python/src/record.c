/* SPDX-License-Identifier: MIT */
/* record.c - a record of sink.h as a dictionary, for sinks that are written in Python. */
#include "fields.h"

/* clang-format off */
static const struct field record_fields[] = {
    FIELD(INT64, sw_record, time_ns), FIELD(DOUBLE, sw_record, wall_s),
    FIELD(INT64, sw_record, step), FIELD(INT64, sw_record, epoch), FIELD(INT, sw_record, fit),
    FIELDS_END};
static const struct field run_fields[] = {
    FIELD(TEXT, sw_run, name), FIELD(TEXT, sw_run, program), FIELD(TEXT, sw_run, host),
    FIELD(INT64, sw_run, pid), FIELD(DOUBLE, sw_run, started_s), FIELD(TEXT, sw_run, version),
    FIELD(INT64, sw_run, rolling_average), FIELD(TEXT, sw_run, config_file),
    FIELD(TEXT, sw_run, directory), FIELD(BOOL, sw_run, replayed), FIELD(INT64, sw_run, rank),
    FIELD(INT64, sw_run, world_size), FIELD(TEXT, sw_run, id), FIELDS_END};
static const struct field region_fields[] = {
    FIELD(INT64, sw_region, time_ns), FIELD(TEXT, sw_region, action),
    FIELD(INT, sw_region, thread), FIELD(INT64, sw_region, samples),
    FIELD(TEXT, sw_region, shape), FIELDS_END};
static const struct field end_fields[] = {
    FIELD(INT, sw_end, exit_status), FIELD(INT, sw_end, signal), FIELD(BOOL, sw_end, interrupted),
    FIELD(TEXT, sw_end, cause), FIELDS_END};
static const struct field alert_fields[] = {
    FIELD(TEXT, sw_alert, kind), FIELD(INT, sw_alert, level), FIELD(TEXT, sw_alert, title),
    FIELD(TEXT, sw_alert, text), FIELDS_END};
static const struct field lost_fields[] = {
    FIELD(INT64, sw_lost, metrics), FIELD(INT64, sw_lost, steps), FIELD(INT64, sw_lost, regions),
    FIELD(INT64, sw_lost, spans), FIELDS_END};
static const struct field span_fields[] = {
    FIELD(BOOL, sw_span, open), FIELD(INT64, sw_span, id), FIELD(TEXT, sw_span, action),
    FIELD(INT64, sw_span, begin_ns), FIELD(INT64, sw_span, end_ns), FIELDS_END};
static const struct field picture_fields[] = {
    FIELD(INT, sw_picture, width), FIELD(INT, sw_picture, height),
    FIELD(INT, sw_picture, channels), FIELD(TEXT, sw_picture, caption), FIELDS_END};
/* clang-format on */

static PyObject *phase_name(enum sw_phase phase)
{
    static const char *const names[] = {"fit",    "train", "valid", "threads",
                                        "before", "after", "spans"};
    return str_of((size_t)phase < sizeof names / sizeof *names ? names[phase] : "?");
}

static PyObject *metrics_of(const struct sw_record *record)
{
    PyObject *metrics = PyDict_New();
    bool fine = metrics != NULL;
    for (size_t i = 0; fine && i < record->metrics.count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        fine = put_named(metrics, str_of(metric->name), PyFloat_FromDouble(metric->value));
    }
    return complete(metrics, fine);
}

static PyObject *region_dict(const struct sw_region *region)
{
    static const char *const events[] = {"begin", "end", "cancel", "discard"};
    PyObject *data = fields_dict(region_fields, region);
    const char *event = (size_t)region->event < 4 ? events[region->event] : "?";
    return complete(data, data && put(data, "event", str_of(event)) &&
                              put(data, "phase", phase_name(region->phase)));
}

static PyObject *regions_of(const struct sw_record *record)
{
    PyObject *regions = PyList_New(0);
    bool fine = regions != NULL;
    for (size_t i = 0; fine && i < record->regions.count; i++)
        fine = append(regions, region_dict(sw_record_region(record, i)));
    return complete(regions, fine);
}

/* The parts of a step: (action, duration in nanoseconds). */
static PyObject *parts_of(const struct sw_step *step)
{
    PyObject *parts = PyList_New(0);
    bool fine = parts != NULL;
    for (size_t i = 0; fine && i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        fine = append(parts,
                      Py_BuildValue("(NL)", str_of(part->action), (long long)part->duration_ns));
    }
    return complete(parts, fine);
}

/* The name and the value of a hyper-parameter or of the summary. */
static PyObject *named(const char *name, PyObject *value)
{
    PyObject *data = PyDict_New();
    return complete(data, data && put(data, "value", value) && put(data, "name", str_of(name)));
}

static PyObject *hparam_of(const struct sw_hparam *hparam)
{
    if (hparam->type == SW_HPARAM_INT)
        return named(hparam->name, PyLong_FromLongLong(hparam->integer));
    if (hparam->type == SW_HPARAM_FLOAT)
        return named(hparam->name, PyFloat_FromDouble(hparam->number));
    return named(hparam->name, str_of(hparam->string));
}

static PyObject *summary_of(const struct sw_summary_value *summary)
{
    return named(summary->name,
                 summary->text ? str_of(summary->text) : PyFloat_FromDouble(summary->value));
}

static PyObject *cell_of(const struct sw_table_column *column, size_t row)
{
    switch (column->type) {
    case SW_I64:
        return PyLong_FromLongLong(((const int64_t *)column->data)[row]);
    case SW_F64:
        return PyFloat_FromDouble(((const double *)column->data)[row]);
    case SW_BOOL:
        return PyBool_FromLong(((const bool *)column->data)[row]);
    default:
        return str_of(((const char *const *)column->data)[row]);
    }
}

static PyObject *table_of(const struct sw_table *table)
{
    PyObject *data = PyDict_New();
    bool fine = data != NULL;
    for (size_t i = 0; fine && i < table->columns; i++) {
        const struct sw_table_column *column = sw_table_at(table, i);
        PyObject *cells = PyList_New(0);
        for (size_t row = 0; cells && row < table->rows; row++)
            if (!append(cells, cell_of(column, row)))
                Py_CLEAR(cells);
        fine = put_named(data, str_of(column->name), cells);
    }
    return complete(data, fine);
}

static PyObject *bins_of(const struct sw_bins *bins)
{
    PyObject *data = PyList_New(0);
    bool fine = data != NULL;
    for (size_t i = 0; fine && i < bins->count; i++) {
        const struct sw_bin *bin = sw_bins_at(bins, i);
        fine = append(data,
                      Py_BuildValue("(ddK)", bin->low, bin->high, (unsigned long long)bin->count));
    }
    return complete(data, fine);
}

static PyObject *picture_of(const struct sw_picture *picture)
{
    PyObject *data = fields_dict(picture_fields, picture);
    size_t area = (size_t)picture->width * (size_t)picture->height;
    const void *content = picture->pixel ? (const void *)picture->pixel : picture->encoded;
    size_t bytes = picture->pixel ? area * (size_t)picture->channels : picture->encoded_size;
    return complete(data,
                    data && put(data, "format", str_of(picture->pixel ? "raw" : picture->format)) &&
                        put(data, "data", PyBytes_FromStringAndSize(content, (Py_ssize_t)bytes)));
}

static PyObject *pictures_of(const struct sw_pictures *pictures)
{
    PyObject *data = PyList_New(0);
    bool fine = data != NULL;
    for (size_t i = 0; fine && i < pictures->count; i++)
        fine = append(data, picture_of(sw_pictures_at(pictures, i)));
    return complete(data, fine);
}

static PyObject *value_of(const struct sw_value *value)
{
    switch (value->kind) {
    case SW_VALUE_TEXT:
        return named(value->name, str_of(value->text));
    case SW_VALUE_TABLE:
        return named(value->name, table_of(value->table));
    case SW_VALUE_HISTOGRAM:
        return named(value->name, bins_of(value->bins));
    case SW_VALUE_IMAGES:
        return named(value->name, pictures_of(value->pictures));
    default:
        return named(value->name, str_of(value->file ? value->file->path : NULL));
    }
}

static PyObject *value_kind(enum sw_value_kind kind)
{
    static const char *const kinds[] = {"?", "text", "table", "histogram", "images", "file"};
    return str_of((size_t)kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "?");
}

/* Adds what belongs to the type of the record. */
static bool put_content(PyObject *data, const struct sw_record *record)
{
    switch (record->type) {
    case SW_RECORD_RUN:
        return put(data, "run", fields_dict(run_fields, record->run));
    case SW_RECORD_HPARAM:
        return put(data, "hparam", hparam_of(record->hparam));
    case SW_RECORD_METRICS:
        return put(data, "metrics", metrics_of(record));
    case SW_RECORD_MARK:
    case SW_RECORD_REGIONS:
        return put(data, "regions", regions_of(record));
    case SW_RECORD_STEP:
        return put(data, "samples", PyLong_FromLongLong(record->step_done->samples)) &&
               put(data, "parts", parts_of(record->step_done));
    case SW_RECORD_EPOCH:
    case SW_RECORD_REPORT:
        return put(data, "report", report_new(record->report, false, record->time_ns));
    case SW_RECORD_END:
        return put(data, "end", fields_dict(end_fields, record->end));
    case SW_RECORD_PAUSE:
        return put(data, "paused", PyBool_FromLong(record->pause->paused));
    case SW_RECORD_LOST:
        return put(data, "lost", fields_dict(lost_fields, record->lost));
    case SW_RECORD_NOTE:
        return put(data, "text", str_of(record->note->text));
    case SW_RECORD_SPAN:
        return put(data, "span", fields_dict(span_fields, record->span));
    case SW_RECORD_ALERT:
        return put(data, "alert", fields_dict(alert_fields, record->alert));
    case SW_RECORD_VALUE:
        return put(data, "value", value_of(record->value)) &&
               put(data, "kind", value_kind(record->value->kind));
    case SW_RECORD_SUMMARY:
        return put(data, "summary", summary_of(record->summary));
    case SW_RECORD_LINE:
        return put(data, "text", str_of(record->line->text));
    default:
        return true;
    }
}

PyObject *record_dict(const struct sw_record *record)
{
    PyObject *data = fields_dict(record_fields, record);
    return complete(data, data && put(data, "type", PyLong_FromLong(record->type)) &&
                              put(data, "phase", phase_name(record->phase)) &&
                              put_content(data, record));
}
