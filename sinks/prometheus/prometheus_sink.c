/* SPDX-License-Identifier: MIT */
/* prometheus - the state of the run for Prometheus: a page that it scrapes, and a file for
 * node_exporter. */
#include "core/clock/now.h"
#include "core/text/escape.h"
#include "sinks/common/option_rows.h"
#include "sinks/prometheus/exposition.h"
#include "sinks/prometheus/pushing.h"
#include "sinks/prometheus/scrape_page.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct prometheus {
    const char *path;
    const char *listen;
    const char *file_sd;
    const char *push;
    const char *at_end;
    int64_t push_interval_ns;
    int64_t interval_ns;
    int64_t series;
    const char *const *buckets;
    struct sw_sink *sink;
    struct swi_families families;
    char file[PATH_MAX];  /* that of `path`, absolute; "": none */
    char name[300];       /* label `run` */
    struct swi_text text; /* kept for its room */
    struct swi_newest *newest;
    struct swi_page page;
    int64_t written_ns; /* when the file was written last; 0: never */
    bool dead_file;     /* the file could not be written, and that was said */
    struct swi_push *pushing;
    bool clean;          /* the run ended, and ended well */
    int64_t deadline_ns; /* of the end; 0: unknown */
};

static const struct sw_option options[] = {
    SWI_OPTION(STRING, struct prometheus, listen,
               "address and port at which to serve the page /metrics, such as 127.0.0.1:29464; "
               "127.0.0.1:29464+{local_rank}: a port for each process of a machine; port 0: any "
               "free port (default: 127.0.0.1:29464 if neither path nor push is given)",
               .placeholders = true),
    SWI_OPTION(PATH, struct prometheus, file_sd,
               "file to which the address of the page is written while there is a page, for "
               "file_sd_configs of Prometheus"),
    SWI_OPTION(PATH, struct prometheus, path,
               "file for node_exporter's --collector.textfile.directory, such as "
               "/var/lib/prometheus/node-exporter/stepwatch-{name}-{rank}.prom"),
    SWI_OPTION(STRING, struct prometheus, push,
               "address of a Pushgateway, such as http://gateway:9091, for runs that end before "
               "Prometheus can scrape them"),
    SWI_OPTION_NAMED("push_interval", DURATION, struct prometheus, push_interval_ns,
                     "time between two pushes", .fallback = "30s", .min = 0.1, .max = 3600,
                     .unit = "s"),
    SWI_OPTION(CHOICE, struct prometheus, at_end,
               "what to do with the metrics at the Pushgateway when the run has ended well; the "
               "Pushgateway itself never deletes them",
               .fallback = "keep", .choices = "keep|delete"),
    SWI_OPTION_NAMED("interval", DURATION, struct prometheus, interval_ns,
                     "time between two writes of the file", .fallback = "10s", .min = 0,
                     .max = 3600, .unit = "s"),
    SWI_OPTION(
        INT, struct prometheus, series,
        "how many metric names, and how many actions, to show; those beyond are only counted",
        .fallback = "200", .min = 1, .max = 100000, .unit = "names"),
    SWI_OPTION(LIST, struct prometheus, buckets,
               "upper bounds of the histogram of steps, in seconds (default: 1, 2.5 and 5 times "
               "10^-5 to 10^2)"),
    {.name = NULL},
};

/* ---- the options ----------------------------------------------------------------------------- */

/* Reads the bounds. Returns the first text that is not a larger number than the one before, or
 * NULL.
 */
static const char *buckets_read(const char *const *text, double *bound, size_t *count)
{
    for (*count = 0; text && text[*count]; ++*count) {
        char *end;
        double value = strtod(text[*count], &end);
        if (*count == SWI_BUCKETS_MOST || *end || end == text[*count] || !isfinite(value) ||
            value <= (*count ? bound[*count - 1] : 0))
            return text[*count];
        bound[*count] = value;
    }
    return NULL;
}

/* Without anything else, there is a page. */
static bool has_page(const struct prometheus *p)
{
    return p->listen || !(p->path || p->push);
}

/* A placeholder is not filled in yet. Core checks its name. */
static bool listen_is_valid(const char *listen)
{
    char text[128];
    size_t used = 0;
    for (const char *at = listen; *at && used < sizeof text - 1; at++) {
        bool opens = *at == '{' && strchr(at, '}');
        text[used++] = opens ? '1' : *at;
        at = opens ? strchr(at, '}') : at;
    }
    text[used] = '\0';
    struct swi_page unused = {0};
    return swi_page_place(&unused, text);
}

static void prometheus_check(const void *state, struct sw_sink_check *check)
{
    const struct prometheus *p = state;
    double bound[SWI_BUCKETS_MOST];
    size_t count;
    const char *wrong = buckets_read(p->buckets, bound, &count);
    if (wrong)
        sw_sink_mistake(check, "buckets",
                        "\"%s\" is not a number that is larger than 0 and the one before it; at "
                        "most %d are allowed",
                        wrong, SWI_BUCKETS_MOST);
    if (p->path && (strstr(p->path, "{pid}") || strstr(p->path, "{time}")))
        sw_sink_remark(check, "path",
                       "\"%s\" is another file for each run, with the same labels: node_exporter "
                       "drops series that another file has; use {name} and {rank}",
                       p->path);
    if (p->listen && !listen_is_valid(p->listen))
        sw_sink_mistake(check, "listen",
                        "\"%s\" is not an address and a port, such as 127.0.0.1:29464", p->listen);
    if (p->push && !swi_push_is_valid(p->push))
        sw_sink_mistake(check, "push",
                        "expected an address like http://gateway:9091, without user and password");
}

/* ---- the page and the file ------------------------------------------------------------------- */

/* Prometheus, which runs as another user, reads the file again when it has changed. address: NULL
 * when there is no page any more. */
static void targets_write(struct prometheus *p, const char *address)
{
    char path[PATH_MAX];
    SWI_FREED struct swi_text text = {0};
    SW_ERROR_SCOPE(err);
    if (!p->file_sd)
        return;
    if (address)
        swi_json_format(&text, "[{\"targets\":[%s],\"labels\":{\"run\":%s}}]\n", address, p->name);
    else
        swi_text_put(&text, "[]\n");
    if (text.failed)
        sw_sink_say(p->sink, 1, "file_sd: out of memory");
    else if (sw_sink_replace(p->sink, p->file_sd, text.data, text.size, &err) != 0)
        sw_sink_say(p->sink, 1, "file_sd: %s", sw_error_text(&err));
    else if (sw_sink_resolve(p->sink, p->file_sd, path, sizeof path, &err) == 0)
        (void)!chmod(path, 0644);
}

static int page_open(struct prometheus *p, struct sw_error *err)
{
    p->page.newest = p->newest;
    if (swi_page_open(&p->page, p->listen ? p->listen : "127.0.0.1:29464", err) != 0)
        return SW_EIO;
    sw_sink_say(p->sink, 0, "the metrics are at http://%s/metrics", p->page.address);
    if (!p->page.loopback)
        sw_sink_say(p->sink, 1, "other machines can read the metrics at %s: there is no password",
                    p->page.address);
    targets_write(p, p->page.address);
    return 0;
}

static bool folder_is_writable(const char *file)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", file);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return slash && access(*folder ? folder : "/", W_OK | X_OK) == 0;
}

static void file_complain(struct prometheus *p, const struct sw_error *err)
{
    const char *advice = "; the folder must be that of node_exporter's "
                         "--collector.textfile.directory, and you must be allowed to write there";
    if (!p->dead_file)
        sw_sink_say(p->sink, 1, "%s%s", sw_error_text(err),
                    folder_is_writable(p->file) ? "" : advice);
    p->dead_file = true;
}

static int file_write(struct prometheus *p, struct sw_error *err)
{
    const struct swi_text *text = &p->newest->text; /* only this thread replaces it */
    int rc = sw_sink_replace(p->sink, p->path, text->data, text->size, err);
    if (rc != 0)
        file_complain(p, err);
    /* node_exporter runs as another user. */
    else if (chmod(p->file, 0644) == 0)
        p->dead_file = false;
    return rc;
}

/* Returns 2 if core gave the file another name, FILE-2.prom, because another process writes
 * FILE.prom, and so on; else 1. */
static int number_of(const char *wanted, const char *file)
{
    const char *slash = strrchr(wanted, '/'), *base = slash ? slash + 1 : wanted;
    const char *dot = strrchr(base, '.'), *held = strrchr(file, '/') + 1;
    size_t stem = dot ? (size_t)(dot - base) : strlen(base);
    bool other = strncmp(base, held, stem) == 0 && held[stem] == '-' && strcmp(base, held) != 0;
    int number = other ? atoi(held + stem + 1) : 1;
    return number > 1 ? number : 1;
}

/* The series of two processes must differ, too: the second one is NAME_2. */
static void name_choose(struct prometheus *p)
{
    SW_ERROR_SCOPE(ignored);
    int number = 1;
    if (p->path && sw_sink_resolve(p->sink, p->path, p->file, sizeof p->file, &ignored) == 0)
        number = number_of(p->path, p->file);
    snprintf(p->name, sizeof p->name, number > 1 ? "%.280s_%d" : "%.280s", p->sink->run->name,
             number);
}

/* Returns false if out of memory: the text stays as it is. */
static bool text_renew(struct prometheus *p)
{
    p->text.size = 0;
    p->text.failed = false;
    swi_exposition(&p->text, &p->families);
    if (p->text.failed)
        return false;
    pthread_mutex_lock(&p->newest->lock);
    struct swi_text before = p->newest->text;
    p->newest->text = p->text;
    pthread_mutex_unlock(&p->newest->lock);
    p->text = before;
    return true;
}

/* Returns a failure to write the file if it is the last time: the run has ended. */
static int state_show(struct prometheus *p, bool last, struct sw_error *err)
{
    SW_ERROR_SCOPE(ignored);
    int64_t now = swi_now_ns();
    bool due = last || !p->written_ns || now - p->written_ns >= p->interval_ns;
    if (!text_renew(p) || !p->path || !due)
        return 0;
    p->written_ns = now;
    int rc = file_write(p, last ? err : &ignored);
    return last ? rc : 0;
}

static void newest_free(struct swi_newest *newest)
{
    pthread_mutex_destroy(&newest->lock);
    swi_text_free(&newest->text);
    free(newest);
}

/* ---- the sink -------------------------------------------------------------------------------- */

static int prometheus_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct prometheus *p = state;
    p->sink = sink;
    buckets_read(p->buckets, p->families.bound, &p->families.bounds);
    name_choose(p);
    swi_families_init(&p->families, sink->run, p->name, p->series);
    p->newest = calloc(1, sizeof *p->newest);
    if (!p->newest)
        return sw_error_set(err, SW_ENOMEM, "out of memory");
    pthread_mutex_init(&p->newest->lock, NULL);
    int rc = text_renew(p) ? 0 : sw_error_set(err, SW_ENOMEM, "out of memory");
    if (rc == 0 && has_page(p))
        rc = page_open(p, err);
    if (rc == SW_EIO && (p->path || p->push)) {
        sw_sink_say(sink, 1, "%s; the rest goes on", sw_error_text(err));
        sw_error_free(err);
        rc = 0;
    }
    if (rc != 0) {
        newest_free(p->newest);
        return rc;
    }
    if (p->push)
        p->pushing = swi_push_start(sink, p->name, p->newest, p->push, p->push_interval_ns,
                                    strcmp(p->at_end, "delete") == 0);
    return state_show(p, false, err);
}

static int prometheus_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct prometheus *p = state;
    (void)err;
    swi_families_record(&p->families, record);
    if (record->end) {
        p->clean = record->end->exit_status == 0 && !record->end->signal;
        p->deadline_ns = swi_end_deadline_ns(record->end);
    }
    return 0;
}

static int prometheus_flush(void *state, struct sw_error *err)
{
    struct prometheus *p = state;
    int rc = state_show(p, false, err);
    swi_push_flush(p->pushing); /* sends that state */
    return rc;
}

static int prometheus_close(void *state, struct sw_error *err)
{
    struct prometheus *p = state;
    int rc = state_show(p, true, err);
    if (*p->page.address) {
        swi_page_close(&p->page);
        targets_write(p, NULL);
    }
    if (swi_push_end(p->pushing, p->clean, p->deadline_ns))
        newest_free(p->newest);
    swi_families_free(&p->families);
    swi_text_free(&p->text);
    return rc;
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "prometheus",
    .version = "1.0",
    .license = "MIT",
    .summary = "the state of the run for Prometheus: a page to scrape, or a file",
    .wants = SW_WANT(SW_RECORD_METRICS) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_LOST) |
             SW_WANT(SW_RECORD_END) | SW_WANT(SW_RECORD_MONITOR),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16384,
    .options = options,
    .state_size = sizeof(struct prometheus),
    .open = prometheus_open,
    .record = prometheus_record,
    .flush = prometheus_flush,
    .close = prometheus_close,
    .check = prometheus_check,
};
