/* SPDX-License-Identifier: MIT */
/* record.c - a record of sink.h as a dictionary, for sinks that are written in Python. */
#include "core.h"

/* NAME_OF(NUMBER, NAME...): the name of a number that counts from 0. */
#define NAME_OF(number, ...) name_of((size_t)(number), (const char *const[]){__VA_ARGS__, NULL})

static PyObject *name_of(size_t number, const char *const *names)
{
    while (number && *names)
        number--, names++;
    return str_of(*names ? *names : "?");
}

static PyObject *phase_name(enum sw_phase phase)
{
    return NAME_OF(phase, "fit", "train", "valid", "threads", "before", "after", "spans");
}

/* The name and the value of a hyper-parameter or of the summary. */
static PyObject *named(const char *name, PyObject *value)
{
    return dict_with("value", value, "name", str_of(name), NULL);
}

/* clang-format off */
ITEM(metric, struct sw_metric, sw_record_metric(from, i),
     Py_BuildValue("(Nd)", str_of(it->name), it->value))
ITEM(region, struct sw_region, sw_record_region(from, i),
     dict_with(FIELD(it, time_ns), FIELD(it, action), FIELD(it, thread), FIELD(it, samples), FIELD(it, shape),
               "phase", phase_name(it->phase),
               "event", NAME_OF(it->event, "begin", "end", "cancel", "discard"), NULL))
ITEM(part, struct sw_step_part, sw_step_part_at(from, i),
     Py_BuildValue("(NL)", str_of(it->action), (long long)it->duration_ns))
ITEM(bin, struct sw_bin, sw_bins_at(from, i),
     Py_BuildValue("(ddk)", it->low, it->high, it->count))
/* clang-format on */

static PyObject *hparam_of(const struct sw_hparam *hparam)
{
    if (hparam->type == SW_HPARAM_INT)
        return named(hparam->name, PyLong_FromLongLong(hparam->integer));
    if (hparam->type == SW_HPARAM_FLOAT)
        return named(hparam->name, PyFloat_FromDouble(hparam->number));
    return named(hparam->name, str_of(hparam->string));
}

/* clang-format off */
static PyObject *cell_item(const void *object, size_t row)
{
    const struct sw_table_column *column = object;
    switch (column->type) {
    case SW_I64: return PyLong_FromLongLong(((const int64_t *)column->data)[row]);
    case SW_F64: return PyFloat_FromDouble(((const double *)column->data)[row]);
    case SW_BOOL: return PyBool_FromLong(((const bool *)column->data)[row]);
    default: return str_of(((const char *const *)column->data)[row]);
    }
}
/* clang-format on */

static PyObject *column_item(const void *object, size_t i)
{
    const struct sw_table *table = object;
    const struct sw_table_column *column = sw_table_at(table, i);
    return Py_BuildValue("(NN)", str_of(column->name), list_of(table->rows, column, cell_item));
}

static PyObject *picture_item(const void *pictures, size_t i)
{
    const struct sw_picture *picture = sw_pictures_at(pictures, i);
    size_t area = (size_t)picture->width * (size_t)picture->height;
    const void *content = picture->pixel ? (const void *)picture->pixel : picture->encoded;
    size_t bytes = picture->pixel ? area * (size_t)picture->channels : picture->encoded_size;
    return dict_with(FIELD(picture, width), FIELD(picture, height), FIELD(picture, channels),
                     FIELD(picture, caption), "format",
                     str_of(picture->pixel ? "raw" : picture->format), "data",
                     PyBytes_FromStringAndSize(content, (Py_ssize_t)bytes), NULL);
}

/* clang-format off */
static PyObject *value_of(const struct sw_value *value)
{
    switch (value->kind) {
    case SW_VALUE_TEXT: return str_of(value->text);
    case SW_VALUE_TABLE: return dict_of(value->table->columns, value->table, column_item);
    case SW_VALUE_HISTOGRAM: return list_of(value->bins->count, value->bins, bin_item);
    case SW_VALUE_IMAGES: return list_of(value->pictures->count, value->pictures, picture_item);
    default: return str_of(value->file ? value->file->path : NULL);
    }
}

static PyObject *run_dict(const struct sw_run *run)
{
    return dict_with(
        FIELD(run, name), FIELD(run, program), FIELD(run, host), FIELD(run, pid), FIELD(run, started_s),
        FIELD(run, version), FIELD(run, rolling_average), FIELD(run, config_file), FIELD(run, directory),
        FIELD(run, replayed), FIELD(run, rank), FIELD(run, world_size), FIELD(run, id), NULL);
}

/* What belongs to the type of the record. Sets the key. */
static PyObject *content_of(const struct sw_record *of, const char **key)
{
#define CONTENT(name, object) *key = (name); return (object)
    switch (of->type) {
    case SW_RECORD_RUN: CONTENT("run", run_dict(of->run));
    case SW_RECORD_HPARAM: CONTENT("hparam", hparam_of(of->hparam));
    case SW_RECORD_METRICS: CONTENT("metrics", dict_of(of->metrics.count, of, metric_item));
    case SW_RECORD_MARK:
    case SW_RECORD_REGIONS: CONTENT("regions", list_of(of->regions.count, of, region_item));
    case SW_RECORD_STEP: CONTENT("parts", list_of(of->step_done->count, of->step_done, part_item));
    case SW_RECORD_EPOCH:
    case SW_RECORD_REPORT: CONTENT("report", report_dict(of->report, NULL, of->time_ns));
    case SW_RECORD_END: CONTENT("end", dict_with(FIELD(of->end, exit_status),
        FIELD(of->end, signal), FIELD(of->end, interrupted), FIELD(of->end, cause), NULL));
    case SW_RECORD_PAUSE: CONTENT("paused", PyBool_FromLong(of->pause->paused));
    case SW_RECORD_LOST: CONTENT("lost", dict_with(FIELD(of->lost, metrics), FIELD(of->lost, steps),
        FIELD(of->lost, regions), FIELD(of->lost, spans), NULL));
    case SW_RECORD_NOTE: CONTENT("text", str_of(of->note->text));
    case SW_RECORD_SPAN: CONTENT("span", dict_with(FIELD(of->span, open), FIELD(of->span, id),
        FIELD(of->span, action), FIELD(of->span, begin_ns), FIELD(of->span, end_ns), NULL));
    case SW_RECORD_ALERT: CONTENT("alert", dict_with(FIELD(of->alert, kind), FIELD(of->alert, level),
        FIELD(of->alert, title), FIELD(of->alert, text), NULL));
    case SW_RECORD_VALUE: CONTENT("value", named(of->value->name, value_of(of->value)));
    case SW_RECORD_SUMMARY: CONTENT("summary", named(of->summary->name, of->summary->text
        ? str_of(of->summary->text) : PyFloat_FromDouble(of->summary->value)));
    case SW_RECORD_LINE: CONTENT("text", str_of(of->line->text));
    default: return NULL;
    }
}
/* clang-format on */

PyObject *record_dict(const struct sw_record *record)
{
    const char *key = NULL, *more = NULL;
    PyObject *content = content_of(record, &key), *other = NULL;
    if (record->type == SW_RECORD_STEP) {
        more = "samples";
        other = PyLong_FromLongLong(record->step_done->samples);
    } else if (record->type == SW_RECORD_VALUE) {
        more = "kind";
        other = NAME_OF(record->value->kind, "?", "text", "table", "histogram", "images", "file");
    }
    return dict_with(FIELD(record, time_ns), FIELD(record, wall_s), FIELD(record, step),
                     FIELD(record, epoch), FIELD(record, fit), "type",
                     PyLong_FromLong(record->type), "phase", phase_name(record->phase), key,
                     content, more, other, NULL);
}
