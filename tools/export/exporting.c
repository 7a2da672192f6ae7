/* SPDX-License-Identifier: MIT */
#include "tools/export/exporting.h"

#include "core/files/in_place.h"
#include "core/text/parts.h"
#include "sinks/common/trace_formats/file_name_part.h"
#include "sinks/common/trace_formats/gzip.h"
#include "sinks/common/trace_formats/timeline_state.h"
#include "tools/export/log_timeline.h"
#include "tools/output/print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the output ------------------------------------------------------------------------------ */

/* stdout, or a file that is complete or does not exist; compressed if its name ends with .gz. */
struct export_file {
    FILE *file;
    char *path, *temporary; /* NULL: stdout */
    struct swi_gzip *gzip;
    bool failed;
};

static bool plain_write(void *arg, const char *data, size_t size)
{
    struct export_file *file = arg;
    file->failed = file->failed || fwrite(data, 1, size, file->file) != size;
    return !file->failed;
}

/* Writes data of a timeline. */
static bool export_file_write(void *arg, const char *data, size_t size)
{
    struct export_file *file = arg;
    if (!file->gzip)
        return plain_write(file, data, size);
    file->failed = file->failed || !swi_gzip_add(file->gzip, data, size);
    return !file->failed;
}

static void folders_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static int gzip_open(struct export_file *file, const char *path, struct sw_error *err)
{
    if (!swi_ends(path, ".gz"))
        return 0;
    file->gzip = swi_gzip_new(plain_write, file);
    if (file->gzip)
        return 0;
    return sw_error_set(err, SW_EINVAL, "%s: %s", path,
                        swi_gzip_is_known() ? "not enough memory to compress it"
                                            : "this stepwatch was built without zlib: choose a "
                                              "name without .gz");
}

static bool is_special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int temporary_make(struct export_file *file, const char *path, struct sw_error *err)
{
    file->path = strdup(path);
    if (!file->path || asprintf(&file->temporary, "%s.tmp%ld", path, (long)getpid()) < 0) {
        file->temporary = NULL;
        return sw_error_set(err, SW_ENOMEM, "%s: not enough memory", path);
    }
    folders_make(file->path);
    bool special = is_special(path);
    if (special)
        snprintf(file->temporary, strlen(path) + 1, "%s", path);
    else
        unlink(file->temporary);                                 /* left by a killed process */
    file->file = fopen(file->temporary, special ? "we" : "wxe"); /* no link of another user */
    if (file->file)
        return 0;
    sw_error_set(err, SW_EIO, "%s: cannot be written: %s", errno == EEXIST ? file->temporary : path,
                 strerror(errno));
    free(file->temporary); /* not ours to remove */
    file->temporary = NULL;
    return SW_EIO;
}

/* Opens the output. path: "-" is stdout. Missing folders are created. */
static int export_file_open(struct export_file *file, const char *path, struct sw_error *err)
{
    *file = (struct export_file){.file = stdout};
    int rc = strcmp(path, "-") == 0 ? 0 : temporary_make(file, path, err);
    return rc < 0 ? rc : gzip_open(file, path, err);
}

static void parts_free(struct export_file *file)
{
    free(file->path);
    free(file->temporary);
    *file = (struct export_file){0};
}

/* whole: false removes the file. */
static int export_file_close(struct export_file *file, bool whole, struct sw_error *err)
{
    int rc = 0;
    if (file->gzip && !swi_gzip_end(file->gzip))
        file->failed = true;
    const char *name = file->path ? file->path : "stdout";
    bool flushed = file->file && fflush(file->file) == 0;
    int reason = errno;
    if (file->file && file->path)
        flushed = fclose(file->file) == 0 && flushed;
    if (whole && (file->failed || !flushed))
        rc = sw_error_set(err, SW_EIO, "%s: cannot be written: %s", name, strerror(reason));
    bool renames = file->path && file->temporary && strcmp(file->path, file->temporary) != 0;
    if (renames && whole && rc == 0 && swi_rename_or_copy(file->temporary, file->path) != 0)
        rc = sw_error_set(err, SW_EIO, "%s: cannot be written: %s", name, strerror(errno));
    if (renames && (!whole || rc < 0))
        unlink(file->temporary);
    parts_free(file);
    return rc;
}

/* ---- steps ----------------------------------------------------------------------------------- */

struct range {
    int64_t first, last;
    int64_t from_ns, upto_ns;
    bool found;
};

static void range_step(struct swi_timeline *t, struct swi_track *track,
                       const struct swi_timeline_step *step)
{
    struct range *range = t->arg;
    (void)track;
    if (step->phase != SW_PHASE_TRAIN || step->number < range->first || step->number > range->last)
        return;
    if (!range->found)
        range->from_ns = step->begin_ns;
    range->found = true;
    range->upto_ns = step->end_ns;
}

static void range_end(struct swi_timeline *t, struct swi_track *track,
                      struct swi_interval *interval)
{
    (void)t;
    (void)track;
    (void)interval;
}

static const struct swi_timeline_format range_format = {
    .name = "range", .end = range_end, .step = range_step};

/* Sets from_ns and upto_ns to the begin of the training step `first` and the end of `last`. Returns
 * SW_EINVAL if the log does not have the first one. */
static int log_timeline_range(struct log_timeline_head *head, int64_t first, int64_t last,
                              struct sw_error *err)
{
    struct swi_timeline_process *process = &head->process;
    struct range range = {.first = first, .last = last};
    struct swi_timeline t = {.format = &range_format, .arg = &range};
    struct log_timeline read;
    swi_timeline_start(&t);
    int rc = log_timeline_play(&t, head, &read, err);
    sw_error_free(&read.first_damage);
    int64_t steps = t.process_count ? t.process[0]->training_steps : 0;
    swi_timeline_free(&t);
    if (rc < 0)
        return rc;
    if (!range.found)
        return sw_error_set(err, SW_EINVAL,
                            "%s: has no training step %" PRId64 " to %" PRId64 ": it has %" PRId64
                            " steps, from 0",
                            head->path, first, last, steps);
    process->begin_ns = process->from_ns = range.from_ns;
    process->upto_ns = range.upto_ns > range.from_ns ? range.upto_ns : range.from_ns + 1;
    return 0;
}

static const struct swi_timeline_format *const formats[] = {
    &swi_timeline_chrome_object, &swi_timeline_perfetto, &swi_timeline_xplane,
    &swi_timeline_torch,         &swi_timeline_folded,   &swi_timeline_speedscope};

static const struct swi_timeline_format *format_find(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

bool export_format_is_known(const char *format)
{
    return format_find(format) != NULL;
}

/* ---- names of files -------------------------------------------------------------------------- */

/* Returns whether an output is a folder in which the format chooses the names of files. */
static bool is_folder(const struct swi_timeline_format *format, const char *output)
{
    struct stat st;
    if (stat(output, &st) == 0)
        return S_ISDIR(st.st_mode);
    if (swi_ends(output, "/"))
        return true;
    bool file = swi_ends(output, ".pb") || swi_ends(output, ".json") || swi_ends(output, ".gz");
    return format->one_process && !file && strcmp(output, "-") != 0;
}

/* All ranks of a session share one folder, named after the second in which the first of them began.
 */
static char *xplane_name(const char *folder, const struct swi_timeline_process *process,
                         int64_t origin_ns, bool ranks)
{
    char session[32] = "1970_01_01_00_00_00", rank[32], host[SWI_FILE_PART], *name = NULL;
    time_t second = (time_t)(origin_ns / 1000000000);
    struct tm local;
    if (localtime_r(&second, &local))
        strftime(session, sizeof session, "%Y_%m_%d_%H_%M_%S", &local);
    snprintf(rank, sizeof rank, "rank%" PRId64, process->rank);
    if (asprintf(&name, "%s/plugins/profile/%s/%s.xplane.pb", folder, session,
                 ranks ? rank : swi_file_part(host, process->host, rank)) < 0)
        return NULL;
    return name;
}

static char *torch_name(const char *folder, const struct swi_timeline_process *process, bool ranks)
{
    char *name = NULL, rank[32] = "", host[SWI_FILE_PART];
    if (ranks)
        snprintf(rank, sizeof rank, "_rank%" PRId64, process->rank);
    if (asprintf(&name, "%s/%s_%" PRId64 "%s.%" PRId64 ".pt.trace.json", folder,
                 swi_file_part(host, process->host, "host"), process->pid, rank,
                 process->started_ns) < 0)
        return NULL;
    return name;
}

/* For a format with one file per process, out.json of rank 1 is out.rank1.json. */
static char *ranked_name(const char *output, int64_t rank)
{
    char *name = NULL;
    size_t stem = strlen(output);
    const char *ends[] = {".pt.trace.json.gz", ".pt.trace.json", ".xplane.pb", ".json.gz", ".json"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (swi_ends(output, ends[i])) {
            stem -= strlen(ends[i]);
            break;
        }
    if (asprintf(&name, "%.*s.rank%" PRId64 "%s", (int)stem, output, rank, output + stem) < 0)
        return NULL;
    return name;
}

static char *name_of(const struct export_task *task, const struct swi_timeline_format *format,
                     const struct swi_timeline_process *process, int64_t origin_ns)
{
    bool ranks = task->count > 1 || process->world_size > 1;
    const char *output = task->output ? task->output : "-";
    char *name = NULL;
    if (is_folder(format, output) && format == &swi_timeline_xplane)
        return xplane_name(output, process, origin_ns, ranks);
    if (is_folder(format, output) && format == &swi_timeline_torch)
        return torch_name(output, process, ranks);
    if (is_folder(format, output))
        return asprintf(&name, "%s/timeline%s", output, format->extension) < 0 ? NULL : name;
    if (format->one_process && task->count > 1)
        return ranked_name(output, process->rank);
    return strdup(output);
}

/* ---- the logs -------------------------------------------------------------------------------- */

static int logs_play(struct swi_timeline *t, const struct log_timeline_head *heads, size_t count,
                     struct sw_error *err)
{
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        struct log_timeline read;
        rc = log_timeline_play(t, &heads[i], &read, err);
        if (rc == 0)
            log_timeline_say(&read, "export");
        sw_error_free(&read.first_damage);
    }
    return rc;
}

/* Returns the time that is 0 in the file: the start of the rank that began first. The files of an
 * XPlane session have one origin, after which their folder is named. A trace of torch contains its
 * own. */
static int64_t origin_of(const struct swi_timeline_format *format,
                         const struct log_timeline_head *heads, size_t count)
{
    int64_t origin_ns = heads[0].process.started_ns;
    for (size_t i = 1; i < count; i++)
        if (heads[i].process.started_ns < origin_ns)
            origin_ns = heads[i].process.started_ns;
    if (format == &swi_timeline_torch)
        return 0;
    return format == &swi_timeline_xplane ? origin_ns - origin_ns % 1000000000 : origin_ns;
}

static bool is_log(const struct export_task *task, const char *name)
{
    struct stat log, file;
    bool same = false;
    if (stat(name, &file) != 0 || !S_ISREG(file.st_mode))
        return false;
    for (size_t i = 0; i < task->count && !same; i++)
        same = stat(task->path[i], &log) == 0 && log.st_dev == file.st_dev &&
               log.st_ino == file.st_ino;
    return same;
}

static int output_open(const struct export_task *task, const char *name, struct export_file *file,
                       struct sw_error *err)
{
    *file = (struct export_file){0};
    if (!name)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the name of the file");
    if (is_log(task, name))
        return sw_error_set(err, SW_EINVAL,
                            "%s is one of the exported run logs and would be overwritten: name "
                            "another file with -o",
                            name);
    return export_file_open(file, name, err);
}

/* Makes one file of some logs. */
static int file_make(const struct export_task *task, const struct swi_timeline_format *format,
                     const struct log_timeline_head *heads, size_t from, size_t count,
                     struct sw_error *err)
{
    struct export_file file;
    int64_t origin_ns = origin_of(format, heads, task->count);
    char *name = name_of(task, format, &heads[from].process, origin_ns);
    int rc = output_open(task, name, &file, err);
    if (rc < 0) {
        export_file_close(&file, false, err);
        free(name);
        return rc;
    }
    struct swi_timeline t = {
        .format = format, .write = export_file_write, .arg = &file, .origin_ns = origin_ns};
    swi_timeline_start(&t);
    rc = logs_play(&t, heads + from, count, err);
    swi_timeline_finish(&t);
    if (rc == 0 && t.failed && !file.failed)
        rc = sw_error_set(err, SW_ENOMEM, "%s: not enough memory", name);
    swi_timeline_free(&t);
    SW_ERROR_SCOPE(ignored);
    int closed = export_file_close(&file, rc == 0, rc == 0 ? err : &ignored);
    if (rc == 0 && closed == 0 && task->files)
        json_array_append_new(task->files, text_json(name));
    else if (rc == 0 && closed == 0 && name && strcmp(name, "-") != 0)
        say("export", "%s", name);
    free(name);
    return rc < 0 ? rc : closed;
}

/* ---- ranks ----------------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const struct log_timeline_head *x = a, *y = b;
    int64_t i = x->process.rank, k = y->process.rank;
    return (i > k) - (i < k);
}

static bool pid_is_taken(const struct log_timeline_head *heads, size_t i)
{
    bool taken = false;
    for (size_t k = 0; k < i && !taken; k++)
        taken = heads[k].process.pid / 1024 == heads[i].process.pid / 1024;
    return taken;
}

/* Makes pids distinct, because threads are distinguished by pid and two hosts may use the same one.
 * Viewers cut them to 31 bits, so that many ranks leave no room for real pids. */
static void pids_separate(struct log_timeline_head *heads, size_t count)
{
    enum { PIDS = 1 << 22, MOST = INT32_MAX / PIDS }; /* no pid of Linux is larger than PIDS */
    for (size_t i = 0; i < count; i++)
        if (count > MOST)
            heads[i].process.pid = 1024 * ((int64_t)i + 1);
        else if (pid_is_taken(heads, i))
            heads[i].process.pid = heads[i].process.pid % PIDS + (int64_t)i * PIDS;
}

static int files_make(const struct export_task *task, const struct log_timeline_head *heads,
                      struct sw_error *err)
{
    const struct swi_timeline_format *format = format_find(task->format);
    size_t each = format->one_process ? 1 : task->count;
    int rc = 0;
    for (size_t i = 0; i < task->count && rc == 0; i += each)
        rc = file_make(task, format, heads, i, each, err);
    return rc;
}

static int outputs_check(const struct export_task *task, struct sw_error *err)
{
    const struct swi_timeline_format *format = format_find(task->format);
    bool to_stdout = !task->output || strcmp(task->output, "-") == 0;
    if (to_stdout && format->one_process && task->count > 1)
        return sw_error_set(err, SW_EINVAL,
                            "%s has a file for each rank: name a folder with -o FOLDER",
                            task->format);
    bool binary = format == &swi_timeline_perfetto || format == &swi_timeline_xplane;
    if (to_stdout && binary && isatty(STDOUT_FILENO))
        return sw_error_set(err, SW_EINVAL,
                            "%s is not text and would disturb the terminal: name a file with -o "
                            "FILE",
                            task->format);
    return 0;
}

int export_logs(const struct export_task *task, struct sw_error *err)
{
    struct log_timeline_head *heads = calloc(task->count, sizeof *heads);
    if (!heads)
        return sw_error_set(err, SW_ENOMEM, "not enough memory");
    int rc = outputs_check(task, err);
    for (size_t i = 0; i < task->count && rc == 0; i++)
        rc = log_timeline_head(task->path[i], &heads[i], err);
    if (rc == 0) {
        qsort(heads, task->count, sizeof *heads, by_rank);
        if (!format_find(task->format)->one_process)
            pids_separate(heads, task->count);
        rc = host_clocks_align(heads, task->count, err);
    }
    for (size_t i = 0; i < task->count && task->some && rc == 0; i++)
        rc = log_timeline_range(&heads[i], task->first, task->last, err);
    if (rc == 0)
        rc = files_make(task, heads, err);
    for (size_t i = 0; i < task->count; i++)
        log_timeline_head_free(&heads[i]);
    free(heads);
    return rc;
}
