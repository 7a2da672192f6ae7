/* SPDX-License-Identifier: MIT */
/* Adds up the rows of all ranks, and agrees on their names. */
#include "mpi/joined.h"

#include "core/text/map.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct swi_rank_sum) == 14 * 8, "a row has no padding, which MPI would send");

/* ---- rows ------------------------------------------------------------------------------------ */

/* Copies, because MPI aligns its own memory as it likes. */
static void rows_add(void *in, void *sum, int *count, MPI_Datatype *type)
{
    struct swi_rank_sum more, all;
    (void)type;
    for (size_t at = 0; at < (size_t)*count * sizeof all; at += sizeof all) {
        memcpy(&more, (const char *)in + at, sizeof more);
        memcpy(&all, (const char *)sum + at, sizeof all);
        swi_rank_sum_add(&all, &more);
        memcpy((char *)sum + at, &all, sizeof all);
    }
}

int swi_rank_rows_init(struct swi_joined *joined)
{
    int rc = MPI_Type_contiguous(sizeof(struct swi_rank_sum), MPI_BYTE, &joined->row);
    if (rc == MPI_SUCCESS)
        rc = MPI_Type_commit(&joined->row);
    if (rc == MPI_SUCCESS)
        rc = MPI_Op_create(rows_add, 1, &joined->add_rows);
    return rc;
}

/* Sums are computed with long doubles, for which x86 has another unit. Its flags are the program's.
 */
struct swi_rank_sum swi_own_sum(const struct sw_report_row *row, int rank)
{
    struct swi_rank_sum sum = {0};
    fenv_t floats;
    fegetenv(&floats);
    if (row && row->calls > 0)
        swi_rank_sum_report(&sum, row->calls, row->total_ns, row->mean_ns, row->std_ns);
    swi_rank_sum_own(&sum, rank);
    fesetenv(&floats);
    return sum;
}

struct sw_ranks_row swi_joined_row(const struct swi_rank_sum *sum, int ranks)
{
    fenv_t floats;
    fegetenv(&floats);
    struct sw_ranks_row row = swi_rank_sum_row(sum, ranks);
    fesetenv(&floats);
    return row;
}

struct sw_ranks swi_joined_ranks(const struct swi_joined *joined, const struct sw_report *report,
                                 const struct sw_ranks_row *row, size_t count)
{
    return (struct sw_ranks){.size = sizeof(struct sw_ranks),
                             .world_size = joined->size,
                             .ranks = joined->size,
                             .fit = report->fit,
                             .epoch = report->epoch,
                             .step = report->step,
                             .block = 1,
                             .lost = NAN,
                             .communication = NAN,
                             .slow_rank = -1,
                             .late_ns = NAN,
                             .gain = NAN,
                             .confidence = NAN,
                             .count = count,
                             .row_size = sizeof *row,
                             .row = row};
}

static int by_name(const void *a, const void *b)
{
    const struct sw_report_row *first = *(const struct sw_report_row *const *)a;
    const struct sw_report_row *second = *(const struct sw_report_row *const *)b;
    if (first->phase_id != second->phase_id)
        return first->phase_id < second->phase_id ? -1 : 1;
    return strcmp(first->action, second->action);
}

struct swi_own_rows swi_own_rows(const struct sw_report *report)
{
    struct swi_own_rows rows = {.row = calloc(report->count + 1, sizeof(*rows.row))};
    if (!rows.row)
        return rows;
    for (size_t i = 0; i < report->count; i++)
        rows.row[i] = sw_report_row(report, i);
    qsort(rows.row, report->count, sizeof(*rows.row), by_name);
    swi_text_put(&rows.names, "");
    for (size_t i = 0; i < report->count; i++) {
        swi_text_format(&rows.names, "%d%s", (int)rows.row[i]->phase_id, rows.row[i]->action);
        swi_text_add(&rows.names, "", 1);
    }
    rows.hash = SWI_HASH64_BEGIN;
    for (size_t i = 0; i < rows.names.size; i++)
        rows.hash = swi_hash64_word(rows.hash, (unsigned char)rows.names.data[i]);
    if (rows.names.failed)
        swi_own_rows_free(&rows);
    return rows;
}

void swi_own_rows_free(struct swi_own_rows *rows)
{
    free(rows->row);
    swi_text_free(&rows->names);
    *rows = (struct swi_own_rows){0};
}

/* ---- what all have in common ----------------------------------------------------------------- */

enum { HASH, NOT_HASH, NOT_STEPS, BLOCK, FLAW, FIELDS };

int swi_agree(struct swi_wait *wait, struct swi_agreement *agreement)
{
    uint64_t *own = swi_wait_lend(wait, 2 * FIELDS * sizeof *own);
    if (!own)
        return SW_ENOMEM;
    uint64_t *all = own + FIELDS;
    own[HASH] = agreement->hash;
    own[NOT_HASH] = ~agreement->hash;
    own[NOT_STEPS] = ~(uint64_t)agreement->steps;
    own[BLOCK] = (uint64_t)agreement->block;
    own[FLAW] = !agreement->all_fine;
    int rc = swi_wait_for(wait, MPI_Iallreduce(own, all, FIELDS, MPI_UINT64_T, MPI_MAX,
                                               wait->joined->comm, &wait->request));
    if (rc < 0)
        return rc;
    /* If all hashes are equal, the largest is also the smallest. */
    agreement->same_names = all[HASH] == ~all[NOT_HASH];
    agreement->steps = (int64_t)~all[NOT_STEPS];
    agreement->block = (int64_t)all[BLOCK];
    agreement->all_fine = !all[FLAW];
    return 0;
}

/* ---- the names of all ------------------------------------------------------------------------ */

static int as_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* On rank 0: merges the names of all ranks into `joined`, sorted and each once. Returns the size.
 * at: room for the address of each name. */
static size_t names_unite(const char **at, const char *all, size_t size, char *joined)
{
    size_t count = 0, used = 0;
    for (const char *name = all; name < all + size; name += strlen(name) + 1)
        at[count++] = name;
    qsort(at, count, sizeof *at, as_text);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(at[i]) + 1;
        if (i && strcmp(at[i - 1], at[i]) == 0)
            continue;
        memcpy(joined + used, at[i], length);
        used += length;
    }
    return used;
}

/* Gathers the names of all ranks on rank 0, and unites them. */
static int names_gather(struct swi_wait *wait, const char **names, size_t *size)
{
    const struct swi_joined *joined = wait->joined;
    bool here = joined->rank == 0;
    size_t ranks = here ? (size_t)joined->size : 1, all_size = 0;
    int *length = swi_wait_lend(wait, (2 * ranks + 1) * sizeof *length);
    char *sent = swi_wait_lend(wait, *size);
    if (!length || !sent)
        return SW_ENOMEM;
    int *place = length + ranks, *own = place + ranks;
    *own = (int)*size;
    memcpy(sent, *names, *size);
    int rc = swi_wait_for(
        wait, MPI_Igather(own, 1, MPI_INT, length, 1, MPI_INT, 0, joined->comm, &wait->request));
    for (size_t r = 0; rc == 0 && here && r < ranks; r++) {
        place[r] = (int)all_size;
        all_size += (size_t)length[r];
    }
    /* A name has at least two bytes. */
    char *all = swi_wait_lend(wait, 2 * all_size);
    const char **at = swi_wait_lend(wait, (all_size / 2 + 1) * sizeof *at);
    if (rc < 0 || !all || !at)
        return rc < 0 ? rc : SW_ENOMEM;
    rc = swi_wait_for(wait, MPI_Igatherv(sent, *own, MPI_CHAR, all, length, place, MPI_CHAR, 0,
                                         joined->comm, &wait->request));
    if (rc < 0 || !here)
        return rc;
    *size = names_unite(at, all, all_size, all + all_size);
    *names = all + all_size;
    return 0;
}

int swi_names_join(struct swi_wait *wait, const char **names, size_t *size)
{
    MPI_Comm comm = wait->joined->comm;
    int rc = names_gather(wait, names, size);
    int64_t *length = rc == 0 ? swi_wait_lend(wait, sizeof *length) : NULL;
    if (!length)
        return rc < 0 ? rc : SW_ENOMEM;
    *length = (int64_t)*size;
    rc = swi_wait_for(wait, MPI_Ibcast(length, 1, MPI_INT64_T, 0, comm, &wait->request));
    char *sent = rc == 0 ? swi_wait_lend(wait, (size_t)*length) : NULL;
    if (!sent)
        return rc < 0 ? rc : SW_ENOMEM;
    if (wait->joined->rank == 0)
        memcpy(sent, *names, *size);
    *names = sent;
    *size = (size_t)*length;
    return swi_wait_for(wait, MPI_Ibcast(sent, (int)*size, MPI_CHAR, 0, comm, &wait->request));
}
