/* SPDX-License-Identifier: MIT */
/* visible.c - which GPUs a program may use: CUDA_VISIBLE_DEVICES. */
#include "monitors/gpu/nvml.h"
#include "monitors/common/kernel_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_MAX = 128 };

static bool has(const struct swi_visible *visible, int index)
{
    for (size_t i = 0; i < visible->count; i++)
        if (visible->index[i] == index)
            return true;
    return false;
}

static void add(struct swi_visible *visible, int index)
{
    if (visible->count < SWI_GPUS)
        visible->index[visible->count++] = index;
}

/* The next word of a list, up to a comma; false behind the last. */
static bool word_next(const char **at, char *word)
{
    if (!*at)
        return false;
    size_t length = strcspn(*at, ","), kept = length < WORD_MAX - 1 ? length : WORD_MAX - 1;
    memcpy(word, *at, kept);
    word[kept] = '\0';
    *at = (*at)[length] ? *at + length + 1 : NULL;
    return true;
}

/* The number that a word begins with, after blanks; -1 if there is none. */
static long number_of(const char *word)
{
    word += strspn(word, " \t");
    bool digit = isdigit((unsigned char)word[*word == '+' || *word == '-']);
    return digit ? strtol(word, NULL, 10) : -1;
}

/* What follows an invalid index is not visible, but one that is named twice hides all. */
static void indices_read(struct swi_visible *visible, const char *value, size_t count)
{
    char word[WORD_MAX];
    struct swi_visible named = {0};
    while (word_next(&value, word)) {
        long index = number_of(word);
        if (index < 0 || index > 1 << 20)
            break;
        if (has(&named, (int)index))
            return;
        add(&named, (int)index);
    }
    for (size_t i = 0; i < named.count && (size_t)named.index[i] < count; i++)
        add(visible, named.index[i]);
}

/* The only device whose UUID begins so; -1 if there is none, or several. */
static int uuid_find(const char *word, char (*uuids)[SWI_GPU_UUID], size_t count)
{
    int found = -1;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(uuids[i], word, strlen(word)) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

static void uuids_read(struct swi_visible *visible, const char *value, char (*uuids)[SWI_GPU_UUID],
                       size_t count)
{
    char word[WORD_MAX];
    while (word_next(&value, word) && strncmp(word, "GPU-", 4) == 0) {
        int index = uuid_find(word, uuids, count);
        if (index < 0)
            return;
        if (has(visible, index)) {
            visible->count = 0;
            return;
        }
        add(visible, index);
    }
}

/* Several instances may be parts of one device. */
static void migs_read(struct swi_visible *visible, const char *value, swi_mig_parent_fn *mig,
                      void *arg)
{
    char word[WORD_MAX];
    while (mig && word_next(&value, word) && strncmp(word, "MIG-", 4) == 0) {
        int index = mig(arg, word);
        if (index < 0)
            return;
        if (!has(visible, index))
            add(visible, index);
    }
}

void swi_visible_read(struct swi_visible *visible, const char *value, char (*uuids)[SWI_GPU_UUID],
                      size_t count, swi_mig_parent_fn *mig, void *arg)
{
    visible->count = 0;
    if (!value)
        for (size_t i = 0; i < count; i++)
            add(visible, (int)i);
    else if (strncmp(value, "GPU-", 4) == 0)
        uuids_read(visible, value, uuids, count);
    else if (strncmp(value, "MIG-", 4) == 0)
        migs_read(visible, value, mig, arg);
    else
        indices_read(visible, value, count);
}

/* ---- which processes are this one or its children -------------------------------------------- */

/* The fourth field, after the name, which may hold anything; 0 if it is unknown. */
static pid_t parent_of(pid_t pid)
{
    const struct swi_machine here = {.root = ""};
    char path[64], text[1024];
    uint64_t parent;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (!swi_machine_read(&here, path, text, sizeof text))
        return 0;
    const char *end = strrchr(text, ')');
    if (!end || strlen(end) < 4)
        return 0;
    end += 3; /* the state is one letter */
    return swi_text_count(&end, &parent) ? (pid_t)parent : 0;
}

bool swi_is_own_process(pid_t pid, pid_t own)
{
    enum { GENERATIONS = 64 };
    for (int i = 0; i < GENERATIONS && pid > 1 && pid != own; i++)
        pid = parent_of(pid);
    return pid == own;
}
