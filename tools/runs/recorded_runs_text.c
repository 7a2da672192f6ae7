/* SPDX-License-Identifier: MIT */
#include "tools/runs/recorded_runs_text.h"

#include "core/text/buffer.h"
#include "core/text/escape.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NAME, STATE, STEPS, RATE, DURATION, STARTED, VALUES, PATH, COLUMNS };

static const char *const titles[COLUMNS] = {"NAME",     "STATE",   "STEPS",  "SAMPLES/S",
                                            "DURATION", "STARTED", "VALUES", "PATH"};

/* How much of it is shown. */
enum { NAME_MOST = 32, VALUES_MOST = 3, TEXT_MOST = 4096 };

/* Appends a text without control characters, cut after so many bytes at the end of a character. */
static void text_add(struct swi_text *cell, const char *text, size_t most)
{
    struct swi_text shown = {0};
    swi_escape_terminal(&shown, text);
    size_t size = shown.size < most ? shown.size : most;
    while (size < shown.size && size && ((unsigned char)shown.data[size] & 0xc0) == 0x80)
        size--;
    if (shown.data)
        swi_text_add(cell, shown.data, size);
    if (size < shown.size)
        swi_text_put(cell, "…");
    swi_text_free(&shown);
}

static void duration_add(struct swi_text *cell, double seconds)
{
    char text[TEXT_NUMBER];
    if (!(seconds >= 60 && seconds < 1e12)) {
        swi_text_put(cell, text_time(text, seconds * 1e9));
        return;
    }
    int64_t all = (int64_t)seconds;
    swi_text_format(cell, "%" PRId64 ":%02d:%02d", all / 3600, (int)(all / 60 % 60),
                    (int)(all % 60));
}

static void started_add(struct swi_text *cell, double seconds)
{
    char text[32] = "-";
    time_t second = fabs(seconds) < 1e11 ? (time_t)seconds : 0;
    struct tm local;
    if (fabs(seconds) < 1e11 && localtime_r(&second, &local))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    swi_text_put(cell, text);
}

static void values_add(struct swi_text *cell, const struct recorded_run *run)
{
    for (size_t i = 0; i < run->values && i < VALUES_MOST; i++) {
        swi_text_put(cell, i ? " " : "");
        text_add(cell, run->value[i].name, NAME_MOST);
        swi_text_format(cell, "=%.4g", run->value[i].value);
    }
    if (run->values > VALUES_MOST)
        swi_text_put(cell, " …");
}

static void state_add(struct swi_text *cell, const struct recorded_run *run)
{
    swi_text_put(cell, run_state_name(run->state));
    if (run->world_size > 1 && run->ranks == 1)
        swi_text_format(cell, " (rank %" PRId64 " of %" PRId64 ")", run->rank, run->world_size);
    else if (run->world_size > 1)
        swi_text_format(cell, " (%" PRId64 "/%" PRId64 " ranks)", run->ranks, run->world_size);
}

static void cell_make(struct swi_text *cell, const struct recorded_run *run, int column)
{
    char text[TEXT_NUMBER];
    switch (column) {
    case NAME:
        text_add(cell, run->name ? run->name : "", NAME_MOST);
        break;
    case STATE:
        state_add(cell, run);
        break;
    case STEPS:
        swi_text_put(cell, run->steps < 0 ? "-" : text_count(text, (double)run->steps));
        break;
    case RATE:
        swi_text_put(cell, text_rate(text, run->samples_per_s));
        break;
    case DURATION:
        duration_add(cell, run->duration_s);
        break;
    case STARTED:
        started_add(cell, run->started_s);
        break;
    case VALUES:
        values_add(cell, run);
        break;
    default:
        text_add(cell, run->path, TEXT_MOST);
    }
    if (!cell->size)
        swi_text_put(cell, "-");
}

static bool is_number(int column)
{
    return column == STEPS || column == RATE || column == DURATION;
}

static void cell_print(const char *text, int column, size_t width)
{
    int blanks = (int)(width - swi_text_width(text));
    if (column == COLUMNS - 1)
        printf("%s\n", text);
    else if (is_number(column))
        printf("%*s%s  ", blanks, "", text);
    else
        printf("%s%*s  ", text, blanks, "");
}

/* Twice over all cells: for the widths, and to print. */
void recorded_runs_print(const struct recorded_runs *runs)
{
    size_t width[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        width[c] = strlen(titles[c]);
    for (int print = 0; print < 2; print++) {
        for (int c = 0; c < COLUMNS && print; c++)
            cell_print(titles[c], c, width[c]);
        for (size_t i = 0; i < runs->count; i++)
            for (int c = 0; c < COLUMNS; c++) {
                struct swi_text cell = {0};
                cell_make(&cell, runs->item[i], c);
                const char *text = cell.data ? cell.data : "";
                size_t wide = swi_text_width(text);
                if (print)
                    cell_print(text, c, width[c]);
                else
                    width[c] = wide > width[c] ? wide : width[c];
                swi_text_free(&cell);
            }
    }
}

void recorded_runs_print_paths(const struct recorded_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        bool again = i && strcmp(runs->item[i - 1]->path, runs->item[i]->path) == 0;
        if (!again)
            printf("%s\n", runs->item[i]->path);
    }
}
