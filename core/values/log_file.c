/* SPDX-License-Identifier: MIT */
/* Files: opened during the call, and copied by the sinks. */
#include "core/files/identity.h"
#include "core/process/own_thread.h"
#include "core/text/parts.h"
#include "core/values/logging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIASES_MAX = 64 };

struct file_block {
    struct sw_value value;
    struct sw_kept_file file;
    struct swi_budget *budget;
    const char *alias[];
};

/* The program's description of the file, and the file. */
struct given {
    const char *path, *base;
    struct sw_file about;
    size_t aliases;
    int fd;
    struct stat stat;
};

static void file_release(void *owned)
{
    struct file_block *block = owned;
    struct swi_identity identity = {block->file.device, block->file.inode};
    swi_identity_close(&identity, block->file.fd);
    swi_budget_give_file(block->budget);
    swi_block_free(block);
}

static int about_take(const struct swi_logging *logging, struct given *given,
                      const struct sw_file *file)
{
    if (!file)
        return 0;
    if (file->size < sizeof(size_t) || file->size > 4096)
        return SWI_REFUSE(logging, "size is %zu, expected sizeof(struct sw_file)", file->size);
    memcpy(&given->about, file, file->size < sizeof *file ? file->size : sizeof *file);
    while (given->about.aliases && given->about.aliases[given->aliases])
        if (++given->aliases > ALIASES_MAX)
            return SWI_REFUSE(logging, "more than %d aliases", ALIASES_MAX);
    return 0;
}

/* Must not block: the path may be a FIFO without a writer. */
static int file_open(const struct swi_logging *logging, struct given *given)
{
    SWI_UNINTERRUPTED;
    given->fd = open(given->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (given->fd < 0)
        return SWI_REFUSE(logging, "cannot be opened: %s", strerror(errno));
    if (fstat(given->fd, &given->stat) < 0)
        return SWI_REFUSE(logging, "cannot be read: %s", strerror(errno));
    if (!S_ISREG(given->stat.st_mode))
        return SWI_REFUSE(logging, "%s, expected a file",
                          S_ISDIR(given->stat.st_mode) ? "is a folder" : "is not a regular file");
    return 0;
}

static size_t bytes_of(const struct given *given)
{
    size_t bytes = sizeof(struct file_block) + (given->aliases + 1) * sizeof(char *) +
                   swi_text_room(given->path) + swi_text_room(given->base) +
                   swi_text_room(given->about.name) + swi_text_room(given->about.type) +
                   swi_text_room(given->about.description);
    for (size_t i = 0; i < given->aliases; i++)
        bytes += swi_text_room(given->about.aliases[i]);
    return bytes;
}

static void block_fill(struct file_block *block, const struct given *given,
                       struct swi_budget *budget)
{
    char *room = (char *)(block->alias + given->aliases + 1);
    const struct sw_file *about = &given->about;
    const struct timespec *changed = &given->stat.st_mtim;
    block->budget = budget;
    block->file = (struct sw_kept_file){
        .size = sizeof block->file,
        .fd = given->fd,
        .path = swi_text_copy(&room, given->path),
        .base = swi_text_copy(&room, given->base),
        .bytes = given->stat.st_size,
        .changed_ns = (int64_t)changed->tv_sec * INT64_C(1000000000) + changed->tv_nsec,
        .name = swi_text_copy(&room, about->name),
        .type = swi_text_copy(&room, about->type),
        .description = swi_text_copy(&room, about->description),
        .aliases = block->alias,
        .device = given->stat.st_dev,
        .inode = given->stat.st_ino,
    };
    block->file.name = block->file.name ? block->file.name : block->file.base;
    for (size_t i = 0; i < given->aliases; i++)
        block->alias[i] = swi_text_copy(&room, about->aliases[i]);
    block->alias[given->aliases] = NULL;
    block->value = (struct sw_value){.file = &block->file};
}

static int file_send(struct swi_logging *logging, const struct given *given)
{
    int rc = 0;
    size_t bytes = bytes_of(given);
    struct file_block *block = swi_logging_block(logging, bytes, &rc);
    if (!block)
        return rc;
    block_fill(block, given, &logging->sw->records.budget);
    logging->name = block->file.name;
    rc = swi_logging_send(logging, &block->value, block, bytes, file_release);
    if (rc < 0)
        swi_block_free(block);
    return rc;
}

static int file_log(struct swi_logging *logging, const struct sw_file *file)
{
    struct given given = {.path = logging->name, .base = swi_last_part(logging->name), .fd = -1};
    int rc = about_take(logging, &given, file);
    rc = rc < 0 ? rc : file_open(logging, &given);
    rc = rc < 0 ? rc : file_send(logging, &given);
    if (rc < 0 && given.fd >= 0)
        close(given.fd);
    return rc;
}

int sw_log_file(struct sw_profiler *sw, const char *path, const struct sw_file *file)
{
    struct swi_logging logging;
    if (!swi_value_is_wanted(sw, SW_VALUE_FILE) ||
        !swi_logging_begin(&logging, sw, SW_VALUE_FILE, path))
        return 0;
    SWI_RARE_WORK(&sw->measured);
    struct swi_recorder *records = &sw->records;
    if (!swi_budget_take_file(&records->budget)) {
        if (!atomic_exchange(&records->refusals.files_reported, true))
            swi_say(
                &records->messages, SW_WARNING,
                "files are dropped, because %d wait for the sinks, the most that may; the total is "
                "reported at close",
                SWI_FILES_OPEN);
        atomic_fetch_add(&records->refusals.files, 1);
        return SW_ENOMEM;
    }
    int rc = file_log(&logging, file);
    if (rc < 0)
        swi_budget_give_file(&records->budget);
    return rc;
}
