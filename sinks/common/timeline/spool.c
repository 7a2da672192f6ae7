/* SPDX-License-Identifier: MIT */
#include "sinks/common/timeline/spool.h"

enum { IN_MEMORY = 1 << 17 };

void swi_spool_spill(struct swi_spool *spool)
{
    spool->failed = spool->failed || spool->text.failed;
    if (spool->text.size < IN_MEMORY || spool->failed)
        return;
    if (!spool->file)
        spool->file = tmpfile();
    if (!spool->file ||
        fwrite(spool->text.data, 1, spool->text.size, spool->file) != spool->text.size) {
        spool->failed = true;
        return;
    }
    spool->spilled += (int64_t)spool->text.size;
    spool->text.size = 0;
}

int64_t swi_spool_size(const struct swi_spool *spool)
{
    return spool->spilled + (int64_t)spool->text.size;
}

bool swi_spool_read(struct swi_spool *spool, bool (*take)(void *arg, const char *data, size_t size),
                    void *arg)
{
    char piece[1 << 14];
    int64_t left = spool->spilled;
    if (spool->failed || (spool->file && fseek(spool->file, 0, SEEK_SET) != 0))
        return false;
    while (left > 0) {
        size_t size = fread(piece, 1, sizeof piece, spool->file);
        if (size == 0 || !take(arg, piece, size))
            return false;
        left -= (int64_t)size;
    }
    return spool->text.size == 0 || take(arg, spool->text.data, spool->text.size);
}

void swi_spool_free(struct swi_spool *spool)
{
    if (spool->file)
        fclose(spool->file);
    swi_text_free(&spool->text);
    *spool = (struct swi_spool){0};
}
