/* SPDX-License-Identifier: MIT */
/* event_file.c - opens the event file of a writer, and another one when somebody deleted it. */

#include "sinks/tensorboard/writer/writer.h"
#include "core/text/io_code.h"
#include "sinks/tensorboard/writer/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening --------------------------------------------------------------------------------- */

/* Writes the first event of a file, so that the run is shown at once. */
static int first_record(struct sw_tb *tb, struct swi_tb_output *output)
{
    static const char version[] = "brain.Event:2";
    struct swi_text event = {0}, source = {0};
    swi_tb_event_begin(&event, swi_tb_now(tb), 0);
    swi_wire_add_text(&event, SWI_TB_EVENT_FILE_VERSION, version, sizeof version - 1);
    if (*tb->writer)
        swi_wire_add_text(&source, 1, tb->writer, strlen(tb->writer));
    swi_wire_add_message(&event, SWI_TB_EVENT_SOURCE, &source);
    size_t size = event.size;
    uint8_t *payload = event.failed ? NULL : swi_tb_output_reserve(output, size);
    if (payload)
        memcpy(payload, event.data, size);
    else if (event.failed)
        errno = ENOMEM;
    swi_text_free(&event);
    if (!payload)
        return -1;
    swi_tb_output_commit(output, size);
    tb->stats.records++;
    tb->stats.bytes += (int64_t)(size + SWI_TB_FRAME);
    return swi_tb_output_write(output);
}

static int output_open(struct sw_tb *tb, struct swi_tb_output *output, char **path,
                       struct sw_error *err)
{
    int fd = swi_tb_file_create(tb->dir, (int64_t)swi_tb_now(tb), tb->suffix, path, err);
    if (fd < 0)
        return fd;
    int rc = swi_tb_output_init(output, fd, *path, err);
    if (rc == 0 && first_record(tb, output) < 0) {
        rc =
            sw_error_set(err, swi_io_code(errno), "cannot write to %s: %s", *path, strerror(errno));
        swi_tb_output_fini(output);
        unlink(*path);
    }
    if (rc < 0)
        free(*path);
    return rc;
}

int swi_tb_file_open(struct sw_tb *tb, struct swi_tb_output *old, struct sw_error *err)
{
    char *path;
    struct swi_tb_output output;
    int rc = output_open(tb, &output, &path, err);
    if (rc < 0)
        return rc;
    pthread_mutex_lock(&tb->flusher.lock);
    *old = tb->output;
    tb->output = output;
    pthread_mutex_unlock(&tb->flusher.lock);
    free(tb->path);
    tb->path = path;
    tb->file++;
    return 0;
}

/* ---- a deleted file -------------------------------------------------------------------------- */

/* Returns the tag of a value, or NULL. has_metadata: set to whether the value has metadata. */
static struct swi_tb_tag *tag_of(struct sw_tb *tb, const struct swi_wire_field *value,
                                 bool *has_metadata)
{
    struct swi_text name = {0};
    struct swi_wire_field field;
    *has_metadata = false;
    for (const char *at = value->content;
         swi_wire_read(&at, value->content + value->size, &field);) {
        if (field.number == SWI_TB_VALUE_TAG)
            swi_text_add(&name, field.content, field.size);
        *has_metadata |= field.number == SWI_TB_VALUE_METADATA;
    }
    struct swi_tb_tag *tag = name.data ? swi_tb_tags_get(&tb->tags, name.data) : NULL;
    swi_text_free(&name);
    return tag;
}

/* Adds a value to a summary, with the metadata that the new file lacks. */
static void value_carry(struct sw_tb *tb, struct swi_text *summary,
                        const struct swi_wire_field *value)
{
    struct swi_text carried = {0}, metadata = {0}, none = {0};
    bool has_metadata;
    struct swi_tb_tag *tag = tag_of(tb, value, &has_metadata);
    swi_text_add(&carried, value->content, value->size);
    if (tag && swi_tb_metadata_due(tag, tb->file)) {
        tag->file = tb->file;
        if (!has_metadata) {
            swi_tb_metadata_put(&metadata, tag, &none);
            swi_wire_add_message(&carried, SWI_TB_VALUE_METADATA, &metadata);
        }
    }
    swi_wire_add_message(summary, SWI_TB_SUMMARY_VALUE, &carried);
}

static void summary_carry(struct sw_tb *tb, struct swi_text *event,
                          const struct swi_wire_field *summary)
{
    struct swi_text carried = {0};
    struct swi_wire_field value;
    for (const char *at = summary->content;
         swi_wire_read(&at, summary->content + summary->size, &value);)
        value_carry(tb, &carried, &value);
    swi_wire_add_message(event, SWI_TB_EVENT_SUMMARY, &carried);
}

/* Takes over one record. Readers want the metadata of a tag in every file. */
static void record_carry(struct sw_tb *tb, const uint8_t *payload, size_t size)
{
    int rc;
    struct swi_text event = {0};
    struct swi_wire_field field;
    const char *at = (const char *)payload, *end = at + size;
    /* It was counted the first time. */
    tb->stats.records--;
    tb->stats.bytes -= (int64_t)(size + SWI_TB_FRAME);
    while (swi_wire_read(&at, end, &field)) {
        if (field.number == SWI_TB_EVENT_SUMMARY)
            summary_carry(tb, &event, &field);
        else
            swi_text_add(&event, field.begin, (size_t)(at - field.begin));
    }
    /* Does not flush here: the caller that found the file deleted writes what is waiting. */
    if (swi_tb_event_put(tb, &event, &rc))
        swi_tb_append(tb, event.size, tb->flushed_s);
    swi_text_free(&event);
}

/* Takes over what was waiting for the old file. A record that was partly written to it is lost. */
static void records_carry(struct sw_tb *tb, const struct swi_tb_output *old)
{
    for (size_t at = old->torn; at < old->used;) {
        size_t size = (size_t)swi_get64(old->buffer + at);
        record_carry(tb, old->buffer + at + SWI_TB_HEADER, size);
        at += size + SWI_TB_FRAME;
    }
}

int swi_tb_file_reopen(struct sw_tb *tb, struct sw_error *err)
{
    SW_ERROR_SCOPE(why);
    struct swi_tb_output old;
    char *name = strdup(tb->path);
    int rc = swi_tb_directory_make(tb->dir, &why);
    if (rc == 0)
        rc = swi_tb_file_open(tb, &old, &why);
    if (rc == 0) {
        records_carry(tb, &old);
        swi_tb_output_fini(&old);
    }
    if (rc < 0)
        sw_error_set(err, SW_EIO, "%s was deleted while it was being written, and %s",
                     name ? name : "the event file", sw_error_text(&why));
    else
        sw_error_set(
            err, SW_EIO,
            "%s was deleted while it was being written: its content is lost, the rest goes to %s",
            name ? name : "the event file", tb->path);
    free(name);
    return rc;
}
