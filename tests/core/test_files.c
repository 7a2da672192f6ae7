/* SPDX-License-Identifier: MIT */
/* The files that sinks write: when they appear, what they replace, and what happens to them when
 * the disk is full, the program forks, or somebody laid a link. */
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- two sinks ------------------------------------------------------------------------------- */

/* "lines" writes the integer of each hyper-parameter as a line of 100 bytes; "whole" replaces its
 * file with the newest one. */
struct writer {
    const char *path;
    struct sw_sink *sink;
    FILE *file;
};

static const struct sw_option options[] = {
    {.name = "path",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct writer, path),
     .required = true,
     .help = "where to write"},
    {.name = NULL},
};

static int lines_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct writer *w = state;
    return sw_sink_create(sink, w->path, &w->file, err);
}

static int lines_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct writer *w = state;
    (void)err;
    fprintf(w->file, "%099d\n", (int)record->hparam->integer);
    return 0;
}

enum { LONG = (3 << 20) + 100 };

/* A line of LONG bytes at once, as the report of 10,000 actions is one. */
static int long_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct writer *w = state;
    char *line = malloc(LONG);
    (void)err;
    memset(line, '0' + (int)record->hparam->integer, LONG);
    line[LONG - 1] = '\n';
    fwrite(line, 1, LONG, w->file);
    free(line);
    return 0;
}

static int whole_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct writer *w = state;
    (void)err;
    w->sink = sink;
    return 0;
}

static int whole_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct writer *w = state;
    char text[32];
    int n = snprintf(text, sizeof text, "%d\n", (int)record->hparam->integer);
    return sw_sink_replace(w->sink, w->path, text, (size_t)n, err);
}

#define SINK(NAME, OPEN, RECORD)                                                                   \
    {                                                                                              \
        SW_SINK_HEADER, .name = NAME, .version = "1.0", .license = "MIT",                          \
                        .summary = "writes a file, for tests", .wants = SW_WANT(SW_RECORD_HPARAM), \
                        .queue = SW_QUEUE_DROP_NEWEST, .options = options,                         \
                        .state_size = sizeof(struct writer), .open = OPEN, .record = RECORD        \
    }

static const struct sw_sink_plugin lines = SINK("lines", lines_open, lines_record);
static const struct sw_sink_plugin long_lines = SINK("long_lines", lines_open, long_record);
static const struct sw_sink_plugin whole = SINK("whole", whole_open, whole_record);

static struct sw_error err;
static char said[4096];
static const char *close_timeout = "20s";

static void keep_message(void *arg, enum sw_level level, const char *text)
{
    size_t used = strlen(said);
    (void)arg;
    (void)level;
    snprintf(said + used, sizeof said - used, "%s\n", text);
}

static struct sw_profiler *open_with(const char *sinks)
{
    char yaml[2048];
    ck_assert_int_eq(sw_sink_register(&lines, NULL, &err), 0);
    ck_assert_int_eq(sw_sink_register(&long_lines, NULL, &err), 0);
    ck_assert_int_eq(sw_sink_register(&whole, NULL, &err), 0);
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false, signals: false, close_timeout: %s }\n"
             "logger_callback: [ %s ]\n",
             close_timeout, sinks);
    struct sw_profiler *sw = sw_open_text(yaml, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, keep_message, NULL);
    return sw;
}

static struct sw_profiler *open_path(const char *sink, const char *path)
{
    char sinks[1024];
    scratch_enter();
    snprintf(sinks, sizeof sinks, "%s: { path: \"%s\" }", sink, path);
    return open_with(sinks);
}

static void write_numbers(struct sw_profiler *sw, int from, int to)
{
    for (int i = from; i < to; i++)
        sw_hparam_int(sw, "number", i);
}

/* So many numbers into one sink; returns what sw_close() said. */
static int run(const char *sink, const char *path, int numbers)
{
    struct sw_profiler *sw = open_path(sink, path);
    write_numbers(sw, 0, numbers);
    return sw_close(sw, &err);
}

static void flush(struct sw_profiler *sw)
{
    ck_assert_int_eq(sw_flush(sw, INT64_C(20000000000)), 0);
}

/* The test fails where the file does not have exactly these numbers, in order, one a line. */
static void expect_numbers(const char *path, int from, int to)
{
    size_t size;
    char *text = scratch_read(path, &size), line[128];
    ck_assert_uint_eq(size, (size_t)(to - from) * 100);
    for (int i = from; i < to; i++) {
        snprintf(line, sizeof line, "%099d\n", i);
        ck_assert_int_eq(memcmp(text + (size_t)(i - from) * 100, line, 100), 0);
    }
    free(text);
}

static void expect_text(const char *path, const char *expected)
{
    char *text = scratch_read(path, NULL);
    ck_assert_str_eq(text, expected);
    free(text);
}

/* ---- new and old files ----------------------------------------------------------------------- */

/* The library calls this one, because the program comes first where it looks for symbols. */
static atomic_int syncs;
__attribute__((visibility("default"))) int fsync(int fd)
{
    atomic_fetch_add(&syncs, 1);
    return (int)syscall(SYS_fsync, fd);
}

START_TEST(a_file_is_there_with_its_lines_while_the_run_goes_on)
{
    struct sw_profiler *sw = open_path("lines", "out.txt");
    write_numbers(sw, 0, 3);
    flush(sw);
    expect_numbers("out.txt", 0, 3);
    write_numbers(sw, 3, 5);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    expect_numbers("out.txt", 0, 5);
    ck_assert_int_eq(scratch_count("."), 1);
}
END_TEST

/* Returns how many times the process has called write(), or -1 if the kernel does not say. */
static long writes_so_far(void)
{
    char line[64];
    long writes = -1;
    FILE *io = fopen("/proc/self/io", "re");
    while (io && fgets(line, sizeof line, io))
        sscanf(line, "syscw: %ld", &writes);
    if (io)
        fclose(io);
    return writes;
}

START_TEST(lines_are_written_64_kib_at_once)
{
    struct sw_profiler *sw = open_path("lines", "out.txt");
    flush(sw);
    long before = writes_so_far();
    write_numbers(sw, 0, 600);
    flush(sw);
    ck_assert_int_le(writes_so_far() - before, 3);
    expect_numbers("out.txt", 0, 600);
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

START_TEST(a_file_that_is_cut_off_goes_on_from_its_begin)
{
    struct sw_profiler *sw = open_path("lines", "out.txt");
    write_numbers(sw, 0, 3);
    flush(sw);
    ck_assert_int_eq(truncate("out.txt", 0), 0);
    write_numbers(sw, 3, 5);
    flush(sw);
    expect_numbers("out.txt", 3, 5);
    write_numbers(sw, 5, 6);
    ck_assert_int_eq(truncate("out.txt", 0), 0);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    expect_numbers("out.txt", 5, 6);
}
END_TEST

START_TEST(an_old_file_is_replaced_and_whoever_has_it_open_keeps_it)
{
    struct stat before, after;
    scratch_enter();
    scratch_write("out.txt", "old\n", 4);
    FILE *reader = fopen("out.txt", "r");
    ck_assert_int_eq(stat("out.txt", &before), 0);
    ck_assert_int_eq(run("lines", "out.txt", 2), 0);
    ck_assert_int_eq(stat("out.txt", &after), 0);

    expect_numbers("out.txt", 0, 2);
    ck_assert(before.st_ino != after.st_ino);
    ck_assert_int_eq(after.st_mode & 0777, 0644);
    char line[8];
    ck_assert_str_eq(fgets(line, sizeof line, reader), "old\n");
    fclose(reader);
}
END_TEST

START_TEST(a_whole_file_is_replaced_at_once)
{
    ck_assert_int_eq(run("whole", "report.md", 5), 0);
    expect_text("report.md", "4\n");
    ck_assert_int_eq(scratch_count("."), 1);
}
END_TEST

START_TEST(only_an_older_content_has_the_disk_waited_for)
{
    atomic_store(&syncs, 0);
    ck_assert_int_eq(run("whole", "new.txt", 1), 0);
    ck_assert_int_eq(atomic_load(&syncs), 0);

    scratch_write("empty.txt", "", 0);
    scratch_write("old.txt", "old\n", 4);
    struct sw_profiler *sw = open_with("whole: { path: empty.txt }, whole: { path: old.txt }");
    write_numbers(sw, 7, 8);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    ck_assert_int_eq(atomic_load(&syncs), 1);
    expect_text("empty.txt", "7\n");
    expect_text("old.txt", "7\n");
}
END_TEST

START_TEST(missing_folders_are_made)
{
    ck_assert_int_eq(run("lines", "a/b/c/out.txt", 1), 0);
    ck_assert_int_eq(run("whole", "a//d/./report.md", 1), 0);
    expect_numbers("a/b/c/out.txt", 0, 1);
    expect_text("a/d/report.md", "0\n");
}
END_TEST

START_TEST(the_umask_is_respected)
{
    struct stat st;
    scratch_enter();
    umask(077);
    ck_assert_int_eq(run("whole", "d/report.md", 1), 0);
    ck_assert_int_eq(stat("d/report.md", &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0600);
    ck_assert_int_eq(stat("d", &st), 0);
    ck_assert_int_eq(st.st_mode & 0777, 0700);
}
END_TEST

START_TEST(a_file_without_permissions_can_still_be_written)
{
    scratch_enter();
    umask(0777);
    ck_assert_int_eq(run("lines", "out.txt", 3), 0);
    umask(022);
    ck_assert_int_eq(chmod("out.txt", 0600), 0);
    expect_numbers("out.txt", 0, 3);
}
END_TEST

START_TEST(a_device_is_written_to_and_stays)
{
    struct stat st;
    ck_assert_int_eq(run("lines", "/dev/null", 3), 0);
    ck_assert_int_eq(run("whole", "/dev/null", 3), 0);
    ck_assert_int_eq(stat("/dev/null", &st), 0);
    ck_assert(S_ISCHR(st.st_mode));
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

static void make_link(void)
{
    scratch_write("target", "kept\n", 5);
    ck_assert_int_eq(symlink("target", "out.txt"), 0);
}

static void make_planted_file(void)
{
    make_link();
    ck_assert(mkdir("tmp", 0777) == 0 && chmod("tmp", 0777) == 0);
    ck_assert_int_eq(symlink("../target", "tmp/out.txt"), 0);
}

static void make_folder(void)
{
    ck_assert_int_eq(mkdir("out.txt", 0755), 0);
}

static void make_file_as_folder(void)
{
    scratch_write("file", "", 0);
}

static void make_planted(void)
{
    ck_assert_int_eq(mkdir("elsewhere", 0755), 0);
    ck_assert_int_eq(mkdir("tmp", 0755), 0);
    ck_assert_int_eq(chmod("tmp", 0777), 0);
    ck_assert_int_eq(symlink("../elsewhere", "tmp/runs"), 0);
}

/* As in /tmp, where nobody can replace a link of the user. */
static void make_planted_by_another(void)
{
    make_planted();
    ck_assert_int_eq(chmod("tmp", 01777), 0);
    ck_assert_int_eq(lchown("tmp/runs", 1234, (gid_t)-1), 0);
}

static void make_folder_of_another(void)
{
    make_planted();
    ck_assert_int_eq(chmod("tmp", 0755), 0);
    ck_assert_int_eq(chown("tmp", 1234, (gid_t)-1), 0);
}

/* Of the link's owner the group's folder says nothing. */
static void make_link_of_the_group(void)
{
    make_planted();
    ck_assert_int_eq(chmod("tmp", 0775), 0);
    ck_assert_int_eq(lchown("tmp/runs", 1234, (gid_t)-1), 0);
}

static void make_planted_fifo(void)
{
    ck_assert_int_eq(mkdir("tmp", 0755), 0);
    ck_assert_int_eq(chmod("tmp", 01777), 0);
    ck_assert_int_eq(mkfifo("tmp/out.txt", 0666), 0);
}

static void make_fifo_of_another(void)
{
    ck_assert_int_eq(mkfifo("out.txt", 0666), 0);
    ck_assert_int_eq(chown("out.txt", 1234, (gid_t)-1), 0);
}

static void make_chain(void)
{
    make_planted();
    ck_assert_int_eq(symlink("tmp/runs", "chain"), 0);
}

static void make_nothing(void)
{
}

static const struct {
    void (*make)(void);
    const char *path;
    const char *problem;
    bool needs_root;
} refused[] = {
    {make_folder, "out.txt", "is a folder, expected a file", false},
    {make_nothing, "out/", "is a folder, expected a file", false},
    {make_file_as_folder, "file/out.txt",
     "its folder \"file\" cannot be made or entered: Not a directory", false},
    {make_planted_file, "tmp/out.txt",
     "\"out.txt\" is a symbolic link in a folder that everybody may write to, which is not "
     "followed: name another path",
     false},
    {make_planted, "tmp/runs/out.txt",
     "\"runs\" is a symbolic link in a folder that everybody may write to, which is not followed: "
     "name another path",
     false},
    {make_planted_by_another, "tmp/runs/out.txt",
     "\"runs\" is a symbolic link in a folder that everybody may write to, which is not followed: "
     "name another path",
     true},
    {make_chain, "chain/out.txt",
     "\"runs\" is a symbolic link in a folder that everybody may write to, which is not followed: "
     "name another path",
     false},
    {make_planted_fifo, "tmp/out.txt",
     "is a FIFO in a folder that everybody may write to, and stepwatch does not write to it: name "
     "another path",
     false},
    {make_folder_of_another, "tmp/runs/out.txt",
     "\"runs\" is a symbolic link in a folder that belongs to another user, which is not followed: "
     "name another path",
     true},
    {make_link_of_the_group, "tmp/runs/out.txt",
     "\"runs\" is a symbolic link in a folder that its group may write to, and belongs to another "
     "user, which is not followed: name another path",
     true},
    {make_fifo_of_another, "out.txt",
     "is a FIFO that belongs to another user, and stepwatch does not write to it: name another "
     "path",
     true},
};

START_TEST(a_path_that_cannot_be_written_is_refused)
{
    char expected[512];
    if (refused[_i].needs_root && geteuid() != 0) {
        puts("SKIP: what belongs to another user can only be made by root");
        return;
    }
    for (int i = 0; i < 2; i++) {
        const char *sink = i ? "whole" : "lines";
        scratch_enter();
        if (i == 0)
            refused[_i].make();
        ck_assert_int_eq(run(sink, refused[_i].path, 1), SW_ESINK);
        snprintf(expected, sizeof expected, "sink %s: %s: %s; 1 record missed", sink,
                 scratch_path(refused[_i].path), refused[_i].problem);
        ck_assert_str_eq(sw_error_text(&err), expected);
    }
}
END_TEST

START_TEST(what_a_link_leads_to_stays_as_it_is)
{
    scratch_enter();
    make_planted_file();
    ck_assert(mkdir("elsewhere", 0755) == 0 && symlink("../elsewhere", "tmp/runs") == 0);
    run("lines", "tmp/out.txt", 1);
    run("whole", "tmp/runs/out.txt", 1);
    expect_text("target", "kept\n");
    ck_assert_int_eq(scratch_count("elsewhere"), 0);
}
END_TEST

START_TEST(so_is_one_in_a_sticky_folder_that_everybody_may_write_to)
{
    scratch_enter();
    make_planted();
    ck_assert_int_eq(chmod("tmp", 01777), 0);
    ck_assert_int_eq(run("lines", "tmp/runs/out.txt", 2), 0);
    expect_numbers("elsewhere/out.txt", 0, 2);
}
END_TEST

START_TEST(a_link_of_ones_own_is_followed)
{
    scratch_enter();
    ck_assert_int_eq(mkdir("elsewhere", 0755), 0);
    ck_assert_int_eq(symlink("elsewhere", "runs"), 0);
    ck_assert_int_eq(symlink(scratch_path("runs/"), "again"), 0);
    ck_assert_int_eq(run("lines", "again/../runs/new/out.txt", 2), 0);
    expect_numbers("elsewhere/new/out.txt", 0, 2);
}
END_TEST

static bool is_link(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

START_TEST(a_link_of_ones_own_is_written_where_it_leads_to)
{
    const char *sink = _i ? "whole" : "lines";
    scratch_enter();
    ck_assert(mkdir("results", 0755) == 0 && symlink("results/mine.txt", "out.txt") == 0);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(run(sink, "out.txt", 2), 0);
        ck_assert(is_link("out.txt") && !is_link("results/mine.txt"));
        if (_i)
            expect_text("results/mine.txt", "1\n");
        else
            expect_numbers("results/mine.txt", 0, 2);
    }
    ck_assert_int_eq(scratch_count("results"), 1);
}
END_TEST

/* As a shell does with ./program 3>results, and stepwatch.yaml with path: /dev/fd/3. */
START_TEST(a_descriptor_of_the_program_is_written_where_it_stands)
{
    char path[32];
    scratch_enter();
    int fd = open("results", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    ck_assert(dprintf(fd, "mine\n") == 5);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    ck_assert_int_eq(run("lines", path, 1), 0);
    ck_assert(dprintf(fd, "mine\n") == 5);
    char *text = scratch_read("results", NULL);
    ck_assert_uint_eq(strlen(text), 110);
    ck_assert(strncmp(text, "mine\n0", 6) == 0 && strcmp(text + 105, "mine\n") == 0);
    free(text);
    close(fd);
}
END_TEST

START_TEST(a_file_is_written_in_place_where_its_folder_may_not_be)
{
    const char *sink = _i ? "whole" : "lines";
    if (geteuid() != 0) {
        puts("SKIP: files: only root can give a folder to another user");
        return;
    }
    const char *scratch = scratch_enter();
    ck_assert(chmod(scratch, 0755) == 0 && mkdir("closed", 0755) == 0);
    scratch_write("closed/out.txt", "old", 3);
    ck_assert(chown("closed/out.txt", 1234, (gid_t)-1) == 0 && seteuid(1234) == 0);
    int rc = run(sink, "closed/out.txt", 2), missing = run(sink, "closed/none/out.txt", 1);
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(rc, 0);
    if (_i)
        expect_text("closed/out.txt", "1\n");
    else
        expect_numbers("closed/out.txt", 0, 2);
    ck_assert_int_eq(missing, SW_ESINK);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "Permission denied"));
}
END_TEST

START_TEST(links_that_lead_to_themselves_are_an_error)
{
    scratch_enter();
    ck_assert_int_eq(symlink("there", "here"), 0);
    ck_assert_int_eq(symlink("here", "there"), 0);
    ck_assert_int_eq(run("lines", "here/out.txt", 1), SW_ESINK);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "Too many levels of symbolic links"));
}
END_TEST

START_TEST(a_name_that_is_too_long_is_refused)
{
    char path[400];
    memset(path, 'x', 300);
    strcpy(path + 300, "/out.txt");
    ck_assert_int_eq(run("lines", path, 1), SW_ESINK);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "cannot be created: File name too long: "
                                                      "expected names of at most 255 bytes"));
}
END_TEST

/* ---- disks that are full --------------------------------------------------------------------- */

/* No file may be longer: writing fails as on a full disk (SIGXFSZ is blocked on the worker). Check
 * writes a file of its own at every assertion, so there is none here. */
static void limit(rlim_t bytes)
{
    struct rlimit limits;
    getrlimit(RLIMIT_FSIZE, &limits);
    limits.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limits);
}

START_TEST(a_full_disk_is_reported_once_and_what_is_lost_is_counted)
{
    struct sw_profiler *sw = open_path("lines", "out.txt");
    limit(1050);
    for (int i = 0; i < 3; i++) {
        write_numbers(sw, 10 * i, 10 * i + 10);
        flush(sw);
    }
    int rc = sw_close(sw, &err);
    limit(RLIM_INFINITY);

    char expected[512];
    ck_assert_int_eq(rc, SW_ESINK);
    snprintf(expected, sizeof expected, "sink lines: %s: cannot be written: File too large\n",
             scratch_path("out.txt"));
    ck_assert_str_eq(said, expected);
    snprintf(expected, sizeof expected,
             "sink lines: %s: cannot be written: File too large; 20 lines of %s lost",
             scratch_path("out.txt"), scratch_path("out.txt"));
    ck_assert_str_eq(sw_error_text(&err), expected);
    /* The half of the 11th line that fitted was taken back. */
    expect_numbers("out.txt", 0, 10);
}
END_TEST

START_TEST(when_there_is_room_again_nothing_was_lost)
{
    struct sw_profiler *sw = open_path("lines", "out.txt");
    limit(1050);
    write_numbers(sw, 0, 30);
    flush(sw);
    limit(RLIM_INFINITY);
    write_numbers(sw, 30, 40);
    flush(sw);
    expect_numbers("out.txt", 0, 40);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    ck_assert_ptr_null(strstr(sw_error_text(&err), "lost"));
}
END_TEST

START_TEST(a_disk_that_stays_full_costs_whole_lines_beyond_a_mebibyte)
{
    enum { LINES = 30000, WRITTEN = 100, HELD = (1 << 20) / 100 };
    char expected[512];
    struct sw_profiler *sw = open_path("lines", "out.txt");
    limit(100 * WRITTEN);
    write_numbers(sw, 0, LINES);
    flush(sw);
    limit(RLIM_INFINITY);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    snprintf(expected, sizeof expected, "%d lines of %s lost", LINES - WRITTEN - HELD,
             scratch_path("out.txt"));
    ck_assert_msg(strstr(sw_error_text(&err), expected) != NULL, "%s", sw_error_text(&err));
    expect_numbers("out.txt", 0, WRITTEN + HELD);
}
END_TEST

START_TEST(a_line_longer_than_what_waits_for_the_disk_is_written_whole)
{
    size_t size;
    ck_assert_int_eq(run("long_lines", "out.txt", 2), 0);
    char *text = scratch_read("out.txt", &size);
    ck_assert_uint_eq(size, 2 * LONG);
    ck_assert_int_eq(text[LONG - 1], '\n');
    ck_assert_int_eq(text[2 * LONG - 2], '1');
    free(text);
}
END_TEST

START_TEST(a_report_that_cannot_be_written_leaves_the_old_one_and_no_rest)
{
    scratch_enter();
    scratch_write("report.md", "old\n", 4);
    struct sw_profiler *sw = open_path("whole", "report.md");
    limit(1);
    write_numbers(sw, 0, 1);
    int rc = sw_close(sw, &err);
    limit(RLIM_INFINITY);
    ck_assert_int_eq(rc, SW_ESINK);
    ck_assert_ptr_nonnull(
        strstr(sw_error_text(&err), "report.md: cannot be written: File too large"));
    expect_text("report.md", "old\n");
    ck_assert_int_eq(scratch_count("."), 1);
}
END_TEST

/* ---- folders that go away -------------------------------------------------------------------- */

START_TEST(a_file_that_was_removed_is_reported_with_its_lines)
{
    struct sw_profiler *sw = open_path("lines", "there/out.txt");
    write_numbers(sw, 0, 3);
    flush(sw);
    ck_assert_int_eq(unlink("there/out.txt"), 0);
    write_numbers(sw, 3, 5);
    flush(sw);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);

    char expected[512];
    snprintf(expected, sizeof expected,
             "sink lines: %s: was removed while it was being written: its lines are lost; "
             "5 lines of %s lost",
             scratch_path("there/out.txt"), scratch_path("there/out.txt"));
    ck_assert_str_eq(sw_error_text(&err), expected);
}
END_TEST

START_TEST(without_a_working_folder_a_relative_path_is_refused)
{
    scratch_enter();
    const char *there = scratch_path("there");
    ck_assert_int_eq(mkdir(there, 0755), 0);
    ck_assert_int_eq(chdir(there), 0);
    ck_assert_int_eq(rmdir(there), 0);
    struct sw_profiler *sw = open_with("lines: { path: stepwatch-out.txt }");
    write_numbers(sw, 0, 1);
    ck_assert_int_eq(sw_close(sw, &err), SW_ESINK);
    ck_assert_ptr_nonnull(
        strstr(sw_error_text(&err), "is relative to the working directory, which was removed"));
    ck_assert_int_ne(access("/stepwatch-out.txt", F_OK), 0);
}
END_TEST

/* ---- forks and exits ------------------------------------------------------------------------- */

START_TEST(a_forked_child_that_exits_writes_nothing_of_the_parent)
{
    struct sw_profiler *sw = open_path("lines", "out.txt");
    write_numbers(sw, 0, 3);
    flush(sw);
    write_numbers(sw, 3, 6);
    pid_t child = fork();
    if (child == 0) {
        write_numbers(sw, 100, 110);
        sw_close(sw, NULL);
        fflush(NULL);
        exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(sw_close(sw, &err), 0);
    expect_numbers("out.txt", 0, 6);
}
END_TEST

/* Opens a file, forks a child that stays, and dies; says the child's number into the pipe. */
static void crash_with_a_child(int to)
{
    struct sw_profiler *sw = open_with("lines: { path: out.txt }");
    write_numbers(sw, 0, 1);
    flush(sw);
    pid_t child = fork();
    if (child == 0) {
        child = getpid();
        if (write(to, &child, sizeof child) != (ssize_t)sizeof child)
            _exit(1);
        for (;;)
            pause();
    }
    for (;;)
        pause();
}

START_TEST(a_child_that_outlives_its_parent_does_not_keep_the_parents_file)
{
    int ends[2];
    pid_t child;
    scratch_enter();
    ck_assert_int_eq(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0)
        crash_with_a_child(ends[1]);
    ck_assert_int_eq(read(ends[0], &child, sizeof child), (int)sizeof child);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    struct sw_profiler *sw = open_with("lines: { path: out.txt }");
    write_numbers(sw, 7, 8);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    kill(child, SIGKILL);
    expect_numbers("out.txt", 7, 8);
    ck_assert_int_ne(access("out-2.txt", F_OK), 0);
}
END_TEST

START_TEST(a_child_that_ends_leaves_its_parent_the_file)
{
    int status;
    struct sw_profiler *sw = open_path("lines", "out.txt");
    write_numbers(sw, 0, 1);
    flush(sw);
    pid_t child = fork();
    if (child == 0)
        exit(0);
    waitpid(child, &status, 0);
    struct sw_profiler *other = open_with("lines: { path: out.txt }");
    write_numbers(other, 7, 8);
    ck_assert_int_eq(sw_close(other, &err), 0);
    ck_assert_int_eq(sw_close(sw, &err), 0);
    expect_numbers("out.txt", 0, 1);
    expect_numbers("out-2.txt", 7, 8);
}
END_TEST

/* ---- standard output ------------------------------------------------------------------------- */

/* Runs one number through both sinks to stdout, in a child whose stdout is this descriptor, or
 * closed for -1. Returns the child's status. */
static int child_with_stdout(int out)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (out < 0)
            close(STDOUT_FILENO);
        else
            dup2(out, STDOUT_FILENO);
        printf("before\n");
        struct sw_profiler *sw =
            open_with("lines: { path: \"-\" }, whole: { path: \"-\" }, lines: { path: out.txt }");
        write_numbers(sw, 7, 8);
        int rc = sw_close(sw, &err);
        if (rc)
            scratch_write("err.txt", sw_error_text(&err), strlen(sw_error_text(&err)));
        _exit(rc == 0 ? 0 : 50);
    }
    int status;
    waitpid(child, &status, 0);
    return status;
}

START_TEST(stdout_gets_lines_behind_what_the_program_printed)
{
    scratch_enter();
    int out = open("stdout.txt", O_CREAT | O_WRONLY, 0600);
    ck_assert_int_eq(child_with_stdout(out), 0);
    char *text = scratch_read("stdout.txt", NULL);
    ck_assert_int_eq(strncmp(text, "before\n", 7), 0);
    ck_assert_uint_eq(strlen(text), 7 + 100 + 2);
    ck_assert_ptr_nonnull(strstr(text, "07\n"));
    ck_assert_ptr_nonnull(strstr(text, "\n7\n"));
    free(text);
    close(out);
}
END_TEST

START_TEST(a_pipe_that_nobody_reads_is_an_error_and_no_death)
{
    int out[2];
    scratch_enter();
    ck_assert_int_eq(pipe(out), 0);
    close(out[0]);
    int status = child_with_stdout(out[1]);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 50);
    expect_text("err.txt",
                "sink lines: stdout: cannot be written: Broken pipe; 1 line of stdout lost\n"
                "sink whole: 1 of 1 records failed: first error: stdout: cannot be written: Broken "
                "pipe");
    expect_numbers("out.txt", 7, 8);
    close(out[1]);
}
END_TEST

START_TEST(what_goes_to_a_closed_stdout_lands_in_no_file)
{
    scratch_enter();
    int status = child_with_stdout(-1);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 50);
    expect_numbers("out.txt", 7, 8);
}
END_TEST

START_TEST(a_closed_stdout_gets_no_file_while_sinks_open_and_close_theirs)
{
    scratch_enter();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(STDOUT_FILENO);
        struct sw_profiler *sw = open_with("lines: { path: out.txt }");
        int opened = open("/dev/null", O_RDONLY);
        int closed = write(STDOUT_FILENO, "x", 1) < 0 && errno == EBADF;
        sw_close(sw, &err);
        _exit(opened > STDERR_FILENO && closed ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
}
END_TEST

/* ---- surroundings ---------------------------------------------------------------------------- */

START_TEST(a_program_that_may_open_no_file_gets_an_error)
{
    struct rlimit limits;
    struct sw_profiler *sw = open_path("lines", "out.txt");
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limits), 0);
    struct rlimit few = {.rlim_cur = 3, .rlim_max = limits.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    int rc = sw_close(sw, &err);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limits), 0);
    ck_assert_int_eq(rc, SW_ESINK);
    ck_assert_ptr_nonnull(strstr(sw_error_text(&err), "Too many open files"));
}
END_TEST

START_TEST(a_fifo_that_nobody_reads_does_not_hold_the_program)
{
    scratch_enter();
    ck_assert_int_eq(mkfifo("out.txt", 0600), 0);
    close_timeout = "300ms";
    struct sw_profiler *sw = open_with("lines: { path: out.txt }, lines: { path: other.txt }");
    write_numbers(sw, 0, 3);
    ck_assert_int_eq(sw_close(sw, &err), SW_ETIME);
    ck_assert_str_eq(sw_error_text(&err),
                     "sink lines: did not finish within close_timeout (0.3 s) and was left "
                     "alone; 3 records did not make it");
    expect_numbers("other.txt", 0, 3);
}
END_TEST

SUITE(files)
{
    tcase_add_test(tc, a_file_is_there_with_its_lines_while_the_run_goes_on);
    tcase_add_test(tc, lines_are_written_64_kib_at_once);
    tcase_add_test(tc, a_file_that_is_cut_off_goes_on_from_its_begin);
    tcase_add_test(tc, an_old_file_is_replaced_and_whoever_has_it_open_keeps_it);
    tcase_add_test(tc, a_whole_file_is_replaced_at_once);
    tcase_add_test(tc, only_an_older_content_has_the_disk_waited_for);
    tcase_add_test(tc, missing_folders_are_made);
    tcase_add_test(tc, the_umask_is_respected);
    tcase_add_test(tc, a_file_without_permissions_can_still_be_written);
    tcase_add_test(tc, a_device_is_written_to_and_stays);
    tcase_add_loop_test(tc, a_path_that_cannot_be_written_is_refused, 0,
                        sizeof refused / sizeof *refused);
    tcase_add_test(tc, what_a_link_leads_to_stays_as_it_is);
    tcase_add_test(tc, a_link_of_ones_own_is_followed);
    tcase_add_loop_test(tc, a_link_of_ones_own_is_written_where_it_leads_to, 0, 2);
    tcase_add_test(tc, a_descriptor_of_the_program_is_written_where_it_stands);
    tcase_add_loop_test(tc, a_file_is_written_in_place_where_its_folder_may_not_be, 0, 2);
    tcase_add_test(tc, so_is_one_in_a_sticky_folder_that_everybody_may_write_to);
    tcase_add_test(tc, links_that_lead_to_themselves_are_an_error);
    tcase_add_test(tc, a_name_that_is_too_long_is_refused);
    tcase_add_test(tc, a_full_disk_is_reported_once_and_what_is_lost_is_counted);
    tcase_add_test(tc, when_there_is_room_again_nothing_was_lost);
    tcase_add_test(tc, a_disk_that_stays_full_costs_whole_lines_beyond_a_mebibyte);
    tcase_add_test(tc, a_line_longer_than_what_waits_for_the_disk_is_written_whole);
    tcase_add_test(tc, a_report_that_cannot_be_written_leaves_the_old_one_and_no_rest);
    tcase_add_test(tc, a_forked_child_that_exits_writes_nothing_of_the_parent);
    tcase_add_test(tc, a_child_that_outlives_its_parent_does_not_keep_the_parents_file);
    tcase_add_test(tc, a_child_that_ends_leaves_its_parent_the_file);
    tcase_add_test(tc, stdout_gets_lines_behind_what_the_program_printed);
    tcase_add_test(tc, a_file_that_was_removed_is_reported_with_its_lines);
    tcase_add_test(tc, without_a_working_folder_a_relative_path_is_refused);
    tcase_add_test(tc, a_pipe_that_nobody_reads_is_an_error_and_no_death);
    tcase_add_test(tc, what_goes_to_a_closed_stdout_lands_in_no_file);
    tcase_add_test(tc, a_closed_stdout_gets_no_file_while_sinks_open_and_close_theirs);
    tcase_add_test(tc, a_program_that_may_open_no_file_gets_an_error);
    tcase_add_test(tc, a_fifo_that_nobody_reads_does_not_hold_the_program);
}
