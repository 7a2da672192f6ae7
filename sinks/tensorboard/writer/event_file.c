/* SPDX-License-Identifier: MIT */
#include "sinks/tensorboard/writer/event_file.h"
#include "core/text/io_code.h"

#include "sinks/tensorboard/writer/append.h"
#include "sinks/tensorboard/writer/bytes.h"
#include "sinks/tensorboard/writer/directory.h"
#include "sinks/tensorboard/writer/metadata.h"
#include "sinks/tensorboard/writer/problem.h"
#include "sinks/tensorboard/writer/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- opening --------------------------------------------------------------------------------- */

/* Writes the first event of a file, so that the run is shown at once. */
static int first_record(struct sw_tb *tb, struct swi_tb_output *output)
{
    static char version[] = "brain.Event:2";
    SwiTb__Source source = SWI_TB__SOURCE__INIT;
    SwiTb__Event event = SWI_TB__EVENT__INIT;
    source.writer = tb->writer;
    event.wall_time = swi_tb_now(tb);
    event.what_case = SWI_TB__EVENT__WHAT_FILE_VERSION;
    event.file_version = version;
    event.source = &source;
    size_t size = swi_tb__event__get_packed_size(&event);
    uint8_t *payload = swi_tb_output_reserve(output, size);
    if (!payload)
        return -1;
    swi_tb__event__pack(&event, payload);
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

/* Adds to each value of the event the metadata that the new file lacks; m has room for all. */
static void metadata_lend(struct sw_tb *tb, SwiTb__Summary *summary, struct swi_tb_metadata *m)
{
    for (size_t i = 0; i < summary->n_value; i++) {
        SwiTb__Value *value = summary->value[i];
        struct swi_tb_tag *tag = swi_tb_tags_get(&tb->tags, value->tag);
        if (!tag || !swi_tb_metadata_due(tag, tb->file))
            continue;
        tag->file = tb->file;
        if (value->metadata)
            continue;
        swi_tb_metadata_init(&m[i], tag);
        value->metadata = &m[i].metadata;
    }
}

/* The event must not free what was lent to it. */
static void metadata_return(SwiTb__Summary *summary, const struct swi_tb_metadata *m)
{
    for (size_t i = 0; i < summary->n_value; i++)
        if (summary->value[i]->metadata == &m[i].metadata)
            summary->value[i]->metadata = NULL;
}

static void event_put(struct sw_tb *tb, const SwiTb__Event *event)
{
    int rc;
    size_t size = swi_tb__event__get_packed_size(event);
    uint8_t *payload = swi_tb_reserve(tb, size, &rc);
    if (!payload)
        return;
    swi_tb__event__pack(event, payload);
    /* Does not flush here: the caller that found the file deleted writes what is waiting. */
    swi_tb_append(tb, size, tb->flushed_s);
}

/* Takes over one record. Readers want the metadata of a tag in every file. */
static void record_carry(struct sw_tb *tb, const uint8_t *payload, size_t size)
{
    SwiTb__Event *event = swi_tb__event__unpack(NULL, size, payload);
    bool is_summary = event && event->what_case == SWI_TB__EVENT__WHAT_SUMMARY;
    SwiTb__Summary *summary = is_summary ? event->summary : NULL;
    struct swi_tb_metadata *m = calloc(summary ? summary->n_value + 1 : 1, sizeof *m);
    /* It was counted the first time. */
    tb->stats.records--;
    tb->stats.bytes -= (int64_t)(size + SWI_TB_FRAME);
    if (!event || !m) {
        swi_tb_fail(tb, SW_ENOMEM, "not enough memory for a record of %s", tb->path);
    } else if (summary) {
        metadata_lend(tb, summary, m);
        event_put(tb, event);
        metadata_return(summary, m);
    } else {
        event_put(tb, event);
    }
    free(m);
    if (event)
        swi_tb__event__free_unpacked(event, NULL);
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

bool swi_tb_file_deleted(const struct sw_tb *tb)
{
    return swi_tb_output_deleted(&tb->output);
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
