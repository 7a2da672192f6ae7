/* SPDX-License-Identifier: MIT */
#include "mpi/joined.h"

#include <stepwatch/sink.h>

#include <stdlib.h>
#include <string.h>

/* The fastest of this many rounds is used, because nothing interrupted it. */
enum { ROUNDS = 100 };

struct offset {
    int64_t offset_ns, error_ns;
};

/* ---- who is on which host -------------------------------------------------------------------- */

/* The lowest rank on each host is the leader. */
static void leaders_find(struct swi_joined *joined)
{
    for (int r = 0; r < joined->size; r++) {
        joined->leader[r] = r;
        for (int k = 0; !joined->options.every_clock && k < r; k++) {
            if (joined->leader[k] == k && strcmp(joined->host[k], joined->host[r]) == 0) {
                joined->leader[r] = k;
                break;
            }
        }
    }
}

static bool tables_make(struct swi_joined *joined)
{
    size_t ranks = joined->rank == 0 ? (size_t)joined->size : 1;
    joined->host = calloc(ranks, sizeof *joined->host);
    joined->place = calloc(ranks, sizeof *joined->place);
    joined->leader = calloc(ranks, sizeof *joined->leader);
    for (size_t r = 0; joined->host && joined->place && r < ranks; r++)
        joined->place[r] = (struct swi_rank_place){(int64_t)r, joined->host[r]};
    return joined->host && joined->place && joined->leader;
}

int swi_rank_clocks_init(struct swi_wait *wait)
{
    struct swi_joined *joined = wait->joined;
    char *own = swi_wait_lend(wait, SWI_HOST_SIZE);
    if (!own)
        return SW_ENOMEM;
    if (!tables_make(joined))
        return sw_error_set(wait->err, SW_ENOMEM, "not enough memory for %d ranks", joined->size);
    snprintf(own, SWI_HOST_SIZE, "%s", sw_get_run(joined->sw)->host);
    int rc =
        swi_wait_for(wait, MPI_Igather(own, SWI_HOST_SIZE, MPI_CHAR, joined->host, SWI_HOST_SIZE,
                                       MPI_CHAR, 0, joined->comm, &wait->request));
    if (rc < 0)
        return rc;
    if (joined->rank == 0)
        leaders_find(joined);
    return swi_wait_for(wait, MPI_Iscatter(joined->leader, 1, MPI_INT, &joined->own_leader, 1,
                                           MPI_INT, 0, joined->comm, &wait->request));
}

/* ---- ping-pong ------------------------------------------------------------------------------- */

static int64_t wall_ns(const struct swi_joined *joined)
{
    return (int64_t)(sw_get_run(joined->sw)->started_s * 1e9) + sw_now(joined->sw);
}

static int time_send(struct swi_wait *wait, int64_t *time, int to)
{
    return swi_wait_for(wait, MPI_Isend(time, 1, MPI_INT64_T, to, SWI_TAG_CLOCK, wait->joined->comm,
                                        &wait->request));
}

static int time_receive(struct swi_wait *wait, int64_t *time, int from)
{
    return swi_wait_for(wait, MPI_Irecv(time, 1, MPI_INT64_T, from, SWI_TAG_CLOCK,
                                        wait->joined->comm, &wait->request));
}

/* Called on rank 0. */
static int ask(struct swi_wait *wait, int rank, int64_t *time, struct offset *offset)
{
    int64_t fastest = INT64_MAX;
    for (int i = 0; i < ROUNDS; i++) {
        int64_t sent = wall_ns(wait->joined);
        int rc = time_send(wait, time, rank);
        if (rc == 0)
            rc = time_receive(wait, time, rank);
        if (rc < 0)
            return rc;
        int64_t back = wall_ns(wait->joined), round = back - sent;
        if (round >= fastest)
            continue;
        fastest = round;
        *offset = (struct offset){*time - (sent + round / 2), (round + 1) / 2};
    }
    return 0;
}

static int answer(struct swi_wait *wait, int64_t *time)
{
    int rc = 0;
    for (int i = 0; i < ROUNDS && rc == 0; i++) {
        rc = time_receive(wait, time, 0);
        *time = wall_ns(wait->joined);
        if (rc == 0)
            rc = time_send(wait, time, 0);
    }
    return rc;
}

static int all_ask(struct swi_wait *wait, int64_t *time, struct offset *offset)
{
    const struct swi_joined *joined = wait->joined;
    int rc = 0;
    for (int r = 1; r < joined->size && rc == 0; r++)
        if (joined->leader[r] == r)
            rc = ask(wait, r, time, &offset[r]);
    for (int r = 0; r < joined->size; r++)
        offset[r] = offset[joined->leader[r]];
    return rc;
}

int swi_rank_clocks_compare(struct swi_wait *wait)
{
    struct swi_joined *joined = wait->joined;
    size_t ranks = joined->rank == 0 ? (size_t)joined->size : 1;
    struct offset *offset = swi_wait_lend(wait, (ranks + 1) * sizeof *offset);
    int64_t *time = swi_wait_lend(wait, sizeof *time);
    if (!offset || !time)
        return SW_ENOMEM;
    int rc = 0;
    if (joined->rank == 0)
        rc = all_ask(wait, time, offset);
    else if (joined->own_leader == joined->rank)
        rc = answer(wait, time);
    struct offset *own = &offset[ranks];
    if (rc == 0)
        rc = swi_wait_for(wait, MPI_Iscatter(offset, 2, MPI_INT64_T, own, 2, MPI_INT64_T, 0,
                                             joined->comm, &wait->request));
    if (rc == 0)
        sw_log_clock(joined->sw, own->offset_ns, own->error_ns);
    return rc;
}
