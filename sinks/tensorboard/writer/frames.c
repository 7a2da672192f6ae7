/* SPDX-License-Identifier: MIT */
/* frames.c - the buffer between records and their file. */
#include "sinks/tensorboard/writer/writer.h"
#include "core/clock/now.h"
#include "core/process/plugin_threads.h"
#include "core/text/opened.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum {
    BUFFER_SIZE = 64 << 10, /* twice or half as much made no difference in bench/tensorboard */
    BUFFER_KEPT = 1 << 20   /* what may wait while the file cannot be written */
};

int swi_tb_output_init(struct swi_tb_output *output, int fd, const char *path, struct sw_error *err)
{
    uint8_t *buffer = malloc(BUFFER_SIZE);
    char *copy = strdup(path);
    if (!buffer || !copy) {
        free(buffer);
        free(copy);
        close(fd);
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the buffer of an event file");
    }
    *output = (struct swi_tb_output){.fd = fd,
                                     .identity = swi_identity_of(fd),
                                     .path = copy,
                                     .buffer = buffer,
                                     .size = BUFFER_SIZE,
                                     .crc = swi_crc32c_choose()};
    return 0;
}

/* Returns a new buffer of size bytes with what is waiting. */
static bool resize(struct swi_tb_output *output, size_t size)
{
    uint8_t *buffer = realloc(output->buffer, size);
    if (!buffer)
        return false;
    output->buffer = buffer;
    output->size = size;
    return true;
}

static uint8_t *reserve_more(struct swi_tb_output *output, size_t need)
{
    /* After a failure, only the next flush tries again, not each record. */
    if (!output->failed)
        swi_tb_output_write(output);
    if (output->used + need > output->size) {
        if (output->failed && output->used + need > BUFFER_KEPT) {
            errno = output->failed;
            return NULL;
        }
        if (!resize(output, output->used + need + BUFFER_SIZE)) {
            errno = ENOMEM;
            return NULL;
        }
    }
    return output->buffer + output->used + SWI_TB_HEADER;
}

uint8_t *swi_tb_output_reserve(struct swi_tb_output *output, size_t size)
{
    size_t need = size + SWI_TB_FRAME;
    if (output->size - output->used >= need)
        return output->buffer + output->used + SWI_TB_HEADER;
    return reserve_more(output, need);
}

void swi_tb_output_commit(struct swi_tb_output *output, size_t size)
{
    uint8_t *record = output->buffer + output->used;
    swi_put64(record, size);
    swi_put32(record + 8, swi_crc32c_mask(output->crc(record, 8)));
    uint8_t *payload = record + SWI_TB_HEADER;
    swi_put32(payload + size, swi_crc32c_mask(output->crc(payload, size)));
    output->used += size + SWI_TB_FRAME;
    output->waiting++;
}

/* Returns how much of the buffer the limit on the size of a file (RLIMIT_FSIZE) has room for. A
 * write beyond it would send SIGXFSZ, which ends the program by default. */
static size_t allowed(const struct swi_tb_output *output, off_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return output->used;
    rlim_t room = (rlim_t)size < limit.rlim_cur ? limit.rlim_cur - (rlim_t)size : 0;
    return room < output->used ? (size_t)room : output->used;
}

/* Writes from the front of the buffer. Returns how many bytes were written. */
static size_t write_some(struct swi_tb_output *output)
{
    struct stat st;
    bool there =
        swi_identity_keep(&output->identity, &output->fd, output->path, O_WRONLY | O_APPEND, &st);
    output->failed = there ? 0 : errno;
    if (!there)
        return 0;
    size_t size = allowed(output, st.st_size);
    size_t done = swi_fd_write(output->fd, (const char *)output->buffer, size);
    if (done < output->used)
        output->failed = done < size ? errno : EFBIG;
    return done;
}

/* Counts the records that are complete in the file now that the first `done` bytes of the buffer
 * were written, and finds where the next one begins. */
static void count_written(struct swi_tb_output *output, size_t done)
{
    if (done == output->used) {
        output->waiting = 0;
        output->torn = 0;
        return;
    }
    size_t at = output->torn;
    if (at > 0 && at <= done)
        output->waiting--;
    while (at < done) {
        at += (size_t)swi_get64(output->buffer + at) + SWI_TB_FRAME;
        output->waiting -= at <= done;
    }
    output->torn = at - done;
}

/* ---- writing --------------------------------------------------------------------------------- */

int swi_tb_output_write(struct swi_tb_output *output)
{
    size_t done = write_some(output);
    count_written(output, done);
    /* If the disk took part of a record, the rest of it must be written next, or every reader would
     * stop there. */
    memmove(output->buffer, output->buffer + done, output->used - done);
    output->used -= done;
    if (output->failed) {
        errno = output->failed;
        return -1;
    }
    if (output->size > BUFFER_KEPT)
        resize(output, BUFFER_SIZE);
    return 0;
}

bool swi_tb_output_deleted(const struct swi_tb_output *output)
{
    struct stat status;
    if (swi_identity_holds(&output->identity, output->fd, &status))
        return status.st_nlink == 0;
    return lstat(output->path, &status) < 0 && errno == ENOENT;
}

int swi_tb_output_fini(struct swi_tb_output *output)
{
    free(output->buffer);
    output->buffer = NULL;
    free(output->path);
    return swi_identity_close(&output->identity, output->fd);
}

/* ---- the thread that flushes ----------------------------------------------------------------- */

#define LONGEST_S (366.0 * 24 * 3600)
#define SHORTEST_S 0.01

int swi_tb_flusher_init(struct swi_tb_flusher *flusher, struct swi_tb_output *output,
                        double interval_s)
{
    *flusher = (struct swi_tb_flusher){.output = output, .interval_s = interval_s};
    pthread_mutex_init(&flusher->lock, NULL);
    return swi_cond_init(&flusher->wake);
}

/* Waits until the interval is over or the thread should stop. */
static void sleep_on(struct swi_tb_flusher *flusher)
{
    double wait_s = flusher->interval_s < SHORTEST_S ? SHORTEST_S : flusher->interval_s;
    int64_t until_ns = swi_now_ns() + (int64_t)(wait_s * 1e9);
    while (!flusher->stop && swi_cond_wait(&flusher->wake, &flusher->lock, until_ns) != ETIMEDOUT)
        ;
}

/* Does nothing about a deleted file: the next call makes a new one for what is waiting. */
static void write_out(struct swi_tb_output *output)
{
    if (output->used > 0 && !swi_tb_output_deleted(output))
        swi_tb_output_write(output);
}

static void *flush(void *arg)
{
    struct swi_tb_flusher *flusher = arg;
    uint64_t seen;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_mutex_lock(&flusher->lock);
    do {
        seen = flusher->taken;
        sleep_on(flusher);
        if (!flusher->stop)
            write_out(flusher->output);
    } while (!flusher->stop && flusher->taken != seen);
    flusher->running = false;
    pthread_mutex_unlock(&flusher->lock);
    return NULL;
}

static void *run(void *flusher)
{
    return swi_unchecked(flush, flusher);
}

/* A thread that ended by itself must still be joined, and takes no lock any more. */
static void thread_join(struct swi_tb_flusher *flusher)
{
    if (flusher->made)
        pthread_join(flusher->thread, NULL);
    flusher->made = false;
}

void swi_tb_flusher_need(struct swi_tb_flusher *flusher)
{
    flusher->taken++;
    if (flusher->running || flusher->stop || !(flusher->interval_s <= LONGEST_S))
        return;
    thread_join(flusher);
    flusher->made = swi_blocked_thread(&flusher->thread, run, flusher) == 0;
    flusher->running = flusher->made;
    /* Without a thread, the calls write what is waiting. They do not all try to make one. */
    if (!flusher->made)
        flusher->interval_s = 2 * LONGEST_S;
}

void swi_tb_flusher_stop(struct swi_tb_flusher *flusher)
{
    pthread_mutex_lock(&flusher->lock);
    flusher->stop = true;
    pthread_cond_signal(&flusher->wake);
    pthread_mutex_unlock(&flusher->lock);
    thread_join(flusher);
}

void swi_tb_flusher_fini(struct swi_tb_flusher *flusher)
{
    pthread_cond_destroy(&flusher->wake);
    pthread_mutex_destroy(&flusher->lock);
}
