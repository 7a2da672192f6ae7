/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run/sweep.h"
#include "core/text/address_user.h"
#include "core/text/escape.h"
#include "core/text/exact_number.h"
#include "core/text/vec.h"
#include "core/text/parse.h"
#include "net/surroundings.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yaml.h>

/* The agent's own files have only a few lines. */
enum { FILE_MAX = 1 << 20, DEPTH_MAX = 64 };

/* What is read, and the values that other values are aliases of. */
struct reading {
    yaml_parser_t parser;
    size_t bytes; /* of the values of aliases */
    size_t count;
    struct anchor {
        char *name, *json;
        bool is_parameter; /* the value of a mapping {value: VALUE} */
    } * anchor;
};

/* ---- aliases --------------------------------------------------------------------------------- */

static const struct anchor *anchor_find(const struct reading *reading, const yaml_char_t *name)
{
    for (size_t i = reading->count; i-- > 0;)
        if (strcmp(reading->anchor[i].name, (const char *)name) == 0)
            return &reading->anchor[i];
    return NULL;
}

/* Keeps the value that was added to json behind `from`, if it has a name. */
static int anchor_add(struct reading *reading, const char *name, const struct swi_text *json,
                      size_t from, bool is_parameter, struct sw_error *err)
{
    if (!name || !json->data)
        return 0;
    if (!swi_vec_room(&reading->anchor, reading->count, sizeof *reading->anchor))
        return sw_error_set(err, SW_ENOMEM, "out of memory");
    struct anchor anchor = {strdup(name), strdup(json->data + from), is_parameter};
    reading->anchor[reading->count++] = anchor;
    return anchor.name && anchor.json ? 0 : sw_error_set(err, SW_ENOMEM, "out of memory");
}

static void reading_fini(struct reading *reading)
{
    for (size_t i = 0; i < reading->count; i++) {
        free(reading->anchor[i].name);
        free(reading->anchor[i].json);
    }
    free(reading->anchor);
    yaml_parser_delete(&reading->parser);
}

/* ---- a value --------------------------------------------------------------------------------- */

/* Returns whether a text is a number of JSON: then it is not changed. */
static bool is_number(const char *text)
{
    text += *text == '-';
    size_t digits = strspn(text, "0123456789");
    if (!digits || (digits > 1 && *text == '0'))
        return false;
    text += digits;
    if (*text == '.') {
        digits = strspn(text + 1, "0123456789");
        text += digits ? digits + 1 : 0;
    }
    if ((*text == 'e' || *text == 'E') && text[1]) {
        text += 1 + (text[1] == '+' || text[1] == '-');
        digits = strspn(text, "0123456789");
        text += digits;
    }
    return digits && !*text;
}

static void scalar_put(struct swi_text *json, yaml_event_t *event)
{
    char *text = (char *)event->data.scalar.value;
    struct swi_yaml_scalar is = {SWI_YAML_TEXT, 0};
    if (event->data.scalar.plain_implicit)
        is = swi_yaml_scalar(text);
    if (is.kind == SWI_YAML_TEXT) {
        swi_address_clean(text);
        swi_escape_json(json, text);
    } else if (is.kind == SWI_YAML_NULL || is.kind == SWI_YAML_BOOL) {
        swi_text_put(json, is.kind == SWI_YAML_NULL ? "null" : is.number ? "true" : "false");
    } else if (is_number(text)) {
        swi_text_put(json, text);
    } else if (is.kind == SWI_YAML_INT && fabs(is.number) < 0x1p53) {
        swi_text_integer(json, (int64_t)is.number);
    } else if (isfinite(is.number)) {
        swi_number_exact(json, is.number);
    } else {
        swi_text_put(json, isnan(is.number) ? "NaN" : is.number > 0 ? "Infinity" : "-Infinity");
    }
}

static int wrong(struct sw_error *err, const yaml_mark_t *mark, const char *what)
{
    return sw_error_set(err, SW_EINVAL, "line %zu: %s", mark->line + 1, what);
}

static int next(struct reading *reading, yaml_event_t *event, struct sw_error *err)
{
    yaml_parser_t *parser = &reading->parser;
    if (yaml_parser_parse(parser, event))
        return 0;
    return wrong(err, &parser->problem_mark, parser->problem ? parser->problem : "out of memory");
}

/* What an alias is another name of. A value that contains itself has no name yet. */
static int alias_find(struct reading *reading, const yaml_event_t *event,
                      const struct anchor **anchor, struct sw_error *err)
{
    *anchor = anchor_find(reading, event->data.alias.anchor);
    if (!*anchor)
        return wrong(err, &event->start_mark, "an alias of a value that is not before it");
    reading->bytes += strlen((*anchor)->json);
    return reading->bytes <= FILE_MAX
               ? 0
               : wrong(err, &event->start_mark, "the values of aliases have more than 1 MiB");
}

static int value_put(struct reading *reading, yaml_event_t *event, struct swi_text *json, int depth,
                     struct sw_error *err);

/* Adds the values up to the end of a list, or the names and values of a mapping. */
static int values_put(struct reading *reading, struct swi_text *json, bool mapping, int depth,
                      struct sw_error *err)
{
    yaml_event_type_t end = mapping ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    swi_text_put(json, mapping ? "{" : "[");
    for (size_t i = 0;; i++) {
        yaml_event_t event;
        int rc = next(reading, &event, err);
        bool last = rc == 0 && event.type == end, name = mapping && i % 2 == 0;
        if (rc == 0 && !last && i)
            swi_text_put(json, mapping && !name ? ":" : ",");
        if (rc == 0 && !last && name && event.type != YAML_SCALAR_EVENT)
            rc = wrong(err, &event.start_mark, "a name must be text");
        else if (rc == 0 && !last && name)
            swi_escape_json(json, (const char *)event.data.scalar.value);
        else if (rc == 0 && !last)
            rc = value_put(reading, &event, json, depth, err);
        yaml_event_delete(&event);
        if (rc < 0 || last) {
            swi_text_put(json, mapping ? "}" : "]");
            return rc;
        }
    }
}

static int value_put(struct reading *reading, yaml_event_t *event, struct swi_text *json, int depth,
                     struct sw_error *err)
{
    size_t from = json->size;
    bool mapping = event->type == YAML_MAPPING_START_EVENT;
    const struct anchor *anchor;
    const char *name = NULL;
    int rc = 0;
    if (event->type == YAML_ALIAS_EVENT) {
        rc = alias_find(reading, event, &anchor, err);
        swi_text_put(json, rc == 0 ? anchor->json : "null");
    } else if (event->type == YAML_SCALAR_EVENT) {
        name = (const char *)event->data.scalar.anchor;
        scalar_put(json, event);
    } else if (depth == DEPTH_MAX) {
        rc = wrong(err, &event->start_mark, "a value is nested too deep");
    } else {
        name = (const char *)(mapping ? event->data.mapping_start.anchor
                                      : event->data.sequence_start.anchor);
        rc = values_put(reading, json, mapping, depth + 1, err);
    }
    return rc < 0 ? rc : anchor_add(reading, name, json, from, false, err);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Reads NAME: {value: VALUE}. Everything else there is ignored. */
static int parameter_read(struct reading *reading, struct swi_fields *row, const char *name,
                          const yaml_event_t *start, struct sw_error *err)
{
    struct swi_text ignored = {0};
    for (bool key = true, ours = false, more = true; more; key = !key) {
        yaml_event_t event;
        int rc = next(reading, &event, err);
        struct swi_text *json = ours && !key ? swi_fields_set(row, name) : &ignored;
        more = rc == 0 && event.type != YAML_MAPPING_END_EVENT;
        if (more && key)
            ours = event.type == YAML_SCALAR_EVENT &&
                   strcmp((const char *)event.data.scalar.value, "value") == 0;
        if (more && (!key || event.type != YAML_SCALAR_EVENT))
            rc = json ? value_put(reading, &event, json, 0, err)
                      : sw_error_set(err, SW_ENOMEM, "out of memory");
        yaml_event_delete(&event);
        swi_text_free(&ignored);
        if (rc < 0)
            return rc;
    }
    const struct swi_text *json = swi_fields_get(row, name);
    const char *anchor = (const char *)start->data.mapping_start.anchor;
    return json ? anchor_add(reading, anchor, json, 0, true, err) : 0;
}

/* Reads NAME: *ALIAS of the {value: VALUE} of another name. */
static int parameter_again(struct reading *reading, struct swi_fields *row, const char *name,
                           const yaml_event_t *event, struct sw_error *err)
{
    const struct anchor *anchor;
    int rc = alias_find(reading, event, &anchor, err);
    struct swi_text *json = rc == 0 && anchor->is_parameter ? swi_fields_set(row, name) : NULL;
    if (json)
        swi_text_put(json, anchor->json);
    return rc;
}

/* Reads one entry of the file. wandb_version and _wandb belong to the agent. */
static int entry_read(struct reading *reading, struct swi_fields *row, const yaml_event_t *key,
                      struct sw_error *err)
{
    SWI_FREED struct swi_text ignored = {0};
    yaml_event_t event;
    if (key->type != YAML_SCALAR_EVENT)
        return wrong(err, &key->start_mark, "a name must be text");
    const char *name = (const char *)key->data.scalar.value;
    int rc = next(reading, &event, err);
    if (rc < 0)
        return rc;
    if (event.type == YAML_MAPPING_START_EVENT && strcmp(name, "_wandb") != 0)
        rc = parameter_read(reading, row, name, &event, err);
    else if (event.type == YAML_ALIAS_EVENT)
        rc = parameter_again(reading, row, name, &event, err);
    else
        rc = value_put(reading, &event, &ignored, 0, err);
    yaml_event_delete(&event);
    return rc;
}

/* Reads the begin of the stream, of the document and of its mapping, then all entries. */
static int document_read(struct reading *reading, struct swi_fields *row, struct sw_error *err)
{
    bool inside = false;
    for (;;) {
        yaml_event_t event;
        int rc = next(reading, &event, err);
        if (rc < 0)
            return rc;
        bool end =
            event.type == YAML_STREAM_END_EVENT || (inside && event.type == YAML_MAPPING_END_EVENT);
        bool before =
            event.type == YAML_STREAM_START_EVENT || event.type == YAML_DOCUMENT_START_EVENT;
        if (inside && !end)
            rc = entry_read(reading, row, &event, err);
        else if (!end && !before && event.type != YAML_MAPPING_START_EVENT)
            rc = wrong(err, &event.start_mark, "expected NAME: {value: VALUE}");
        inside |= event.type == YAML_MAPPING_START_EVENT;
        yaml_event_delete(&event);
        if (rc < 0 || end)
            return rc;
    }
}

static int file_read(struct swi_fields *row, FILE *file, struct sw_error *err)
{
    struct stat status;
    struct reading reading = {0};
    if (fstat(fileno(file), &status) < 0 || status.st_size > FILE_MAX)
        return sw_error_set(err, SW_EINVAL, "has more than %d bytes", FILE_MAX);
    if (!yaml_parser_initialize(&reading.parser))
        return sw_error_set(err, SW_ENOMEM, "out of memory");
    yaml_parser_set_input_file(&reading.parser, file);
    int rc = document_read(&reading, row, err);
    reading_fini(&reading);
    return rc;
}

static int values_read(struct swi_wandb_sweep *sweep, const char *path, struct sw_error *err)
{
    FILE *file = swi_plain_file_open(path);
    int rc = file ? file_read(&sweep->value, file, err)
                  : sw_error_set(err, SW_EIO, "is not there, or not a plain file");
    if (file)
        fclose(file);
    if (rc < 0) {
        swi_fields_clear(&sweep->value);
        sw_error_prefix(err, "WANDB_SWEEP_PARAM_PATH %s", path);
    }
    return rc;
}

int swi_wandb_sweep_find(struct swi_wandb_sweep *sweep, struct sw_error *err)
{
    char path[SWI_WANDB_VALUE];
    const char *id = swi_wandb_env("WANDB_SWEEP_ID");
    size_t size = id ? strlen(id) : 0;
    if (!id)
        return 0;
    if (!size || isspace((unsigned char)id[0]) || isspace((unsigned char)id[size - 1]))
        return sw_error_set(err, SW_EINVAL,
                            "WANDB_SWEEP_ID \"%s\": is empty, or begins or ends with a space", id);
    int rc = swi_wandb_setting(NULL, "WANDB_SWEEP_ID", "sweep_id", sweep->id, err);
    if (rc == 0)
        rc = swi_wandb_setting(NULL, "WANDB_SWEEP_PARAM_PATH", "sweep_param_path", path, err);
    return rc == 0 && *path ? values_read(sweep, path, err) : rc;
}

void swi_wandb_sweep_free(struct swi_wandb_sweep *sweep)
{
    swi_fields_free(&sweep->value);
    swi_fields_free(&sweep->reported);
}

/* ---- against the program's ------------------------------------------------------------------- */

/* Returns whether two values are the same. 0.1 as float is 0.10000000149: that counts as the same
 * value, and so do 64 and 64.0. */
static bool is_same(const char *a, const char *b)
{
    double x, y;
    SW_ERROR_SCOPE(ignored);
    if (!is_number(a) || !is_number(b) || swi_parse_float(a, &x, &ignored) < 0 ||
        swi_parse_float(b, &y, &ignored) < 0)
        return strcmp(a, b) == 0;
    return x == y || fabs(x - y) <= 1e-6 * fmax(fabs(x), fabs(y));
}

bool swi_wandb_sweep_has(struct swi_wandb_sweep *sweep, const char *name,
                         const struct swi_text *json, bool *differs)
{
    const struct swi_text *own = swi_fields_get(&sweep->value, name);
    *differs = own && own->data && json->data && !is_same(own->data, json->data) &&
               !swi_fields_has(&sweep->reported, name);
    if (*differs)
        swi_fields_integer(&sweep->reported, name, 1);
    return own != NULL;
}
