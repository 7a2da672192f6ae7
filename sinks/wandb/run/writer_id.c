/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/run/writer_id.h"
#include "core/text/digest.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* Digits of the parts of the id: machine, process, random. */
enum { MACHINE = 12, PROCESS = 12, PART = 12, CHANCE = 8 };

/* Gets the first digits of a text's SHA-256. */
static void digits_of(const char *text, char digits[PART + 1])
{
    char all[65];
    swi_sha256_hex(text, strlen(text), all);
    snprintf(digits, PART + 1, "%.*s", PART, all);
}

static size_t file_read(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    return length;
}

/* The number of a process is unique only since this boot and within its namespace. */
static void machine_digits(char digits[PART + 1])
{
    char boot[64], space[64] = "", text[160];
    file_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t size = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[size > 0 ? size : 0] = '\0';
    snprintf(text, sizeof text, "%s %s", boot, space);
    digits_of(text, digits);
}

/* The start time is the 22nd field. The second field, in parentheses, may contain anything. A
 * zombie does not count as a process. */
static int process_digits(const char *pid, char digits[PART + 1])
{
    char path[64], stat[1024], text[128];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    file_read(path, stat, sizeof stat);
    const char *at = strrchr(stat, ')');
    if (at && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
        at = NULL;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return -1;
    snprintf(text, sizeof text, "%ld %lld", atol(stat), atoll(at));
    digits_of(text, digits);
    return 0;
}

void swi_writer_id_make(char id[SWI_WRITER_ID])
{
    char machine[PART + 1], process[PART + 1] = "000000000000";
    unsigned char random[CHANCE / 2] = {0};
    if (getrandom(random, sizeof random, GRND_NONBLOCK) < 0)
        memset(random, 0x5a, sizeof random);
    machine_digits(machine);
    process_digits("self", process);
    snprintf(id, SWI_WRITER_ID, "%s%s%02x%02x%02x%02x", machine, process, random[0], random[1],
             random[2], random[3]);
}

static bool process_is(const char *pid, const char *wanted)
{
    char digits[PART + 1];
    return process_digits(pid, digits) == 0 && strncmp(digits, wanted, PROCESS) == 0;
}

/* If the processes cannot be listed, the result is unknown. */
static enum swi_writer_life look_for(const char *wanted)
{
    enum swi_writer_life life = SWI_WRITER_UNKNOWN;
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    while (folder && life != SWI_WRITER_LIVES && (entry = readdir(folder))) {
        bool is_process = entry->d_name[0] >= '1' && entry->d_name[0] <= '9';
        life = is_process ? SWI_WRITER_ENDED : life;
        if (is_process && process_is(entry->d_name, wanted))
            life = SWI_WRITER_LIVES;
    }
    if (folder)
        closedir(folder);
    return life;
}

enum swi_writer_life swi_writer_life(const char *id)
{
    char machine[PART + 1];
    machine_digits(machine);
    if (strlen(id) != SWI_WRITER_ID - 1 || strncmp(id, machine, MACHINE) != 0)
        return SWI_WRITER_UNKNOWN;
    return process_is("self", id + MACHINE) ? SWI_WRITER_ENDED : look_for(id + MACHINE);
}
