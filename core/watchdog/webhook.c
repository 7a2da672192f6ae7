/* SPDX-License-Identifier: MIT */
/* libcurl is loaded when the first alert is sent, so programs without a webhook do not need it. */
#include "core/watchdog/webhook.h"
#include "core/files/own_symbols.h"
#include "core/text/buffer.h"
#include "core/text/escape.h"

#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CURL
#include <curl/curl.h>
#include <dlfcn.h>

enum { TRIES = 2, SECONDS = 10 };

/* The functions that are used. */
struct curl {
    CURL *(*init)(void);
    CURLcode (*setopt)(CURL *, CURLoption, ...);
    CURLcode (*perform)(CURL *);
    CURLcode (*getinfo)(CURL *, CURLINFO, ...);
    void (*cleanup)(CURL *);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    const char *(*strerror)(CURLcode);
};

/* The library stays loaded, because some of what it loads itself cannot be unloaded. */
static bool curl_load(struct curl *curl, struct sw_error *err)
{
    static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", NULL};
    const struct {
        const char *name;
        void *function;
    } functions[] = {
        {"curl_easy_init", &curl->init},
        {"curl_easy_setopt", &curl->setopt},
        {"curl_easy_perform", &curl->perform},
        {"curl_easy_getinfo", &curl->getinfo},
        {"curl_easy_cleanup", &curl->cleanup},
        {"curl_slist_append", &curl->slist_append},
        {"curl_slist_free_all", &curl->slist_free_all},
        {"curl_easy_strerror", &curl->strerror},
    };
    void *library = swi_library_open(names, err), *symbol = library;
    for (size_t i = 0; symbol && i < sizeof functions / sizeof *functions; i++) {
        symbol = dlsym(library, functions[i].name);
        memcpy(functions[i].function, &symbol, sizeof symbol);
        if (!symbol)
            sw_error_set(err, SW_EIO, "it has no %s()", functions[i].name);
    }
    return symbol != NULL;
}

/* Drops the body of the response. */
static size_t ignore(char *data, size_t size, size_t count, void *arg)
{
    (void)data;
    (void)arg;
    return size * count;
}

static int look(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const atomic_bool *hurry = arg;
    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(hurry);
}

static void prepare(const struct curl *curl, CURL *easy, const char *url, const char *json,
                    struct curl_slist *headers, const atomic_bool *hurry)
{
    curl->setopt(easy, CURLOPT_URL, url);
    curl->setopt(easy, CURLOPT_POSTFIELDS, json);
    curl->setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl->setopt(easy, CURLOPT_TIMEOUT, (long)SECONDS);
    curl->setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl->setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl->setopt(easy, CURLOPT_WRITEFUNCTION, ignore);
    curl->setopt(easy, CURLOPT_NOPROGRESS, 0L);
    curl->setopt(easy, CURLOPT_XFERINFOFUNCTION, look);
    curl->setopt(easy, CURLOPT_XFERINFODATA, (void *)(uintptr_t)hurry);
}

static int answer_look(const struct curl *curl, CURL *easy, CURLcode code, struct sw_error *err)
{
    long status = 0;
    curl->getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (code != CURLE_OK)
        return sw_error_set(err, SW_EIO, "an alert was not sent: %s", curl->strerror(code));
    if (status < 200 || status > 299)
        return sw_error_set(err, SW_EIO, "an alert was not taken: the server answered %ld", status);
    return 0;
}

static int post(const struct curl *curl, const char *url, const char *json,
                const atomic_bool *hurry, struct sw_error *err)
{
    CURL *easy = curl->init();
    struct curl_slist *headers = curl->slist_append(NULL, "Content-Type: application/json");
    int rc = sw_error_set(err, SW_ENOMEM, "not enough memory");
    for (int i = 0; easy && headers && rc < 0 && i < TRIES && !atomic_load(hurry); i++) {
        sw_error_free(err);
        prepare(curl, easy, url, json, headers, hurry);
        rc = answer_look(curl, easy, curl->perform(easy), err);
    }
    curl->slist_free_all(headers);
    if (easy)
        curl->cleanup(easy);
    return rc;
}

static int bring(const char *url, const char *json, const atomic_bool *hurry, struct sw_error *err)
{
    struct curl curl;
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        return sw_error_set(err, SW_EINVAL, "is not an address that begins with https://");
    if (!curl_load(&curl, err))
        return sw_error_prefix(err, "needs libcurl, which cannot be loaded");
    return post(&curl, url, json, hurry, err);
}
#else
static int bring(const char *url, const char *json, const atomic_bool *hurry, struct sw_error *err)
{
    (void)url;
    (void)json;
    (void)hurry;
    return sw_error_set(err, SW_EIO, "this stepwatch was built without libcurl");
}
#endif

static void member_add(struct swi_text *json, const char *name, const char *value)
{
    swi_text_format(json, ",\"%s\":", name);
    swi_escape_json(json, value);
}

int swi_webhook_post(const char *url, const struct swi_alert_delivery *delivery,
                     const atomic_bool *hurry, struct sw_error *err)
{
    struct swi_text json = {0}, text = {0};
    swi_text_format(&text, "%s%s%s", delivery->title, *delivery->text ? ": " : "", delivery->text);
    swi_text_put(&json, "{\"text\":");
    swi_escape_json(&json, text.data ? text.data : "");
    member_add(&json, "title", delivery->title);
    member_add(&json, "run", delivery->run->name);
    member_add(&json, "host", delivery->run->host);
    swi_text_format(&json, ",\"step\":%" PRId64, delivery->step);
    member_add(&json, "kind", delivery->kind);
    swi_text_put(&json, "}");
    int rc = json.failed || text.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory")
                                        : bring(url, json.data, hurry, err);
    swi_text_free(&json);
    swi_text_free(&text);
    return rc;
}
