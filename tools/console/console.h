/* SPDX-License-Identifier: MIT */
/* console.h - a program that `stepwatch run` runs: starts it, copies what it prints, and uploads
 * the rest of its runs if it died. */
#ifndef TOOLS_CONSOLE_CONSOLE_H
#define TOOLS_CONSOLE_CONSOLE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- what it prints -------------------------------------------------------------------------- */

/* Copies what a program prints to where it would go anyway, and to a file that the program's sinks
 * can read. The program has a pipe in place of a pipe, and a terminal in place of a terminal; a
 * regular file stays as it is, because it can be read. */
enum { TEE_STREAMS = 2, TEE_BUFFER = 64 << 10 };

struct tee_stream {
    int to;      /* where it goes: a descriptor of this process; -1: nothing is copied */
    int from;    /* what the program prints arrives here; -1: its end was read */
    int program; /* what the program has in its place */
    int file;    /* -1: it cannot be written any more */
    bool terminal;
    size_t size, done; /* bytes in the buffer, and those of them that were passed on */
    char *buffer;
};

struct tee {
    struct tee_stream stream[TEE_STREAMS]; /* of standard output and standard error */
    bool joined;              /* both are one stream: what the program prints keeps its order */
    char path[PATH_MAX - 16]; /* of the file of standard output; that of standard error is
                                 PATH.stderr */
};

/* Makes a file for the program's sinks in the folder TMPDIR or, if that cannot be, in /tmp. Returns
 * its descriptor, or -1 with errno. path: set to its path, of which `name` is a part. */
int console_file_make(char *path, size_t size, const char *name);

/* Makes the files and what the program gets, and names the files in STEPWATCH_CONSOLE. Returns
 * false if nothing is to be copied, or cannot be. */
bool tee_open(struct tee *tee);

/* Gives the program its standard output and error. For the new process, before it is started. */
void tee_in_program(const struct tee *tee);

/* For this process, once the program is started, or was not. */
void tee_in_parent(struct tee *tee);

/* Copies until the descriptor `until` has something to read; -1: for a tenth of a second. */
void tee_copy(struct tee *tee, int until);

/* Copies everything that a program that has ended has printed. Ends early if `until` has something
 * to read. */
void tee_drain(struct tee *tee, int until);

/* Tells the program's terminal the size of the real one. */
void tee_resize(const struct tee *tee);

/* Ends the copying. If processes that the program left behind may still print, a process of its own
 * copies for them. */
void tee_close(struct tee *tee);

/* Removes the files. */
void tee_remove(const struct tee *tee);

/* ---- starting it ----------------------------------------------------------------------------- */

enum { CHILD_NOT_STARTED = 126, CHILD_NOT_THERE = 127 };

/* Runs a program in place of this one. in_child: called in the new process before the program is
 * started; may be NULL. tee: copies what it prints; NULL: it prints to where this process does.
 *
 * program: its name, searched in $PATH, and its arguments, terminated by NULL. Passes SIGINT,
 * SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 on until it has ended, except for those of the
 * terminal, which sends them to the program itself. Returns its exit status, or 128 + n if signal n
 * ended it. Prints to stderr why it could not be started. */
int launch(char **program, void (*in_child)(void), struct tee *tee);

/* ---- its runs -------------------------------------------------------------------------------- */

/* Of the sink wandb, if the program died and the run was uploaded while it ran. */

/* Adds the folder of a run that has not ended. Ignores other paths. */
void dead_runs_add(const char *path);

/* Uploads what the service does not have of them. */
void dead_runs_upload(void);

#endif
