/* SPDX-License-Identifier: MIT */
#include "tests/config/sample.h"

#include "tests/config/sinks.h"

#include <check.h>
#include <dirent.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *left;
static char scratch[] = "/tmp/stepwatch-config-XXXXXX";
static bool in_scratch;

void sample_enter(const char *folder)
{
    sample_sinks();
    sample_environment();
    left = getcwd(NULL, 0);
    in_scratch = !folder;
    if (in_scratch) {
        memcpy(strrchr(scratch, '-') + 1, "XXXXXX", 6);
        folder = mkdtemp(scratch);
        ck_assert_ptr_nonnull(folder);
    }
    ck_assert_int_eq(chdir(folder), 0);
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    return remove(path);
}

void sample_leave(void)
{
    unsetenv("STEPWATCH");
    unsetenv("STEPWATCH_CONFIG");
    if (in_scratch)
        nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (left)
        ck_assert_int_eq(chdir(left), 0);
    free(left);
    left = NULL;
}

static int is_yaml(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".yaml") == 0;
}

int sample_names(char ***names)
{
    struct dirent **entries;
    int count = scandir(".", &entries, is_yaml, alphasort);
    ck_assert_int_gt(count, 0);
    *names = calloc((size_t)count, sizeof **names);
    for (int i = 0; i < count; i++) {
        (*names)[i] = strndup(entries[i]->d_name, strlen(entries[i]->d_name) - strlen(".yaml"));
        free(entries[i]);
    }
    free(entries);
    return count;
}

char *sample_text(const char *name, const char *ending)
{
    char path[512], *text = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s.%s", name, ending);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s: each NAME.yaml needs its NAME.expected", path);
    ssize_t size = getdelim(&text, &room, EOF, file);
    fclose(file);
    if (size < 0) {
        free(text);
        return strdup("");
    }
    return text;
}

void sample_write(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}
