/* SPDX-License-Identifier: MIT */
#include "net/surroundings.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

FILE *swi_plain_file_open(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    FILE *file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file)
        close(fd);
    return file;
}

/* Opens the next part of a path, without blocking at a FIFO. */
static int part_open(int folder, const char *name, bool last)
{
    int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (last ? O_NONBLOCK : O_DIRECTORY);
    int fd = !*name || strcmp(name, "..") == 0 ? -1 : openat(folder, name, flags);
    close(folder);
    return fd;
}

int swi_plain_file_below(const char *folder, const char *below, const char *path,
                         struct stat *status)
{
    char *copied = strdup(path), *rest = copied;
    int fd = copied ? open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0 && *below)
        fd = part_open(fd, below, false);
    for (const char *name; fd >= 0 && (name = strsep(&rest, "/"));)
        fd = part_open(fd, name, !rest);
    free(copied);
    if (fd >= 0 && (fstat(fd, status) < 0 || !S_ISREG(status->st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

char *swi_plain_file_trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    return text;
}

/* ---- secrets --------------------------------------------------------------------------------- */

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

/* ---- addresses ------------------------------------------------------------------------------- */

void swi_address_trim(char *url)
{
    for (size_t size = strlen(url); size && url[size - 1] == '/';)
        url[--size] = '\0';
}

bool swi_address_is_open(const char *url)
{
    static const char *const names[] = {"localhost", "[::1]"};
    const char *host = url + 7;
    if (strncasecmp(url, "http://", 7) != 0)
        return false;
    if (strncmp(host, "127.", 4) == 0)
        return !strchr(":/", host[strspn(host, "0123456789.")]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncasecmp(host, names[i], strlen(names[i])) == 0 &&
            strchr(":/", host[strlen(names[i])]))
            return false;
    return true;
}

/* ---- connections ----------------------------------------------------------------------------- */

static void first_of(char value[SWI_CONNECTION_VALUE], const char *const *names, swi_env_fn *env,
                     void *arg)
{
    for (*value = '\0'; *names && !*value; names++) {
        const char *found = env(arg, *names);
        if (found && strlen(found) < SWI_CONNECTION_VALUE)
            memcpy(value, found, strlen(found) + 1);
    }
}

/* HTTP_PROXY is not read, because a web server sets it from a request. */
void swi_connection_find(struct swi_connection *connection, swi_env_fn *env, void *arg)
{
    static const char *const plain[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    static const char *const tls[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", NULL};
    static const char *const none[] = {"no_proxy", "NO_PROXY", NULL};
    static const char *const file[] = {"SSL_CERT_FILE", NULL};
    static const char *const folders[] = {"SSL_CERT_DIR", NULL};
    first_of(connection->proxy[0], plain, env, arg);
    first_of(connection->proxy[1], tls, env, arg);
    first_of(connection->no_proxy, none, env, arg);
    first_of(connection->ca_file, file, env, arg);
    first_of(connection->ca_folders, folders, env, arg);
}

bool swi_connection_trust(struct swi_connection *connection, const char *ca_file)
{
    *connection->ca_folders = '\0';
    return snprintf(connection->ca_file, sizeof connection->ca_file, "%s", ca_file) <
           (int)sizeof connection->ca_file;
}
