/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/console/read_so_far.h"
#include "core/files/in_place.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static FILE *create(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

/* A path with a line break could not be read again. */
static void stream_write(FILE *file, const struct swi_read_so_far *stream)
{
    fprintf(file, "%d %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %s\n",
            stream->stream, stream->device, stream->inode, stream->from, stream->at, stream->record,
            strchr(stream->path, '\n') ? "" : stream->path);
}

bool swi_read_so_far_save(const char *log_path, const struct swi_read_so_far *stream, int count)
{
    char path[PATH_MAX + 16], fresh[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s.console", log_path);
    snprintf(fresh, sizeof fresh, "%s.console-new", log_path);
    FILE *file = create(fresh);
    if (!file)
        return false;
    for (int i = 0; i < count; i++)
        stream_write(file, &stream[i]);
    bool written = fclose(file) == 0 && swi_rename_or_copy(fresh, path) == 0;
    if (!written)
        unlink(fresh);
    return written;
}

static bool stream_read(const char *line, struct swi_read_so_far *stream)
{
    int path = 0;
    int found = sscanf(line, "%d %" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %n",
                       &stream->stream, &stream->device, &stream->inode, &stream->from, &stream->at,
                       &stream->record, &path);
    bool valid = found == 6 && path && (stream->stream == 1 || stream->stream == 2) &&
                 stream->from >= 0 && stream->at >= 0;
    snprintf(stream->path, sizeof stream->path, "%.*s", (int)strcspn(line + path, "\n"),
             line + path);
    return valid;
}

int swi_read_so_far_load(const char *log_path,
                         struct swi_read_so_far stream[SWI_READ_SO_FAR_STREAMS], int *exit_status)
{
    char path[PATH_MAX + 16], line[PATH_MAX + 128];
    int count = 0, status;
    snprintf(path, sizeof path, "%s.console", log_path);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "exit %d", &status) == 1)
            *exit_status = status;
        else if (count < SWI_READ_SO_FAR_STREAMS && stream_read(line, &stream[count]))
            count++;
    }
    fclose(file);
    return count;
}
