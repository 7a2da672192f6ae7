/* SPDX-License-Identifier: MIT */
/* stepwatch replay - plays a recorded run again into any sinks. */
#include "tools/commands/commands.h"
#include "tools/log/run_replay.h"
#include "tools/output/print.h"

static const char help[] =
    "usage: stepwatch replay RUN.jsonl [--config FILE] [--set KEY=VALUE]... [--verify]\n"
    "                        [--json]\n\n"
    "Feeds a run log through the same core and sinks as the run itself, with the\n"
    "recorded times, so that you can make any report again. RUN.jsonl may be - for\n"
    "standard input. If the program was killed, its log is replayed to where it ends.\n\n"
    "  --config FILE    use the sinks and options of this configuration (default: the\n"
    "                   table on stdout, and the profiler's options as recorded)\n"
    "  --set KEY=VALUE  change one of the profiler's options, such as rolling_average=20\n"
    "  --verify         compare the results in the log with those of the replay; exit\n"
    "                   with status 1 if they differ by more than the recorded\n"
    "                   nanoseconds explain\n"
    "  --json           print what was read, and with --verify the differences, as JSON; what\n"
    "                   sinks print goes to standard error\n";

static void differences_print(const struct replay *replay, const struct verified *verified,
                              int differ)
{
    size_t i;
    json_t *one;
    json_array_foreach(verified->differences, i, one)
    {
        const json_t *replayed = json_object_get(one, "replayed");
        text_put(json_string_value(json_object_get(one, "result")), 0);
        printf(": recorded %.9g, ", text_json_value(json_object_get(one, "recorded")));
        if (json_is_null(replayed))
            puts("not replayed");
        else
            printf("replayed %.9g\n", text_json_value(replayed));
    }
    text_put(replay->path, 0);
    printf(": %zu results compared, %d differ\n", verified->compared, differ);
}

/* differ: -1 if nothing was compared. */
static bool replayed_show(const struct replay *replay, const struct verified *verified, int differ)
{
    json_t *verify = json_null();
    if (differ >= 0)
        verify = json_pack("{s:I, s:i, s:O}", "compared", (json_int_t)verified->compared, "differ",
                           differ, "differences", verified->differences);
    return json_show("replay", json_pack("{s:o, s:o}", "log", log_json(replay), "verify", verify));
}

static int replay(struct replay *replay, bool verifying, bool json)
{
    SW_ERROR_SCOPE(err);
    struct verified verified = {0};
    if (!stdout_to_stderr("replay", json))
        return EXIT_FAILED;
    int rc = verifying ? verify_run(replay, &verified, &err) : replay_run(replay, &err);
    stdout_restore();
    if (rc >= 0 && verifying && !json)
        differences_print(replay, &verified, rc);
    if (rc < 0 && stdout_is_read())
        say_error("replay", &err);
    else if (rc >= 0)
        replay_say_missing(replay);
    if (rc >= 0 && json && !replayed_show(replay, &verified, verifying ? rc : -1))
        rc = -1;
    sw_error_free(&replay->first_damage);
    json_decref(verified.differences);
    return rc ? EXIT_FAILED : EXIT_FINE;
}

static int run(int argc, char **argv)
{
    const char *config = NULL, *set[ARGUMENT_LIST] = {NULL};
    bool verifying = false, json = false;
    SW_ERROR_SCOPE(err);
    const struct argument arguments[] = {
        {.name = "config", .value = &config},
        {.name = "set", .list = set},
        {.name = "verify", .flag = &verifying},
        {.name = "json", .flag = &json},
    };
    arguments_take(&replay_command, arguments, 4, &argc, argv);
    if (argc != 2)
        return usage_error(&replay_command, "expected one RUN.jsonl, found %d", argc - 1);
    if (verifying && config)
        return usage_error(&replay_command, "--verify cannot be used with --config");
    if (set_options_export(set, false, &err) < 0)
        return usage_error(&replay_command, "%s", sw_error_text(&err));
    struct replay what = {.path = argv[1], .config = config, .sinks = "[table]", .set = set};
    return replay(&what, verifying, json);
}

const struct command replay_command = {"replay", "replays a recorded run into any sinks", help,
                                       run};
