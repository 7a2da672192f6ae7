/* SPDX-License-Identifier: MIT */
#include "tools/console/console.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* A write of so many bytes to a pipe that has room never blocks. */
enum { WRITE_MAX = 4096 };
/* Enough for the longest pipe that there can be. What the program left behind may print for ever.
 */
enum { DRAIN_STEPS = 1024 };
/* Of a longer output, the files have so much of the end; the rest is a hole. */
enum { KEPT_MAX = 64 << 20, HOLE_STEP = 16 << 20 };

/* ---- what the program gets ------------------------------------------------------------------- */

void tee_resize(const struct tee *tee)
{
    struct winsize size;
    for (int i = 0; i < TEE_STREAMS; i++)
        if (tee->stream[i].terminal && ioctl(tee->stream[i].to, TIOCGWINSZ, &size) == 0)
            ioctl(tee->stream[i].from, TIOCSWINSZ, &size);
}

/* The real terminal makes a carriage return of each line feed, so this one must not. */
static bool terminal_set(int program, int real)
{
    struct termios state;
    if (tcgetattr(real, &state) < 0)
        return false;
    state.c_oflag &= ~(tcflag_t)OPOST;
    return tcsetattr(program, TCSANOW, &state) == 0;
}

static bool terminal_make(struct tee_stream *stream)
{
    stream->from = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    const char *path =
        stream->from >= 0 && grantpt(stream->from) == 0 && unlockpt(stream->from) == 0
            ? ptsname(stream->from)
            : NULL;
    stream->program = path ? open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
    stream->terminal = stream->program >= 0 && terminal_set(stream->program, stream->to);
    return stream->terminal;
}

static bool pipe_make(struct tee_stream *stream)
{
    int end[2];
    if (pipe2(end, O_CLOEXEC) < 0)
        return false;
    stream->from = end[0];
    stream->program = end[1];
    return true;
}

static void stream_close(struct tee_stream *stream)
{
    const int all[] = {stream->to, stream->from, stream->program, stream->file};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    free(stream->buffer);
    *stream = (struct tee_stream){.to = -1, .from = -1, .program = -1, .file = -1};
}

static bool stream_open(struct tee_stream *stream, int descriptor, int file)
{
    stream->file = file;
    stream->to = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    stream->buffer = malloc(TEE_BUFFER);
    bool made = stream->to >= 0 && stream->buffer && file >= 0 &&
                (isatty(descriptor) ? terminal_make(stream) : pipe_make(stream)) &&
                fcntl(stream->from, F_SETFL, O_NONBLOCK) == 0;
    if (!made)
        stream_close(stream);
    return made;
}

/* Returns whether a stream cannot be read otherwise. A folder stands for a stream that is closed.
 */
static bool is_needed(int descriptor, struct stat *status)
{
    return fstat(descriptor, status) == 0 && !S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode);
}

int console_file_make(char *path, size_t size, const char *name)
{
    const char *chosen = getenv("TMPDIR");
    const char *const folder[] = {chosen && *chosen == '/' ? chosen : "/tmp", "/tmp"};
    int fd = -1;
    for (size_t i = 0; i < 2 && fd < 0; i++) {
        snprintf(path, size, "%s/stepwatch-%s-XXXXXX", folder[i], name);
        fd = mkostemp(path, O_CLOEXEC | O_APPEND);
    }
    return fd;
}

static int error_file_make(const struct tee *tee)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.stderr", tee->path);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* The name of the first file names both, so it exists even if only the other is written. */
bool tee_open(struct tee *tee)
{
    struct stat status[TEE_STREAMS];
    memset(tee, 0, sizeof *tee);
    for (int i = 0; i < TEE_STREAMS; i++)
        tee->stream[i] = (struct tee_stream){.to = -1, .from = -1, .program = -1, .file = -1};
    bool out = is_needed(STDOUT_FILENO, &status[0]), err = is_needed(STDERR_FILENO, &status[1]);
    tee->joined =
        out && err && status[0].st_dev == status[1].st_dev && status[0].st_ino == status[1].st_ino;
    if (!out && !err)
        return false;
    int file = console_file_make(tee->path, sizeof tee->path, "console");
    if (file < 0)
        return false;
    bool any = out && stream_open(&tee->stream[0], STDOUT_FILENO, file);
    if (!out) {
        close(file);
        unlink(tee->path);
    }
    if (err && !(tee->joined && any))
        any |= stream_open(&tee->stream[1], STDERR_FILENO, error_file_make(tee));
    tee->joined &= tee->stream[0].to >= 0;
    if (any && setenv("STEPWATCH_CONSOLE", tee->path, 1) == 0)
        return true;
    tee_close(tee);
    tee_remove(tee);
    return false;
}

void tee_remove(const struct tee *tee)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.stderr", tee->path);
    unlink(tee->path);
    unlink(path);
}

void tee_in_program(const struct tee *tee)
{
    int out = tee->stream[0].program, err = tee->joined ? out : tee->stream[1].program;
    if (out >= 0)
        dup2(out, STDOUT_FILENO);
    if (err >= 0)
        dup2(err, STDERR_FILENO);
}

/* If the reader goes away, it is the program that must hear of it. */
void tee_in_parent(struct tee *tee)
{
    tee_resize(tee);
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < TEE_STREAMS; i++) {
        if (tee->stream[i].program >= 0)
            close(tee->stream[i].program);
        tee->stream[i].program = -1;
    }
}

/* ---- copying --------------------------------------------------------------------------------- */

/* Frees the space of what nobody reads any more. */
static void old_free(int file)
{
    off_t size = lseek(file, 0, SEEK_END);
    if (size > KEPT_MAX && size % HOLE_STEP < TEE_BUFFER)
        fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size - KEPT_MAX);
}

/* A disk that is full ends the file, but not what the user sees. */
static void file_write(struct tee_stream *stream)
{
    size_t done = 0;
    while (stream->file >= 0 && done < stream->size) {
        ssize_t written = write(stream->file, stream->buffer + done, stream->size - done);
        if (written > 0) {
            done += (size_t)written;
            continue;
        }
        close(stream->file);
        stream->file = -1;
    }
    if (stream->file >= 0)
        old_free(stream->file);
}

static void from_close(struct tee_stream *stream)
{
    close(stream->from);
    stream->from = -1;
    stream->terminal = false;
}

/* A terminal that no process has open any more gives EIO. */
static void stream_read(struct tee_stream *stream)
{
    ssize_t got = read(stream->from, stream->buffer, TEE_BUFFER);
    if (got > 0) {
        stream->size = (size_t)got;
        stream->done = 0;
        file_write(stream);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        from_close(stream);
    }
}

static void stream_write(struct tee_stream *stream)
{
    size_t left = stream->size - stream->done;
    ssize_t written =
        write(stream->to, stream->buffer + stream->done, left < WRITE_MAX ? left : WRITE_MAX);
    if (written > 0)
        stream->done += (size_t)written;
    else if (errno != EAGAIN && errno != EINTR) {
        stream->done = stream->size;
        if (stream->from >= 0)
            from_close(stream);
    }
    if (stream->done == stream->size)
        stream->size = stream->done = 0;
}

/* Fills in what a stream waits for. */
static struct pollfd awaited(const struct tee_stream *stream)
{
    if (stream->size)
        return (struct pollfd){.fd = stream->to, .events = POLLOUT};
    return (struct pollfd){.fd = stream->from, .events = POLLIN};
}

/* Waits and copies once. Returns what poll() does, and whether `until` can be read. */
static int step(struct tee *tee, int until, int timeout_ms, bool *stop)
{
    struct pollfd fd[TEE_STREAMS + 1];
    for (int i = 0; i < TEE_STREAMS; i++)
        fd[i] = awaited(&tee->stream[i]);
    fd[TEE_STREAMS] = (struct pollfd){.fd = until, .events = POLLIN};
    int ready = poll(fd, TEE_STREAMS + 1, timeout_ms);
    for (int i = 0; ready > 0 && i < TEE_STREAMS; i++) {
        struct tee_stream *stream = &tee->stream[i];
        if (fd[i].revents && stream->size)
            stream_write(stream);
        else if (fd[i].revents)
            stream_read(stream);
    }
    *stop = ready > 0 && fd[TEE_STREAMS].revents;
    return ready;
}

void tee_copy(struct tee *tee, int until)
{
    bool stop = false;
    while (!stop) {
        step(tee, until, until < 0 ? 100 : -1, &stop);
        stop |= until < 0;
    }
}

static bool is_waiting(const struct tee *tee)
{
    return tee->stream[0].size || tee->stream[1].size;
}

void tee_drain(struct tee *tee, int until)
{
    bool stop = false;
    for (int steps = 0; !stop && (steps < DRAIN_STEPS || is_waiting(tee)); steps++)
        if (step(tee, until, is_waiting(tee) ? -1 : 0, &stop) <= 0 && !is_waiting(tee))
            break;
}

/* ---- the end --------------------------------------------------------------------------------- */

static bool is_open(const struct tee *tee)
{
    return tee->stream[0].from >= 0 || tee->stream[1].from >= 0 || is_waiting(tee);
}

/* Copies for what the program left behind, until the last of it has ended. */
static void copy_on(struct tee *tee)
{
    bool stop = false;
    for (int i = 0; i < TEE_STREAMS; i++) {
        if (tee->stream[i].file >= 0)
            close(tee->stream[i].file);
        tee->stream[i].file = -1;
    }
    close(STDIN_FILENO);
    while (is_open(tee))
        step(tee, -1, -1, &stop);
    _exit(0);
}

void tee_close(struct tee *tee)
{
    if (is_open(tee) && fork() == 0)
        copy_on(tee);
    for (int i = 0; i < TEE_STREAMS; i++)
        stream_close(&tee->stream[i]);
}
