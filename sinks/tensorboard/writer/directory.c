/* SPDX-License-Identifier: MIT */
/* directory.c - makes run directories and new event files in them. */
#include "sinks/tensorboard/writer/writer.h"
#include "core/text/io_code.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names are sorted as text, so they have exactly 10 digits. */
#define SECONDS_MAX INT64_C(9999999999)
#define PREFIX "events.out.tfevents."

enum { TRIES = 1000 };

/* Makes the parents. Returns the errno of the first that is missing and could not be made, or 0. */
static int make_parents(char *dir)
{
    int failed = 0;
    for (char *slash = strchr(dir + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool missing = mkdir(dir, 0777) < 0 && errno != EEXIST;
        failed = missing && !failed ? errno : failed;
        *slash = '/';
    }
    return failed;
}

int swi_tb_directory_make(const char *dir, struct sw_error *err)
{
    char *copy = strdup(dir);
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the name of a directory");
    int rc = 0;
    struct stat status;
    int of_parents = make_parents(copy);
    bool missing = mkdir(copy, 0777) < 0 && errno != EEXIST;
    if (missing && errno == ENOENT && of_parents)
        errno = of_parents;
    if (missing)
        rc = sw_error_set(err, swi_io_code(errno), "cannot create the directory %s: %s", dir,
                          strerror(errno));
    else if (stat(copy, &status) < 0)
        rc = sw_error_set(err, SW_EIO, "cannot access the directory %s: %s", dir, strerror(errno));
    else if (!S_ISDIR(status.st_mode))
        rc = sw_error_set(err, SW_EIO, "%s is not a directory: event files need one", dir);
    free(copy);
    return rc;
}

/* Returns the time in the name of an event file, or -1. */
static int64_t seconds_in(const char *name)
{
    if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
        return -1;
    const char *digits = name + strlen(PREFIX);
    size_t length = strspn(digits, "0123456789");
    return length == 10 ? strtoll(digits, NULL, 10) : -1;
}

/* Readers take the files in the order of their names, so the new one must be the last, even if the
 * clock was set back since the last run. */
static int64_t seconds_after_others(const char *dir, int64_t seconds)
{
    DIR *stream = opendir(dir);
    if (!stream)
        return seconds;
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream)) {
        int64_t theirs = seconds_in(entry->d_name);
        if (theirs >= seconds && theirs < SECONDS_MAX)
            seconds = theirs + 1;
    }
    closedir(stream);
    return seconds;
}

bool swi_tb_directory_has_events(const char *dir)
{
    return seconds_after_others(dir, 0) > 0;
}

/* Returns the name of the host, in characters that are safe in a file name. */
static void host_name(char *host, size_t size)
{
    if (gethostname(host, size) < 0 || host[0] == '\0')
        snprintf(host, size, "localhost");
    host[size - 1] = '\0';
    for (char *c = host; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '-' || *c == '.' || *c == '_';
        if (!plain)
            *c = '_';
    }
}

static char *file_path(const char *dir, int64_t seconds, const char *suffix)
{
    static atomic_int counter;
    char host[256];
    char *path;
    host_name(host, sizeof host);
    int n = atomic_fetch_add(&counter, 1);
    if (asprintf(&path, "%s/" PREFIX "%010" PRId64 ".%s.%ld.%d%s", dir, seconds, host,
                 (long)getpid(), n, suffix) < 0)
        return NULL;
    return path;
}

int swi_tb_file_create(const char *dir, int64_t seconds, const char *suffix, char **path,
                       struct sw_error *err)
{
    seconds = seconds < 0 ? 0 : seconds > SECONDS_MAX ? SECONDS_MAX : seconds;
    /* Another machine or container may have the same host name, pid and counter. */
    for (int i = 0; i < TRIES; i++) {
        char *name = file_path(dir, seconds_after_others(dir, seconds), suffix);
        if (!name)
            return sw_error_set(err, SW_ENOMEM, "not enough memory for the name of an event file");
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd >= 0) {
            *path = name;
            return fd;
        }
        int rc = errno == EEXIST
                     ? 0
                     : sw_error_set(err, swi_io_code(errno), "cannot create the event file %s: %s",
                                    name, strerror(errno));
        free(name);
        if (rc < 0)
            return rc;
    }
    return sw_error_set(err, SW_EIO, "cannot find a free name for an event file in %s", dir);
}
