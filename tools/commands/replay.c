/* SPDX-License-Identifier: MIT */
/* stepwatch replay - plays a recorded run again into any sinks. */
#include "tools/commands/arguments.h"
#include "tools/log/run_replay.h"
#include "tools/output/stderr.h"
#include "tools/commands/commands.h"
#include "tools/log/verify.h"

static const char help[] =
    "usage: stepwatch replay RUN.jsonl [--config FILE] [--set KEY=VALUE]... [--verify]\n\n"
    "Feeds a run log through the same core and sinks as the run itself, with the\n"
    "recorded times, so that you can make any report again. RUN.jsonl may be - for\n"
    "standard input. If the program was killed, its log is replayed to where it ends.\n\n"
    "  --config FILE    use the sinks and options of this configuration (default: the\n"
    "                   table on stdout, and the profiler's options as recorded)\n"
    "  --set KEY=VALUE  change one of the profiler's options, such as rolling_average=20\n"
    "  --verify         compare the results in the log with those of the replay; exit\n"
    "                   with status 1 if they differ by more than the recorded\n"
    "                   nanoseconds explain\n";

static int replay(struct replay *replay, bool verifying)
{
    SW_ERROR_SCOPE(err);
    int rc = verifying ? verify_run(replay, &err) : replay_run(replay, &err);
    if (rc < 0 && stdout_is_read())
        say("replay", "%s", sw_error_text(&err));
    else if (rc >= 0)
        replay_say_missing(replay);
    sw_error_free(&replay->first_damage);
    return rc ? EXIT_FAILED : EXIT_FINE;
}

static int run(int argc, char **argv)
{
    const char *config = NULL, *set[ARGUMENT_LIST] = {NULL};
    bool verifying = false;
    const struct argument arguments[] = {
        {.name = "config", .value = &config},
        {.name = "set", .list = set},
        {.name = "verify", .flag = &verifying},
    };
    int rc = arguments_take(&replay_command, arguments, 3, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (argc != 2)
        return usage_error(&replay_command, "expected one RUN.jsonl, found %d", argc - 1);
    if (verifying && config)
        return usage_error(&replay_command, "--verify cannot be used with --config");
    struct replay what = {.path = argv[1], .config = config, .sinks = "[table]", .set = set};
    return replay(&what, verifying);
}

const struct command replay_command = {"replay", "replays a recorded run into any sinks", help,
                                       run};
