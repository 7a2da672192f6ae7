/* SPDX-License-Identifier: MIT */
/* Every rank sends two messages of constant size for each epoch, whatever it knows about the
 * others, so that all stay in step without waiting: the hash of its names, and its first rows. If
 * the hashes differ, the rows are of different actions, and rank 0 leaves out the epoch. */
#include "core/process/own_floats.h"
#include "mpi/joined.h"

#include <stdlib.h>
#include <string.h>

/* A rank that is SENT_MAX epochs ahead of others stops sending. */
enum { ROWS = 64, SENT_MAX = 8 };

struct swi_epochs_sent {
    MPI_Request request[2];
    uint64_t hash[2], all_hash[2]; /* the hash and its complement */
    struct swi_rank_sum row[ROWS], all_row[ROWS];
    struct sw_report *report; /* of this rank, for names and numbers */
    struct swi_own_rows own;
    struct swi_epochs_sent *next;
};

/* ---- arriving ---- */

static void sent_free(struct swi_epochs_sent *sent)
{
    sw_report_free(sent->report);
    swi_own_rows_free(&sent->own);
    free(sent);
}

static void tell(struct swi_joined *joined, const struct swi_epochs_sent *sent)
{
    struct sw_error ignored = {0};
    struct sw_ranks_row row[ROWS];
    size_t count = sent->report->count < ROWS ? sent->report->count : ROWS;
    if (joined->rank != 0 || sent->all_hash[0] != ~sent->all_hash[1])
        return;
    for (size_t i = 0; i < count; i++) {
        const struct sw_report_row *own = sent->own.row[i];
        row[i] = swi_joined_row(&sent->all_row[i], joined->size);
        row[i].phase_id = own->phase_id;
        row[i].action_id = own->action_id;
        row[i].phase = own->phase;
        row[i].action = own->action;
    }
    const struct sw_ranks ranks = swi_joined_ranks(joined, sent->report, row, count);
    sw_log_ranks(joined->sw, &ranks, &ignored);
    sw_error_free(&ignored);
}

void swi_epochs_look(struct swi_joined *joined)
{
    while (joined->sent) {
        struct swi_epochs_sent *sent = joined->sent;
        int done = 0;
        MPI_Status status[2];
        if (MPI_Testall(2, sent->request, &done, status) != MPI_SUCCESS || !done)
            return;
        tell(joined, sent);
        joined->sent = sent->next;
        sent_free(sent);
    }
}

/* ---- sending ---- */

static struct swi_epochs_sent *sent_new(struct swi_joined *joined)
{
    struct sw_error ignored = {0};
    struct swi_epochs_sent *sent = calloc(1, sizeof *sent);
    if (!sent)
        return NULL;
    int rc = sw_report_new(joined->sw, &sent->report, &ignored);
    sw_error_free(&ignored);
    if (rc >= 0)
        sent->own = swi_own_rows(sent->report);
    if (!sent->own.row) {
        sent_free(sent);
        return NULL;
    }
    sent->hash[0] = sent->own.hash;
    sent->hash[1] = ~sent->hash[0];
    for (size_t i = 0; i < ROWS; i++)
        sent->row[i] = swi_own_sum(i < sent->report->count ? sent->own.row[i] : NULL, joined->rank);
    return sent;
}

static size_t sent_append(struct swi_joined *joined, struct swi_epochs_sent *sent)
{
    size_t before = 0;
    struct swi_epochs_sent **end = &joined->sent;
    for (; *end; end = &(*end)->next)
        before++;
    if (sent)
        *end = sent;
    return before;
}

static int start(struct swi_joined *joined, struct swi_epochs_sent *sent)
{
    int rc = MPI_Iallreduce(sent->hash, sent->all_hash, 2, MPI_UINT64_T, MPI_MAX,
                            joined->epoch_comm, &sent->request[0]);
    if (rc == MPI_SUCCESS)
        rc = MPI_Ireduce(sent->row, sent->all_row, ROWS, joined->row, joined->add_rows, 0,
                         joined->epoch_comm, &sent->request[1]);
    return rc;
}

/* Stops sending epochs. Then no epochs of other ranks arrive either. */
static int stop(struct swi_joined *joined, int code, const char *why, struct sw_error *err)
{
    joined->options.epochs = false;
    return sw_error_set(err, code, "no more epochs are joined: %s", why);
}

int sw_mpi_epoch(struct sw_profiler *sw, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    struct swi_joined *joined = sw ? swi_joined_find(sw) : NULL;
    int rc = sw ? swi_joined_allowed(err) : 0;
    if (rc < 0 || !sw)
        return rc;
    if (!joined || joined->broken)
        return sw_error_set(err, SW_EINVAL, "the ranks are not joined");
    if (!joined->options.epochs)
        return 0;
    swi_epochs_look(joined);
    if (sent_append(joined, NULL) >= SENT_MAX)
        return stop(joined, SW_ETIME, "another rank is 8 epochs behind", err);
    struct swi_epochs_sent *sent = sent_new(joined);
    if (!sent)
        return stop(joined, SW_ENOMEM, "not enough memory", err);
    rc = start(joined, sent);
    sent_append(joined, sent);
    return rc == MPI_SUCCESS ? 0 : stop(joined, SW_EIO, "MPI failed", err);
}
