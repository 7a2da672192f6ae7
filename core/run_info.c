/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "core/clock/clock.h"
#include "core/process/environment.h"
#include "core/process/resources.h"
#include "core/profiler.h"
#include "core/text/address_user.h"

#include <stepwatch/stepwatch.h>

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *sw_version(void)
{
    return PACKAGE_VERSION;
}

/* ---- how far the program has printed to a file ----------------------------------------------- */

/* Returns where the next byte that is written to a descriptor goes, if it is a regular file;
 * else -1. */
static int64_t output_offset(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status) < 0 || !S_ISREG(status.st_mode))
        return -1;
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && flags & O_APPEND ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
}

/* ---- the struct sw_run of a profiler --------------------------------------------------------- */

static char *host_name(void)
{
    char host[256];
    if (gethostname(host, sizeof host) != 0)
        return strdup("localhost");
    host[sizeof host - 1] = '\0';
    return strdup(host);
}

static double wall_clock(void)
{
    struct timespec now;
    swi_time(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void names_free(const char *const *names)
{
    for (size_t i = 0; names && names[i]; i++)
        free((void *)names[i]);
    free((void *)names);
}

/* Returns a list that ends with NULL, or NULL if out of memory. */
static const char *const *names_copy(char *const *names)
{
    size_t count = 0;
    while (names && names[count])
        count++;
    const char **copy = calloc(count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        if (!(copy[i] = strdup(names[i]))) {
            names_free(copy);
            return NULL;
        }
    }
    return copy;
}

/* As names_copy(), of the monitors. */
static const char *const *monitors_copy(const struct swi_settings *settings)
{
    char **names = calloc(settings->monitor_count + 1, sizeof *names);
    for (size_t i = 0; names && i < settings->monitor_count; i++)
        names[i] = settings->monitor[i].name;
    const char *const *copy = names ? names_copy(names) : NULL;
    free(names);
    return copy;
}

bool swi_run_init(struct sw_run *run, const struct swi_settings *settings,
                  const struct swi_rank *rank)
{
    const char *program = program_invocation_short_name;
    char *directory = settings->directory ? strdup(settings->directory) : swi_working_directory();
    /* A launcher may have put the address of a repository into a name. */
    *run = (struct sw_run){
        .size = sizeof *run,
        .program = swi_address_clean_copy(program),
        .name = swi_address_clean_copy(settings->name ? settings->name : program),
        .host = host_name(),
        .pid = getpid(),
        .started_s = wall_clock(),
        .version = sw_version(),
        .mode = settings->mode,
        .rolling_average = settings->rolling_average,
        .drop_first_batch = settings->drop_first_batch,
        .config_file = strdup(settings->file ? settings->file : ""),
        .directory = directory,
        .close_timeout_ns = settings->close_timeout_ns,
        .windowed = settings->schedule.given || settings->capture.given,
        .peak_flops = settings->peak_flops,
        .printed_at = {output_offset(STDOUT_FILENO), output_offset(STDERR_FILENO)},
    };
    char gpu[64];
    swi_gpu_runtime(gpu, sizeof gpu);
    run->gpu = strdup(gpu);
    run->utc_offset_s = swi_utc_offset(run->started_s);
    swi_run_set_rank(run, rank);
    run->job = swi_address_clean_copy(rank->job);
    run->id = swi_address_clean_copy(rank->run);
    run->wait = names_copy(settings->wait);
    run->monitors = monitors_copy(settings);
    return run->program && run->name && run->host && run->config_file && run->directory &&
           run->job && run->id && run->wait && run->gpu && run->monitors;
}

void swi_run_fini(struct sw_run *run)
{
    free((void *)run->program);
    free((void *)run->name);
    free((void *)run->host);
    free((void *)run->config_file);
    free((void *)run->directory);
    free((void *)run->job);
    free((void *)run->id);
    free((void *)run->gpu);
    names_free(run->wait);
    names_free(run->monitors);
}
