/* SPDX-License-Identifier: MIT */
/* fuzz_tensorboard.c - whatever is given to a writer, its file is a row of whole records with right
 * checksums and messages that can be decoded: anything else would stop TensorBoard.
 *
 * For libFuzzer (make fuzz-tensorboard), and with inputs made by chance a suite of tests/check. */
#include "tests/fuzz/fuzz.h"

#include "tests/tensorboard/tb_messages.h"
#include "sinks/tensorboard/writer/crc32c.h"

#include <stepwatch/tensorboard.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is left of the input. */
struct input {
    const uint8_t *data;
    size_t size;
    char text[4][512]; /* the last texts taken; calls take three at most */
    int next;
};

static uint64_t take(struct input *in, size_t bytes)
{
    uint64_t value = 0;
    for (; bytes > 0 && in->size > 0; bytes--, in->data++, in->size--)
        value = value << 8 | *in->data;
    return value;
}

static double take_double(struct input *in)
{
    uint64_t bits = take(in, 8);
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

/* Any bytes but NUL. */
static const char *take_text(struct input *in)
{
    char *text = in->text[in->next = (in->next + 1) % 4];
    size_t length = take(in, 1) % 64;
    if (length == 63)
        length = 500;
    size_t i = 0;
    for (; i < length && in->size > 0; i++) {
        char c = (char)take(in, 1);
        text[i] = c ? c : 'x';
    }
    text[i] = '\0';
    return text;
}

static void scalars(struct input *in, struct sw_tb *tb)
{
    struct sw_tb_value value[3];
    size_t count = take(in, 1) % 4;
    for (size_t i = 0; i < count; i++)
        value[i] = (struct sw_tb_value){take_text(in), take_double(in)};
    sw_tb_scalars(tb, (int64_t)take(in, 8), value, count);
}

static void histogram(struct input *in, struct sw_tb *tb)
{
    struct sw_bin bin[4];
    double value[4];
    const char *tag = take_text(in);
    size_t count = take(in, 1) % 5;
    for (size_t i = 0; i < count; i++) {
        bin[i] = (struct sw_bin){take_double(in), take_double(in), take(in, 8)};
        value[i] = bin[i].low;
    }
    sw_tb_histogram(tb, tag, (int64_t)take(in, 2), bin, count);
    sw_tb_histogram_values(tb, tag, (int64_t)take(in, 2), value, count);
}

static void texts(struct input *in, struct sw_tb *tb)
{
    const char *tag = take_text(in);
    const char *const cells[] = {take_text(in), take_text(in)};
    sw_tb_text(tb, tag, (int64_t)take(in, 2), cells[0]);
    sw_tb_table(tb, tag, (int64_t)take(in, 2), cells, 1, 2);
    sw_tb_image(tb, cells[1], 1, (int)take(in, 4), (int)take(in, 4), cells[0], strlen(cells[0]));
}

static void pages(struct input *in, struct sw_tb *tb)
{
    const char *list[] = {take_text(in), take_text(in), take_text(in), NULL};
    bool band = take(in, 1) & 1;
    struct sw_tb_chart chart = {list[0], list[1], band ? NULL : list, band ? list : NULL, band};
    sw_tb_layout(tb, (int64_t)take(in, 1), &chart, 1);
    struct sw_tb_column column = {.name = list[0],
                                  .type = (enum sw_tb_type)(take(in, 1) % 4),
                                  .title = list[1],
                                  .description = list[2],
                                  .choices = band ? list : NULL,
                                  .min = take_double(in),
                                  .max = take_double(in)};
    struct sw_tb_metric metric = {list[0], list[1], list[2], NULL, (int)take(in, 1)};
    struct sw_tb_experiment experiment = {list[0], list[1], list[2], 1, &column, 1, &metric};
    sw_tb_experiment(tb, &experiment);
}

static void hparams(struct input *in, struct sw_tb *tb)
{
    struct sw_tb_hparam hparam = {take_text(in), (enum sw_tb_type)(take(in, 1) % 4),
                                  take_double(in), take_text(in)};
    sw_tb_hparams(tb, &hparam, 1, take_text(in));
    sw_tb_hparams_end(tb, (enum sw_tb_status)(take(in, 1) % 4));
}

static void others(struct input *in, struct sw_tb *tb)
{
    const char *tag = take_text(in);
    sw_tb_describe(tb, tag, take_text(in));
    sw_tb_set_time(tb, take_double(in));
    sw_tb_start(tb, (int64_t)take(in, 8));
    if (take(in, 1) & 1)
        sw_tb_flush(tb, NULL);
}

static void write_all(struct input *in, struct sw_tb *tb)
{
    while (in->size > 0) {
        switch (take(in, 1) % 7) {
        case 0:
            scalars(in, tb);
            break;
        case 1:
            histogram(in, tb);
            break;
        case 2:
            texts(in, tb);
            break;
        case 3:
            pages(in, tb);
            break;
        case 4:
            hparams(in, tb);
            break;
        case 5:
            others(in, tb);
            break;
        default:
            sw_tb_scalar(tb, take_text(in), (int64_t)take(in, 8), take_double(in));
        }
    }
}

/* ---- reading back ---------------------------------------------------------------------------- */

static uint64_t little(const uint8_t *bytes, int count)
{
    uint64_t n = 0;
    for (int i = count - 1; i >= 0; i--)
        n = n << 8 | bytes[i];
    return n;
}

static void require_record(const uint8_t *record, uint64_t length)
{
    require(little(record + 8, 4) == swi_crc32c_mask(swi_crc32c_table(record, 8)));
    require(little(record + 12 + length, 4) ==
            swi_crc32c_mask(swi_crc32c_table(record + 12, length)));
    struct swi_tb_event_message *event = tb_event_read(record + 12, length);
    require(event != NULL);
    swi_message_free(event);
}

static int64_t require_records(const char *path)
{
    static uint8_t bytes[1 << 22];
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    int64_t records = 0;
    for (size_t at = 0; at < size; records++) {
        require(size - at >= 16);
        uint64_t length = little(bytes + at, 8);
        require(length <= size - at - 16);
        require_record(bytes + at, length);
        at += length + 16;
    }
    return records;
}

int64_t fuzz_tensorboard(const uint8_t *data, size_t size)
{
    static char directory[64];
    if (!directory[0]) {
        snprintf(directory, sizeof directory, "/tmp/stepwatch-fuzz-%ld", (long)getpid());
    }
    struct input in = {.data = data, .size = size};
    struct sw_tb_stats stats;
    char path[1024];
    struct sw_tb *tb = sw_tb_open(directory, NULL, NULL);
    require(tb != NULL);
    write_all(&in, tb);
    sw_tb_stats(tb, &stats);
    snprintf(path, sizeof path, "%s", sw_tb_path(tb));
    sw_tb_close(tb, NULL);
    require(require_records(path) == stats.records);
    unlink(path);
    rmdir(directory);
    return stats.records;
}
