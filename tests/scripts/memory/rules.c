/* SPDX-License-Identifier: MIT */
/* Keeps its own books of what it allocates, by malloc_usable_size(), and compares them with those
 * of libstepwatch-memory. Says what differs, and exits with the number of differences.
 *
 *     rules [hooked | tsan] [PLUGIN]
 *
 * hooked: a sanitizer counts, for which realloc() allocates before it frees.
 * tsan:   the same, and it tells neither of aligned blocks nor that a realloc() failed.
 * PLUGIN: a library in C++ that is loaded later; not in a static program. */
#include <stepwatch/memory.h>

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma weak sw_memory_here

static struct sw_memory own; /* of the calling thread, since expect_nothing() */
static struct sw_memory start;
static int wrong;
static bool hooked, tsan;

/* ---- the books ---- */

static void expect_nothing(void)
{
    start = *sw_memory_here();
    own = (struct sw_memory){0};
    sw_memory_here()->peak = start.net;
}

static void *took(void *block)
{
    if (!block)
        return NULL;
    int64_t size = (int64_t)malloc_usable_size(block);
    own.allocated += size;
    own.allocs++;
    own.net += size;
    if (own.net > own.peak)
        own.peak = own.net;
    return block;
}

static void gave(void *block)
{
    int64_t size = (int64_t)malloc_usable_size(block);
    own.freed += size;
    own.frees++;
    own.net -= size;
    free(block);
}

static void differs(const char *what, const char *word, int64_t found, int64_t expected)
{
    if (found == expected)
        return;
    printf("%s: %s: expected %lld, found %lld\n", what, word, (long long)expected,
           (long long)found);
    wrong++;
}

static void compare(const char *what)
{
    const struct sw_memory now = *sw_memory_here();
    differs(what, "allocated", now.allocated - start.allocated, own.allocated);
    differs(what, "freed", now.freed - start.freed, own.freed);
    differs(what, "allocs", now.allocs - start.allocs, own.allocs);
    differs(what, "frees", now.frees - start.frees, own.frees);
    differs(what, "net", now.net - start.net, own.net);
    differs(what, "peak", now.peak - start.net, own.peak);
}

/* ---- one thread ---- */

static void blocks_of_all_sizes(void)
{
    static void *block[40];
    expect_nothing();
    for (int i = 0; i < 40; i++)
        block[i] = took(i % 2 ? malloc((size_t)i * i * i * 8) : calloc((size_t)i + 1, 40));
    for (int i = 0; i < 40; i += 2)
        gave(block[i]);
    compare("malloc and calloc");
    for (int i = 1; i < 40; i += 2)
        gave(block[i]);
    compare("all of it freed");
    differs("all of it freed", "net", own.net, 0);
}

static void change(void **block, size_t size)
{
    int64_t before = (int64_t)malloc_usable_size(*block);
    void *changed = realloc(*block, size);
    own.freed += before;
    own.frees++;
    own.net -= before;
    *block = took(changed);
}

static void resizes(void)
{
    expect_nothing();
    void *block = took(realloc(NULL, 100));
    change(&block, 5000);
    change(&block, 56);
    change(&block, 900000);
    if (hooked) /* its peak has both blocks */
        own.peak = sw_memory_here()->peak - start.net;
    compare("realloc");
    change(&block, 0);
    if (block)
        gave(block);
    compare("realloc to 0");
    if (!tsan)
        gave(took(reallocarray(NULL, 3, 40)));
    compare("reallocarray");
}

static void what_fails_counts_nothing(void)
{
    volatile size_t huge = SIZE_MAX / 2 - 64;
    void *block = NULL;
    expect_nothing();
    void *small = took(malloc(24));
    errno = 0;
    if (malloc(huge) || errno != ENOMEM || calloc(huge, 4))
        differs("what fails", "a block of all memory", 1, 0);
    if (!tsan && (realloc(small, huge) || reallocarray(small, huge, 4) || aligned_alloc(64, huge)))
        differs("what fails", "a block of all memory", 1, 0);
    if (!hooked && posix_memalign(&block, 3, 8) != EINVAL)
        differs("what fails", "an alignment of 3", 1, 0);
    free(NULL);
    compare("what fails");
    gave(small);
}

#ifndef __GLIBC__
#define pvalloc valloc /* musl has none */
#endif

static void aligned_blocks(void)
{
    void *block[5] = {NULL};
    expect_nothing();
    if (posix_memalign(&block[0], 64, 128) == 0)
        took(block[0]);
    block[1] = took(aligned_alloc(64, 640));
    block[2] = took(memalign(4096, 100));
    block[3] = took(valloc(100));
    block[4] = took(pvalloc(5000));
    for (int i = 0; i < 5; i++)
        gave(block[i]);
    compare("aligned");
    differs("aligned", "allocs", own.allocs, 5);
}

static void what_libc_allocates(void)
{
    expect_nothing();
    gave(took(strdup("twenty-three characters")));
    gave(took(strndup("twenty-three characters", 6)));
    compare("strdup");
}

static void errno_stays(void)
{
    errno = 77;
    void *block = malloc(100);
    block = realloc(block, 10000);
    free(block);
    differs("success", "errno", errno, 77);
}

/* ---- threads and processes ---- */

enum { THREADS = 4, ROUNDS = 2000 };

static void *busy(void *arg)
{
    struct sw_memory *here = sw_memory_here();
    void *kept[16] = {NULL};
    int64_t sizes = 0, calls = 0, net = here->net, allocated = here->allocated,
            allocs = here->allocs;
    for (int i = 0; i < ROUNDS; i++) {
        void **at = &kept[i % 16];
        free(*at);
        *at = malloc((size_t)(i * 37 % 3000));
        sizes += (int64_t)malloc_usable_size(*at);
        calls++;
    }
    for (int i = 0; i < 16; i++)
        free(kept[i]);
    *(int64_t *)arg =
        here->allocated - allocated != sizes || here->allocs - allocs != calls || here->net != net;
    return NULL;
}

static void threads_have_books_of_their_own(void)
{
    pthread_t thread[THREADS];
    int64_t differ[THREADS];
    struct sw_memory before, after;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, busy, &differ[i]);
    before = *sw_memory_here();
    usleep(1000);
    after = *sw_memory_here();
    differs("other threads", "allocated", after.allocated, before.allocated);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        differs("a thread", "its books", differ[i], 0);
    }
}

static void *frees(void *block)
{
    int64_t net = sw_memory_here()->net, size = (int64_t)malloc_usable_size(block);
    free(block);
    differs("a block of another thread", "net", sw_memory_here()->net - net, -size);
    return NULL;
}

static void the_thread_that_frees_has_it(void)
{
    pthread_t thread;
    void *block = malloc(1000);
    int64_t freed = sw_memory_here()->freed;
    pthread_create(&thread, NULL, frees, block);
    pthread_join(thread, NULL);
    differs("a block of another thread", "freed here", sw_memory_here()->freed - freed, 0);
}

static void a_child_goes_on_counting(void)
{
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int before = wrong;
        blocks_of_all_sizes();
        fflush(stdout);
        _exit(wrong - before);
    }
    waitpid(child, &status, 0);
    differs("a child", "exit status", status, 0);
}

/* ---- a plugin in C++ ---- */

#ifdef WITHOUT_PLUGINS
#define plugin_run(path) (void)(path)
#else
static void plugin_run(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*counted)(struct sw_memory *) = NULL;
    void *symbol = library ? dlsym(library, "counted") : NULL;
    memcpy(&counted, &symbol, sizeof symbol);
    if (counted)
        differs("a plugin", "operators", counted(sw_memory_here()), 0);
    else
        differs(dlerror(), "plugin", 1, 0);
    if (library)
        dlclose(library);
}
#endif

int main(int argc, char **argv)
{
    if (!sw_memory_here) {
        puts("libstepwatch-memory is not there");
        return 99;
    }
    tsan = argc > 1 && strcmp(argv[1], "tsan") == 0;
    hooked = tsan || (argc > 1 && strcmp(argv[1], "hooked") == 0);
    differs("the struct", "size", (int64_t)sw_memory_here()->size, sizeof(struct sw_memory));
    blocks_of_all_sizes();
    resizes();
    what_fails_counts_nothing();
    if (!tsan)
        aligned_blocks();
    what_libc_allocates();
    errno_stays();
    the_thread_that_frees_has_it();
    threads_have_books_of_their_own();
    a_child_goes_on_counting();
    if (argc > 1 && !hooked)
        plugin_run(argv[1]);
    return wrong > 90 ? 90 : wrong;
}
