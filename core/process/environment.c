/* SPDX-License-Identifier: MIT */
#include "core/process/environment.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct swi_environment {
    size_t size; /* of the mapping that begins here */
    bool secure; /* the program has rights that its caller does not have */
    char text[]; /* NAME=value, each with its NUL, and an empty string at the end */
};

static size_t text_size(void)
{
    size_t size = 1;
    for (char **at = environ; at && *at; at++)
        size += strlen(*at) + 1;
    return size;
}

/* Maps separate memory that is left out of core dumps, because it may hold keys and passwords. */
static struct swi_environment *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, size, MADV_DONTDUMP);
    struct swi_environment *environment = memory;
    environment->size = size;
    return environment;
}

struct swi_environment *swi_environment_take(void)
{
    struct swi_environment *environment = map(sizeof *environment + text_size());
    if (!environment)
        return NULL;
    environment->secure = getauxval(AT_SECURE) != 0;
    char *text = environment->text;
    for (char **at = environ; at && *at; at++)
        /* An empty string would end the list. */
        if (**at)
            text = stpcpy(text, *at) + 1;
    return environment;
}

void swi_environment_free(struct swi_environment *environment)
{
    if (!environment)
        return;
    size_t size = environment->size;
    explicit_bzero(environment, size);
    munmap(environment, size);
}

const char *swi_environment_get(const struct swi_environment *environment, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = environment ? environment->text : ""; *at; at += strlen(at) + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

const char *swi_environment_get_secure(const struct swi_environment *environment, const char *name)
{
    return environment && !environment->secure ? swi_environment_get(environment, name) : NULL;
}

int64_t swi_utc_offset(double seconds)
{
    time_t at = (time_t)seconds;
    struct tm local;
    return localtime_r(&at, &local) ? local.tm_gmtoff : 0;
}
