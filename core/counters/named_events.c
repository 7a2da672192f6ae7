/* SPDX-License-Identifier: MIT */
#include "core/counters/perf_events.h"
#include "core/files/own_symbols.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the codes of events by name ------------------------------------------------------------- */

/* The codes of events by name, from the library libpfm, which is loaded for the first name. Nothing
 * of it is needed to build or to run stepwatch. */

/* As <perfmon/pfmlib.h> and <perfmon/pfmlib_perf_event.h> of libpfm 4 define them. */
enum { PFM_ERR_NOTSUPP = -1, PFM_ERR_NOINIT = -3, PFM_ERR_NOMEM = -7 };
enum { PFM_OS_PERF_EVENT = 1, PFM_PLM3 = 8 /* the program's own code */ };
struct encoding {
    struct perf_event_attr *attr;
    char **name;
    size_t size;
    int index, cpu, flags, padding;
};

static struct {
    bool loaded;
    int (*initialize)(void);
    int (*encode)(const char *name, int levels, int os, void *encoding);
    const char *(*message)(int code);
} pfm;

/* A later call tries again if the library was not found, and finds it loaded if it was. */
static int load(struct sw_error *err)
{
    static const char *const names[] = {"libpfm.so.4", NULL};
    SW_ERROR_SCOPE(ignored);
    void *handle = swi_library_open(names, &ignored);
    if (handle) {
        *(void **)&pfm.initialize = dlsym(handle, "pfm_initialize");
        *(void **)&pfm.encode = dlsym(handle, "pfm_get_os_event_encoding");
        *(void **)&pfm.message = dlsym(handle, "pfm_strerror");
    }
    if (pfm.initialize && pfm.encode && pfm.message)
        return 0;
    if (handle)
        dlclose(handle);
    return sw_error_set(err, SW_EIO,
                        "libpfm.so.4 cannot be loaded: install libpfm 4 (Debian's package "
                        "libpfm4), or give the event by its code, like raw:0x01c2");
}

static int start(struct sw_error *err)
{
    if (pfm.loaded)
        return 0;
    if (load(err) < 0)
        return SW_EIO;
    int result = pfm.initialize();
    if (result)
        return sw_error_set(err, SW_EIO,
                            "libpfm does not know this processor (%s): give the event by its code, "
                            "like raw:0x01c2",
                            pfm.message(result));
    pfm.loaded = true;
    return 0;
}

/* Takes the code of an event, whose modifiers must not choose what stepwatch chooses itself. */
static int code_take(const struct perf_event_attr *attr, struct swi_event_code *code,
                     struct sw_error *err)
{
    if (attr->exclude_user || !attr->exclude_kernel)
        return sw_error_set(err, SW_EINVAL,
                            "counts the kernel's code, which stepwatch does not measure: remove "
                            "the modifier k");
    if (attr->precise_ip)
        return sw_error_set(err, SW_EINVAL,
                            "asks for precise samples, but stepwatch only counts: remove the "
                            "modifier precise");
    *code = (struct swi_event_code){attr->type, attr->config, attr->config1, attr->config2};
    return 0;
}

/* Sets the code of an event. Returns 0; SW_EINVAL if the library knows no such event of this
 * processor; SW_EIO if there is no library, or it does not know the processor. One thread at a time
 * may call it. */
static int libpfm_code(const char *name, struct swi_event_code *code, struct sw_error *err)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    struct encoding encoding = {.attr = &attr, .size = sizeof encoding, .cpu = -1};
    int result = start(err);
    if (result < 0)
        return result;
    result = pfm.encode(name, PFM_PLM3, PFM_OS_PERF_EVENT, &encoding);
    if (result == 0)
        return code_take(&attr, code, err);
    bool unsure = result == PFM_ERR_NOTSUPP || result == PFM_ERR_NOINIT || result == PFM_ERR_NOMEM;
    return sw_error_set(err, unsure ? SW_EIO : SW_EINVAL, "libpfm says \"%s\"",
                        pfm.message(result));
}

/* ---- events of the processor that a configuration names -------------------------------------- */

#define RAW "raw:"
#define PFM "pfm:"
enum { PREFIX = sizeof RAW - 1 };

static bool is_raw(const char *name)
{
    return strncmp(name, RAW, PREFIX) == 0;
}

bool swi_event_is_named(const char *name)
{
    return is_raw(name) || strncmp(name, PFM, PREFIX) == 0;
}

static int raw_find(const char *text, struct swi_event_code *code, struct sw_error *err)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    size_t count = strncmp(text, "0x", 2) == 0 ? strspn(text + 2, digits) : 0;
    if (!count || count > 16 || text[2 + count])
        return sw_error_set(err, SW_EINVAL,
                            "expected the code of an event, 1 to 16 hexadecimal digits after 0x, "
                            "like raw:0x01c2");
    *code = (struct swi_event_code){.type = PERF_TYPE_RAW, .config = strtoull(text, NULL, 16)};
    return 0;
}

/* The characters of libpfm's names, so that no output has to quote one. */
static bool has_fine_characters(const char *text)
{
    static const char fine[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-=:";
    size_t length = strspn(text, fine);
    return length && !text[length] && text[length - 1] != ':';
}

/* Sets the code of an event. Returns 0; SW_EINVAL if no event has this name; SW_EIO if the
 * code cannot be found here; err says why and what to do. */
static int event_code_find(const char *name, struct swi_event_code *code, struct sw_error *err)
{
    if (is_raw(name))
        return raw_find(name + PREFIX, code, err);
    if (has_fine_characters(name + PREFIX))
        return libpfm_code(name + PREFIX, code, err);
    return sw_error_set(err, SW_EINVAL,
                        "expected the name of an event of libpfm, like "
                        "pfm:RETIRED_INSTRUCTIONS");
}

struct named_event {
    bool known; /* nothing could tell the code if not; never unset */
    struct swi_event_code code;
};
char swi_named_event_name[SWI_NAMED_EVENTS][SWI_EVENT_NAME_SIZE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct named_event events[SWI_NAMED_EVENTS];
static int count;

/* Call it with the lock. */
static int code_find(int number, struct sw_error *err)
{
    struct named_event *event = &events[number];
    const char *name = swi_named_event_name[number];
    int result = event->known ? 0 : event_code_find(name, &event->code, err);
    event->known = result == 0;
    return result;
}

/* Call it with the lock. */
static int event_find(const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(swi_named_event_name[i], name) == 0)
            return i;
    return -1;
}

/* Adds an event after the last. Call it with the lock. */
static int event_add(const char *name, struct sw_error *err)
{
    if (count == SWI_NAMED_EVENTS || strlen(name) >= SWI_EVENT_NAME_SIZE)
        return sw_error_set(err, SW_EINVAL,
                            "expected at most %d events in a process, each with a name of less "
                            "than %d characters",
                            SWI_NAMED_EVENTS, SWI_EVENT_NAME_SIZE);
    SW_ERROR_SCOPE(why);
    snprintf(swi_named_event_name[count], SWI_EVENT_NAME_SIZE, "%s", name);
    if (code_find(count, &why) == SW_EINVAL)
        return sw_error_set(err, SW_EINVAL, "%s", sw_error_text(&why));
    return count++;
}

int swi_named_event(const char *name, struct sw_error *err)
{
    pthread_mutex_lock(&lock);
    int number = event_find(name);
    if (number < 0)
        number = event_add(name, err);
    pthread_mutex_unlock(&lock);
    return number;
}

int swi_named_event_find(int number, struct sw_error *err)
{
    pthread_mutex_lock(&lock);
    int result = code_find(number, err);
    pthread_mutex_unlock(&lock);
    return result;
}

struct swi_event_code swi_named_event_code(int number)
{
    return events[number].code;
}

void swi_named_events_child(void)
{
    pthread_mutex_init(&lock, NULL);
}
