/* SPDX-License-Identifier: MIT */
/* What the options of a sink may say, what they become, and what is said of those that are wrong.
 */
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/stepwatch.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct typed {
    bool flag;
    int64_t number;
    double ratio;
    int64_t wait_ns;
    int64_t bytes;
    const char *text;
    const char *path;
    const char *colour;
    const char *const *tags;
    const char *key;
};

static const struct sw_option options[] = {
    {.name = "flag",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct typed, flag),
     .fallback = "true",
     .help = "a switch"},
    {.name = "number",
     .type = SW_OPTION_INT,
     .offset = offsetof(struct typed, number),
     .fallback = "6",
     .min = 1,
     .max = 17,
     .help = "a number"},
    {.name = "ratio",
     .type = SW_OPTION_FLOAT,
     .offset = offsetof(struct typed, ratio),
     .fallback = "0.5",
     .min = 0,
     .max = 1.5,
     .help = "a ratio"},
    {.name = "wait",
     .type = SW_OPTION_DURATION,
     .offset = offsetof(struct typed, wait_ns),
     .fallback = "250ms",
     .min = 0.1,
     .max = 60,
     .help = "a while"},
    {.name = "bytes",
     .type = SW_OPTION_SIZE,
     .offset = offsetof(struct typed, bytes),
     .fallback = "8MiB",
     .min = 1,
     .max = 1 << 30,
     .help = "a size"},
    {.name = "text",
     .type = SW_OPTION_STRING,
     .offset = offsetof(struct typed, text),
     .help = "a text"},
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct typed, path),
     .fallback = "out.txt",
     .help = "a path"},
    {.name = "colour",
     .type = SW_OPTION_CHOICE,
     .offset = offsetof(struct typed, colour),
     .fallback = "green",
     .choices = "red|green|blue",
     .help = "a colour"},
    {.name = "tags",
     .type = SW_OPTION_LIST,
     .offset = offsetof(struct typed, tags),
     .fallback = "[one, two]",
     .help = "some tags"},
    {.name = "key",
     .type = SW_OPTION_STRING,
     .offset = offsetof(struct typed, key),
     .help = "a key",
     .secret = true},
    {.name = NULL},
};

static const struct sw_option needy_options[] = {
    {.name = "url", .type = SW_OPTION_STRING, .help = "where to send it", .required = true},
    {.name = NULL},
};

struct placed {
    const char *path;
    const char *name;
    const char *below;
    const char *const *folders;
};

#define PLACED(NAME, TYPE, HELP)                                                                   \
    {                                                                                              \
        .name = #NAME, .type = TYPE, .offset = offsetof(struct placed, NAME), .fallback = "-",     \
        .help = HELP                                                                               \
    }

static const struct sw_option placed_options[] = {
    PLACED(path, SW_OPTION_PATH, "a path"),
    PLACED(name, SW_OPTION_NAME, "part of a file's name"),
    PLACED(below, SW_OPTION_SUBPATH, "a path below another"),
    {.name = "folders",
     .type = SW_OPTION_PATHS,
     .offset = offsetof(struct placed, folders),
     .help = "paths"},
    {.name = NULL},
};

/* ---- the sinks ------------------------------------------------------------------------------- */

/* All options as a text, made by open. */
static char filled[512];

static int typed_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    const struct typed *t = state;
    (void)sink;
    (void)err;
    int n =
        snprintf(filled, sizeof filled, "%d %" PRId64 " %.17g %" PRId64 " %" PRId64 " %s %s %s %s",
                 t->flag, t->number, t->ratio, t->wait_ns, t->bytes, t->text ? t->text : "NULL",
                 t->path, t->colour, t->key ? t->key : "NULL");
    for (size_t i = 0; t->tags && t->tags[i]; i++)
        n += snprintf(filled + n, sizeof filled - (size_t)n, " [%s]", t->tags[i]);
    return 0;
}

static int placed_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    const struct placed *p = state;
    (void)sink;
    (void)err;
    int n = snprintf(filled, sizeof filled, "%s %s %s", p->path, p->name, p->below);
    for (size_t i = 0; p->folders && p->folders[i]; i++)
        n += snprintf(filled + n, sizeof filled - (size_t)n, " [%s]", p->folders[i]);
    return 0;
}

static int take(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    (void)record;
    (void)err;
    return 0;
}

#define SINK(NAME, OPTIONS, SIZE)                                                                  \
    {                                                                                              \
        SW_SINK_HEADER, .name = NAME, .version = "1.0", .license = "MIT",                          \
                        .summary = "has options, for tests", .wants = SW_WANT(SW_RECORD_END),      \
                        .options = OPTIONS, .state_size = SIZE, .open = typed_open, .record = take \
    }

static const struct sw_sink_plugin typed = SINK("typed", options, sizeof(struct typed));
static const struct sw_sink_plugin needy = SINK("needy", needy_options, sizeof(struct typed));

static const struct sw_sink_plugin placed = {
    SW_SINK_HEADER,
    .name = "placed",
    .version = "1.0",
    .license = "MIT",
    .summary = "has paths, for tests",
    .wants = SW_WANT(SW_RECORD_END),
    .options = placed_options,
    .state_size = sizeof(struct placed),
    .open = placed_open,
    .record = take,
};

static struct sw_error err;

static struct sw_profiler *open_with(const char *sink)
{
    char yaml[2048];
    ck_assert_int_eq(sw_sink_register(&typed, NULL, &err), 0);
    ck_assert_int_eq(sw_sink_register(&needy, NULL, &err), 0);
    ck_assert_int_eq(sw_sink_register(&placed, NULL, &err), 0);
    snprintf(yaml, sizeof yaml, "profiler: { show_report: false }\nlogger_callback:\n  - %s\n",
             sink);
    return sw_open_text(yaml, &err);
}

/* ---- values ---------------------------------------------------------------------------------- */

static const struct {
    const char *sink;
    const char *filled;
} good[] = {
    {"typed", "1 6 0.5 250000000 8388608 NULL out.txt green NULL [one] [two]"},
    {"typed: { flag: false, number: 17, ratio: 1.5, wait: 1m, bytes: 100, text: \"a b\", path: -, "
     "colour: red, tags: [x, \"y z\"] }",
     "0 17 1.5 60000000000 100 a b - red NULL [x] [y z]"},
    {"typed: { number: ~, text: , tags: null, colour: }",
     "1 6 0.5 250000000 8388608 NULL out.txt green NULL [one] [two]"},
    {"typed: { tags: one, text: \"\", number: \"5\" }",
     "1 5 0.5 250000000 8388608  out.txt green NULL [one]"},
    {"typed: { tags: [] }", "1 6 0.5 250000000 8388608 NULL out.txt green NULL"},
    {"typed: { key: \"${TEST_KEY}\", text: \"<${TEST_KEY}>\" }",
     "1 6 0.5 250000000 8388608 <s3cret> out.txt green s3cret [one] [two]"},
    {"typed: { text: \"~\", path: \"null\" }",
     "1 6 0.5 250000000 8388608 ~ null green NULL [one] [two]"},
};

START_TEST(options_fill_the_state)
{
    setenv("TEST_KEY", "s3cret", 1);
    struct sw_profiler *sw = open_with(good[_i].sink);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_str_eq(filled, good[_i].filled);
}
END_TEST

START_TEST(numbers_are_read_and_shown_with_a_point_in_every_locale)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        puts("SKIP: there is no locale with a decimal comma");
    ck_assert_ptr_null(open_with("typed: { ratio: 1.75 }"));
    ck_assert_str_eq(sw_error_text(&err),
                     "configuration:3:21: sink typed: ratio: 1.75 is not within 0..1.5");
    setlocale(LC_ALL, "C");
}
END_TEST

/* ---- mistakes -------------------------------------------------------------------------------- */

static const struct {
    const char *sink;
    const char *mistake;
} bad[] = {
    {"typed: { flag: 1 }", "3:20: sink typed: flag: 1 is neither true nor false"},
    {"typed: { number: 40 }", "3:22: sink typed: number: 40 is not within 1..17"},
    {"typed: { number: 4.5 }",
     "3:22: sink typed: number: 4.5 is not an integer: expected digits only, like 40 or -3"},
    {"typed: { number: \"\" }",
     "3:22: sink typed: number: \"\" is not an integer: expected digits only, like 40 or -3"},
    {"typed: { ratio: x }",
     "3:21: sink typed: ratio: x is not a number: expected a decimal number, like 40, 0.5 or 1e-3"},
    {"typed: { wait: 2m }", "3:20: sink typed: wait: 2m is not within 0.1..60 s"},
    {"typed: { wait: 2 }",
     "3:20: sink typed: wait: 2 has no unit: expected ns, us, ms, s, m or h, like 250ms or 2s"},
    {"typed: { bytes: 2GiB }", "3:21: sink typed: bytes: 2GiB is not within 1..1073741824 bytes"},
    {"typed: { path: \"\" }",
     "3:20: sink typed: path: \"\" is not a path: expected the path of a file"},
    {"typed: { colour: gren }",
     "3:22: sink typed: colour: \"gren\" is not one of red, green, blue; did you mean green?"},
    {"typed: { colour: yellow }",
     "3:22: sink typed: colour: \"yellow\" is not one of red, green, blue"},
    {"typed: { text: [a, b] }", "3:14: sink typed: text: expected one value, found a list"},
    {"typed: { tags: [a, ~] }", "3:24: sink typed: tags: entry 2 of the list is empty"},
    {"typed: { numbr: 4 }", "3:14: sink typed: unknown option \"numbr\"; did you mean number? It "
                            "has: flag, number, ratio, "
                            "wait, bytes, text, path, colour, tags, key"},
    {"typed: { zzz: 4 }",
     "3:14: sink typed: unknown option \"zzz\". It has: flag, number, ratio, wait, bytes, text, "
     "path, colour, tags, key"},
    {"typed: { \"\\e[31m\": 4 }",
     "3:14: sink typed: unknown option \"\\x1b[31m\". It has: flag, number, ratio, wait, bytes, "
     "text, path, colour, tags, key"},
    {"typed: { key: abc }", "3:19: sink typed: key: a secret must not be in the file: put it into "
                            "an environment variable and write \"${NAME_OF_THE_VARIABLE}\" here"},
    {"typed: { key: \"***\" }",
     "3:19: sink typed: key: *** is printed in place of a secret and is not the secret itself: put "
     "it into an environment variable and write \"${NAME_OF_THE_VARIABLE}\" here"},
    {"typed: { number: \"${TEST_KEY}\" }",
     "3:22: sink typed: number: its value is not an integer: expected digits only, like 40 or -3"},
    {"typed: { colour: \"${TEST_KEY}\" }",
     "3:22: sink typed: colour: its value is not one of red, green, blue"},
    {"needy", "3:5: sink needy: url is required: where to send it"},
    {"needy: { url: }", "3:14: sink needy: url is required: where to send it"},
};

START_TEST(a_wrong_option_is_reported_with_its_place_and_what_is_allowed)
{
    char expected[512];
    setenv("TEST_KEY", "s3cret", 1);
    ck_assert_ptr_null(open_with(bad[_i].sink));
    ck_assert_int_eq(err.code, SW_ECONFIG);
    ck_assert_ptr_null(strstr(sw_error_text(&err), "s3cret"));
    snprintf(expected, sizeof expected, "configuration:%s", bad[_i].mistake);
    ck_assert_str_eq(sw_error_text(&err), expected);
}
END_TEST

START_TEST(all_mistakes_are_reported_at_once)
{
    ck_assert_ptr_null(open_with("typed: { number: 40, colour: pink }\n  - needy"));
    ck_assert_str_eq(
        sw_error_text(&err),
        "configuration:3:22: sink typed: number: 40 is not within 1..17\n"
        "configuration:3:34: sink typed: colour: \"pink\" is not one of red, green, blue\n"
        "configuration:4:5: sink needy: url is required: where to send it");
}
END_TEST

/* ---- paths ----------------------------------------------------------------------------------- */

#define STRAYS " leads out of the folder: expected names joined by /, none of them empty, . or .."

/* mistake: or what is filled in. */
static const struct {
    const char *home;
    const char *option;
    const char *filled;
    const char *mistake;
} paths[] = {
    {"/home/me", "path: ~/runs", "/home/me/runs - -", NULL},
    {"/home/me", "folders: \"~\"", "- - - [/home/me]", NULL},
    {"/home/me", "path: ./~/runs", "./~/runs - -", NULL},
    {"/home/me", "path: \"a:/b\"", "a:/b - -", NULL},
    {"/home/me", "path: s3://bucket/runs", NULL,
     "path: s3://bucket/runs is a URL: expected a path in a file system of this machine"},
    {"/home/me", "path: gs://bucket/runs", NULL,
     "path: gs://bucket/runs is a URL: expected a path in a file system of this machine"},
    {"/home/me", "path: file:///tmp/runs", NULL,
     "path: file:///tmp/runs is a URL: expected a path in a file system of this machine"},
    {"/home/me", "path: \"https://me:hunter2@example.org/runs\"", NULL,
     "path: its value is a URL: expected a path in a file system of this machine"},
    {"", "path: ~/runs", NULL,
     "path: ~/runs begins with ~, but HOME is not set to a folder: write the whole path"},
    {"/home/me", "path: ~you/runs", NULL,
     "path: ~you/runs begins with ~: only ~/ is expanded; write the whole path, or ./~ for a name "
     "that begins with ~"},
    {"/home/me", "folders: [/, ~/data, x]", "- - - [/] [/home/me/data] [x]", NULL},
    {"/home/me", "folders: ~/data", "- - - [/home/me/data]", NULL},
    {"/home/me", "folders: [/, \"\"]", NULL,
     "folders: \"\" is not a path: expected the path of a file"},
    {"/home/me", "folders: [s3://bucket]", NULL,
     "folders: s3://bucket is a URL: expected a path in a file system of this machine"},
    {"/home/me", "name: .v2", "- .v2 -", NULL},
    {"/home/me", "name: \"\"", "-  -", NULL},
    {"/home/me", "name: /x", NULL,
     "name: /x contains a /: expected part of a file name, not a path"},
    {"/home/me", "name: a/../../x", NULL,
     "name: a/../../x contains a /: expected part of a file name, not a path"},
    {"/home/me", "below: lr1/seed.2", "- - lr1/seed.2", NULL},
    {"/home/me", "below: ..a/...", "- - ..a/...", NULL},
    {"/home/me", "below: \"\"", "- - ", NULL},
    {"/home/me", "below: ..", NULL, "below: .." STRAYS},
    {"/home/me", "below: .", NULL, "below: ." STRAYS},
    {"/home/me", "below: a/../..", NULL, "below: a/../.." STRAYS},
    {"/home/me", "below: a/..", NULL, "below: a/.." STRAYS},
    {"/home/me", "below: /a", NULL, "below: /a" STRAYS},
    {"/home/me", "below: a//b", NULL, "below: a//b" STRAYS},
    {"/home/me", "below: a/", NULL, "below: a/" STRAYS},
};

START_TEST(a_path_is_expanded_or_refused)
{
    char sink[256];
    /* Outputs are tried: /home/me is the scratch folder. */
    const char *home = scratch_enter();
    setenv("HOME", *paths[_i].home ? home : "", 1);
    snprintf(sink, sizeof sink, "placed: { %s }", paths[_i].option);
    struct sw_profiler *sw = open_with(sink);
    if (paths[_i].mistake) {
        ck_assert_ptr_null(sw);
        ck_assert_msg(strstr(sw_error_text(&err), paths[_i].mistake) != NULL, "%s",
                      sw_error_text(&err));
        return;
    }
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    ck_assert_int_eq(sw_close(sw, &err), 0);
    for (char *at; (at = strstr(filled, home));) {
        memcpy(at, "/home/me", strlen("/home/me"));
        memmove(at + strlen("/home/me"), at + strlen(home), strlen(at + strlen(home)) + 1);
    }
    ck_assert_str_eq(filled, paths[_i].filled);
}
END_TEST

/* ---- tables that are wrong ------------------------------------------------------------------- */

#define ENTRY(...)                                                                                 \
    {                                                                                              \
        {__VA_ARGS__},                                                                             \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }

static const struct {
    struct sw_option option[2];
    const char *problem;
} tables[] = {
    {ENTRY(.name = "Name", .help = ""), "option \"Name\" is not a valid name: expected a to z, 0 "
                                        "to 9 and _, at most 32, a letter first"},
    {ENTRY(.name = "a", .type = 77, .help = ""), "option a: type 77 does not exist"},
    {ENTRY(.name = "a", .type = SW_OPTION_INT, .offset = 9, .help = ""),
     "option a: its field at offset 9 is not within the 16 bytes of state_size"},
    {ENTRY(.name = "a", .type = SW_OPTION_INT, .offset = SIZE_MAX, .help = ""),
     "option a: its field at offset 18446744073709551615 is not within the 16 bytes of state_size"},
    {ENTRY(.name = "a", .type = SW_OPTION_INT), "option a has no help"},
    {ENTRY(.name = "a", .type = SW_OPTION_CHOICE, .help = ""), "option a has no choices"},
    {ENTRY(.name = "a", .type = SW_OPTION_INT, .help = "", .min = 1),
     "option a: its range 1..0 is empty"},
    {ENTRY(.name = "a", .type = SW_OPTION_BOOL, .help = "", .fallback = "yes"),
     "option a: its fallback \"yes\" is neither true nor false"},
    {ENTRY(.name = "a", .type = SW_OPTION_BOOL, .help = "", .fallback = "true", .required = true),
     "option a is required but has a fallback"},
    {{{.name = "a", .help = ""}, {.name = "a", .help = ""}}, "option a is in its table twice"},
};

START_TEST(a_table_that_is_wrong_is_refused)
{
    struct sw_option table[3] = {tables[_i].option[0], tables[_i].option[1], {.name = NULL}};
    struct sw_sink_plugin plugin = SINK("tabled", table, 16);
    char expected[512];
    ck_assert_int_eq(sw_sink_register(&plugin, NULL, &err), SW_ESINK);
    snprintf(expected, sizeof expected, "the sink cannot be registered: %s", tables[_i].problem);
    ck_assert_str_eq(sw_error_text(&err), expected);
}
END_TEST

START_TEST(a_table_without_an_end_is_refused)
{
    static char name[65][16];
    struct sw_option table[65];
    for (int i = 0; i < 65; i++) {
        snprintf(name[i], sizeof name[i], "o%d", i);
        table[i] = (struct sw_option){.name = name[i], .help = ""};
    }
    struct sw_sink_plugin plugin = SINK("tabled", table, 16);
    ck_assert_int_eq(sw_sink_register(&plugin, NULL, &err), SW_ESINK);
    ck_assert_str_eq(sw_error_text(&err),
                     "the sink cannot be registered: its option table has more than 64 "
                     "entries: is the last one, with the name NULL, missing?");
}
END_TEST

/* ---- descriptors that are wrong -------------------------------------------------------------- */

START_TEST(a_descriptor_that_is_wrong_is_refused)
{
    static const struct sw_sink_plugin whole = SINK("whole", NULL, 16);
    struct sw_sink_plugin p[8] = {whole, whole, whole, whole, whole, whole, whole, whole};
    static const char *const problems[8] = {
        "its name \"a/b\" is not valid: expected a to z, 0 to 9 and _, at most 32, a letter first",
        "its name \"\" is not valid: expected a to z, 0 to 9 and _, at most 32, a letter first",
        "it has no license",
        "it has no record callback",
        "it asks for no record types",
        "its queue policy 9 does not exist",
        "its queue of 9000000 records is too long: at most 1048576",
        "its state of 99999999 bytes is too large: at most 16777216",
    };
    p[0].name = "a/b";
    p[1].name = NULL;
    p[2].license = NULL;
    p[3].record = NULL;
    p[4].wants = 0;
    p[5].queue = (enum sw_queue_policy)9;
    p[6].queue_records = 9000000;
    p[7].state_size = 99999999;
    char expected[256];
    ck_assert_int_eq(sw_sink_register(&p[_i], NULL, &err), SW_ESINK);
    snprintf(expected, sizeof expected, "the sink cannot be registered: %s", problems[_i]);
    ck_assert_str_eq(sw_error_text(&err), expected);
}
END_TEST

START_TEST(a_sink_can_be_registered_once_under_its_name)
{
    struct sw_sink_plugin other = typed;
    ck_assert_int_eq(sw_sink_register(&typed, NULL, &err), 0);
    ck_assert_int_eq(sw_sink_register(&typed, NULL, &err), 0);
    ck_assert_int_eq(sw_sink_register(&other, NULL, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), "another sink is already registered as typed");
    ck_assert_int_eq(sw_sink_register(NULL, NULL, &err), SW_EINVAL);
    ck_assert_str_eq(sw_error_text(&err), "the sink to register is NULL");
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

SUITE(options)
{
    tcase_add_loop_test(tc, options_fill_the_state, 0, COUNT(good));
    tcase_add_test(tc, numbers_are_read_and_shown_with_a_point_in_every_locale);
    tcase_add_loop_test(tc, a_wrong_option_is_reported_with_its_place_and_what_is_allowed, 0,
                        COUNT(bad));
    tcase_add_test(tc, all_mistakes_are_reported_at_once);
    tcase_add_loop_test(tc, a_path_is_expanded_or_refused, 0, COUNT(paths));
    tcase_add_loop_test(tc, a_table_that_is_wrong_is_refused, 0, COUNT(tables));
    tcase_add_test(tc, a_table_without_an_end_is_refused);
    tcase_add_loop_test(tc, a_descriptor_that_is_wrong_is_refused, 0, 8);
    tcase_add_test(tc, a_sink_can_be_registered_once_under_its_name);
}
