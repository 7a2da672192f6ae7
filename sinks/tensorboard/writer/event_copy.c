/* SPDX-License-Identifier: MIT */
/* event_copy.c - copies what is kept of event files to a new one. */
#include "core/text/io_code.h"
#include "sinks/tensorboard/writer/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads the next record. Returns false at the end, and at a damaged record: readers end there, too.
 */
static bool record_read(FILE *file, struct swi_text *record, swi_crc32c_fn *crc)
{
    uint8_t head[SWI_TB_HEADER], checksum[4], expected[4];
    if (fread(head, 1, sizeof head, file) != sizeof head)
        return false;
    size_t left = (size_t)swi_get64(head);
    record->size = 0;
    if (left > SWI_TB_PAYLOAD_MAX)
        return false;
    for (size_t n; left > 0; left -= n) {
        char bytes[4096];
        n = fread(bytes, 1, left < sizeof bytes ? left : sizeof bytes, file);
        if (n == 0)
            return false;
        swi_text_add(record, bytes, n);
    }
    if (record->failed || fread(checksum, 1, sizeof checksum, file) != sizeof checksum)
        return false;
    swi_put32(expected, swi_crc32c_mask(crc((const uint8_t *)record->data, record->size)));
    return memcmp(checksum, expected, sizeof checksum) == 0;
}

bool swi_tb_file_is_of(const char *path, const char *end_of_name)
{
    SWI_FREED struct swi_text record = {0};
    struct swi_wire_field field, name;
    size_t size = strlen(end_of_name);
    bool found = false;
    FILE *file = fopen(path, "rbe");
    bool read = file && record_read(file, &record, swi_crc32c_choose());
    const char *at = record.data ? record.data : "", *end = at + (read ? record.size : 0);
    while (swi_wire_read(&at, end, &field)) {
        const char *source = field.content;
        if (field.number == SWI_TB_EVENT_SOURCE && field.type == 2)
            found = swi_wire_read(&source, field.content + field.size, &name) && name.type == 2 &&
                    name.size >= size &&
                    memcmp(name.content + name.size - size, end_of_name, size) == 0;
    }
    if (file)
        fclose(file);
    return found;
}

/* ---- an event whose values are changed or left out ------------------------------------------- */

struct swi_tb_value_parts swi_tb_value_parts(const struct swi_wire_field *value)
{
    struct swi_tb_value_parts parts = {.tag = {.content = "", .size = 0}};
    struct swi_wire_field field;
    for (const char *at = value->content;
         swi_wire_read(&at, value->content + value->size, &field);) {
        if (field.number == SWI_TB_VALUE_TAG)
            parts.tag = field;
        parts.number |= field.number == SWI_TB_VALUE_SIMPLE;
        parts.metadata |= field.number == SWI_TB_VALUE_METADATA;
    }
    return parts;
}

/* Returns whether the summary has any values. */
static bool summary_edit(struct swi_text *event, const struct swi_wire_field *summary,
                         swi_tb_value_fn *put, void *arg)
{
    struct swi_text edited = {0};
    struct swi_wire_field value;
    for (const char *at = summary->content, *end = at + summary->size;
         swi_wire_read(&at, end, &value);)
        put(arg, &edited, &value);
    bool any = edited.size > 0;
    swi_wire_add_message(event, SWI_TB_EVENT_SUMMARY, &edited);
    return any;
}

bool swi_tb_event_edit(struct swi_text *event, const char *record, size_t size, bool first,
                       swi_tb_value_fn *put, void *arg)
{
    struct swi_wire_field field;
    bool kept = size > 0;
    for (const char *at = kept ? record : "", *end = at + size;
         kept && swi_wire_read(&at, end, &field);) {
        if (field.number == SWI_TB_EVENT_SUMMARY)
            kept = summary_edit(event, &field, put, arg);
        else if (field.number == SWI_TB_EVENT_FILE_VERSION && !first)
            kept = false;
        else
            swi_text_add(event, field.begin, (size_t)(at - field.begin));
    }
    return kept;
}

/* Adds a value if it is kept. */
static void value_keep(void *arg, struct swi_text *summary, const struct swi_wire_field *value)
{
    const struct swi_tb_copy *copy = arg;
    const struct swi_tb_value_parts parts = swi_tb_value_parts(value);
    if (copy->keep(copy->arg, parts.tag.content, parts.tag.size, parts.number))
        swi_wire_add_text(summary, SWI_TB_SUMMARY_VALUE, value->content, value->size);
}

/* ---- the new file ---------------------------------------------------------------------------- */

int swi_tb_copy_begin(struct swi_tb_copy *copy, const char *path, struct sw_error *err)
{
    *copy = (struct swi_tb_copy){0};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0)
        return sw_error_set(err, swi_io_code(errno), "cannot create %s: %s", path, strerror(errno));
    int rc = swi_tb_output_init(&copy->output, fd, path, err);
    copy->open = rc == 0;
    return rc;
}

void swi_tb_copy_from(struct swi_tb_copy *copy, const char *path, swi_tb_keep_fn *keep, void *arg)
{
    free(copy->from);
    copy->from = path ? strdup(path) : NULL;
    copy->failed = path && !copy->from ? ENOMEM : copy->failed;
    copy->offset = 0;
    copy->keep = keep;
    copy->arg = arg;
}

/* Adds the event, or remembers that it cannot be. */
static void event_put(struct swi_tb_copy *copy, const struct swi_text *event)
{
    uint8_t *payload = event->failed ? NULL : swi_tb_output_reserve(&copy->output, event->size);
    if (!payload)
        copy->failed = errno;
    if (!payload)
        return;
    if (event->data)
        memcpy(payload, event->data, event->size);
    swi_tb_output_commit(&copy->output, event->size);
    copy->bytes += (int64_t)(event->size + SWI_TB_FRAME);
}

/* Returns the file at the offset, or NULL at the end. */
static FILE *file_open(struct swi_tb_copy *copy)
{
    FILE *file = copy->from && !copy->failed ? fopen(copy->from, "rbe") : NULL;
    bool fails = file ? fseeko(file, copy->offset, SEEK_SET) < 0 : copy->from && errno != ENOENT;
    if (fails && !copy->failed)
        copy->failed = errno;
    return file;
}

/* No descriptor is kept: the program may close those that it does not know. */
bool swi_tb_copy_some(struct swi_tb_copy *copy, size_t bytes)
{
    SWI_FREED struct swi_text record = {0}, event = {0};
    FILE *file = file_open(copy);
    bool more = file;
    for (size_t read = 0; more && !copy->failed && read < bytes;) {
        more = record_read(file, &record, copy->output.crc);
        event.size = 0;
        if (more &&
            swi_tb_event_edit(&event, record.data, record.size, !copy->bytes, value_keep, copy))
            event_put(copy, &event);
        read += record.size + SWI_TB_FRAME;
        copy->offset += more ? (off_t)(record.size + SWI_TB_FRAME) : 0;
    }
    if (file && ferror(file))
        copy->failed = EIO;
    if (file)
        fclose(file);
    copy->failed = record.failed || event.failed ? ENOMEM : copy->failed;
    return more && !copy->failed;
}

int swi_tb_copy_end(struct swi_tb_copy *copy)
{
    swi_tb_copy_from(copy, NULL, NULL, NULL);
    if (copy->open && !copy->failed && swi_tb_output_write(&copy->output) < 0)
        copy->failed = errno;
    if (copy->open && swi_tb_output_fini(&copy->output) < 0 && !copy->failed)
        copy->failed = errno;
    copy->open = false;
    return copy->failed;
}
