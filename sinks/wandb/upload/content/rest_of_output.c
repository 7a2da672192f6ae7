/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/content/rest_of_output.h"

#include "sinks/wandb/console/followed_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REST_MAX = 4 << 20, PIECE = 256 << 10 };

/* Opens the file that the program wrote, or what `stepwatch run` has kept of it. */
static bool find(struct swi_followed_file *file, const struct swi_read_so_far *stream,
                 const char *log_path)
{
    char kept[PATH_MAX + 32];
    if (swi_followed_file_begin_path(file, stream->path, false)) {
        if (file->identity.device == stream->device && file->identity.inode == stream->inode)
            return true;
        swi_followed_file_close(file);
    }
    snprintf(kept, sizeof kept, "%s.console.%d", log_path, stream->stream);
    return swi_followed_file_begin_path(file, kept, false);
}

static void lines_count(struct swi_rest_of_output *rest, const struct swi_text *lines)
{
    for (size_t i = 0; i < lines->size; i++)
        rest->count += lines->data[i] == '\n';
}

static void stream_load(struct swi_rest_of_output *rest, const struct swi_read_so_far *stream,
                        const char *log_path, int64_t record)
{
    struct swi_followed_file file;
    struct stat status;
    struct swi_text *lines = &rest->lines[stream->stream - 1];
    if (lines->size || !find(&file, stream, log_path))
        return;
    file.at = record >= stream->record ? stream->at : stream->from;
    int64_t waiting = swi_followed_file_look(&file, lines);
    if (waiting > REST_MAX)
        swi_followed_file_skip(&file, waiting - REST_MAX, lines);
    swi_followed_file_read(&file, REST_MAX, lines);
    swi_console_lines_end(&file.lines, lines);
    if (fstat(file.fd, &status) == 0)
        rest->printed_s = (double)status.st_mtim.tv_sec + (double)status.st_mtim.tv_nsec * 1e-9;
    swi_followed_file_close(&file);
    lines_count(rest, lines);
}

void swi_rest_of_output_load(struct swi_rest_of_output *rest, const char *log_path, int64_t record)
{
    struct swi_read_so_far *stream = calloc(SWI_READ_SO_FAR_STREAMS, sizeof *stream);
    *rest = (struct swi_rest_of_output){.exit_status = -1};
    if (!stream)
        return;
    int count = swi_read_so_far_load(log_path, stream, &rest->exit_status);
    for (int i = 0; i < count; i++)
        stream_load(rest, &stream[i], log_path, record);
    free(stream);
}

void swi_rest_of_output_free(struct swi_rest_of_output *rest)
{
    swi_text_free(&rest->lines[0]);
    swi_text_free(&rest->lines[1]);
}

/* Returns the last line feed of the next piece, or NULL. A line may be longer than a piece. */
static char *piece_end(char *at, const char *end)
{
    char *cut = memchr(at, '\n', (size_t)(end - at));
    for (char *next = cut; next && next - at < PIECE;
         next = next + 1 < end ? memchr(next + 1, '\n', (size_t)(end - next - 1)) : NULL)
        cut = next;
    return cut;
}

static int lines_each(const struct swi_text *lines, bool error,
                      int (*take)(void *arg, const char *lines, bool error), void *arg)
{
    int rc = 0;
    char *cut, *at = lines->data;
    if (!at)
        return 0;
    for (char *end = at + lines->size; at < end && rc == 0 && (cut = piece_end(at, end));
         at = cut + 1) {
        char after = cut[1];
        cut[1] = '\0';
        rc = take(arg, at, error);
        cut[1] = after;
    }
    return rc;
}

int swi_rest_of_output_each(struct swi_rest_of_output *rest,
                            int (*take)(void *arg, const char *lines, bool error), void *arg)
{
    int rc = lines_each(&rest->lines[0], false, take, arg);
    return rc == 0 ? lines_each(&rest->lines[1], true, take, arg) : rc;
}
