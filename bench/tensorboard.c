/* SPDX-License-Identifier: MIT */
/* tensorboard.c - compares how fast libstepwatch-tensorboard writes scalars with the minimal work
 * of any writer of this format.
 *
 * tensorboard DIRECTORY [SCALARS]: prints a line for each case: name, scalars a second (the best of
 * 15 rounds), bytes a scalar, and the growth of the resident memory. */
#include "core/text/wire.h"
#include "sinks/tensorboard/writer/crc32c.h"
#include "sinks/tensorboard/writer/writer.h"

#include <stepwatch/tensorboard.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 15, TAGS = 14 };

/* Ten bytes each, as in the figures of the other writers. */
static const char *const tags[TAGS] = {"loss/train", "loss/valid", "time/steps", "time/draws",
                                       "time/batch", "time/fward", "time/bward", "time/optim",
                                       "rate/steps", "rate/draws", "rate/batch", "rate/fward",
                                       "rate/bward", "rate/optim"};

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long resident_kib(void)
{
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A way to write scalars; returns the number of bytes written. */
typedef int64_t write_fn(const char *dir, int64_t scalars);

/* ---- the limit: a record made in advance, its checksum, and fwrite --------------------------- */

static size_t preset(uint8_t *record)
{
    static const uint8_t payload[] =
        "\x09\0\0\0\x40\xfc\x54\xd9\x41\x10\x01\x2a\x13\x0a\x11\x0a\x0a"
        "loss/train\x15\0\0\x20\x41";
    size_t size = sizeof payload - 1;
    swi_put64(record, size);
    swi_put32(record + 8, swi_crc32c_mask(swi_crc32c_choose()(record, 8)));
    memcpy(record + 12, payload, size);
    return size;
}

static int64_t limit(const char *dir, int64_t scalars, bool with_clock)
{
    char path[4096];
    uint8_t record[128];
    size_t size = preset(record);
    swi_crc32c_fn *crc = swi_crc32c_choose();
    snprintf(path, sizeof path, "%s/limit", dir);
    FILE *file = fopen(path, "w");
    if (!file)
        exit(1);
    setvbuf(file, NULL, _IOFBF, 64 << 10);
    for (int64_t i = 0; i < scalars; i++) {
        if (with_clock)
            swi_wire_double((char *)record + 12, 1, seconds(CLOCK_REALTIME));
        swi_put32(record + 12 + size, swi_crc32c_mask(crc(record + 12, size)));
        fwrite(record, 1, size + 16, file);
    }
    fclose(file);
    return scalars * (int64_t)(size + 16);
}

static int64_t limit_without_clock(const char *dir, int64_t scalars)
{
    return limit(dir, scalars, false);
}

static int64_t limit_with_clock(const char *dir, int64_t scalars)
{
    return limit(dir, scalars, true);
}

/* ---- the library ----------------------------------------------------------------------------- */

static struct sw_tb *open_writer(const char *dir)
{
    SW_ERROR_SCOPE(err);
    struct sw_tb *tb = sw_tb_open(dir, NULL, &err);
    if (tb)
        return tb;
    sw_error_print(stderr, &err);
    exit(1);
}

static int64_t close_writer(struct sw_tb *tb)
{
    struct sw_tb_stats stats;
    SW_ERROR_SCOPE(err);
    char path[4096];
    sw_tb_stats(tb, &stats);
    snprintf(path, sizeof path, "%s", sw_tb_path(tb));
    if (sw_tb_close(tb, &err) < 0) {
        sw_error_print(stderr, &err);
        exit(1);
    }
    unlink(path);
    return stats.bytes;
}

static int64_t one_scalar_an_event(const char *dir, int64_t scalars)
{
    struct sw_tb *tb = open_writer(dir);
    for (int64_t i = 0; i < scalars; i++)
        sw_tb_scalar(tb, tags[0], i, (double)i);
    return close_writer(tb);
}

static int64_t fourteen_tags_in_turn(const char *dir, int64_t scalars)
{
    struct sw_tb *tb = open_writer(dir);
    for (int64_t i = 0; i < scalars; i++)
        sw_tb_scalar(tb, tags[i % TAGS], i / TAGS, (double)i);
    return close_writer(tb);
}

static int64_t fourteen_scalars_an_event(const char *dir, int64_t scalars)
{
    struct sw_tb *tb = open_writer(dir);
    struct sw_tb_value value[TAGS];
    for (int64_t i = 0; i < scalars / TAGS; i++) {
        for (int k = 0; k < TAGS; k++)
            value[k] = (struct sw_tb_value){tags[k], (double)(i + k)};
        sw_tb_scalars(tb, i, value, TAGS);
    }
    return close_writer(tb);
}

/* ---- encoding alone: the same event in memory ------------------------------------------------ */

static int64_t encode_alone(const char *dir, int64_t scalars)
{
    char name[] = "loss/train";
    struct swi_tb_tag tag = {.name = name, .name_size = strlen(name)};
    uint8_t event[128];
    int64_t bytes = 0;
    (void)dir;
    for (int64_t i = 0; i < scalars; i++) {
        struct swi_tb_point point = {.tag = &tag, .value = (float)i};
        bytes += (int64_t)swi_tb_scalars_size(i, &point, 1);
        swi_tb_scalars_put(event, 1700000000.0, i, &point, 1);
    }
    return bytes;
}

static const struct {
    const char *name;
    write_fn *write;
} cases[] = {
    {"limit: preset record, CRC, fwrite", limit_without_clock},
    {"limit with a clock read a record", limit_with_clock},
    {"stepwatch, one scalar an event", one_scalar_an_event},
    {"stepwatch, 14 tags in turn", fourteen_tags_in_turn},
    {"stepwatch, 14 scalars an event", fourteen_scalars_an_event},
    {"encoding alone", encode_alone},
};

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: tensorboard DIRECTORY [SCALARS]\n");
        return 2;
    }
    int64_t scalars = argc > 2 ? strtoll(argv[2], NULL, 10) : 2000000;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        long before = resident_kib();
        double best = 1e99;
        int64_t bytes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            double begun = seconds(CLOCK_MONOTONIC);
            bytes = cases[k].write(argv[1], scalars);
            double took = seconds(CLOCK_MONOTONIC) - begun;
            best = took < best ? took : best;
        }
        printf("%-36s %12.0f scalars/s %6.1f bytes/scalar %6ld KiB\n", cases[k].name,
               (double)scalars / best, (double)bytes / (double)scalars, resident_kib() - before);
    }
    return 0;
}
