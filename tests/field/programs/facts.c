/* SPDX-License-Identifier: MIT */
/* facts.c - counts what is in an output of the rig that is not text, and that it is whole.
 *
 *     facts tensorboard FILE | wandb FILE | sqlite FILE
 *
 * sqlite: every table, with its rows. Fails, with a line, if the file ends within a record. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANDB_BLOCK = 32768, WANDB_HEAD = 7 };

static uint64_t number(const unsigned char *bytes, int size)
{
    uint64_t value = 0;
    for (int i = size; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* Events: length (8), checksum (4), the event, checksum (4). */
static long tensorboard(const unsigned char *data, size_t size)
{
    long count = 0;
    size_t at = 0;
    for (; at + 16 <= size; count++) {
        uint64_t length = number(data + at, 8);
        if (length > size - at - 16)
            return -1;
        at += 16 + (size_t)length;
    }
    return at == size ? count : -1;
}

/* Whether a record is a row of the history: field 2, after the record's number. Others depend on
 * the time. */
static int is_row(const unsigned char *record, size_t size)
{
    size_t at = 0;
    while (at < size && record[at] >> 3 != 2 && (record[at] & 7) == 0)
        for (at++; at < size && record[at++] & 0x80;)
            ;
    return at < size && record[at] >> 3 == 2;
}

/* Blocks of 32 KiB with parts of records: checksum (4), length (2), type (1); the head of the file
 * has as many bytes as a part's. A record begins with a part of type 1 or 2. */
static long wandb(const unsigned char *data, size_t size)
{
    long count = 0;
    size_t at = WANDB_HEAD;
    while (at + WANDB_HEAD <= size) {
        size_t left = WANDB_BLOCK - at % WANDB_BLOCK;
        if (left < WANDB_HEAD) {
            at += left;
            continue;
        }
        size_t length = (size_t)number(data + at + 4, 2);
        if (length > size - at - WANDB_HEAD)
            return -1;
        if (data[at + 6] == 1 || data[at + 6] == 2)
            count += is_row(data + at + WANDB_HEAD, length);
        at += WANDB_HEAD + length;
    }
    return at == size ? count : -1;
}

#ifndef WITHOUT_SQLITE
#include <sqlite3.h>

static int print_row(void *list, int columns, char **value, char **name)
{
    (void)list;
    (void)name;
    for (int i = 0; i < columns; i++)
        printf("sqlite: %s\n", value[i]);
    return 0;
}

static int sqlite(const char *path)
{
    static const char names[] = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT "
                                "LIKE 'sqlite%' ORDER BY name";
    sqlite3 *db = NULL;
    sqlite3_stmt *table = NULL;
    char sql[512];
    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "PRAGMA integrity_check", print_row, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_prepare_v2(db, names, -1, &table, NULL);
    while (rc == SQLITE_OK && sqlite3_step(table) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(table, 0);
        snprintf(sql, sizeof sql, "SELECT '%s ' || count(*) FROM \"%s\"", name, name);
        rc = sqlite3_exec(db, sql, print_row, NULL, NULL);
    }
    if (rc != SQLITE_OK)
        printf("sqlite: %s: %s\n", path, sqlite3_errmsg(db));
    sqlite3_finalize(table);
    sqlite3_close(db);
    return rc != SQLITE_OK;
}
#else
static int sqlite(const char *path)
{
    printf("sqlite: %s: facts is built without it\n", path);
    return 1;
}
#endif

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    if (strcmp(argv[1], "sqlite") == 0)
        return sqlite(argv[2]);

    static unsigned char data[16 << 20];
    FILE *file = fopen(argv[2], "rb");
    if (!file) {
        perror(argv[2]);
        return 2;
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    long count = strcmp(argv[1], "wandb") == 0 ? wandb(data, size) : tensorboard(data, size);
    if (count < 0)
        printf("%s: ends within a record\n", argv[1]);
    else
        printf("%s: %ld records\n", argv[1], count);
    return count < 0;
}
