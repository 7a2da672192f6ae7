/* SPDX-License-Identifier: MIT */
#include "mpi/agreed_names.h"

#include <stdlib.h>
#include <string.h>

/* ---- what all have in common ---- */

enum { HASH, NOT_HASH, NOT_STEPS, BLOCK, FLAW, FIELDS };

int swi_agree(struct swi_limited_wait *wait, struct swi_agreement *agreement)
{
    uint64_t *own = swi_limited_wait_lend(wait, 2 * FIELDS * sizeof *own);
    if (!own)
        return SW_ENOMEM;
    uint64_t *all = own + FIELDS;
    own[HASH] = agreement->hash;
    own[NOT_HASH] = ~agreement->hash;
    own[NOT_STEPS] = ~(uint64_t)agreement->steps;
    own[BLOCK] = (uint64_t)agreement->block;
    own[FLAW] = !agreement->all_fine;
    MPI_Request request;
    int rc = swi_limited_wait_wait(
        wait, MPI_Iallreduce(own, all, FIELDS, MPI_UINT64_T, MPI_MAX, wait->joined->comm, &request),
        &request);
    if (rc < 0)
        return rc;
    /* If all hashes are equal, the largest is also the smallest. */
    agreement->same_names = all[HASH] == ~all[NOT_HASH];
    agreement->steps = (int64_t)~all[NOT_STEPS];
    agreement->block = (int64_t)all[BLOCK];
    agreement->all_fine = !all[FLAW];
    return 0;
}

uint64_t swi_names_hash(const char *names, size_t size)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)names[i]) * UINT64_C(1099511628211);
    return h;
}

/* ---- the union ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t names_count(const char *names, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += !names[i];
    return count;
}

/* Merges the names of all ranks into `joined`, sorted and each once. Returns the size. */
static size_t names_unite(const char **pointer, const char *all, size_t size, char *joined)
{
    size_t count = 0, used = 0;
    for (size_t at = 0; at < size; at += strlen(all + at) + 1)
        pointer[count++] = all + at;
    qsort(pointer, count, sizeof *pointer, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i && strcmp(pointer[i - 1], pointer[i]) == 0)
            continue;
        size_t length = strlen(pointer[i]) + 1;
        memcpy(joined + used, pointer[i], length);
        used += length;
    }
    return used;
}

/* On rank 0: the length of each rank's names, and where they go. */
struct gathered_names {
    int *length, *place;
    char *all, *joined;
    const char **pointer;
    size_t size;
};

static int lengths_gather(struct swi_limited_wait *wait, struct gathered_names *gathered, int own)
{
    const struct swi_joined *joined = wait->joined;
    size_t ranks = joined->rank == 0 ? (size_t)joined->size : 1;
    gathered->length = swi_limited_wait_lend(wait, (2 * ranks + 1) * sizeof *gathered->length);
    if (!gathered->length)
        return SW_ENOMEM;
    gathered->place = gathered->length + ranks;
    int *sent = gathered->place + ranks;
    *sent = own;
    MPI_Request request;
    int rc = swi_limited_wait_wait(
        wait,
        MPI_Igather(sent, 1, MPI_INT, gathered->length, 1, MPI_INT, 0, joined->comm, &request),
        &request);
    for (size_t r = 0; rc == 0 && joined->rank == 0 && r < ranks; r++) {
        gathered->place[r] = (int)gathered->size;
        gathered->size += (size_t)gathered->length[r];
    }
    return rc;
}

static int names_gather(struct swi_limited_wait *wait, struct gathered_names *gathered,
                        const char *names, size_t size)
{
    const struct swi_joined *joined = wait->joined;
    char *sent = swi_limited_wait_lend(wait, size);
    gathered->all = swi_limited_wait_lend(wait, gathered->size);
    if (!sent || !gathered->all)
        return SW_ENOMEM;
    memcpy(sent, names, size);
    MPI_Request request;
    return swi_limited_wait_wait(wait,
                                 MPI_Igatherv(sent, (int)size, MPI_CHAR, gathered->all,
                                              gathered->length, gathered->place, MPI_CHAR, 0,
                                              joined->comm, &request),
                                 &request);
}

static int unite(struct swi_limited_wait *wait, struct gathered_names *gathered, size_t *size)
{
    size_t count = names_count(gathered->all, gathered->size);
    gathered->pointer = swi_limited_wait_lend(wait, (count + 1) * sizeof *gathered->pointer);
    gathered->joined = swi_limited_wait_lend(wait, gathered->size);
    if (!gathered->pointer || !gathered->joined)
        return SW_ENOMEM;
    *size = names_unite(gathered->pointer, gathered->all, gathered->size, gathered->joined);
    return 0;
}

static int names_tell(struct swi_limited_wait *wait, const char **names, size_t *size,
                      const char *joined)
{
    MPI_Comm comm = wait->joined->comm;
    int64_t *length = swi_limited_wait_lend(wait, sizeof *length);
    MPI_Request request;
    if (!length)
        return SW_ENOMEM;
    *length = (int64_t)*size;
    int rc = swi_limited_wait_wait(wait, MPI_Ibcast(length, 1, MPI_INT64_T, 0, comm, &request),
                                   &request);
    char *told = rc == 0 ? swi_limited_wait_lend(wait, (size_t)*length) : NULL;
    if (rc < 0 || !told)
        return rc < 0 ? rc : SW_ENOMEM;
    if (joined)
        memcpy(told, joined, (size_t)*length);
    *names = told;
    *size = (size_t)*length;
    return swi_limited_wait_wait(wait, MPI_Ibcast(told, (int)*length, MPI_CHAR, 0, comm, &request),
                                 &request);
}

int swi_names_join(struct swi_limited_wait *wait, const char **names, size_t *size)
{
    struct gathered_names gathered = {0};
    size_t joined = 0;
    int rc = lengths_gather(wait, &gathered, (int)*size);
    if (rc == 0)
        rc = names_gather(wait, &gathered, *names, *size);
    if (rc == 0 && wait->joined->rank == 0)
        rc = unite(wait, &gathered, &joined);
    if (rc < 0)
        return rc;
    *size = joined;
    return names_tell(wait, names, size, gathered.joined);
}
