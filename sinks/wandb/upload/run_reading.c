/* SPDX-License-Identifier: MIT */
/* run_reading.c - an upload reads its run: the records of the file, and those that the file had no
 * room for. */
#include "sinks/wandb/upload/upload.h"
#include "sinks/wandb/account/sdk_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- records that the file has no room for --------------------------------------------------- */

/* Records that the sink passes to the upload because the file cannot be written. They are
 * numbered, so that a record that is in the file too is sent once. */

struct swi_spilled {
    struct swi_spilled *next;
    int64_t number;
    size_t size;
    unsigned char bytes[];
};

void swi_spill_init(struct swi_spill *spill)
{
    *spill = (struct swi_spill){0};
    pthread_mutex_init(&spill->lock, NULL);
}

void swi_spill_fini(struct swi_spill *spill)
{
    swi_spill_forget(spill, INT64_MAX);
    pthread_mutex_destroy(&spill->lock);
}

/* Returns whether a record is a row or statistics, which are frequent. */
static bool is_one_of_many(const void *record, size_t size)
{
    int64_t number;
    unsigned kind = swi_record_kind(record, size, &number);
    return kind == SWI_RECORD_HISTORY || kind == SWI_RECORD_STATS;
}

bool swi_spill_put(struct swi_spill *spill, int64_t number, const void *record, size_t size)
{
    struct swi_spilled *one = malloc(sizeof *one + size);
    size_t most = is_one_of_many(record, size) ? SWI_SPILL_HELD : 2 * SWI_SPILL_HELD;
    if (!one)
        return false;
    *one = (struct swi_spilled){.number = number, .size = size};
    memcpy(one->bytes, record, size);
    pthread_mutex_lock(&spill->lock);
    bool taken = spill->bytes + sizeof *one + size <= most;
    if (taken) {
        *(spill->first ? &spill->last->next : &spill->first) = one;
        spill->last = one;
        spill->bytes += sizeof *one + size;
    }
    pthread_mutex_unlock(&spill->lock);
    if (!taken)
        free(one);
    return taken;
}

struct swi_record_message *swi_spill_get(struct swi_spill *spill, int64_t after, int64_t *number)
{
    pthread_mutex_lock(&spill->lock);
    const struct swi_spilled *one = spill->first;
    while (one && one->number <= after)
        one = one->next;
    *number = one ? one->number : 0;
    struct swi_record_message *record =
        one ? swi_record_message_read(one->bytes, one->size, SIZE_MAX) : NULL;
    pthread_mutex_unlock(&spill->lock);
    return record;
}

void swi_spill_forget(struct swi_spill *spill, int64_t number)
{
    pthread_mutex_lock(&spill->lock);
    while (spill->first && spill->first->number <= number) {
        struct swi_spilled *one = spill->first;
        spill->first = one->next;
        spill->bytes -= sizeof *one + one->size;
        free(one);
    }
    pthread_mutex_unlock(&spill->lock);
}

static void say(struct swi_upload *upload, int level, const char *text)
{
    upload->options.say(upload->options.arg, level, text);
}

/* ---- what the service takes ------------------------------------------------------------------ */

/* One text of the service's description of the run. */
struct run_text {
    const char *what, *chosen; /* by the caller; NULL: as in the file */
    char **text;
    bool is_label;
};

/* Leaves out what would have the service refuse the run. */
static void label_keep(struct swi_upload *upload, const struct run_text *described)
{
    char message[1024];
    SW_ERROR_SCOPE(err);
    if (swi_wandb_label_check(*described->text, &err) == 0)
        return;
    snprintf(message, sizeof message,
             "the %s of the run is left out: it %s; stepwatch sync --%s "
             "TEXT gives it another one",
             described->what, sw_error_text(&err), described->what);
    say(upload, 1, message);
    (*described->text)[0] = '\0';
}

static void tag_keep(struct swi_upload *upload, json_t *kept, const char *tag)
{
    char message[1024];
    SW_ERROR_SCOPE(err);
    if (swi_wandb_tag_check(tag, &err) == 0) {
        json_array_append_new(kept, json_string(tag));
        return;
    }
    snprintf(message, sizeof message,
             "a tag of the run is left out: %s; stepwatch sync --tags "
             "TAG,TAG gives it others",
             sw_error_text(&err));
    say(upload, 1, message);
}

static void tags_keep(struct swi_upload *upload)
{
    size_t i;
    char *rest, *chosen = upload->options.tags ? strdup(upload->options.tags) : NULL;
    json_t *tag, *kept = json_array();
    for (char *each = chosen ? strtok_r(chosen, ",", &rest) : NULL; each;
         each = strtok_r(NULL, ",", &rest))
        tag_keep(upload, kept, each);
    json_array_foreach(upload->model.tags, i, tag)
    {
        if (!upload->options.tags)
            tag_keep(upload, kept, json_string_value(tag));
    }
    upload->model.failed |= !kept || (upload->options.tags && !chosen);
    json_decref(upload->model.tags);
    upload->model.tags = kept;
    free(chosen);
}

/* Applies the caller's overrides of the file's values. */
static void override(struct swi_upload *upload)
{
    const struct swi_upload_options *o = &upload->options;
    struct swi_model *model = &upload->model;
    const struct run_text all[] = {{"entity", o->entity, &model->entity, false},
                                   {"project", o->project, &model->project, false},
                                   {"run-id", o->run_id, &model->id, false},
                                   {"name", o->name, &model->name, true},
                                   {"group", o->group, &model->group, true},
                                   {"job-type", o->job_type, &model->job_type, true}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].chosen && *all[i].chosen)
            model->failed |= !swi_model_set(all[i].text, all[i].chosen);
        if (all[i].is_label && !model->failed)
            label_keep(upload, &all[i]);
    }
    tags_keep(upload);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Reads the next record of the file, and skips damaged parts with a message. Returns 1, or 0 at the
 * end of the file so far. */
static int file_next(struct swi_upload *upload, const struct swi_record_message **record,
                     struct sw_error *err)
{
    int rc;
    while ((rc = swi_wandb_reader_next(upload->reader, record, err)) == SW_EFORMAT) {
        say(upload, 1, sw_error_text(err));
        sw_error_free(err);
    }
    return rc;
}

/* Goes on in the file that has taken the place of the one that was read to its end, because the
 * sink has removed its oldest rows. Returns whether there is one. Its records have the numbers that
 * they had. */
static bool is_replaced(struct swi_upload *upload)
{
    struct stat named, old;
    SW_ERROR_SCOPE(ignored);
    if (stat(upload->options.log_path, &named) < 0 || fstat(upload->reader->fd, &old) < 0 ||
        (named.st_dev == old.st_dev && named.st_ino == old.st_ino))
        return false;
    swi_wandb_reader_close(upload->reader);
    upload->replaced =
        swi_wandb_reader_open(upload->reader, upload->options.log_path, &ignored) == 0;
    return upload->replaced;
}

static void lost_say(struct swi_upload *upload)
{
    bool lost = upload->replaced && upload->waiting->num > upload->seen + 1;
    if (lost && !upload->lost_said)
        say(upload, 1,
            "the oldest rows were removed from the run's file before they were uploaded "
            "(when_full: rotate)");
    upload->lost_said |= lost;
    upload->replaced = false;
}

/* Sets upload->waiting to the first record of the file that was not read from the spill already. */
static int waiting_find(struct swi_upload *upload, struct sw_error *err)
{
    int rc = 1;
    while (rc == 1 && (!upload->waiting || upload->waiting->num <= upload->seen)) {
        upload->waiting = NULL;
        rc = file_next(upload, &upload->waiting, err);
        if (rc == 0 && is_replaced(upload))
            rc = 1;
    }
    if (rc == 1)
        lost_say(upload);
    return rc;
}

/* Gets the next record of a live run, from the file or the spill, in the order of their numbers. A
 * record is put into the spill after all records before it are in the file, so the spill is checked
 * first. */
static int live_next(struct swi_upload *upload, const struct swi_record_message **record,
                     struct sw_error *err)
{
    int64_t spilled;
    swi_message_free(upload->spilled);
    upload->spilled = swi_spill_get(&upload->spill, upload->seen, &spilled);
    int rc = waiting_find(upload, err);
    if (rc < 0)
        return rc;
    if (spilled && (rc == 0 || spilled < upload->waiting->num)) {
        *record = upload->spilled;
        if (!*record)
            return sw_error_set(err, SW_ENOMEM, "not enough memory for a record of the run");
    } else if (rc == 1) {
        *record = upload->waiting;
    } else {
        return 0;
    }
    upload->seen = (*record)->num;
    return 1;
}

int swi_upload_next(struct swi_upload *upload, const struct swi_record_message **record,
                    struct sw_error *err)
{
    *record = NULL;
    int rc = (upload->options.growing ? live_next : file_next)(upload, record, err);
    if (rc == 1 && !*record)
        return 0;
    if (rc == 1)
        swi_model_take(&upload->model, *record);
    if (rc == 1 && (*record)->what == SWI_RECORD_RUN)
        override(upload);
    if (!upload->model.failed)
        return rc;
    sw_error_set(err, SW_ENOMEM, "not enough memory for the run");
    return SW_ENOMEM;
}

static bool is_first_part(const struct swi_record_message *record)
{
    switch (record->what) {
    case SWI_RECORD_HISTORY:
    case SWI_RECORD_STATS:
    case SWI_RECORD_SUMMARY:
    case SWI_RECORD_OUTPUT_RAW:
    case SWI_RECORD_EXIT:
        return false;
    default:
        return true;
    }
}

int swi_upload_meet(struct swi_upload *upload, struct sw_error *err)
{
    const struct swi_record_message *record = NULL;
    for (;;) {
        bool last = !upload->options.growing || atomic_load(&upload->closing);
        int rc = swi_upload_next(upload, &record, err);
        if (rc < 0 || (rc == 1 && upload->model.known && !is_first_part(record)))
            return rc < 0 ? rc : 0;
        if (rc == 0 && upload->model.known)
            return 0;
        if (rc == 0 && last)
            return sw_error_set(err, SW_EFORMAT, "%s: contains no run", upload->options.log_path);
        if (rc == 0 && !swi_pace_wait(&upload->link.asker.pace, 1))
            return sw_error_set(err, SW_ETIME, "the upload was stopped before it began");
    }
}

/* Takes a record. A row that is too long to be sent does not change the summary. */
static void take(struct swi_upload *upload, const struct swi_record_message *record)
{
    bool fits = swi_file_stream_take(&upload->stream, record, upload->model.started_s);
    if (record->what == SWI_RECORD_HISTORY && fits)
        swi_model_row(&upload->model, record->history, upload->stream.steps.last);
    upload->rows += record->what == SWI_RECORD_HISTORY;
    upload->number = record->num;
    if (upload->options.growing)
        swi_spill_forget(&upload->spill, record->num);
}

int swi_upload_fill(struct swi_upload *upload, struct sw_error *err)
{
    const struct swi_record_message *record;
    int rc = 1;
    while (!swi_file_stream_is_full(&upload->stream) && !upload->model.ended &&
           (rc = swi_upload_next(upload, &record, err)) == 1) {
        take(upload, record);
        swi_alerts_take(&upload->alerts, record);
    }
    return rc < 0 ? rc : swi_file_stream_is_full(&upload->stream);
}
