/* SPDX-License-Identifier: MIT */
/* Counts the same calls and blocks twice: with counters that are words of memory, which regions
 * read in a straight line, and with one more that is not, so that they are read one by one. Says
 * which rows differ, and exits with their number. */
#include <stepwatch/memory.h>
#include <stepwatch/report.h>
#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 30000, BLOCKS = 64, WORDS = 4, ROWS = 64 };

static const char *const names[WORDS] = {"allocated", "net", "allocs", "peak"};

struct row {
    char name[64];
    int64_t calls, total[WORDS], self[WORDS];
};

static uint32_t seed;

static uint32_t below(uint32_t most)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % most;
}

/* Books of its own, because an allocator does not give the same sizes in each run. */
static struct sw_memory books = {.size = sizeof books};
static int64_t block[BLOCKS];

struct sw_memory *sw_memory_here(void)
{
    return &books;
}

static void allocate(void)
{
    int64_t *size = &block[below(BLOCKS)];
    books.freed += *size;
    books.frees += *size > 0;
    books.net -= *size;
    *size = below(3) ? 1 + below(1 << below(16)) : 0;
    books.allocated += *size;
    books.allocs += *size > 0;
    books.net += *size;
    if (books.net > books.peak)
        books.peak = books.net;
}

static void pause_here(struct sw_profiler *sw)
{
    sw_pause(sw);
    allocate();
    sw_resume(sw);
}

static void call(struct sw_profiler *sw)
{
    const int actions[] = {SW_TRAIN,   SW_DRAW,     SW_BATCH,         SW_FORWARD,
                           SW_FORWARD, SW_BACKWARD, sw_action("own"), sw_action("other")};
    int action = actions[below(sizeof actions / sizeof *actions)];
    switch (below(12)) {
    case 0:
        sw_cancel(sw, action);
        break;
    case 1:
        pause_here(sw);
        break;
    case 2:
        sw_end_batch(sw, 1);
        break;
    case 3:
    case 4:
        sw_next(sw, action);
        break;
    case 5:
    case 6:
    case 7:
        sw_end(sw, action);
        break;
    default:
        sw_begin(sw, action);
    }
}

static void rows_read(struct row *row, const struct sw_report *report)
{
    for (size_t i = 0; i < report->count && i < ROWS; i++) {
        const struct sw_report_row *from = sw_report_row(report, i);
        snprintf(row[i].name, sizeof row[i].name, "%s/%s", from->phase, from->action);
        row[i].calls = from->calls;
        for (size_t k = 0; from->counter && k < report->counter_count; k++)
            for (int w = 0; w < WORDS; w++)
                if (strcmp(sw_row_counter(report, from, k)->name, names[w]) == 0) {
                    row[i].total[w] = sw_row_counter(report, from, k)->total;
                    row[i].self[w] = sw_row_counter(report, from, k)->self;
                }
    }
}

static void ignore(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    (void)text;
}

static void play(struct row *row, const char *more)
{
    char yaml[256];
    struct sw_report *report = NULL;
    books = (struct sw_memory){.size = sizeof books};
    memset(block, 0, sizeof block);
    snprintf(yaml, sizeof yaml,
             "profiler: { mode: simple, show_report: false, signals: false, "
             "counters: [allocated, net, allocs, peak%s] }\nlogger_callback: []\n",
             more);
    struct sw_profiler *sw = sw_open_text(yaml, NULL);
    if (!sw)
        exit(99);
    sw_set_messages(sw, ignore, NULL);
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < CALLS; i++) {
        call(sw);
        allocate();
    }
    if (sw_report_new(sw, &report, NULL) < 0)
        exit(99);
    rows_read(row, report);
    sw_report_free(report);
    sw_close(sw, NULL);
}

int main(void)
{
    static struct row straight[ROWS], one_by_one[ROWS];
    int wrong = 0;
    for (uint32_t round = 1; round <= 8; round++) {
        seed = round;
        play(straight, "");
        seed = round;
        play(one_by_one, ", page_faults");
        int64_t peaks = 0;
        for (int i = 0; i < ROWS; i++) {
            peaks += straight[i].total[3] > 0;
            if (memcmp(&straight[i], &one_by_one[i], sizeof straight[i]) == 0)
                continue;
            printf("seed %u: %s: peak %lld, one by one %lld\n", round, straight[i].name,
                   (long long)straight[i].total[3], (long long)one_by_one[i].total[3]);
            wrong++;
        }
        wrong += peaks < 5;
    }
    return wrong;
}
