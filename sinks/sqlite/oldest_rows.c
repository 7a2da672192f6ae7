/* SPDX-License-Identifier: MIT */
/* oldest_rows.c - which rows are the oldest, with when_full: rotate. The statements that delete
 * them are rows like those that are added: they are in the same transactions, and wait with them on
 * the disk.
 *
 * A table finds the rows of a metric by its name and their steps, which may go back. So a part
 * remembers its highest step: the rows up to it are looked at, and those of them that are old
 * enough are deleted. */
#include "core/text/vec.h"
#include "sinks/sqlite/database_layout.h"

#include <stdlib.h>
#include <string.h>

/* A part is deleted in one transaction, with the rows that come then. */
#define PART_BYTES (INT64_C(1) << 20)
enum { PARTS_LEAST = 64, PARTS_MOST = 4096 };

void swi_oldest_rows_begin(struct swi_oldest_rows *oldest, const struct swi_thinning *thinning)
{
    int64_t max = swi_thinning_rotates(thinning) ? thinning->max_size : 0, size = PART_BYTES;
    size = size > max / PARTS_LEAST ? max / PARTS_LEAST : size;
    size = size < max / PARTS_MOST ? max / PARTS_MOST : size;
    oldest->max_size = max;
    oldest->part_size = size;
}

/* Without memory for another part, the newest one gets larger. */
static struct swi_rows_part *part_for(struct swi_oldest_rows *oldest, int64_t number)
{
    struct swi_rows_part *part = oldest->count ? &oldest->part[oldest->count - 1] : NULL;
    bool full = !part || part->bytes >= oldest->part_size;
    if (!full || !swi_vec_grow(&oldest->part, oldest->count, &oldest->room, sizeof *oldest->part))
        return part;
    oldest->part[oldest->count] = (struct swi_rows_part){.first = number, .step = INT64_MIN};
    return &oldest->part[oldest->count++];
}

void swi_oldest_rows_note(struct swi_oldest_rows *oldest, int64_t bytes, int64_t number,
                          int64_t step)
{
    struct swi_rows_part *part = oldest->max_size ? part_for(oldest, number) : NULL;
    if (!part)
        return;
    part->bytes += bytes;
    oldest->bytes += bytes;
    part->step = step > part->step ? step : part->step;
}

void swi_oldest_rows_keep(struct swi_oldest_rows *oldest, int64_t bytes, int64_t number)
{
    oldest->kept += oldest->kept_end ? 0 : bytes;
    if (oldest->kept_end)
        swi_oldest_rows_note(oldest, bytes, number, INT64_MIN);
    else if (oldest->kept > oldest->max_size / SWI_ROTATED_PARTS)
        oldest->kept_end = number + 1;
}

const struct swi_rows_part *swi_oldest_rows_part(const struct swi_oldest_rows *oldest, int64_t *end)
{
    if (oldest->count < 2 || oldest->bytes + oldest->kept <= oldest->max_size)
        return NULL;
    *end = oldest->part[1].first;
    return &oldest->part[0];
}

void swi_oldest_rows_remove(struct swi_oldest_rows *oldest)
{
    oldest->bytes -= oldest->part[0].bytes;
    memmove(oldest->part, oldest->part + 1, --oldest->count * sizeof *oldest->part);
}

void swi_oldest_rows_free(struct swi_oldest_rows *oldest)
{
    free(oldest->part);
}
