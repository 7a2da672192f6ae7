/* SPDX-License-Identifier: MIT */
/* test_reader.c - the reader of .wandb files: what the log wrote comes back, and what was torn off,
 * damaged or made up ends it nowhere else than where it should. */
#include "core/text/digest.h"
#include "sinks/wandb/file/reader.h"
#include "sinks/wandb/file/run_records.h"
#include "tests/support/suite.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 1 << 20, LINES = 8 };

static char path[64];
static unsigned char file[ROOM];
static struct sw_error err;

static void path_make(void)
{
    snprintf(path, sizeof path, "/tmp/stepwatch-reader-%d", (int)getpid());
    unlink(path);
}

static void put_file(const void *bytes, size_t size)
{
    path_make();
    FILE *stream = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(bytes, 1, size, stream), size);
    fclose(stream);
}

static size_t get_file(void)
{
    FILE *stream = fopen(path, "rb");
    size_t size = fread(file, 1, sizeof file, stream);
    fclose(stream);
    return size;
}

/* Lines of such sizes as a file of the log; each begins with its number. */
static size_t make_lines(const size_t *size, size_t count)
{
    static char line[ROOM];
    struct swi_records records = {0};
    path_make();
    ck_assert_msg(swi_wandb_log_open(&records.log, path, &err) == 0, "%s", sw_error_text(&err));
    for (size_t i = 0; i < count; i++) {
        memset(line, 'a' + (int)i, size[i]);
        snprintf(line, sizeof line, "%zu", i);
        line[1] = size[i] > 1 ? (char)('a' + i) : '\0';
        line[size[i]] = '\0';
        swi_records_output(&records, line, false, 1.5);
    }
    ck_assert_int_eq(swi_wandb_log_close(&records.log, &err), 0);
    swi_records_free(&records);
    return get_file();
}

static void reader_open(struct swi_wandb_reader *reader)
{
    ck_assert_msg(swi_wandb_reader_open(reader, path, &err) == 0, "%s", sw_error_text(&err));
}

static int number_of(const struct swi_record_message *record)
{
    ck_assert_int_eq(record->what, SWI_RECORD_OUTPUT_RAW);
    return record->output_raw->line[0] - '0';
}

/* Reads as far as the file goes so far; adds the numbers of the lines to list. */
static size_t read_lines(struct swi_wandb_reader *reader, int *list, size_t count)
{
    const struct swi_record_message *record;
    int rc, guard = 0;
    while ((rc = swi_wandb_reader_next(reader, &record, &err)) != 0) {
        ck_assert_int_lt(guard++, 1000);
        ck_assert_msg(rc == 1 || rc == SW_EFORMAT, "%s", sw_error_text(&err));
        if (rc == 1)
            list[count++] = number_of(record);
    }
    return count;
}

/* ---- what was written comes back ------------------------------------------------------------- */

/* The file of the format's description: run abc of project demo, a row, a summary, exit 0. */
static const unsigned char smallest[] = {
    0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x00, 0xf4, 0x36, 0x3a, 0xb3, 0x10, 0x00, 0x01, 0x08,
    0x01, 0x8a, 0x01, 0x0b, 0x0a, 0x03, 0x61, 0x62, 0x63, 0x1a, 0x04, 0x64, 0x65, 0x6d, 0x6f,
    0x76, 0x31, 0x66, 0x57, 0x1f, 0x00, 0x01, 0x08, 0x02, 0x12, 0x1b, 0x0a, 0x0b, 0x0a, 0x05,
    0x5f, 0x73, 0x74, 0x65, 0x70, 0x82, 0x01, 0x01, 0x30, 0x0a, 0x0c, 0x0a, 0x04, 0x6c, 0x6f,
    0x73, 0x73, 0x82, 0x01, 0x03, 0x30, 0x2e, 0x35, 0xa7, 0x35, 0x89, 0x16, 0x12, 0x00, 0x01,
    0x08, 0x03, 0x1a, 0x0e, 0x0a, 0x0c, 0x0a, 0x04, 0x6c, 0x6f, 0x73, 0x73, 0x82, 0x01, 0x03,
    0x30, 0x2e, 0x35, 0x4f, 0xf3, 0x00, 0x22, 0x05, 0x00, 0x01, 0x08, 0x04, 0x92, 0x01, 0x00};

START_TEST(a_file_that_wandb_takes_is_read)
{
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    put_file(smallest, sizeof smallest);
    reader_open(&reader);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_str_eq(record->run->run_id, "abc");
    ck_assert_str_eq(record->run->project, "demo");
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_uint_eq(record->history->n_item, 2);
    ck_assert_str_eq(record->history->item[1]->key, "loss");
    ck_assert_str_eq(record->history->item[1]->value_json, "0.5");
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_int_eq(record->what, SWI_RECORD_SUMMARY);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_int_eq(record->exit->exit_code, 0);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 0);
    ck_assert_uint_eq(reader.offset, sizeof smallest);
    ck_assert_uint_eq(reader.size, sizeof smallest);
    ck_assert_int_eq(reader.records, 4);
    swi_wandb_reader_close(&reader);
    unlink(path);
}
END_TEST

START_TEST(what_the_sink_records_comes_back)
{
    const char *const tags[] = {"a", "b", NULL};
    const struct swi_run_message run = {
        .run_id = "id", .project = "p", .display_name = "ä", .tags = tags};
    struct swi_records records = {0};
    struct swi_fields row = {0};
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    path_make();
    ck_assert_int_eq(swi_wandb_log_open(&records.log, path, &err), 0);
    swi_records_run(&records, run, NULL, 12.5, NULL);
    swi_fields_number(&row, "a/b.c", 0.25);
    swi_records_history(&records, &row, 7);
    swi_records_exit(&records, 3, 60);
    ck_assert_int_eq(swi_wandb_log_close(&records.log, &err), 0);
    reader_open(&reader);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_str_eq(record->run->display_name, "ä");
    ck_assert_str_eq(record->run->tags[1], "b");
    ck_assert_int_eq(record->run->start_time->seconds, 12);
    ck_assert_int_eq(record->run->start_time->nanos, 500000000);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_int_eq(record->history->step->num, 7);
    ck_assert_str_eq(record->history->item[0]->nested_key[0], "a/b.c");
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_int_eq(record->num, 3);
    ck_assert_int_eq(record->exit->exit_code, 3);
    swi_wandb_reader_close(&reader);
    swi_records_free(&records);
    swi_fields_free(&row);
    unlink(path);
}
END_TEST

/* Around what is left of the first block: 32,768 less the file's head, the record's and 16 of the
 * message. */
static const size_t edges[] = {1,     32720, 32724, 32728, 32729, 32730, 32731, 32732,
                               32733, 32734, 32735, 32736, 32737, 32738, 32739, 32740,
                               32744, 32748, 65480, 65500, 70000, 200000};

START_TEST(a_record_of_any_size_comes_back)
{
    const size_t sizes[] = {edges[_i], 3, edges[_i], 4};
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    size_t total = make_lines(sizes, 4);
    reader_open(&reader);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
        ck_assert_int_eq(number_of(record), i);
        ck_assert_uint_eq(strlen(record->output_raw->line), sizes[i]);
        ck_assert_int_eq(record->output_raw->line[sizes[i] - 1], sizes[i] > 1 ? 'a' + i : '0' + i);
    }
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 0);
    ck_assert_uint_eq(reader.offset, total);
    ck_assert_int_eq(reader.skipped, 0);
    swi_wandb_reader_close(&reader);
    unlink(path);
}
END_TEST

START_TEST(each_type_of_value_is_json)
{
    static const struct {
        enum swi_item_value type;
        const char *json;
    } cases[] = {{SWI_ITEM_BOOLEAN, "true"}, {SWI_ITEM_INTEGER, "-3"},
                 {SWI_ITEM_NUMBER, "NaN"},   {SWI_ITEM_TEXT, "\"a\\\"b\""},
                 {SWI_ITEM_JSON, "[1]"},     {SWI_ITEM_VALUE_JSON, "{\"a\":1}"},
                 {SWI_ITEM_NONE, "null"},    {SWI_ITEM_NOTHING, "null"}};
    char text[] = "a\"b", array[] = "[1]", object[] = "{\"a\":1}";
    struct swi_item_message item = {0};
    struct swi_text json = {0};
    switch (item.what = cases[_i].type) {
    case SWI_ITEM_BOOLEAN:
        item.boolean = 1;
        break;
    case SWI_ITEM_INTEGER:
        item.integer = -3;
        break;
    case SWI_ITEM_NUMBER:
        item.number = strtod("nan", NULL);
        break;
    case SWI_ITEM_TEXT:
        item.text = text;
        break;
    case SWI_ITEM_JSON:
        item.json = array;
        break;
    case SWI_ITEM_VALUE_JSON:
        item.value_json = object;
        break;
    default:
        break;
    }
    swi_wandb_item_json(&json, &item);
    ck_assert_str_eq(json.data, cases[_i].json);
    swi_text_free(&json);
}
END_TEST

/* ---- cut off, and growing -------------------------------------------------------------------- */

static const size_t few[] = {3, 1, 40, 2, 5};
enum { FEW = sizeof few / sizeof *few };

/* Where each of the few records ends. */
static void ends_of(size_t total, size_t end[FEW])
{
    size_t at = 7;
    for (size_t i = 0; i < FEW; i++)
        end[i] = at += 7u + file[at + 4] + 256u * file[at + 5];
    ck_assert_uint_eq(at, total);
}

START_TEST(a_file_cut_anywhere_ends_behind_its_last_whole_record)
{
    size_t total = make_lines(few, FEW), end[FEW];
    int found[LINES];
    ends_of(total, end);
    for (size_t cut = 0; cut <= total; cut++) {
        struct swi_wandb_reader reader;
        size_t whole = 0, count;
        while (whole < FEW && end[whole] <= cut)
            whole++;
        ck_assert_int_eq(truncate(path, (off_t)cut), 0);
        reader_open(&reader);
        count = read_lines(&reader, found, 0);
        ck_assert_uint_eq(count, whole);
        ck_assert_uint_eq(reader.offset, whole ? end[whole - 1] : cut < 7 ? 0 : 7);
        ck_assert_uint_eq(reader.size, cut);
        ck_assert_int_eq(reader.skipped, 0);
        swi_wandb_reader_close(&reader);
        put_file(file, total);
    }
    unlink(path);
}
END_TEST

START_TEST(a_reader_goes_on_in_a_file_that_grows)
{
    static const size_t sizes[] = {5, 32700, 7, 300, 2};
    size_t total = make_lines(sizes, 5), count = 0;
    struct swi_wandb_reader reader;
    int found[LINES];
    ck_assert_int_eq(truncate(path, 0), 0);
    reader_open(&reader);
    FILE *stream = fopen(path, "wb");
    setvbuf(stream, NULL, _IONBF, 0);
    for (size_t at = 0, n; at < total; at += n) {
        n = at > 100 && at < 32500 ? 900 : 1;
        ck_assert_uint_eq(fwrite(file + at, 1, n, stream), n);
        count = read_lines(&reader, found, count);
    }
    fclose(stream);
    ck_assert_uint_eq(count, 5);
    for (int i = 0; i < 5; i++)
        ck_assert_int_eq(found[i], i);
    ck_assert_int_eq(reader.skipped, 0);
    ck_assert_uint_eq(reader.offset, total);
    swi_wandb_reader_close(&reader);
    unlink(path);
}
END_TEST

START_TEST(what_a_writer_took_back_is_read_anew)
{
    size_t total = make_lines(few, FEW), end[FEW];
    struct swi_wandb_reader reader;
    int found[LINES];
    ends_of(total, end);
    ck_assert_int_eq(truncate(path, (off_t)end[1] + 9), 0);
    reader_open(&reader);
    ck_assert_uint_eq(read_lines(&reader, found, 0), 2);
    ck_assert_int_eq(truncate(path, (off_t)end[1]), 0);
    ck_assert_uint_eq(read_lines(&reader, found, 2), 2);
    FILE *stream = fopen(path, "ab");
    fwrite(file + end[3], 1, end[4] - end[3], stream);
    fclose(stream);
    ck_assert_uint_eq(read_lines(&reader, found, 2), 3);
    ck_assert_int_eq(found[2], 4);
    ck_assert_int_eq(reader.skipped, 0);
    swi_wandb_reader_close(&reader);
    unlink(path);
}
END_TEST

/* ---- damaged --------------------------------------------------------------------------------- */

START_TEST(a_flipped_bit_costs_the_record_that_it_is_in)
{
    size_t total = make_lines(few, FEW), end[FEW];
    ends_of(total, end);
    for (size_t bit = 7u * 8; bit < total * 8; bit++) {
        struct swi_wandb_reader reader;
        int found[LINES], lost = 0;
        while (end[lost] <= bit / 8)
            lost++;
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        put_file(file, total);
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        reader_open(&reader);
        ck_assert_uint_eq(read_lines(&reader, found, 0), FEW - 1);
        for (int i = 0; i < FEW - 1; i++)
            ck_assert_int_eq(found[i], i < lost ? i : i + 1);
        /* At the end of the file it looks like one that is still being written. */
        ck_assert_int_eq(reader.skipped, lost < FEW - 1);
        ck_assert_uint_eq(reader.offset, lost < FEW - 1 ? total : end[FEW - 2]);
        swi_wandb_reader_close(&reader);
    }
    unlink(path);
}
END_TEST

START_TEST(a_flipped_bit_costs_one_record_of_many_blocks_too)
{
    static const size_t sizes[] = {10, 70000, 10, 100000, 20};
    size_t total = make_lines(sizes, 5);
    for (size_t at = 7 + (size_t)_i; at < total - 43; at += 397) {
        struct swi_wandb_reader reader;
        int found[LINES];
        file[at] ^= 0x41;
        put_file(file, total);
        file[at] ^= 0x41;
        reader_open(&reader);
        size_t count = read_lines(&reader, found, 0);
        for (size_t i = 1; i < count; i++)
            ck_assert_int_lt(found[i - 1], found[i]);
        ck_assert_uint_ge(count, 4);
        ck_assert_int_eq(found[count - 1], 4);
        ck_assert_int_eq(reader.skipped > 0, count == 4);
        ck_assert_uint_eq(reader.offset, total);
        swi_wandb_reader_close(&reader);
    }
    unlink(path);
}
END_TEST

START_TEST(a_block_of_zeros_is_left_out)
{
    static const size_t sizes[] = {10, 32700, 40000, 10, 20};
    size_t total = make_lines(sizes, 5);
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    memset(file + 32768, 0, 32768);
    put_file(file, total);
    reader_open(&reader);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_int_eq(number_of(record), 0);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), SW_EFORMAT);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "damaged"));
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "were skipped"));
    int found[LINES];
    size_t count = read_lines(&reader, found, 0);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(found[0], 3);
    ck_assert_int_eq(found[1], 4);
    ck_assert_uint_ge(reader.skipped_bytes, 32768);
    swi_wandb_reader_close(&reader);
    unlink(path);
}
END_TEST

/* Bytes that look like a head everywhere: without a limit each block takes as long as 8,000 blocks
 * with nothing in them. */
START_TEST(made_up_heads_take_no_time)
{
    struct swi_wandb_reader reader;
    int found[LINES];
    memcpy(file, smallest, 7);
    for (size_t i = 7; i < ROOM; i++)
        file[i] = i % 2 ? 0x01 : 0x3f;
    put_file(file, ROOM);
    reader_open(&reader);
    ck_assert_uint_eq(read_lines(&reader, found, 0), 0);
    ck_assert_int_gt(reader.skipped, 0);
    swi_wandb_reader_close(&reader);
    unlink(path);
}
END_TEST

/* ---- too much -------------------------------------------------------------------------------- */

/* Frames a record of any size, as the log does up to 4 MiB. */
static void frame(FILE *stream, const unsigned char *bytes, size_t size)
{
    bool first = true, last;
    do {
        static const unsigned char zeros[7];
        size_t left = 32768 - (size_t)ftell(stream) % 32768;
        if (left < 7)
            fwrite(zeros, 1, left, stream);
        size_t room = 32768 - (size_t)ftell(stream) % 32768 - 7, n = size < room ? size : room;
        last = n == size;
        unsigned char head[7] = {0,
                                 0,
                                 0,
                                 0,
                                 (unsigned char)n,
                                 (unsigned char)(n >> 8),
                                 first ? (last ? 1 : 2) : (last ? 4 : 3)};
        uint32_t crc = swi_crc32(swi_crc32(0, head + 6, 1), bytes, n);
        for (int i = 0; i < 4; i++)
            head[i] = (unsigned char)(crc >> (8 * i));
        fwrite(head, 1, 7, stream);
        fwrite(bytes, 1, n, stream);
        bytes += n;
        size -= n;
        first = false;
    } while (!last);
}

/* Reads the smallest run record, this one, and the exit record. Returns what was said of this one.
 */
static const char *read_between(const unsigned char *bytes, size_t size)
{
    static char said[SW_ERROR_SHORT];
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    put_file(smallest, 30);
    FILE *stream = fopen(path, "ab");
    fseek(stream, 0, SEEK_END);
    frame(stream, bytes, size);
    frame(stream, smallest + 100, 5);
    fclose(stream);
    reader_open(&reader);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), SW_EFORMAT);
    snprintf(said, sizeof said, "%s", sw_error_text(&err));
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_int_eq(record->what, SWI_RECORD_EXIT);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 0);
    ck_assert_int_eq(reader.skipped, 1);
    swi_wandb_reader_close(&reader);
    unlink(path);
    return said;
}

START_TEST(a_record_that_is_too_long_is_left_out)
{
    unsigned char *bytes = calloc(1, SWI_READER_RECORD + 1);
    const char *said = read_between(bytes, SWI_READER_RECORD + 1);
    ck_assert_msg(strstr(said, "longer than 16 MiB") != NULL, "%s", said);
    free(bytes);
}
END_TEST

/* Two million items in 4 MiB. */
START_TEST(a_record_that_decodes_to_too_much_is_left_out)
{
    size_t size = (4u << 20) + 5;
    unsigned char *bytes = calloc(1, size);
    static const unsigned char history[] = {0x12, 0x80, 0x80, 0x80, 0x02};
    memcpy(bytes, history, sizeof history);
    for (size_t i = sizeof history; i < size; i += 2)
        bytes[i] = 0x0a;
    const char *said = read_between(bytes, size);
    ck_assert_msg(strstr(said, "not a wandb record") != NULL, "%s", said);
    free(bytes);
}
END_TEST

START_TEST(what_is_not_a_record_is_left_out)
{
    static const unsigned char bytes[] = {0xff, 0xff, 0xff};
    const char *said = read_between(bytes, sizeof bytes);
    ck_assert_msg(strstr(said, "not a wandb record") != NULL, "%s", said);
}
END_TEST

/* A record of TensorBoard, which the format has and nothing here knows. */
START_TEST(a_record_of_another_kind_is_known_as_such)
{
    static const unsigned char bytes[] = {0x08, 0x05, 0x4a, 0x02, 0x08, 0x01};
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    put_file(smallest, 7);
    FILE *stream = fopen(path, "ab");
    fseek(stream, 0, SEEK_END);
    frame(stream, bytes, sizeof bytes);
    fclose(stream);
    reader_open(&reader);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 1);
    ck_assert_int_eq(record->what, SWI_RECORD_UNKNOWN);
    ck_assert_int_eq(record->num, 5);
    swi_wandb_reader_close(&reader);
    unlink(path);
}
END_TEST

/* ---- no file of wandb ------------------------------------------------------------------------ */

static void refused(const char *message)
{
    struct swi_wandb_reader reader;
    ck_assert_int_lt(swi_wandb_reader_open(&reader, path, &err), 0);
    ck_assert_msg(strstr(sw_error_text(&err), message) != NULL, "%s", sw_error_text(&err));
    ck_assert_msg(strncmp(sw_error_text(&err), path, strlen(path)) == 0, "%s", sw_error_text(&err));
}

START_TEST(what_is_not_a_wandb_file_is_refused)
{
    static const unsigned char version[] = {0x3a, 0x57, 0x26, 0x42, 0xe1, 0xbe, 0x03};
    path_make();
    refused("No such file");
    put_file("PK\3\4", 4);
    refused("not a .wandb file");
    put_file(version, sizeof version);
    refused("version 3");
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    refused("cannot get the size");
    unlink(path);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    refused("Is a directory");
    rmdir(path);
}
END_TEST

START_TEST(a_file_that_has_just_begun_has_no_record_yet)
{
    struct swi_wandb_reader reader;
    const struct swi_record_message *record;
    put_file("", 0);
    reader_open(&reader);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), 0);
    FILE *stream = fopen(path, "wb");
    fputs("no file of wandb", stream);
    fclose(stream);
    ck_assert_int_eq(swi_wandb_reader_next(&reader, &record, &err), SW_EINVAL);
    swi_wandb_reader_close(&reader);
    unlink(path);
}
END_TEST

SUITE(wandb_reader)
{
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_file_that_wandb_takes_is_read);
    tcase_add_test(tc, what_the_sink_records_comes_back);
    tcase_add_loop_test(tc, a_record_of_any_size_comes_back, 0, sizeof edges / sizeof *edges);
    tcase_add_loop_test(tc, each_type_of_value_is_json, 0, 8);
    tcase_add_test(tc, a_file_cut_anywhere_ends_behind_its_last_whole_record);
    tcase_add_test(tc, a_reader_goes_on_in_a_file_that_grows);
    tcase_add_test(tc, what_a_writer_took_back_is_read_anew);
    tcase_add_test(tc, a_flipped_bit_costs_the_record_that_it_is_in);
    tcase_add_loop_test(tc, a_flipped_bit_costs_one_record_of_many_blocks_too, 0, 4);
    tcase_add_test(tc, a_block_of_zeros_is_left_out);
    tcase_add_test(tc, made_up_heads_take_no_time);
    tcase_add_test(tc, a_record_that_is_too_long_is_left_out);
    tcase_add_test(tc, a_record_that_decodes_to_too_much_is_left_out);
    tcase_add_test(tc, what_is_not_a_record_is_left_out);
    tcase_add_test(tc, a_record_of_another_kind_is_known_as_such);
    tcase_add_test(tc, a_file_that_has_just_begun_has_no_record_yet);
    tcase_add_test(tc, what_is_not_a_wandb_file_is_refused);
}
