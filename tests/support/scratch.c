/* SPDX-License-Identifier: MIT */
#include "tests/support/scratch.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];
static pid_t owner;

static void scratch_remove(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (getpid() == owner && (chdir("/") != 0 || system(command) != 0))
        perror(folder);
}

const char *scratch_enter(void)
{
    if (*folder)
        return folder;
    umask(022);
    owner = getpid();
    snprintf(folder, sizeof folder, "/tmp/stepwatch-check-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(chmod(folder, 0755), 0);
    ck_assert_int_eq(chdir(folder), 0);
    atexit(scratch_remove);
    return folder;
}

const char *scratch_path(const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

void scratch_write(const char *name, const char *content, size_t size)
{
    FILE *file = fopen(scratch_path(name), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(content, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static char *read_all(const char *path, size_t *size)
{
    struct stat st;
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "there is no file %s", path);
    ck_assert_int_eq(fstat(fileno(file), &st), 0);
    char *content = calloc(1, (size_t)st.st_size + 1);
    *size = fread(content, 1, (size_t)st.st_size, file);
    fclose(file);
    return content;
}

char *scratch_read(const char *name, size_t *size)
{
    size_t ignored;
    return read_all(scratch_path(name), size ? size : &ignored);
}

void scratch_copy(const char *from, const char *name)
{
    size_t size;
    char *content = read_all(from, &size);
    scratch_write(name, content, size);
    free(content);
}

void scratch_patch(const char *name, const char *old, const char *new_text)
{
    size_t size, n = strlen(old);
    int found = 0;
    char *content = scratch_read(name, &size);
    ck_assert_uint_eq(strlen(new_text), n);
    for (char *at = content; (at = memmem(at, size - (size_t)(at - content), old, n)); found++)
        memcpy(at, new_text, n);
    ck_assert_int_gt(found, 0);
    scratch_write(name, content, size);
    free(content);
}

int scratch_count(const char *name)
{
    int count = -2; /* . and .. */
    DIR *dir = opendir(scratch_path(name));
    ck_assert_ptr_nonnull(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}
