/* SPDX-License-Identifier: MIT */
#include "net/secret.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

void *swi_secret_new(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    /* On an old kernel that supports neither, the memory is like that of malloc(). */
    madvise(memory, size, MADV_DONTDUMP);
    madvise(memory, size, MADV_WIPEONFORK);
    return memory;
}

void swi_secret_free(void *memory, size_t size)
{
    if (!memory)
        return;
    explicit_bzero(memory, size);
    munmap(memory, size);
}

const char *swi_secret_file_refusal(int fd, const struct stat *status)
{
    struct statvfs mounted;
    bool ours = status->st_uid == geteuid();
    bool read_only = fstatvfs(fd, &mounted) == 0 && (mounted.f_flag & ST_RDONLY);
    if (!ours && status->st_uid != 0)
        return "it belongs to another user: copy it into a file of your own, and chmod 600 that";
    if (!read_only && (status->st_mode & (S_IWGRP | S_IWOTH)))
        return "others may write it: chmod 600 it";
    if (!read_only && ours && (status->st_mode & (S_IRGRP | S_IROTH)))
        return "others may read it: chmod 600 it";
    return NULL;
}
