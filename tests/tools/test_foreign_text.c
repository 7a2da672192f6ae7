/* SPDX-License-Identifier: MIT */
/* test_foreign_text.c - a log may come from somebody else: whatever its texts contain, no command
 * lets it control a terminal, run in a page, or break a table. */
#include "core/text/characters.h"
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/tools/command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A formula, the marks of each format, a script, controls of both sets, and a change of direction.
 */
#define FOREIGN                                                                                    \
    "=x\",|`<script>alert(1)</script>"                                                             \
    "\x1b[31m\xc2\x9b"                                                                             \
    "31m\xe2\x80\xae\n\r\a\x7f'&\\"

static const char *const logs[] = {"steps", "regions", "results", "summary"};

/* Each text of these logs of two ranks has an @, which becomes the foreign text. */
static void log_write(const char *name, int rank)
{
    char from[512], to[64], foreign[256] = "";
    snprintf(from, sizeof from, "%s/tests/golden/foreign/%s.%d.jsonl", SRCDIR, name, rank);
    snprintf(to, sizeof to, "%s.%d.jsonl", name, rank);
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    ck_assert_msg(in && out, "%s", from);
    json_t *text = json_string(FOREIGN);
    ck_assert_uint_gt(json_dumpb(text, foreign, sizeof foreign - 1, JSON_ENCODE_ANY), 2);
    foreign[strlen(foreign) - 1] = '\0';
    json_decref(text);
    for (int c; (c = fgetc(in)) != EOF;)
        if (c == '@')
            fputs(foreign + 1, out);
        else
            fputc(c, out);
    fclose(in);
    fclose(out);
}

static void logs_write(void)
{
    setenv("STEPWATCH_PLUGIN_PATH", BUILDDIR "/sinks/.libs", 1);
    host_close(host_open("table", "path: first.txt\n")); /* enters the scratch folder */
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        for (int rank = 0; rank < 2; rank++)
            log_write(logs[i], rank);
}

/* Tables of other profilers have tabs of their own. */
static void assert_safe(const char *text, const char *command)
{
    size_t left = strlen(text);
    while (left) {
        uint32_t code = 0;
        size_t length = swi_utf8_next(text, left, &code);
        ck_assert_msg(length && (code == '\n' || code == '\t' || !swi_character_is_unsafe(code)),
                      "%s prints U+%04X in: %.60s", command, (unsigned)code, text);
        text += length;
        left -= length;
    }
}

/* Replaces {} of a command by the log of a rank, and {+} by those of both. */
static void command_make(char *line, size_t size, const char *command, const char *log)
{
    const char *at = strchr(command, '{');
    int before = at ? (int)(at - command) : (int)strlen(command);
    const char *after = at ? strchr(at, '}') + 1 : "";
    if (at && at[1] == '+')
        snprintf(line, size, "%.*s%s.0.jsonl %s.1.jsonl%s", before, command, log, log, after);
    else
        snprintf(line, size, "%.*s%s%s%s", before, command, at ? log : "", at ? ".0.jsonl" : "",
                 after);
}

static const char *const commands[] = {
    "report {}",
    "report {} --format plain --columns all",
    "report {} --format markdown --columns all",
    "report {} --format csv --columns all",
    "report {} --group-by shape",
    "report {} --style tree",
    "report {} --style torch",
    "report {} --style torch --group-by stack",
    "report {} --style lightning",
    "report {} --style hannah --format markdown",
    "report {} --json",
    "report {} --format html",
    "merge {+} --force",
    "merge {+} --force --by node",
    "merge {+} --force --format markdown --by node",
    "merge {+} --force --format csv --by node",
    "merge {+} --force --format csv --group-by shape",
    "merge {+} --force --json --by node",
    "merge {+} --force --format html --by node",
    "compare {+}",
    "compare {+} --json",
    "explain {}",
    "explain {} --json",
    "watch {} --once",
    "watch {} --once --json",
    "watch . --once",
    "runs {}",
    "runs . --json",
    "replay {}",
    "replay {} --verify",
    "export {+}",
    "export {} --format torch -o /dev/stdout",
    "export {} --format folded",
    "export {} --format speedscope",
};

START_TEST(no_command_prints_what_a_terminal_obeys)
{
    logs_write();
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        char line[512];
        command_make(line, sizeof line, commands[_i], logs[i]);
        ck_assert_int_le(stepwatch(line), 2);
        assert_safe(command_output(), line);
    }
}
END_TEST

/* Differences and sums of the times do not fit: a sanitizer reports it, by its own exit status. */
static const char *const times =
    "{\"type\":\"run\",\"version\":1,\"started\":0,\"mode\":\"simple\",\"detail\":\"regions\","
    "\"rank\":0,\"world_size\":1}\n"
    "{\"type\":\"begin\",\"t\":-9223372036854775808,\"action\":\"fit\"}\n"
    "{\"type\":\"begin\",\"t\":0,\"action\":\"train\"}\n"
    "{\"type\":\"span_begin\",\"t\":-9223372036854775808,\"id\":1,\"action\":\"copy\"}\n"
    "{\"type\":\"begin\",\"t\":9,\"action\":\"batch\"}\n"
    "{\"type\":\"pause\",\"t\":-9223372036854775808}\n"
    "{\"type\":\"resume\",\"t\":9223372036854775807}\n"
    "{\"type\":\"metric\",\"t\":9223372036854775807,\"step\":0,\"name\":\"loss\",\"value\":1}\n"
    "{\"type\":\"end\",\"t\":9223372036854775807,\"action\":\"batch\",\"samples\":4}\n"
    "{\"type\":\"steps\",\"t\":9223372036854775807,\"from\":-9223372036854775808,\"first\":1,"
    "\"step\":4,\"steps\":4,\"phase\":\"train\",\"samples\":8,\"sum\":{\"durations\":{\"batch\":9}}"
    ","
    "\"min\":{\"durations\":{\"batch\":1}},\"max\":{\"durations\":{\"batch\":4}}}\n"
    "{\"type\":\"span_end\",\"t\":9223372036854775807,\"id\":1,\"action\":\"copy\"}\n"
    "{\"type\":\"end\",\"t\":-9223372036854775808,\"action\":\"train\"}\n"
    "{\"type\":\"clock\",\"t\":9223372036854775807,\"clock_offset_ns\":9223372036854775807,"
    "\"clock_error_ns\":-9223372036854775808}\n"
    "{\"type\":\"end\",\"t\":9223372036854775807,\"action\":\"fit\"}\n";

START_TEST(no_command_computes_with_times_that_do_not_fit)
{
    char line[512];
    setenv("STEPWATCH_PLUGIN_PATH", BUILDDIR "/sinks/.libs", 1);
    host_close(host_open("table", "path: first.txt\n")); /* enters the scratch folder */
    file_write("times.0.jsonl", times);
    file_write("times.1.jsonl", times);
    command_make(line, sizeof line, commands[_i], "times");
    ck_assert_int_le(stepwatch(line), 2);
    assert_not_printed("runtime error");
}
END_TEST

/* ---- in a page, a table and a file for programs ---------------------------------------------- */

static const char *output_of(const char *command)
{
    char line[512];
    /* Both streams are caught together: a comment keeps the messages out. */
    snprintf(line, sizeof line, "%s 2>messages.txt #", command);
    ck_assert_int_eq(stepwatch(line), 0);
    return command_output();
}

static const char *const pages[] = {
    "report results.0.jsonl --format html",
    "report steps.0.jsonl --format html",
    "report regions.0.jsonl --format html",
    "merge steps.0.jsonl steps.1.jsonl --force --format html --by node",
    "report results.0.jsonl --format markdown",
    "report steps.0.jsonl --format markdown --columns all",
    "merge steps.0.jsonl steps.1.jsonl --force --format markdown --by node",
};

START_TEST(no_page_has_a_tag_of_a_log)
{
    logs_write();
    const char *page = output_of(pages[_i]);
    ck_assert_ptr_nonnull(strstr(page, "alert(1)"));
    for (const char *tag = page; (tag = strcasestr(tag, "<script")); tag++) {
        const char *line = tag;
        while (line > page && line[-1] != '\n')
            line--;
        /* A text that the program logged as Markdown is quoted as it is. */
        ck_assert_msg(strstr(pages[_i], "markdown") && *line == '>', "%.80s", line);
    }
}
END_TEST

/* Returns how many cells a line of Markdown has. */
static int cells_of(const char *line, size_t size)
{
    int cells = 0;
    for (size_t i = 0; i < size; i++)
        if (line[i] == '\\')
            i++;
        else
            cells += line[i] == '|';
    return cells;
}

static const char *const markdown[] = {
    "report steps.0.jsonl --format markdown --columns all",
    "report results.0.jsonl --format markdown",
    "merge steps.0.jsonl steps.1.jsonl --force --format markdown --by node",
    "merge summary.0.jsonl summary.1.jsonl --force --format markdown",
};

START_TEST(each_row_of_markdown_has_as_many_cells)
{
    logs_write();
    int before = 0, tables = 0;
    for (const char *line = output_of(markdown[_i]); *line;) {
        size_t size = strcspn(line, "\n");
        int cells = *line == '|' ? cells_of(line, size) : 0;
        ck_assert_msg(!before || !cells || before == cells, "%d and %d cells: %.*s", before, cells,
                      (int)size, line);
        tables += cells && !before;
        before = cells;
        line += size + (line[size] == '\n');
    }
    ck_assert_int_ge(tables, 1);
}
END_TEST

/* Returns the end of a cell (RFC 4180), and sets whether it is a formula. */
static const char *cell_end(const char *at, bool *formula)
{
    bool quoted = *at == '"';
    at += quoted;
    *formula = *at && strchr("=+@", *at);
    if (!quoted)
        return at + strcspn(at, ",\n");
    for (; *at && (*at != '"' || at[1] == '"'); at++)
        at += *at == '"';
    return at + (*at == '"');
}

static const char *const csv[] = {
    "report steps.0.jsonl --format csv --columns all",
    "merge steps.0.jsonl steps.1.jsonl --force --format csv",
    "merge steps.0.jsonl steps.1.jsonl --force --format csv --by node",
    "merge summary.0.jsonl summary.1.jsonl --force --format csv --group-by shape",
};

START_TEST(each_row_of_csv_has_as_many_cells_and_no_formula)
{
    logs_write();
    /* The report of all ranks is a table of its own. */
    ck_assert_int_eq(system("sed -i '/\"type\":\"ranks\"/d' *.jsonl"), 0);
    int cells = 0, first = 0;
    for (const char *at = output_of(csv[_i]), *end; *at; at = end + 1) {
        bool formula;
        end = cell_end(at, &formula);
        ck_assert_msg(!formula, "%.40s", at);
        ck_assert_msg(*end == ',' || *end == '\n', "%.40s", end);
        cells++;
        if (*end == ',')
            continue;
        first = first ? first : cells;
        ck_assert_msg(cells == first, "%d and %d cells before: %.60s", first, cells, end);
        cells = 0;
    }
    ck_assert_int_gt(first, 8);
}
END_TEST

START_TEST(each_json_is_complete)
{
    static const char *const all[] = {"report steps.0.jsonl --json",
                                      "merge steps.0.jsonl steps.1.jsonl --force --json",
                                      "compare steps.0.jsonl steps.1.jsonl --json",
                                      "explain steps.0.jsonl --json",
                                      "watch steps.0.jsonl --once --json",
                                      "export regions.0.jsonl"};
    logs_write();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        json_error_t err;
        json_t *json = json_loads(output_of(all[i]), 0, &err);
        ck_assert_msg(json != NULL, "%s: %s", all[i], err.text);
        json_decref(json);
    }
}
END_TEST

SUITE(foreign_text)
{
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, no_command_prints_what_a_terminal_obeys, 0,
                        sizeof commands / sizeof *commands);
    tcase_add_loop_test(tc, no_command_computes_with_times_that_do_not_fit, 0,
                        sizeof commands / sizeof *commands);
    tcase_add_loop_test(tc, no_page_has_a_tag_of_a_log, 0, sizeof pages / sizeof *pages);
    tcase_add_loop_test(tc, each_row_of_markdown_has_as_many_cells, 0,
                        sizeof markdown / sizeof *markdown);
    tcase_add_loop_test(tc, each_row_of_csv_has_as_many_cells_and_no_formula, 0,
                        sizeof csv / sizeof *csv);
    tcase_add_test(tc, each_json_is_complete);
}
