/* SPDX-License-Identifier: MIT */
/* joined.h - a profiler whose ranks are joined, and what joins them. Collective: every rank must
 * call the function. */
#ifndef MPI_JOINED_H
#define MPI_JOINED_H

#include "core/stragglers/straggler.h"
#include "core/text/buffer.h"

#include <stepwatch/mpi.h>

#include <stddef.h>

enum { SWI_HOST_SIZE = 64 };

/* Tags of messages between two ranks. */
enum { SWI_TAG_CLOCK = 1, SWI_TAG_GIVEN_UP };

struct swi_epochs_sent;

struct swi_joined {
    struct sw_profiler *sw;
    MPI_Comm comm;       /* a duplicate of the program's */
    MPI_Comm epoch_comm; /* for messages without waiting; MPI_COMM_NULL if there are none */
    MPI_Datatype row;    /* struct swi_rank_sum */
    MPI_Op add_rows;     /* adds one to another */
    int rank, size;
    struct sw_mpi_options options;
    bool broken; /* not all ranks arrived in time: the communicators are not used any more */
    char (*host)[SWI_HOST_SIZE];  /* rank 0: of each rank, for place */
    struct swi_rank_place *place; /* rank 0: of each rank */
    int *leader;                  /* rank 0: for each rank, the rank whose clock is used */
    int own_leader;
    struct swi_epochs_sent *sent; /* epochs that are being sent, the oldest first */
    struct swi_joined *next;
};

/* Returns the joined ranks of a profiler, or NULL. */
struct swi_joined *swi_joined_find(const struct sw_profiler *sw);

/* Checks whether the calling thread may call MPI now. Returns 0 or SW_EINVAL. */
int swi_joined_allowed(struct sw_error *err);

/* ---- waiting with a limit (limited_wait.c) --------------------------------------------------- */

/* How long one call waits, and the memory that it lends to MPI. A request that is given up is never
 * freed, and neither is its memory, because MPI may still use both. */
struct swi_wait {
    struct swi_joined *joined;
    MPI_Request request; /* what an MPI function starts */
    int64_t until_ns;
    double seconds;
    struct swi_lent *lent;
    struct sw_error *err;
};

/* Begins a wait. seconds 0: the limit in the options of joined. */
void swi_wait_begin(struct swi_wait *wait, struct swi_joined *joined, double seconds,
                    struct sw_error *err);

/* Checks whether the others have given up waiting before this rank came. Then it must not begin
 * what they will never finish. Returns 0, or SW_ETIME with joined marked as broken. */
int swi_wait_is_late(struct swi_wait *wait);

/* Frees the lent memory, unless MPI may still use it. Returns rc. */
int swi_wait_end(struct swi_wait *wait, int rc);

/* Returns zeroed memory that MPI may use until the end. Returns NULL and sets err if out of memory.
 */
void *swi_wait_lend(struct swi_wait *wait, size_t size);

/* Waits for wait->request, which an MPI function has just started. started: its return value. Marks
 * joined as broken after a failure. Returns 0, SW_ETIME or SW_EIO. */
int swi_wait_for(struct swi_wait *wait, int started);

/* Checks the return value of an MPI function that does not wait. Returns 0 or SW_EIO. */
int swi_wait_check(struct swi_wait *wait, int returned);

/* ---- the rows of all ranks (rank_rows.c) ----------------------------------------------------- */

/* The rows of this rank, sorted by their names: the digit of the phase, and the action. */
struct swi_own_rows {
    const struct sw_report_row **row; /* NULL: out of memory */
    struct swi_text names;            /* each with its NUL */
    uint64_t hash;                    /* of the names */
};

struct swi_own_rows swi_own_rows(const struct sw_report *report);
void swi_own_rows_free(struct swi_own_rows *rows);

/* Returns what this rank adds to a row. row NULL: it does not have the action. */
struct swi_rank_sum swi_own_sum(const struct sw_report_row *row, int rank);

/* Returns the row of all ranks, without its names. ranks: how many there are. */
struct sw_ranks_row swi_joined_row(const struct swi_rank_sum *sum, int ranks);

/* Returns a report with these rows, of which the verdict is not known. */
struct sw_ranks swi_joined_ranks(const struct swi_joined *joined, const struct sw_report *report,
                                 const struct sw_ranks_row *row, size_t count);

/* Makes the MPI type and the operation. Returns the result of MPI. */
int swi_rank_rows_init(struct swi_joined *joined);

/* What the ranks tell each other before they join their rows, in one message. */
struct swi_agreement {
    bool same_names;
    bool all_fine; /* each rank has a report */
    int64_t steps; /* steps that all have */
    int64_t block; /* the largest block */
    uint64_t hash; /* of this rank's names */
};

/* Collective. agreement has the values of this rank before, and those of all ranks after the call.
 */
int swi_agree(struct swi_wait *wait, struct swi_agreement *agreement);

/* Collective. names: sorted names of this rank, each with its NUL; size bytes. Set to the sorted
 * names that any rank has, in lent memory. */
int swi_names_join(struct swi_wait *wait, const char **names, size_t *size);

/* ---- epochs, clocks -------------------------------------------------------------------------- */

/* Passes totals of epochs that have arrived to the sinks of rank 0. Never waits. */
void swi_epochs_look(struct swi_joined *joined);

/* Collective. Tells rank 0 the host of each rank, and each rank whose clock is used for it. */
int swi_rank_clocks_init(struct swi_wait *wait);

/* Collective. Measures the offset of each rank's wall clock from that of rank 0, and passes it to
 * its sinks. */
int swi_rank_clocks_compare(struct swi_wait *wait);

#endif
