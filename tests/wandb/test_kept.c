/* SPDX-License-Identifier: MIT */
/* test_kept.c - what a server says is shown without the key in it, whatever form it has there; and
 * no core dump of the program has the key. */
#include "net/secrets.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"
#include "tests/wandb/canned.h"
#include "tests/wandb/online.h"
#include "tests/wandb/written.h"

#include <stepwatch/wandb.h>

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- in a server's words --------------------------------------------------------------------- */

static char said[8192];

static void hear(void *arg, int level, const char *text)
{
    (void)arg;
    (void)level;
    strncat(said, text, sizeof said - strlen(said) - 1);
    strncat(said, "\n", sizeof said - strlen(said) - 1);
}

/* No eight letters of it, in capitals or not. */
static void shows_nothing(const char *text)
{
    for (size_t i = 0; i + 8 <= strlen(online_key); i++) {
        char part[9] = "";
        memcpy(part, online_key + i, 8);
        ck_assert_msg(!strcasestr(text, part), "%s", text);
    }
    ck_assert_msg(!strstr(text, "YXBpOlNFQ1JFVD"), "%s", text); /* the same in base 64 */
}

#define ANSWER(status, body) "HTTP/1.1 " status "\r\nConnection: close\r\n\r\n" body

static const char *const words[] = {
    ANSWER("401 No", "{\"message\":\"no key SECRET0123456789SECRET0123456789SECRET01\"}"),
    ANSWER("401 No", "{\"message\":\"Basic "
                     "YXBpOlNFQ1JFVDAxMjM0NTY3ODlTRUNSRVQwMTIzNDU2Nzg5U0VDUkVUMDE=\"}"),
    ANSWER("403 No", "{\"error\":\"\\u0053\\u0045CRET0123456789SECRET0123456789SECRET01\"}"),
    ANSWER("400 No", "{\"errors\":[{\"message\":\"key secret0123456789... is none\"}]}"),
    ANSWER("200 OK", "{\"errors\":[{\"message\":\"...789SECRET01\"}]}"),
    ANSWER("200 OK", "{\"data\":{\"upsertBucket\":{\"inserted\":true,\"bucket\":{\"id\":\"x\","
                     "\"name\":\"abc\",\"project\":{\"name\":\"demo\",\"entity\":{\"name\":"
                     "\"SECRET0123456789SECRET0123456789SECRET01\"}}}}}}")};

START_TEST(a_servers_words_are_shown_without_the_key)
{
    const struct written run = {.id = "abc", .rows = 2, .wall_s = 1795255200};
    const char *const answers[] = {words[_i], words[_i], words[_i], canned_mute, NULL};
    struct sw_wandb_sync options = {.size = sizeof options, .say = hear, .timeout_s = 3};
    struct sw_wandb_result result = {.size = sizeof result};
    struct sw_error err = {0};
    scratch_enter();
    online_environment(NULL);
    struct canned *server = canned_open(answers);
    setenv("WANDB_BASE_URL", canned_url(server), 1);
    written_make("r", &run);
    int rc = sw_wandb_sync("r", &options, &result, &err);
    ck_assert_int_lt(rc, 0);
    ck_assert_int_gt(canned_count(server), 0);
    shows_nothing(sw_error_text(&err));
    shows_nothing(said);
    shows_nothing(result.url);
    canned_close(server);
}
END_TEST

static const char *const hidden[][3] = {{"abcdefghij", "an abcdefghij", "an **********"},
                                        {"abcdefghij", "an bcdefghi-", "an ********-"},
                                        {"abcdefghij", "an abcdefg", "an abcdefg"},
                                        {"abc", "an abc", "an ***"},
                                        {"", "an abc", "an abc"}};

START_TEST(eight_letters_of_a_secret_are_too_many)
{
    char text[64];
    snprintf(text, sizeof text, "%s", hidden[_i][1]);
    swi_secret_hide(hidden[_i][0], text);
    ck_assert_str_eq(text, hidden[_i][2]);
}
END_TEST

/* ---- in memory ------------------------------------------------------------------------------- */

/* The key is nowhere in this program: its letters are made one by one, by a factor that the
 * compiler does not know. Else clang makes them at compile time. */
static char letter(size_t i)
{
    static volatile size_t factor = 7;
    return (char)('a' + (i * i * factor + i * 3) % 26);
}

enum { KEY_SIZE = 64 };

/* In another process, whose memory is its own. */
static void key_write(const char *path)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        char key[KEY_SIZE];
        for (size_t i = 0; i < KEY_SIZE; i++)
            key[i] = letter(i);
        int fd = open(path, O_WRONLY | O_CREAT, 0600);
        _exit(fd >= 0 && write(fd, key, KEY_SIZE) == KEY_SIZE ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* As it is sent: base 64 of "api:" and the key, without its end. */
static char sent_letter(size_t i)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t three = 0;
    for (size_t k = i / 4 * 3; k < i / 4 * 3 + 3; k++)
        three = three << 8 | (unsigned char)(k < 4 ? "api:"[k] : letter(k - 4));
    return digits[three >> (18 - 6 * (i % 4)) & 63];
}

static size_t count_in(const char *memory, size_t size, char (*expected)(size_t i))
{
    size_t found = 0;
    const char *end = memory + size;
    for (const char *at = memory; (at = memchr(at, expected(0), (size_t)(end - at))); at++) {
        size_t same = 0;
        while (same < KEY_SIZE && at + same < end && at[same] == expected(same))
            same++;
        found += same == KEY_SIZE;
    }
    return found;
}

/* How often the key is in what a core dump would have of this process, or in what it would not. */
static size_t keys_in_memory(bool dumped)
{
    char line[512], rights[8] = "";
    unsigned long begin = 0, end = 0;
    size_t found = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ck_assert(maps && memory >= 0);
    while (fgets(line, sizeof line, maps)) {
        /* Lines of names follow the one with the range. */
        if (!isupper((unsigned char)*line))
            ck_assert_int_eq(sscanf(line, "%lx-%lx %7s", &begin, &end, rights), 3);
        if (strncmp(line, "VmFlags:", 8) != 0)
            continue;
        /* What is larger, a sanitizer has reserved. */
        if (rights[0] != 'r' || !strstr(line, " dd") == !dumped || end - begin > 64UL << 20)
            continue;
        char *copied = malloc(end - begin);
        ssize_t size = pread(memory, copied, end - begin, (off_t)begin);
        if (size > 0)
            found += count_in(copied, (size_t)size, letter) +
                     count_in(copied, (size_t)size, sent_letter);
        explicit_bzero(copied, end - begin);
        free(copied);
    }
    close(memory);
    fclose(maps);
    return found;
}

/* Waits for rows in another process too: what the service got has the key in it. It begins before
 * there are threads, which might hold the lock of malloc() just then. */
static pid_t rows_watch(struct service *service)
{
    pid_t child = fork();
    if (child == 0) {
        service_wait(service, "file_stream", 2);
        _exit(0);
    }
    return child;
}

static void rows_came(pid_t child)
{
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

/* A run that is uploaded, with rows on their way. */
static struct host *begin(struct service *service, const char *key)
{
    char options[1024];
    unsetenv("WANDB_API_KEY");
    key_write(key);
    snprintf(options, sizeof options, "key_file: %s\ninterval: 100ms\n", key);
    pid_t watch = rows_watch(service);
    struct host *host = online_open(options, "60s");
    online_train(host);
    rows_came(watch);
    return host;
}

SERVICE_TEST(no_core_dump_has_the_key_while_a_run_is_uploaded, "")
{
    char key[512];
    snprintf(key, sizeof key, "%s/key", service_folder(service));
    struct host *host = begin(service, key);
    ck_assert_uint_gt(keys_in_memory(false), 0); /* it is there, and found */
    ck_assert_uint_eq(keys_in_memory(true), 0);
    host_close(host);
    ck_assert_uint_eq(keys_in_memory(true), 0);
    ck_assert_uint_eq(keys_in_memory(false), 0); /* nor is it left anywhere */
    online_arrived(service);
}

SUITE(wandb_kept)
{
    tcase_set_timeout(tc, 180);
    tcase_add_loop_test(tc, a_servers_words_are_shown_without_the_key, 0,
                        sizeof words / sizeof *words);
    tcase_add_loop_test(tc, eight_letters_of_a_secret_are_too_many, 0,
                        sizeof hidden / sizeof *hidden);
    tcase_add_test(tc, no_core_dump_has_the_key_while_a_run_is_uploaded);
}
