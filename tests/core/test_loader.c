/* SPDX-License-Identifier: MIT */
/* Which plugins are loaded, and what is said of those that are not. */
#include "core/files/own_symbols.h"
#include "tests/support/scratch.h"
#include "tests/support/sanitized.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>
#include <stepwatch/stepwatch.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLUGINS BUILDDIR "/tests/plugins/.libs"

static struct sw_error err;

/* Text with %F for the scratch folder and %I for the installed one. */
static const char *expand(const char *text)
{
    static char expanded[8192];
    char *to = expanded;
    for (; *text; text++) {
        if (text[0] == '%' && (text[1] == 'F' || text[1] == 'I'))
            to = stpcpy(to, *++text == 'F' ? scratch_enter() : SINKDIR);
        else
            *to++ = *text;
    }
    *to = '\0';
    return expanded;
}

static struct sw_profiler *open_sink(const char *folder, const char *sink)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false }\nplugin_path: [ %s ]\nlogger_callback: %s\n", folder,
             sink);
    return sw_open_text(yaml, &err);
}

/* Why a sink is refused, without its place; "" where it is not. */
static const char *refusal(const char *folder, const char *sink)
{
    static const char place[] = "configuration:3:18: ";
    unsetenv("STEPWATCH_PLUGIN_PATH");
    struct sw_profiler *sw = open_sink(folder, sink);
    if (sw) {
        sw_close(sw, NULL);
        return "";
    }
    ck_assert_int_eq(err.code, SW_ECONFIG);
    ck_assert_int_eq(strncmp(sw_error_text(&err), place, strlen(place)), 0);
    return sw_error_text(&err) + strlen(place);
}

/* ---- plugins with a fault -------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *problem;
} faulty[] = {
    {"wrong_magic", "its sw_sink_plugin is not a sink descriptor: magic is 0x12345678, expected "
                    "0x4b4e4953; begin it with SW_SINK_HEADER"},
    {"wrong_abi", "it was built for sink ABI 99, this stepwatch has 2: rebuild it"},
    {"wrong_size", "its descriptor has 100 bytes, expected 112 to 4096: rebuild it with this "
                   "stepwatch's sink.h"},
    {"wrong_option_size", "an entry of its option table has 40 bytes, expected 72 to 4096: "
                          "rebuild it with this stepwatch's sink.h"},
    {"wrong_table", "option precision: its fallback \"40\" is not within 1..17"},
    {"no_symbol", "it exports no symbol sw_sink_plugin: it is not a stepwatch sink"},
    {"missing_symbol", "the loader says: undefined symbol: nobody_defines_this"},
};

START_TEST(a_plugin_with_a_fault_is_refused_with_its_reason)
{
    char text[512];
    snprintf(text, sizeof text, "sink %s: " PLUGINS "/%s.so: %s", faulty[_i].name, faulty[_i].name,
             faulty[_i].problem);
    ck_assert_str_eq(refusal(PLUGINS, faulty[_i].name), expand(text));
}
END_TEST

/* ---- files that are no plugins --------------------------------------------------------------- */

static void make_text(void)
{
    scratch_write("other.so", "#!/bin/sh\n", 10);
}

static void make_empty(void)
{
    scratch_write("other.so", "", 0);
}

static void make_directory(void)
{
    ck_assert_int_eq(mkdir("other.so", 0755), 0);
}

static void make_fifo(void)
{
    ck_assert_int_eq(mkfifo("other.so", 0644), 0);
}

static void make_link_to_nothing(void)
{
    ck_assert_int_eq(symlink("nothing.so", "other.so"), 0);
}

static void make_copy(void)
{
    scratch_copy(PLUGINS "/plain.so", "other.so");
}

static void make_cut(void)
{
    scratch_write("other.so", "\177ELF\2\1\1", 8);
}

static void make_32_bit(void)
{
    make_copy();
    scratch_patch("other.so", "\177ELF\2\1", "\177ELF\1\1");
}

static void make_dependent(void)
{
    make_copy();
    scratch_patch("other.so", "libc.so.6", "libq.so.6");
}

static void make_writable(void)
{
    make_copy();
    ck_assert_int_eq(chmod("other.so", 0646), 0);
}

static void make_folder_writable(void)
{
    make_copy();
    ck_assert_int_eq(chmod(".", 01777), 0);
}

static void make_link_to_writable(void)
{
    make_writable();
    ck_assert_int_eq(rename("other.so", "target.so"), 0);
    ck_assert_int_eq(symlink("target.so", "other.so"), 0);
}

static void make_link_to_fifo(void)
{
    ck_assert_int_eq(mkfifo("target.so", 0644), 0);
    ck_assert_int_eq(symlink("target.so", "other.so"), 0);
}

static void make_foreign(void)
{
    make_copy();
    ck_assert_int_eq(chown("other.so", 1234, 0), 0);
}

static void make_folder_foreign(void)
{
    make_copy();
    ck_assert_int_eq(chown(".", 1234, 0), 0);
}

static void make_link_to_foreign(void)
{
    make_foreign();
    ck_assert_int_eq(rename("other.so", "target.so"), 0);
    ck_assert_int_eq(symlink("target.so", "other.so"), 0);
}

#define REMEDY                                                                                     \
    "; if you trust it, copy it into a folder of your own and name that in STEPWATCH_PLUGIN_PATH"

static const struct {
    void (*make)(void);
    const char *problem;
    bool needs_root;
} files[] = {
    {make_text, "it is not an ELF file, expected a shared object", false},
    {make_empty, "it is empty, expected a shared object", false},
    {make_directory, "it is a directory, expected a shared object", false},
    {make_fifo, "it is not a regular file, expected a shared object", false},
    {make_link_to_writable, "it is writable by everybody: chmod o-w it", false},
    {make_link_to_foreign,
     "it belongs to user 1234, expected root or user 0: its owner could put any code into this "
     "program" REMEDY,
     true},
    {make_link_to_nothing, "it is a link, and cannot be opened: No such file or directory", false},
    {make_link_to_fifo, "it is not a regular file, expected a shared object", false},
    {make_copy, "the file is named other.so, but its sink is named \"plain\": the names must match",
     false},
    {make_cut, "the loader says: file too short", false},
    {make_32_bit, "the loader says: wrong ELF class: ELFCLASS32", false},
    {make_dependent,
     "the loader says: libq.so.6: cannot open shared object file: No such file or directory",
     false},
    {make_writable, "it is writable by everybody: chmod o-w it", false},
    {make_folder_writable, "its folder is writable by everybody: chmod o-w it", false},
    {make_foreign,
     "it belongs to user 1234, expected root or user 0: its owner could put any code into this "
     "program" REMEDY,
     true},
    {make_folder_foreign,
     "its folder belongs to user 1234, expected root or user 0: its owner could put any code into "
     "this program" REMEDY,
     true},
};

START_TEST(a_file_that_is_not_a_trusted_plugin_is_refused_with_the_reason)
{
    char text[512];
    if (files[_i].needs_root && geteuid() != 0) {
        puts("SKIP: a file of another user can only be made by root");
        return;
    }
    snprintf(text, sizeof text, "sink other: %%F/other.so: %s", files[_i].problem);
    scratch_enter();
    files[_i].make();
    ck_assert_str_eq(refusal(scratch_enter(), "other"), expand(text));
}
END_TEST

START_TEST(a_refused_file_is_not_passed_over_for_a_later_folder)
{
    char both[1024];
    scratch_enter();
    scratch_write("plain.so", "", 0);
    snprintf(both, sizeof both, "%s, " PLUGINS, scratch_enter());
    ck_assert_str_eq(refusal(both, "plain"),
                     expand("sink plain: %F/plain.so: it is empty, expected a shared object"));
}
END_TEST

/* Nix and stow make trees of links: to each file, from folders that may be links themselves. */
START_TEST(a_plugin_may_be_a_link)
{
    scratch_enter();
    ck_assert_int_eq(mkdir("store", 0755), 0);
    ck_assert_int_eq(mkdir("profile", 0755), 0);
    ck_assert_int_eq(mkdir("plugins", 0755), 0);
    scratch_copy(PLUGINS "/plain.so", "store/plain-1.0.so");
    ck_assert_int_eq(symlink("../store/plain-1.0.so", "profile/current.so"), 0);
    ck_assert_int_eq(symlink(scratch_path("profile/current.so"), "plugins/plain.so"), 0);
    ck_assert_str_eq(refusal(scratch_path("plugins"), "plain"), "");
}
END_TEST

/* ---- folders on the way ---------------------------------------------------------------------- */

static void make_above(mode_t mode, uid_t owner)
{
    scratch_enter();
    ck_assert_int_eq(mkdir("above", 0755), 0);
    ck_assert_int_eq(mkdir("above/plugins", 0755), 0);
    scratch_copy(PLUGINS "/plain.so", "above/plugins/plain.so");
    ck_assert_int_eq(chmod("above", mode), 0);
    ck_assert_int_eq(chown("above", owner, (gid_t)-1), 0);
}

static const struct {
    mode_t mode;
    uid_t owner; /* 0: whoever runs the tests */
    const char *problem;
} above[] = {
    {0755, 0, ""},
    {01777, 0, ""},
    {0777, 0, "the folder %F/above above it is writable by everybody: chmod o-w it"},
    {0755, 1234,
     "the folder %F/above above it belongs to user 1234, expected root or user 0: its owner could "
     "put any code into this program"},
    {01777, 1234, "the folder %F/above above it is writable by everybody: chmod o-w it"},
};

START_TEST(a_folder_above_that_others_may_change_is_refused)
{
    char text[512];
    if (above[_i].owner && geteuid() != 0) {
        puts("SKIP: a folder of another user can only be made by root");
        return;
    }
    make_above(above[_i].mode, above[_i].owner ? above[_i].owner : (uid_t)-1);
    const char *said = refusal(scratch_path("above/plugins"), "plain");
    if (!*above[_i].problem) {
        ck_assert_str_eq(said, "");
        return;
    }
    if (above[_i].owner) {
        ck_assert_ptr_nonnull(strstr(said, "/above above it belongs to user 1234, expected root"));
        return;
    }
    snprintf(text, sizeof text, "sink plain: %%F/above/plugins/plain.so: %s", above[_i].problem);
    ck_assert_str_eq(said, expand(text));
}
END_TEST

START_TEST(a_folder_that_is_not_to_be_trusted_hides_no_other)
{
    char both[1024];
    make_above(0777, (uid_t)-1);
    scratch_copy(PLUGINS "/plain.so", "other.so");
    scratch_patch("other.so", "plain", "other");
    snprintf(both, sizeof both, "%s, %s", scratch_path("above/plugins"), scratch_enter());
    ck_assert_str_eq(refusal(both, "other"), "");
}
END_TEST

static const struct {
    mode_t mode; /* of the folder that the link is in */
    uid_t owner;
    const char *where;
} links[] = {
    {0755, 0, ""},
    {01777, 0, ""},
    {0777, 0, "that everybody may write to"},
    {0755, 1234, "that belongs to another user"},
    {01777, 1234, "that everybody may write to"},
};

START_TEST(a_link_on_the_way_is_followed_only_where_nobody_else_can_lay_one)
{
    char text[512];
    if (links[_i].owner && geteuid() != 0) {
        puts("SKIP: a folder of another user can only be made by root");
        return;
    }
    make_above(0755, (uid_t)-1);
    ck_assert_int_eq(mkdir("shared", 0755), 0);
    ck_assert_int_eq(symlink("../above/plugins", "shared/there"), 0);
    ck_assert_int_eq(chmod("shared", links[_i].mode), 0);
    if (links[_i].owner)
        ck_assert_int_eq(chown("shared", links[_i].owner, (gid_t)-1), 0);
    snprintf(text, sizeof text,
             "sink plain: %%F/shared/there/plain.so: \"there\" is a symbolic link in a folder %s, "
             "which is not followed: name another path",
             links[_i].where);
    ck_assert_str_eq(refusal(scratch_path("shared/there"), "plain"),
                     *links[_i].where ? expand(text) : "");
}
END_TEST

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const names[] = {
    "../plain", "./plain", "/plain",  "plain.so",
    "Plain",    "1plain",  "pla\\in", "a234567890123456789012345678901_3",
};

START_TEST(a_name_is_not_a_path)
{
    char text[512];
    snprintf(text, sizeof text,
             "\"%s\" is not the name of a sink: expected a to z, 0 to 9 and _, at most 32, a "
             "letter first; "
             "put the folder of a sink into plugin_path",
             names[_i]);
    unsetenv("STEPWATCH_PLUGIN_PATH");
    ck_assert_ptr_null(open_sink(PLUGINS, names[_i]));
    ck_assert_msg(strstr(sw_error_text(&err), text) != NULL, "%s", sw_error_text(&err));
}
END_TEST

START_TEST(the_message_about_a_missing_sink_has_every_path_and_the_nearest_name)
{
    scratch_enter();
    scratch_copy(PLUGINS "/plain.so", "plain.so");
    ck_assert_str_eq(
        refusal(scratch_enter(), "plian"),
        expand("sink plian was not found; did you mean plain? Tried %F/plian.so, %I/plian.so"));
}
END_TEST

START_TEST(the_message_about_a_missing_sink_has_what_was_ignored_or_could_not_be_read)
{
    char path[256];
    scratch_enter();
    scratch_write("file", "", 0);
    snprintf(path, sizeof path, "plugins:%s::/nowhere", scratch_path("file"));
    setenv("STEPWATCH_PLUGIN_PATH", path, 1);
    ck_assert_ptr_null(open_sink(scratch_enter(), "xyz"));
    ck_assert_str_eq(
        sw_error_text(&err),
        expand("configuration:3:18: sink xyz was not found; tried %F/xyz.so, %F/file/xyz.so (Not a "
               "directory), /nowhere/xyz.so, %I/xyz.so; ignored in STEPWATCH_PLUGIN_PATH, not "
               "absolute: \"plugins\""));
}
END_TEST

/* ---- what is loaded -------------------------------------------------------------------------- */

START_TEST(the_environment_names_folders_after_the_configuration)
{
    setenv("STEPWATCH_PLUGIN_PATH", PLUGINS, 1);
    struct sw_profiler *sw = open_sink("/nowhere", "plain");
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

static char message[512];

static void keep_message(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    snprintf(message, sizeof message, "%s", text);
}

static int stderr_catch(void)
{
    int before = dup(STDERR_FILENO);
    ck_assert_ptr_nonnull(freopen("stderr.txt", "w", stderr));
    return before;
}

/* As the table is chosen by a program without a configuration. */
START_TEST(a_report_is_printed_even_if_the_table_is_refused)
{
    struct sw_options options;
    scratch_enter();
    scratch_write("table.so", "", 0);
    ck_assert_int_eq(chmod("table.so", 0666), 0);
    ck_assert_int_eq(setenv("STEPWATCH_PLUGIN_PATH", scratch_enter(), 1), 0);
    ck_assert_ptr_nonnull(freopen("out.txt", "w", stdout));
    sw_options_init(&options);
    options.messages = keep_message;
    struct sw_profiler *sw = sw_open_options(&options, &err);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 3; i++) {
        sw_begin(sw, SW_BATCH);
        sw_end_batch(sw, 1);
    }
    sw_end(sw, SW_FIT);
    ck_assert_msg(sw_close(sw, &err) == 0, "%s", sw_error_text(&err));
    char *printed = scratch_read("out.txt", &(size_t){0});
    ck_assert_msg(strstr(printed, "Phase ") && strstr(printed, "\ntrain       batch "), "%s",
                  printed);
    free(printed);
    ck_assert_msg(strstr(message, "it is empty, expected a shared object; the report is printed as "
                                  "plain text"),
                  "%s", message);
    ck_assert_ptr_null(sw_open_text("logger_callback: {table: {path: t.txt}}\n", &err));
    sw_error_free(&err);
}
END_TEST

START_TEST(what_the_group_may_write_to_is_a_warning)
{
    scratch_enter();
    scratch_copy(PLUGINS "/plain.so", "plain.so");
    ck_assert_int_eq(chmod(".", 0775), 0);
    int before = stderr_catch();
    struct sw_profiler *sw = open_sink(scratch_enter(), "plain");
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    sw_set_messages(sw, keep_message, NULL);
    char *said = scratch_read("stderr.txt", NULL);
    ck_assert_str_eq(said, expand("stepwatch: warning: sink plain: %F/plain.so: its folder is "
                                  "writable by its group: chmod g-w it\n"));
    ck_assert_int_eq(sw_close(sw, &err), 0);
    free(said);
}
END_TEST

START_TEST(plugins_of_one_program_are_each_its_own)
{
    scratch_enter();
    scratch_copy(PLUGINS "/plain.so", "plain.so");
    scratch_copy(PLUGINS "/plain.so", "copy1.so");
    scratch_copy(PLUGINS "/plain.so", "copy2.so");
    scratch_patch("copy1.so", "plain", "copy1");
    scratch_patch("copy2.so", "plain", "copy2");
    unsetenv("STEPWATCH_PLUGIN_PATH");
    struct sw_profiler *sw = open_sink(scratch_enter(), "[plain, copy1, copy2, plain]");
    ck_assert_msg(sw != NULL, "%s", sw_error_text(&err));
    ck_assert_int_eq(sw_close(sw, &err), 0);
}
END_TEST

START_TEST(what_is_loaded_is_the_file_that_was_checked_whatever_has_its_name_by_now)
{
    struct swi_shared shared;
    scratch_enter();
    scratch_copy(PLUGINS "/plain.so", "plain.so");
    scratch_copy(PLUGINS "/plain.so", "other.so");
    scratch_patch("other.so", "plain", "other");
    const char *path = scratch_path("plain.so");
    int checked = open(path, O_RDONLY);
    ck_assert_int_eq(rename("other.so", "plain.so"), 0);
    int rc = swi_shared_object_load(&shared, checked, path, true, &err);
    close(checked);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    const struct sw_sink_plugin *plugin = dlsym(shared.handle, "sw_sink_plugin");
    ck_assert_str_eq(plugin->name, "plain");
}
END_TEST

/* The loader takes one name for one object, and the names are made of paths and their order. */
START_TEST(plugins_are_each_their_own_whatever_their_paths_are_called)
{
    static const char *const copies[] = {"alpha", "bravo", "charl", "delta"};
    static const char *const paths[] = {"/as/long/as/it/gets", "/as/long/as/it/get",
                                        "/as/long/as/it/ge", "/as/long/as/it/g"};
    scratch_enter();
    for (int i = 0; i < 4; i++) {
        struct swi_shared shared;
        char file[16];
        snprintf(file, sizeof file, "%s.so", copies[i]);
        scratch_copy(PLUGINS "/plain.so", file);
        scratch_patch(file, "plain", copies[i]);
        int fd = open(file, O_RDONLY);
        ck_assert_int_eq(swi_shared_object_load(&shared, fd, paths[i], false, &err), 0);
        close(fd);
        const struct sw_sink_plugin *plugin = dlsym(shared.handle, "sw_sink_plugin");
        ck_assert_str_eq(plugin->name, copies[i]);
    }
}
END_TEST

/* By itself, because the thread sanitizer does not see the loader's own lock, under which this is
 * called. */
__attribute__((no_sanitize("thread"))) static bool has_pieces(const char *name)
{
    static const char own[] = "/proc/";
    bool pieces = false;
    size_t same = 0;
    while (own[same] && name[same] == own[same])
        same++;
    for (size_t i = 0; name[i] && own[same]; i++)
        pieces = pieces || (name[i] == '/' && name[i + 1] == '/');
    return pieces;
}

/* Counts names that are neither a path nor what the loader got: a piece of both. */
static int name_look(struct dl_phdr_info *object, size_t size, void *arg)
{
    atomic_int *halves = arg;
    (void)size;
    if (has_pieces(object->dlpi_name))
        (*halves)++;
    return 0;
}

static atomic_bool all_loaded;
static atomic_int looks;

static void *names_look(void *halves)
{
    for (; !all_loaded; looks++)
        dl_iterate_phdr(name_look, halves);
    return NULL;
}

/* Given a thread that goes through the names of all objects, as unwinders and debuggers do, when
 * plugins are loaded, then it never finds a name that is half written. */
START_TEST(the_name_of_a_plugin_is_never_half_a_name)
{
    static const char plugin[] = PLUGINS "/plain.so";
    const int loads = SANITIZED ? 200 : 2000; /* each waits for the thread that looks */
    atomic_int halves = 0;
    pthread_t looking;
    int fd = open(plugin, O_RDONLY | O_CLOEXEC);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pthread_create(&looking, NULL, names_look, &halves), 0);
    while (!looks)
        sched_yield();
    int before = looks;
    for (int i = 0; i < loads || looks - before < loads; i++) {
        struct swi_shared shared;
        ck_assert_int_eq(swi_shared_object_load(&shared, fd, plugin, false, &err), 0);
        swi_shared_object_drop(&shared);
    }
    all_loaded = true;
    pthread_join(looking, NULL);
    close(fd);
    ck_assert_int_eq(halves, 0);
}
END_TEST

START_TEST(a_plugin_is_known_by_its_path)
{
    struct swi_shared shared;
    Dl_info info;
    scratch_enter();
    scratch_copy(PLUGINS "/plain.so", "plain.so");
    const char *path = scratch_path("plain.so");
    int fd = open(path, O_RDONLY);
    int rc = swi_shared_object_load(&shared, fd, path, false, &err);
    close(fd);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    ck_assert_int_ne(dladdr(dlsym(shared.handle, "sw_sink_plugin"), &info), 0);
    ck_assert_str_eq(info.dli_fname, path);
}
END_TEST

/* The name at which a debugger looks for the plugin that is just being loaded. */
static const char *name_at_load(bool fixed)
{
    struct swi_shared shared;
    scratch_copy(PLUGINS "/named.so", "named.so");
    const char *path = scratch_path("named.so");
    int fd = open(path, O_RDONLY);
    int rc = swi_shared_object_load(&shared, fd, path, fixed, &err);
    close(fd);
    ck_assert_msg(rc == 0, "%s", sw_error_text(&err));
    return dlsym(shared.handle, "name_at_load");
}

START_TEST(a_plugin_that_nobody_can_replace_is_loaded_by_its_path)
{
    scratch_enter();
    ck_assert_str_eq(name_at_load(true), scratch_path("named.so"));
}
END_TEST

/* /proc/self would be the debugger, and its descriptor may be a pipe. */
START_TEST(the_name_of_a_plugin_is_the_same_file_for_a_debugger)
{
    char own[32];
    scratch_enter();
    const char *name = name_at_load(false);
    snprintf(own, sizeof own, "/proc/%d/fd/", (int)getpid());
    ck_assert_msg(strncmp(name, own, strlen(own)) == 0, "%s", name);
}
END_TEST

/* Given a plugin that was replaced while it is loaded, then a profiler that is opened next has the
 * new one. */
START_TEST(a_plugin_that_was_replaced_is_loaded_anew)
{
    struct swi_shared shared;
    scratch_enter();
    const char *path = scratch_path("plain.so");
    for (int i = 0; i < 2; i++) {
        scratch_copy(PLUGINS "/plain.so", "new.so");
        if (i)
            scratch_patch("new.so", "plain", "again");
        ck_assert_int_eq(rename("new.so", "plain.so"), 0);
        int fd = open(path, O_RDONLY);
        ck_assert_int_eq(swi_shared_object_load(&shared, fd, path, true, &err), 0);
        close(fd);
        swi_shared_object_keep(&shared);
        const struct sw_sink_plugin *plugin = dlsym(shared.handle, "sw_sink_plugin");
        ck_assert_str_eq(plugin->name, i ? "again" : "plain");
    }
}
END_TEST

START_TEST(a_plugin_is_loaded_once_however_often_a_profiler_is_opened)
{
    struct swi_shared first, again;
    scratch_enter();
    scratch_copy(PLUGINS "/plain.so", "plain.so");
    int fd = open("plain.so", O_RDONLY);
    ck_assert_int_eq(swi_shared_object_load(&first, fd, scratch_path("plain.so"), true, &err), 0);
    swi_shared_object_keep(&first);
    ck_assert_int_eq(swi_shared_object_load(&again, fd, scratch_path("plain.so"), true, &err), 0);
    close(fd);
    ck_assert(!first.known && again.known);
    ck_assert_ptr_eq(first.handle, again.handle);
}
END_TEST

/* It has $ORIGIN as the folder of its libraries. Any library will do. */
START_TEST(a_plugin_may_bring_a_library_that_lies_beside_it)
{
    scratch_enter();
    scratch_copy(PLUGINS "/plain.so", "plain.so");
    scratch_copy(PLUGINS "/no_symbol.so", "libq.so.6");
    scratch_patch("plain.so", "libc.so.6", "libq.so.6");
    ck_assert_str_eq(refusal(scratch_enter(), "plain"), "");
}
END_TEST

/* ---- finding all ----------------------------------------------------------------------------- */

static const struct sw_sink_found *found(const struct sw_sinks *sinks, const char *name, int number)
{
    for (size_t i = 0; i < sinks->count; i++)
        if (strcmp(sinks->item[i].name, name) == 0 && number-- == 0)
            return &sinks->item[i];
    ck_abort_msg("%s was not found so often", name);
    return NULL;
}

START_TEST(all_sinks_are_found_also_those_that_are_shadowed_or_refused)
{
    struct sw_sinks *sinks;
    scratch_enter();
    ck_assert_int_eq(mkdir("plugins", 0755), 0);
    scratch_copy(PLUGINS "/plain.so", "plugins/plain.so");
    scratch_write("plugins/README", "", 0);
    scratch_write("plugins/Not-A-Name.so", "", 0);
    scratch_write("config.yaml", "plugin_path: [ plugins ]\n", 25);
    setenv("STEPWATCH_PLUGIN_PATH", PLUGINS, 1);
    ck_assert_int_ge(sw_sinks_find("config.yaml", &sinks, &err), 9);

    ck_assert_str_eq(found(sinks, "plain", 0)->path, expand("%F/plugins/plain.so"));
    ck_assert_str_eq(found(sinks, "plain", 0)->plugin->summary, "does nothing, for tests");
    ck_assert(!found(sinks, "plain", 0)->shadowed);
    ck_assert_str_eq(found(sinks, "plain", 1)->path, PLUGINS "/plain.so");
    ck_assert(found(sinks, "plain", 1)->shadowed);
    ck_assert_ptr_null(found(sinks, "wrong_abi", 0)->plugin);
    ck_assert_str_eq(found(sinks, "wrong_abi", 0)->problem, faulty[1].problem);
    ck_assert_str_eq(found(sinks, "crash_load", 0)->problem, "it crashes when loaded: Aborted");
    ck_assert_str_eq(found(sinks, "exit_load", 0)->problem, "it ends the program when loaded");
    for (size_t i = 1; i < sinks->count; i++)
        ck_assert_str_le(sinks->item[i - 1].name, sinks->item[i].name);
    sw_sinks_free(sinks);
}
END_TEST

/* ---- setuid ---------------------------------------------------------------------------------- */

/* Runs the copy of tests/secure as nobody, with all that a user could set against it. */
static int run_secure(const char *yaml, char *output, size_t size)
{
    char path[600], library[600];
    int out[2], status;
    snprintf(path, sizeof path, "STEPWATCH_PLUGIN_PATH=%s", scratch_enter());
    snprintf(library, sizeof library, "LD_LIBRARY_PATH=%s", scratch_enter());
    ck_assert_int_eq(pipe(out), 0);
    pid_t child = fork();
    if (child == 0) {
        char *environment[] = {path, library, (char *)"STEPWATCH_CONFIG=config.yaml", NULL};
        dup2(out[1], STDOUT_FILENO);
        if (setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0)
            execle("./secure", "secure", yaml, NULL, environment);
        _exit(99);
    }
    close(out[1]);
    ssize_t n = read(out[0], output, size - 1);
    output[n > 0 ? n : 0] = '\0';
    close(out[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const struct {
    const char *plugin_path; /* %F: the folder that the environment names as well */
    mode_t mode;             /* of the plugin */
    uid_t owner;
    const char *said;
} secure[] = {
    {"/nowhere", 0644, 0, "was not found; tried /nowhere/plain.so, %I/plain.so"},
    {"%F", 0664, 0,
     ": %F/plain.so: it is writable by its group, which a setuid program does not accept: chmod "
     "g-w it"},
    {"%F", 0644, 65534,
     ": %F/plain.so: it belongs to user 65534, expected root or user 0: its owner could put any "
     "code into this program"},
};

START_TEST(a_setuid_program_loads_nothing_that_its_user_chose)
{
    char output[4096], yaml[512], text[512];
    if (geteuid() != 0) {
        puts("SKIP: a setuid program can only be made by root");
        return;
    }
    scratch_enter();
    scratch_copy(PLUGINS "/plain.so", "plain.so");
    scratch_copy(BUILDDIR "/tests/secure", "secure");
    ck_assert_int_eq(chmod("secure", 04755), 0);
    ck_assert_int_eq(chown("plain.so", secure[_i].owner, 0), 0);
    ck_assert_int_eq(chmod("plain.so", secure[_i].mode), 0);
    snprintf(yaml, sizeof yaml,
             "profiler: { show_report: false }\nplugin_path: [ %s ]\nlogger_callback: plain\n",
             expand(secure[_i].plugin_path));
    int rc = run_secure(yaml, output, sizeof output);
    if (rc == 77) {
        puts("SKIP: the scratch folder allows no setuid programs");
        return;
    }
    ck_assert_int_eq(rc, 0);
    snprintf(text, sizeof text, "configuration:3:18: sink plain%s%s\n",
             secure[_i].said[0] == ':' ? "" : " ", secure[_i].said);
    ck_assert_str_eq(output, expand(text));
}
END_TEST

SUITE(loader)
{
    tcase_add_loop_test(tc, a_plugin_with_a_fault_is_refused_with_its_reason, 0,
                        sizeof faulty / sizeof *faulty);
    tcase_add_loop_test(tc, a_file_that_is_not_a_trusted_plugin_is_refused_with_the_reason, 0,
                        sizeof files / sizeof *files);
    tcase_add_test(tc, a_refused_file_is_not_passed_over_for_a_later_folder);
    tcase_add_test(tc, a_plugin_may_be_a_link);
    tcase_add_test(tc, a_report_is_printed_even_if_the_table_is_refused);
    tcase_add_loop_test(tc, a_folder_above_that_others_may_change_is_refused, 0,
                        sizeof above / sizeof *above);
    tcase_add_test(tc, a_folder_that_is_not_to_be_trusted_hides_no_other);
    tcase_add_loop_test(tc, a_link_on_the_way_is_followed_only_where_nobody_else_can_lay_one, 0,
                        sizeof links / sizeof *links);
    tcase_add_test(tc, what_is_loaded_is_the_file_that_was_checked_whatever_has_its_name_by_now);
    tcase_add_test(tc, plugins_are_each_their_own_whatever_their_paths_are_called);
    tcase_add_test(tc, the_name_of_a_plugin_is_never_half_a_name);
    tcase_add_test(tc, a_plugin_is_known_by_its_path);
    tcase_add_test(tc, a_plugin_that_nobody_can_replace_is_loaded_by_its_path);
    tcase_add_test(tc, the_name_of_a_plugin_is_the_same_file_for_a_debugger);
    tcase_add_test(tc, a_plugin_that_was_replaced_is_loaded_anew);
    tcase_add_test(tc, a_plugin_is_loaded_once_however_often_a_profiler_is_opened);
    tcase_add_test(tc, a_plugin_may_bring_a_library_that_lies_beside_it);
    tcase_add_loop_test(tc, a_name_is_not_a_path, 0, sizeof names / sizeof *names);
    tcase_add_test(tc, the_message_about_a_missing_sink_has_every_path_and_the_nearest_name);
    tcase_add_test(tc, the_message_about_a_missing_sink_has_what_was_ignored_or_could_not_be_read);
    tcase_add_test(tc, the_environment_names_folders_after_the_configuration);
    tcase_add_test(tc, what_the_group_may_write_to_is_a_warning);
    tcase_add_test(tc, plugins_of_one_program_are_each_its_own);
    tcase_add_test(tc, all_sinks_are_found_also_those_that_are_shadowed_or_refused);
    tcase_add_loop_test(tc, a_setuid_program_loads_nothing_that_its_user_chose, 0,
                        sizeof secure / sizeof *secure);
}
