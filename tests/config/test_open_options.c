/* SPDX-License-Identifier: MIT */
/* sw_open_options(): what a program may give instead of a YAML file, and who gets the mistakes. */
#include "tests/config/sample.h"
#include "tests/support/suite.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sw_options options;

static void begin(void)
{
    sample_enter(NULL);
    sw_options_init(&options);
}

/* ---- what was said --------------------------------------------------------------------------- */

/* All messages so far, a line each, with their level. */
static char said[16384];

static void hear(void *arg, enum sw_level level, const char *text)
{
    size_t used = strlen(said);
    ck_assert_ptr_eq(arg, said);
    snprintf(said + used, sizeof said - used, "%d %s\n", (int)level, text);
}

static void listen(void)
{
    *said = '\0';
    options.messages = hear;
    options.messages_arg = said;
}

/* Opens and closes; "" where a profiler was opened, else the error's text. */
static const char *opened(void)
{
    static struct sw_error err;
    struct sw_profiler *sw = sw_open_options(&options, &err);
    ck_assert(sw == NULL || err.code == 0);
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    return sw ? "" : sw_error_text(&err);
}

/* A program that does not ask for the error is told all the same. */
START_TEST(a_mistake_that_the_program_does_not_ask_for_is_on_standard_error)
{
    char text[512] = "";
    int pipes[2], kept = dup(STDERR_FILENO);
    ck_assert_int_eq(pipe(pipes), 0);
    dup2(pipes[1], STDERR_FILENO);
    ck_assert_ptr_null(sw_open_text("profiler: { mode: simpel, rolling_average: 0 }", NULL));
    dup2(kept, STDERR_FILENO);
    close(pipes[1]);
    ck_assert_int_gt(read(pipes[0], text, sizeof text - 1), 0);
    close(pipes[0]);
    close(kept);
    ck_assert_msg(strstr(text, "stepwatch: error: configuration:1:19: ") != NULL, "%s", text);
    ck_assert_msg(strstr(text, "configuration:1:44: ") != NULL, "%s", text);
}
END_TEST

/* ---- a sink that tells how it was opened ----------------------------------------------------- */

struct told {
    const char *text;
    int64_t count;
    const char *const *tags;
    const char *const *labels;
    const char *key;
};

static pthread_mutex_t telling = PTHREAD_MUTEX_INITIALIZER; /* each sink has its thread */
static char told[1024];
static void *told_user;
static int64_t told_rank;

static int told_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    const struct told *t = state;
    pthread_mutex_lock(&telling);
    told_user = sink->user;
    told_rank = sink->run->rank;
    size_t used = (size_t)snprintf(
        told, sizeof told, "%s mode %d average %d in %s: %s %d %s", sink->run->name,
        (int)sink->run->mode, (int)sink->run->rolling_average, sink->run->directory,
        t->text ? t->text : "none", (int)t->count, t->key ? t->key : "-");
    for (size_t i = 0; t->tags && t->tags[i]; i++)
        used += (size_t)snprintf(told + used, sizeof told - used, " %s", t->tags[i]);
    const char *job = sw_map_get(t->labels, "job"), *lab = sw_map_get(t->labels, "lab");
    if (t->labels)
        snprintf(told + used, sizeof told - used, " job %s, lab %s", job ? job : "none",
                 lab ? lab : "none");
    pthread_mutex_unlock(&telling);
    sw_error_init(err);
    return 0;
}

static int told_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    (void)err;
    return 0;
}

#define TOLD(NAME, TYPE)                                                                           \
    .name = #NAME, .type = TYPE, .offset = offsetof(struct told, NAME), .help = "an option"

static const struct sw_option told_options[] = {
    {TOLD(text, SW_OPTION_STRING)},
    {TOLD(count, SW_OPTION_INT), .min = 0, .max = 9},
    {TOLD(tags, SW_OPTION_LIST)},
    {TOLD(labels, SW_OPTION_MAP)},
    {TOLD(key, SW_OPTION_STRING), .secret = true},
    {.name = NULL},
};

static const struct sw_sink_plugin told_sink = {
    SW_SINK_HEADER,
    .name = "told",
    .version = "1.0",
    .license = "MIT",
    .summary = "tells how it was opened",
    .wants = SW_WANT(SW_RECORD_END),
    .options = told_options,
    .state_size = sizeof(struct told),
    .open = told_open,
    .record = told_record,
};

/* Adds the sink alone; values: keys and values in turn, then NULL. */
static void with_told(const char *const *values)
{
    static const char *const no_table[] = {"show_report", "false", NULL};
    static struct sw_sink_options sink;
    ck_assert_int_eq(sw_sink_register(&told_sink, NULL, NULL), 0);
    sink = (struct sw_sink_options){"told", values};
    options.sinks = &sink;
    options.sink_count = 1;
    if (!options.options)
        options.options = no_table;
}

/* ---- what it does ---------------------------------------------------------------------------- */

START_TEST(without_anything_the_defaults_count_whatever_files_there_are)
{
    sample_write("stepwatch.yaml", "profiler: [", 11);
    setenv("STEPWATCH_CONFIG", "nowhere.yaml", 1);
    ck_assert_str_eq(opened(), "");
}
END_TEST

START_TEST(a_sink_gets_its_options_and_the_profilers)
{
    with_told((const char *[]){"text", "~ # ${x}", "count", "7", NULL});
    options.options =
        (const char *[]){"rolling_average", "21", "show_report", "false", "signals", "false", NULL};
    options.mode = SW_MODE_SIMPLE;
    options.name = "mine";
    options.directory = "/tmp";
    ck_assert_str_eq(opened(), "");
    ck_assert_str_eq(told, "mine mode 1 average 21 in /tmp: ~ # ${x} 7 -");
}
END_TEST

START_TEST(a_key_that_comes_again_makes_a_list)
{
    with_told((const char *[]){"tags", "[a, b]", NULL});
    ck_assert_str_eq(opened(), "");
    ck_assert_ptr_nonnull(strstr(told, ": none 0 - [a, b]"));
    with_told((const char *[]){"tags", "a", "tags", "", "tags", "b", NULL});
    ck_assert_str_eq(opened(), "");
    ck_assert_ptr_nonnull(strstr(told, ": none 0 - a  b"));
}
END_TEST

START_TEST(a_key_with_a_dot_is_an_entry_of_a_mapping)
{
    with_told((const char *[]){"labels.job", "a", "labels.x.y", "b", NULL});
    ck_assert_str_eq(opened(), "");
    ck_assert_ptr_nonnull(strstr(told, ": none 0 - job a, lab none"));
    with_told((const char *[]){"labels.job", "a", "labels.job", "b", NULL});
    ck_assert_str_eq(opened(),
                     "sinks[0].labels.job: sink told: labels: the entry is given more than once");
    with_told((const char *[]){"labels.job", "a", "labels", "b", NULL});
    ck_assert_str_eq(opened(), "sinks[0].labels: labels is given as one value and as a mapping: "
                               "remove one of them");
    with_told((const char *[]){"text.job", "a", NULL});
    ck_assert_str_eq(opened(), "sinks[0].text.job: sink told: text: found a mapping, expected text "
                               "or a list of texts");
}
END_TEST

START_TEST(a_program_may_give_a_secret)
{
    with_told((const char *[]){"key", "hunter2", NULL});
    ck_assert_str_eq(opened(), "");
    ck_assert_ptr_nonnull(strstr(told, ": none 0 hunter2"));
}
END_TEST

START_TEST(a_sink_finds_what_it_was_registered_with)
{
    int first, second;
    with_told(NULL);
    ck_assert_int_eq(sw_sink_register(&told_sink, &first, NULL), 0);
    ck_assert_str_eq(opened(), "");
    ck_assert_ptr_eq(told_user, &first);
    ck_assert_int_eq(sw_sink_register(&told_sink, &second, NULL), 0);
    ck_assert_str_eq(opened(), "");
    ck_assert_ptr_eq(told_user, &second);
}
END_TEST

START_TEST(a_plugin_is_found_in_plugin_path)
{
    const struct sw_sink_options nowhere = {"plain", NULL};
    options.sinks = &nowhere;
    options.sink_count = 1;
    ck_assert_ptr_nonnull(strstr(opened(), "sinks[0]: sink plain was not found; "));
    options.plugin_path = (const char *[]){BUILDDIR "/tests/plugins/.libs", NULL};
    ck_assert_str_eq(opened(), "");
}
END_TEST

START_TEST(options_come_after_the_file_and_the_environment_after_both)
{
    static const char text[] = "name: from-file\n"
                               "profiler: {mode: simple, rolling_average: 5, show_report: false}\n";
    sample_write("some.yaml", text, strlen(text));
    options.file = "some.yaml";
    with_told(NULL);
    ck_assert_str_eq(opened(), "");
    ck_assert_int_eq(strncmp(told, "from-file mode 1 average 5 in ", 30), 0);
    options.options = (const char *[]){"rolling_average", "6", NULL};
    options.name = "from-program";
    ck_assert_str_eq(opened(), "");
    ck_assert_int_eq(strncmp(told, "from-program mode 1 average 6 in ", 33), 0);
    setenv("STEPWATCH_SET", "rolling_average=7", 1);
    ck_assert_str_eq(opened(), "");
    ck_assert_int_eq(strncmp(told, "from-program mode 1 average 7 in ", 33), 0);
    sample_write("stepwatch.yaml", text, strlen(text));
    options.file = "";
    ck_assert_str_eq(opened(), "");
}
END_TEST

START_TEST(monitors_are_keys_as_well)
{
    char log[4096] = "";
    const struct sw_sink_options runlog = {"runlog",
                                           (const char *const[]){"path", "run.jsonl", NULL}};
    options.sinks = &runlog;
    options.sink_count = 1;
    options.options = (const char *[]){
        "show_report", "false", "monitors.interval", "1s", "monitors.system.what", "process", NULL};
    ck_assert_str_eq(opened(), "");
    FILE *file = fopen("run.jsonl", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(log, 1, sizeof log - 1, file), 0);
    fclose(file);
    ck_assert_msg(strstr(log, "\"process/rss_bytes\"") != NULL, "%s", log);
    ck_assert_msg(strstr(log, "\"system/") == NULL, "%s", log);
    options.options = (const char *[]){"show_report", "false", "monitors", "true", NULL};
    ck_assert_str_eq(opened(), "");
    options.options = (const char *[]){"monitors", "system", "monitors", "nowhere", NULL};
    ck_assert_ptr_nonnull(strstr(opened(), "options.monitors: monitor nowhere was not found; "));
    options.options = (const char *[]){"monitors.system.pss", "maybe", NULL};
    ck_assert_ptr_nonnull(strstr(opened(), "options.monitors.system.pss: "));
}
END_TEST

START_TEST(monitors_of_the_program_replace_those_of_the_file)
{
    static const char text[] = "monitors: [nowhere, system]\n";
    sample_write("some.yaml", text, strlen(text));
    options.file = "some.yaml";
    with_told(NULL);
    ck_assert_ptr_nonnull(strstr(opened(), "monitor nowhere was not found"));
    options.options = (const char *[]){"show_report", "false", "monitors", "system", NULL};
    ck_assert_str_eq(opened(), "");
    options.options = (const char *[]){"show_report", "false", "monitors", "false", NULL};
    ck_assert_str_eq(opened(), "");
}
END_TEST

START_TEST(off_gives_no_profiler_and_no_error)
{
    struct sw_error err;
    options.mode = SW_MODE_OFF;
    ck_assert_ptr_null(sw_open_options(&options, &err));
    ck_assert_int_eq(err.code, 0);
    options.mode = SW_MODE_SIMPLE;
    setenv("STEPWATCH", "off", 1);
    ck_assert_ptr_null(sw_open_options(&options, &err));
    ck_assert_int_eq(err.code, 0);
}
END_TEST

/* ---- mistakes -------------------------------------------------------------------------------- */

START_TEST(mistakes_name_the_option_that_has_them)
{
    const struct sw_sink_options sinks[] = {
        {"told", (const char *[]){"count", "12", "tex", "x", "text", "a", "text", "b", NULL}},
        {"csv", (const char *[]){"path", NULL}},
        {NULL, NULL},
    };
    with_told(NULL);
    options.sinks = sinks;
    options.sink_count = 3;
    options.options = (const char *[]){"rolling_average", "none", "signals", "on", "signals", "off",
                                       "clock",           "1",    NULL};
    options.mode = (enum sw_mode)7;
    listen();
    ck_assert_str_eq(
        opened(),
        "mode: 7 is not a mode: expected SW_MODE_THROUGHPUT, SW_MODE_SIMPLE or SW_MODE_OFF\n"
        "sinks[1].path: found no value: expected keys and values in turn, then NULL\n"
        "sinks[2]: its name is NULL: expected the name of a sink\n"
        "options.rolling_average: profiler: rolling_average: none is not an integer: expected "
        "digits "
        "only, like 40 or -3\n"
        "options.signals: profiler: signals: is given more than once\n"
        "options.clock: profiler: unknown key \"clock\": the keys are mode, rolling_average, "
        "drop_first_batch, show_report, plain, markdown, save_csv, csv_name, accounting, signals, "
        "close_timeout, values_memory, wait, schedule, capture, counters, peak_flops, watchdog and "
        "functions\n"
        "sinks[0].count: sink told: count: 12 is not within 0..9\n"
        "sinks[0].tex: sink told: unknown option \"tex\"; did you mean text? It has: text, count, "
        "tags, labels, key\n"
        "sinks[0].text: sink told: text: is given more than once");
    /* The same, each by itself. */
    ck_assert_int_eq(strncmp(said, "2 mode: 7 is not a mode", 23), 0);
    ck_assert_ptr_nonnull(
        strstr(said, "\n2 sinks[0].text: sink told: text: is given more than once\n"));
    int lines = 0;
    for (const char *at = said; (at = strchr(at, '\n')); at++)
        lines++;
    ck_assert_int_eq(lines, 9);
}
END_TEST

START_TEST(a_number_of_sinks_without_sinks_is_a_mistake)
{
    options.sink_count = 2;
    ck_assert_str_eq(opened(), "sinks: is NULL, and sink_count is 2");
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_a_message_too)
{
    options.file = "nowhere\x1b.yaml";
    listen();
    const char *text = opened();
    ck_assert_int_eq(strncmp(text, "nowhere\\x1b.yaml: cannot be read", 32), 0);
    ck_assert_int_eq(strncmp(said, "2 nowhere\\x1b.yaml: cannot be read", 34), 0);
}
END_TEST

START_TEST(messages_go_to_the_program_from_the_beginning_on)
{
    const struct sw_sink_options sink = {"csv", (const char *[]){"path", "/dev/full/none", NULL}};
    options.sinks = &sink;
    options.sink_count = 1;
    options.options = (const char *[]){"show_report", "false", NULL};
    listen();
    struct sw_profiler *sw = sw_open_options(&options, NULL);
    ck_assert_ptr_nonnull(sw);
    sw_begin(sw, SW_FIT);
    sw_end(sw, SW_FIT);
    ck_assert_int_eq(sw_close(sw, NULL), SW_ESINK);
    ck_assert_ptr_nonnull(strstr(said, "2 sink csv: /dev/full/none: "));
}
END_TEST

START_TEST(options_of_another_size_are_taken_or_refused)
{
    struct {
        struct sw_options known;
        double added;
    } newer = {.added = 0};
    struct sw_error err;
    sw_options_init(&newer.known);
    newer.known.size = sizeof newer;
    struct sw_profiler *sw = sw_open_options(&newer.known, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    ck_assert_int_eq(sw_close(sw, NULL), 0);
    newer.added = 1;
    ck_assert_ptr_null(sw_open_options(&newer.known, &err));
    ck_assert_int_eq(err.code, SW_EINVAL);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "the program needs a newer stepwatch"));
}
END_TEST

START_TEST(elements_of_another_size_are_taken_or_refused)
{
    struct newer {
        struct sw_sink_options known;
        double added;
    } sinks[2] = {{.known = {"told", NULL}}, {.known = {"told", NULL}}};
    with_told(NULL);
    options.sinks = &sinks[0].known;
    options.sink_count = 2;
    options.sink_size = sizeof(struct newer);
    ck_assert_str_eq(opened(), "");
    sinks[1].added = 1;
    ck_assert_int_eq(strncmp(opened(), "sinks: element 1 has fields that stepwatch ", 43), 0);
}
END_TEST

START_TEST(the_rank_is_that_of_the_program)
{
    with_told(NULL);
    options.rank = 2;
    options.ranks = 4;
    ck_assert_str_eq(opened(), "");
    ck_assert_int_eq(told_rank, 2);
    options.rank = 4;
    ck_assert_str_eq(opened(), "ranks: ranks: rank 4 is not below size 4: the first rank is 0");
    options.ranks = 0;
    ck_assert_str_eq(opened(), "ranks: ranks: size: found the text 0, expected a number from 1");
}
END_TEST

START_TEST(options_that_nobody_initialised_are_refused)
{
    struct sw_error err;
    ck_assert_ptr_null(sw_open_options(&(struct sw_options){.mode = SW_MODE_SIMPLE}, &err));
    ck_assert_int_eq(err.code, SW_EINVAL);
    ck_assert_ptr_null(sw_open_options(NULL, &err));
    ck_assert_int_eq(err.code, SW_EINVAL);
    ck_assert_ptr_null(sw_open_options(NULL, NULL));
}
END_TEST

SUITE(config_open_options)
{
    tcase_add_test(tc, a_mistake_that_the_program_does_not_ask_for_is_on_standard_error);
    tcase_add_checked_fixture(tc, begin, sample_leave);
    tcase_add_test(tc, without_anything_the_defaults_count_whatever_files_there_are);
    tcase_add_test(tc, a_sink_gets_its_options_and_the_profilers);
    tcase_add_test(tc, a_key_that_comes_again_makes_a_list);
    tcase_add_test(tc, a_key_with_a_dot_is_an_entry_of_a_mapping);
    tcase_add_test(tc, a_program_may_give_a_secret);
    tcase_add_test(tc, a_sink_finds_what_it_was_registered_with);
    tcase_add_test(tc, a_plugin_is_found_in_plugin_path);
    tcase_add_test(tc, options_come_after_the_file_and_the_environment_after_both);
    tcase_add_test(tc, monitors_are_keys_as_well);
    tcase_add_test(tc, monitors_of_the_program_replace_those_of_the_file);
    tcase_add_test(tc, off_gives_no_profiler_and_no_error);
    tcase_add_test(tc, mistakes_name_the_option_that_has_them);
    tcase_add_test(tc, a_number_of_sinks_without_sinks_is_a_mistake);
    tcase_add_test(tc, a_file_that_cannot_be_read_is_a_message_too);
    tcase_add_test(tc, messages_go_to_the_program_from_the_beginning_on);
    tcase_add_test(tc, options_of_another_size_are_taken_or_refused);
    tcase_add_test(tc, elements_of_another_size_are_taken_or_refused);
    tcase_add_test(tc, the_rank_is_that_of_the_program);
    tcase_add_test(tc, options_that_nobody_initialised_are_refused);
}
