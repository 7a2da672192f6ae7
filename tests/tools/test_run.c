/* SPDX-License-Identifier: MIT */
/* stepwatch run: the program is run as if it were run alone, under the configuration. */
#include "tests/support/host.h"
#include "tests/support/suite.h"
#include "tests/support/terminal.h"
#include "tests/tools/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOP BUILDDIR "/tests/tools/loop"

static void enter(void)
{
    run_record("steps");
    /* Generous: the machine may have other work. */
    file_write("run.yaml", "profiler: { mode: simple, show_report: false, close_timeout: 60s }\n"
                           "logger_callback: [csv: { path: out/report.csv }, runlog: { path: "
                           "log.jsonl }]\n");
}

/* ---- a program that is still running ---- */

static void sleep_a_little(void)
{
    nanosleep(&(struct timespec){0, 10000000}, NULL);
}

/* Starts stepwatch run ARGUMENT... with its output in output.txt, on a terminal of its own where
 * there is one. */
static pid_t start(int terminal, const char *mode)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid)
        return pid;
    if (terminal >= 0 && (setsid() < 0 || ioctl(terminal, TIOCSCTTY, 0) < 0))
        _exit(90);
    int output = open("output.txt", O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (output < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
        _exit(91);
    execl(BUILDDIR "/tests/tools/stepwatch", "stepwatch", "run", "--config", "run.yaml", "--", LOOP,
          mode, "ready", (char *)NULL);
    _exit(92);
}

static void wait_until_ready(pid_t pid)
{
    for (int i = 0; i < 6000 && !host_has("ready"); i++) {
        ck_assert_msg(waitpid(pid, NULL, WNOHANG) == 0, "it ended before it was ready:\n%s",
                      host_file("output.txt"));
        sleep_a_little();
    }
    ck_assert(host_has("ready"));
}

/* Its exit status: it always has one. */
static int wait_for_end(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        ck_assert_int_eq(errno, EINTR);
    ck_assert_msg(WIFEXITED(status), "it ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* ---- what the program gets, and what comes back ---- */

START_TEST(the_program_is_measured_under_the_configuration)
{
    enter();
    ck_assert_int_eq(stepwatch("run --config run.yaml -- " LOOP " steps 0"), 0);
    ck_assert_ptr_nonnull(strstr(host_file("out/report.csv"), "train,batch,"));
    ck_assert_ptr_nonnull(strstr(host_file("log.jsonl"), "\"mode\":\"simple\""));
}
END_TEST

START_TEST(the_configuration_is_found_from_another_folder_too)
{
    enter();
    ck_assert_int_eq(mkdir("elsewhere", 0700), 0);
    ck_assert_int_eq(stepwatch("run --config run.yaml -- " LOOP " folder elsewhere"), 0);
    ck_assert(host_has("out/report.csv"));
}
END_TEST

START_TEST(without_one_it_is_that_which_the_program_finds)
{
    enter();
    ck_assert_int_eq(rename("run.yaml", "stepwatch.yaml"), 0);
    ck_assert_int_eq(stepwatch("run -- " LOOP " steps 0"), 0);
    ck_assert(host_has("out/report.csv"));
}
END_TEST

START_TEST(set_exchanges_an_option)
{
    enter();
    ck_assert_int_eq(stepwatch("run --config run.yaml --set mode=throughput --set "
                               "drop_first_batch=false -- " LOOP " steps 0"),
                     0);
    ck_assert_ptr_nonnull(strstr(host_file("log.jsonl"), "\"mode\":\"throughput\""));
    ck_assert_ptr_nonnull(strstr(host_file("log.jsonl"), "\"drop_first_batch\":false"));
}
END_TEST

START_TEST(set_counts_more_than_the_environment)
{
    enter();
    setenv("STEPWATCH_SET", "mode=throughput,rolling_average=7", 1);
    ck_assert_int_eq(stepwatch("run --config run.yaml --set mode=simple -- " LOOP " steps 0"), 0);
    ck_assert_ptr_nonnull(strstr(host_file("log.jsonl"), "\"mode\":\"simple\""));
    ck_assert_ptr_nonnull(strstr(host_file("log.jsonl"), "\"rolling_average\":7"));
}
END_TEST

START_TEST(the_places_of_the_report_are_reported)
{
    char here[256], line[400];
    enter();
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    ck_assert_int_eq(stepwatch("run --config run.yaml -- " LOOP " steps 0"), 0);
    snprintf(line, sizeof line, "stepwatch: csv wrote to %s/out/report.csv\n", here);
    assert_printed(line);
    snprintf(line, sizeof line, "stepwatch: runlog wrote to %s/log.jsonl (stepwatch report", here);
    assert_printed(line);
}
END_TEST

START_TEST(the_program_has_none_of_the_commands_descriptors)
{
    enter();
    ck_assert_int_eq(stepwatch("run --config run.yaml -- sh -c 'ls -l /proc/$$/fd'"), 0);
    assert_not_printed("stepwatch-run-");
}
END_TEST

START_TEST(without_a_folder_for_temporary_files_another_is_used)
{
    enter();
    ck_assert_int_eq(setenv("TMPDIR", "/nowhere", 1), 0);
    ck_assert_int_eq(stepwatch("run --config run.yaml -- sh -c '"
                               "printf \"csv\\t/a.csv\\n\" >>$STEPWATCH_PLACES'"),
                     0);
    assert_printed("stepwatch: csv wrote to /a.csv\n");
    unsetenv("TMPDIR");
}
END_TEST

START_TEST(a_run_in_the_folder_of_all_runs_is_one_place)
{
    enter();
    ck_assert_int_eq(
        stepwatch("run --config run.yaml -- sh -c 'printf \"wandb\\t/w\\nmlflow\\t/m\\nwandb\\t"
                  "/w/run\\nwandb\\t/w/run/file\\nmlflow\\t/m2\\n\" >>$STEPWATCH_PLACES'"),
        0);
    assert_not_printed("wandb wrote to /w\n");
    assert_printed("stepwatch: mlflow wrote to /m\nstepwatch: wandb wrote to /w/run\n");
    assert_printed("wandb wrote to /w/run/file\n");
}
END_TEST

/* What sinks report to the command about their files. */
START_TEST(the_files_beside_a_log_are_not_reported_one_by_one)
{
    enter();
    ck_assert_int_eq(
        stepwatch("run --config run.yaml -- sh -c 'printf \"runlog\\t/a.jsonl\\nrunlog\\t"
                  "/a.jsonl.files/image.png\\ncsv\\t/b.files/c.csv\\n\" >>$STEPWATCH_PLACES'"),
        0);
    assert_printed("runlog wrote to /a.jsonl (");
    assert_printed("csv wrote to /b.files/c.csv\n");
    assert_not_printed("image.png");
}
END_TEST

START_TEST(a_file_whose_name_resembles_that_of_a_part_is_reported)
{
    enter();
    file_write("run.yaml", "profiler: { show_report: false, close_timeout: 60s }\n"
                           "logger_callback: [csv: { path: .data.partial }]\n");
    ck_assert_int_eq(stepwatch("run --config run.yaml -- " LOOP " steps 0"), 0);
    assert_printed("/.data.partial\n");
}
END_TEST

/* What somebody copies into the next command line. */
START_TEST(a_place_is_shown_as_its_shortest_path)
{
    char here[256], line[640];
    enter();
    file_write("run.yaml", "profiler: { show_report: false, close_timeout: 60s }\n"
                           "plugin_path: [ ., ./ ]\n"
                           "logger_callback: [csv: { path: ././out/report.csv }, tabel]\n");
    ck_assert_int_eq(stepwatch("run --config run.yaml -- " LOOP " steps 0"), 125);
    ck_assert_ptr_nonnull(getcwd(here, sizeof here));
    snprintf(line, sizeof line, "Tried %s/tabel.so, ", here);
    assert_printed(line);
    file_write("run.yaml", "profiler: { show_report: false, close_timeout: 60s }\n"
                           "logger_callback: [csv: { path: ././out/report.csv }]\n");
    ck_assert_int_eq(stepwatch("run --config run.yaml -- " LOOP " steps 0"), 0);
    snprintf(line, sizeof line, "stepwatch: csv wrote to %s/out/report.csv\n", here);
    assert_printed(line);
}
END_TEST

START_TEST(a_program_that_measures_nothing_is_asked_about)
{
    enter();
    ck_assert_int_eq(stepwatch("run --config run.yaml -- true"), 0);
    assert_printed("no sink wrote anything");
}
END_TEST

START_TEST(the_exit_status_is_the_programs)
{
    enter();
    ck_assert_int_eq(stepwatch("run --config run.yaml -- " LOOP " steps 41"), 41);
    ck_assert_int_eq(stepwatch("run --config run.yaml -- sh -c 'exit 3'"), 3);
    ck_assert_int_eq(stepwatch("run --config run.yaml -- sh -c 'kill -KILL $$'"), 128 + SIGKILL);
    ck_assert_int_eq(stepwatch("run --config run.yaml -- sh -c 'kill -ABRT $$'"), 128 + SIGABRT);
}
END_TEST

START_TEST(options_behind_the_dashes_are_the_programs)
{
    enter();
    ck_assert_int_eq(stepwatch("run --config run.yaml -- echo --config -- --help"), 0);
    assert_printed("--config -- --help\n");
}
END_TEST

START_TEST(what_cannot_be_started_is_reported)
{
    enter();
    ck_assert_int_eq(stepwatch("run -- ./nowhere"), 127);
    assert_printed("./nowhere: No such file or directory");
    ck_assert_int_eq(stepwatch("run -- ./run.yaml"), 126);
    assert_printed("./run.yaml: Permission denied");
    ck_assert_int_eq(stepwatch("run"), 2);
    ck_assert_int_eq(stepwatch("run --"), 2);
    ck_assert_int_eq(stepwatch("run true"), 2);
    assert_printed("expected -- PROGRAM");
    ck_assert_int_eq(stepwatch("run --functions=none -- true"), 2);
    assert_printed("--functions=none: expected exact, sampled, sample or wall");
    ck_assert_int_eq(stepwatch("run --functions-rate 5 -- true"), 2);
    assert_printed("--functions-rate needs --functions=sample or wall");
}
END_TEST

START_TEST(a_mistake_is_reported_before_the_program_starts)
{
    enter();
    file_write("bad.yaml", "profiler: simpel\n");
    ck_assert_int_eq(stepwatch("run --config bad.yaml -- touch started"), 125);
    assert_printed("did you mean simple?");
    assert_printed("Try: stepwatch run --no-check, if it registers sinks itself");
    ck_assert_int_eq(stepwatch("run --config nowhere.yaml -- touch started"), 125);
    assert_printed("nowhere.yaml: No such file or directory");
    ck_assert_int_eq(stepwatch("run --set rolling_average=none -- touch started"), 125);
    assert_printed("STEPWATCH_SET: profiler: rolling_average: none");
    ck_assert_int_eq(stepwatch("run --set nonsense -- touch started"), 2);
    ck_assert_int_eq(stepwatch("run --set csv_name=a,b -- touch started"), 2);
    assert_printed("a value cannot hold a comma");
    ck_assert(!host_has("started"));
    ck_assert_int_eq(stepwatch("run --no-check --config bad.yaml -- touch started"), 0);
    ck_assert(host_has("started"));
}
END_TEST

/* ---- signals ---- */

static const int passed_on[] = {SIGTERM, SIGHUP, SIGQUIT, SIGUSR2};

START_TEST(a_signal_reaches_the_programs_own_handler)
{
    enter();
    pid_t pid = start(-1, "wait");
    wait_until_ready(pid);
    kill(pid, passed_on[_i]);
    ck_assert_int_eq(wait_for_end(pid), 64 + passed_on[_i]);
}
END_TEST

START_TEST(each_signal_is_passed_on_once)
{
    enter();
    pid_t pid = start(-1, "wait");
    wait_until_ready(pid);
    kill(pid, SIGINT);
    kill(pid, SIGUSR1);
    ck_assert_int_eq(wait_for_end(pid), 1);
}
END_TEST

START_TEST(a_signal_that_ends_the_program_makes_its_report_and_is_the_status)
{
    int signal = _i ? SIGTERM : SIGINT;
    enter();
    pid_t pid = start(-1, "measure");
    wait_until_ready(pid);
    kill(pid, signal);
    ck_assert_int_eq(wait_for_end(pid), 128 + signal);
    ck_assert_ptr_nonnull(strstr(host_file("out/report.csv"), "train,batch,"));
    ck_assert_ptr_nonnull(strstr(host_file("output.txt"), "/out/report.csv\n"));
}
END_TEST

/* The terminal gives ^C to both: passed on, the program would count two. */
START_TEST(what_the_terminal_sends_comes_once)
{
    struct terminal terminal;
    enter();
    if (!terminal_new(&terminal, 80))
        return;
    pid_t pid = start(terminal.program, "wait");
    wait_until_ready(pid);
    ck_assert_int_eq(write(terminal.user, "\003", 1), 1);
    struct stat ready = {0};
    for (int i = 0; i < 6000 && ready.st_size == 0; i++) {
        sleep_a_little();
        ck_assert_int_eq(stat("ready", &ready), 0);
    }
    /* Were it passed on, then before this one, whose number is larger. */
    kill(pid, SIGUSR1);
    ck_assert_int_eq(wait_for_end(pid), 1);
    close(terminal.program);
    close(terminal.user);
}
END_TEST

START_TEST(children_that_are_ignored_still_have_a_status)
{
    enter();
    signal(SIGCHLD, SIG_IGN);
    pid_t pid = start(-1, "wait");
    signal(SIGCHLD, SIG_DFL);
    wait_until_ready(pid);
    kill(pid, SIGHUP);
    ck_assert_int_eq(wait_for_end(pid), 64 + SIGHUP);
}
END_TEST

SUITE(run)
{
    tcase_add_test(tc, the_program_is_measured_under_the_configuration);
    tcase_add_test(tc, the_configuration_is_found_from_another_folder_too);
    tcase_add_test(tc, without_one_it_is_that_which_the_program_finds);
    tcase_add_test(tc, set_exchanges_an_option);
    tcase_add_test(tc, set_counts_more_than_the_environment);
    tcase_add_test(tc, the_places_of_the_report_are_reported);
    tcase_add_test(tc, the_program_has_none_of_the_commands_descriptors);
    tcase_add_test(tc, without_a_folder_for_temporary_files_another_is_used);
    tcase_add_test(tc, a_run_in_the_folder_of_all_runs_is_one_place);
    tcase_add_test(tc, the_files_beside_a_log_are_not_reported_one_by_one);
    tcase_add_test(tc, a_file_whose_name_resembles_that_of_a_part_is_reported);
    tcase_add_test(tc, a_place_is_shown_as_its_shortest_path);
    tcase_add_test(tc, a_program_that_measures_nothing_is_asked_about);
    tcase_add_test(tc, the_exit_status_is_the_programs);
    tcase_add_test(tc, options_behind_the_dashes_are_the_programs);
    tcase_add_test(tc, what_cannot_be_started_is_reported);
    tcase_add_test(tc, a_mistake_is_reported_before_the_program_starts);
    tcase_add_loop_test(tc, a_signal_reaches_the_programs_own_handler, 0,
                        (int)(sizeof passed_on / sizeof *passed_on));
    tcase_add_test(tc, each_signal_is_passed_on_once);
    tcase_add_loop_test(tc, a_signal_that_ends_the_program_makes_its_report_and_is_the_status, 0,
                        2);
    tcase_add_test(tc, what_the_terminal_sends_comes_once);
    tcase_add_test(tc, children_that_are_ignored_still_have_a_status);
}
