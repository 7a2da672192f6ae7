/* SPDX-License-Identifier: MIT */
/* sink.c - sinks that are written in Python. The library calls them on their own threads, which
 * take the GIL for each call. They get a record of sink.h as a dictionary. */
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

ITEM(text, char *const, (const char *const *)from + i, str_of(*it))

static PyObject *texts_list(const char *const *text)
{
    size_t count = 0;
    while (text && text[count])
        count++;
    return list_of(count, text, text_item);
}

static PyObject *hparam_of(const struct sw_hparam *hparam)
{
    if (hparam->type == SW_HPARAM_INT)
        return named(hparam->name, PyLong_FromLongLong(hparam->integer));
    if (hparam->type == SW_HPARAM_FLOAT)
        return named(hparam->name, PyFloat_FromDouble(hparam->number));
    return named(hparam->name, str_of(hparam->string));
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

static PyObject *option_value(const struct sw_option *option, const void *field)
{
    switch (option->type) {
    case SW_OPTION_BOOL: return PyBool_FromLong(*(const bool *)field);
    case SW_OPTION_INT:
    case SW_OPTION_SIZE: return PyLong_FromLongLong(*(const int64_t *)field);
    case SW_OPTION_DURATION: return PyFloat_FromDouble((double)*(const int64_t *)field / 1e9);
    case SW_OPTION_FLOAT: return PyFloat_FromDouble(*(const double *)field);
    case SW_OPTION_LIST:
    case SW_OPTION_PATHS:
    case SW_OPTION_MAP: return texts_list(*(const char *const *const *)field);
    default: return str_of(*(const char *const *)field);
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

/* What only a record of this type has. */
static PyObject *content_of(const struct sw_record *of)
{
#define ONE(key, value) return dict_with(key, value, NULL)
    switch (of->type) {
    case SW_RECORD_RUN: ONE("run", run_dict(of->run));
    case SW_RECORD_HPARAM: ONE("hparam", hparam_of(of->hparam));
    case SW_RECORD_METRICS: ONE("metrics", dict_of(of->metrics.count, of, metric_item));
    case SW_RECORD_MARK:
    case SW_RECORD_REGIONS: ONE("regions", list_of(of->regions.count, of, region_item));
    case SW_RECORD_STEP: return dict_with("parts", list_of(of->step_done->count, of->step_done, part_item),
        FIELD(of->step_done, samples), NULL);
    case SW_RECORD_EPOCH:
    case SW_RECORD_REPORT: ONE("report", report_dict(of->report, NULL, of->time_ns));
    case SW_RECORD_END: ONE("end", dict_with(FIELD(of->end, exit_status),
        FIELD(of->end, signal), FIELD(of->end, interrupted), FIELD(of->end, cause), NULL));
    case SW_RECORD_PAUSE: ONE("paused", PyBool_FromLong(of->pause->paused));
    case SW_RECORD_LOST: ONE("lost", dict_with(FIELD(of->lost, metrics), FIELD(of->lost, steps),
        FIELD(of->lost, regions), FIELD(of->lost, spans), NULL));
    case SW_RECORD_NOTE: ONE("text", str_of(of->note->text));
    case SW_RECORD_SPAN: ONE("span", dict_with(FIELD(of->span, open), FIELD(of->span, id),
        FIELD(of->span, action), FIELD(of->span, begin_ns), FIELD(of->span, end_ns), NULL));
    case SW_RECORD_ALERT: ONE("alert", dict_with(FIELD(of->alert, kind), FIELD(of->alert, level),
        FIELD(of->alert, title), FIELD(of->alert, text), NULL));
    case SW_RECORD_VALUE: return dict_with("value", named(of->value->name, value_of(of->value)),
        "kind", NAME_OF(of->value->kind, "?", "text", "table", "histogram", "images", "file"), NULL);
    case SW_RECORD_SUMMARY: ONE("summary", named(of->summary->name, of->summary->text
        ? str_of(of->summary->text) : PyFloat_FromDouble(of->summary->value)));
    case SW_RECORD_LINE: ONE("text", str_of(of->line->text));
    default: return PyDict_New();
    }
}
/* clang-format on */

static PyObject *record_dict(const struct sw_record *record)
{
    PyObject *dict =
        dict_with(FIELD(record, time_ns), FIELD(record, wall_s), FIELD(record, step),
                  FIELD(record, epoch), FIELD(record, fit), "type", PyLong_FromLong(record->type),
                  "phase", phase_name(record->phase), NULL);
    OWNED content = dict ? content_of(record) : NULL;
    if (dict && (!content || PyDict_Update(dict, content) < 0))
        Py_CLEAR(dict);
    return dict;
}

/* What a sink was registered with. Descriptors must be valid for the rest of the program, so none
 * is ever freed. */
struct written {
    struct sw_sink_plugin plugin;
    PyObject *make; /* make(options, folder) returns a function of a method's name and a record */
    size_t count;
    struct sw_option option[]; /* ends with a name of NULL */
};

/* The state of an open sink, and after it a field of 8 bytes for each option. */
struct state {
    struct written *written;
    PyObject *object;
    int64_t field[];
};

/* Turns the exception of a sink into err. */
static int failed(struct sw_error *err)
{
    OWNED type = NULL;
    OWNED value = NULL;
    OWNED traceback = NULL;
    TEXT(message);
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    OWNED name = PyObject_GetAttrString(type, "__name__");
    OWNED text = name ? PyUnicode_FromFormat("%U: %S", name, value) : NULL;
    PyErr_Clear(); /* of the exception's own __str__() */
    bool known = name && text_of(text ? text : name, &message);
    PyErr_Clear();
    return sw_error_set(err, SW_ESINK, "%s", known ? message.is : "an exception");
}

/* An option's name and its value in the state. */
static PyObject *option_item(const void *data, size_t i)
{
    const struct state *state = data;
    const struct sw_option *option = &state->written->option[i];
    return Py_BuildValue("(NN)", str_of(option->name),
                         option_value(option, (const char *)data + option->offset));
}

/* Opens the sink with its folder, or calls it with the name of a method and the record, if any. */
static int call(struct state *state, const char *folder, const char *method,
                const struct sw_record *record, struct sw_error *err)
{
    if (!Py_IsInitialized()) /* a thread that then asks for the GIL would never return */
        return sw_error_set(err, SW_ESINK, "the Python interpreter has ended");
    PyGILState_STATE gil = PyGILState_Ensure();
    CALLING(NULL);
    PyObject *dict = record ? record_dict(record) : object_self(Py_None, NULL), *result = NULL;
    if (folder)
        result = state->object = PyObject_CallFunction(
            state->written->make, "NN", dict_of(state->written->count, state, option_item),
            str_of(folder));
    else if (dict)
        result = PyObject_CallFunction(state->object, "sO", method, dict);
    int rc = result ? 0 : failed(err);
    PyObject *report = record && dict ? PyDict_GetItemString(dict, "report") : NULL;
    if (report)
        PyCapsule_SetName(PyDict_GetItemString(report, "_capsule"), "past");
    Py_XDECREF(dict);
    if (!folder)
        Py_XDECREF(result);
    if (method && strcmp(method, "close") == 0)
        Py_CLEAR(state->object);
    PyGILState_Release(gil);
    return rc;
}

static int sink_open(void *data, struct sw_sink *sink, struct sw_error *err)
{
    struct state *state = data;
    state->written = sink->user;
    return call(state, sink->run->directory, NULL, NULL, err);
}

static int sink_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    return call(state, NULL, "record", record, err);
}

static int sink_flush(void *state, struct sw_error *err)
{
    return call(state, NULL, "flush", NULL, err);
}

static int sink_close(void *state, struct sw_error *err)
{
    return call(state, NULL, "close", NULL, err);
}

/* options: [(name, default, choices, help, type, min, max, required, secret), …] */
static bool options_fill(struct sw_option *option, PyObject *options)
{
    for (Py_ssize_t i = 0; i < PyList_Size(options); i++, option++) {
        int required, secret;
        if (!PyArg_ParseTuple(PyList_GetItem(options, i), "yO&O&yiddpp", &option->name,
                              text_or_null, &option->fallback, text_or_null, &option->choices,
                              &option->help, (int *)&option->type, &option->min, &option->max,
                              &required, &secret))
            return false;
        option->offset = offsetof(struct state, field) + (size_t)i * sizeof(int64_t);
        option->required = required;
        option->secret = secret;
    }
    return true;
}

/* sink_register(name, summary, version, wants, options, keep_newest, make): the texts are those of
 * the tuple, which is never freed */
PyObject *sink_register(PyObject *module, PyObject *args)
{
    const char *name, *summary, *version;
    PyObject *options, *make;
    unsigned wants;
    int newest;
    struct sw_error err;
    sw_error_init(&err);
    if (!PyArg_ParseTuple(args, "yyyIO!pO", &name, &summary, &version, &wants, &PyList_Type,
                          &options, &newest, &make))
        return NULL;
    size_t count = (size_t)PyList_Size(options);
    struct written *written = calloc(1, sizeof *written + (count + 1) * sizeof(struct sw_option));
    if (!written)
        return PyErr_NoMemory();
    written->plugin = (struct sw_sink_plugin){
        SW_SINK_HEADER,
        .name = name,
        .version = version,
        .license = "unknown",
        .summary = summary,
        .wants = wants,
        .queue = newest ? SW_QUEUE_DROP_OLDEST : SW_QUEUE_DROP_NEWEST,
        .options = written->option,
        .state_size = sizeof(struct state) + count * sizeof(int64_t),
        .open = sink_open,
        .record = sink_record,
        .flush = sink_flush,
        .close = sink_close,
    };
    written->make = make;
    written->count = count;
    if (!options_fill(written->option, options))
        return NULL;
    Py_INCREF(args);
    return none_or_raise(sw_sink_register(&written->plugin, written, &err), &err);
}
