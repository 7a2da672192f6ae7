/* SPDX-License-Identifier: MIT */
/* format.h - the file of a function profile: what the probe maps and the command reads. It is the
 * memory that the probe counts in, so it can be read after the process was killed. All numbers have
 * the byte order of the machine; pointers are addresses in the measured process.
 *
 * header | places | actions | thread 0 | thread 1 | ...   each thread: its page, nodes, sums */
#ifndef PROBES_FUNCTIONS_FORMAT_H
#define PROBES_FUNCTIONS_FORMAT_H

#include <stdatomic.h>
#include <stdint.h>

#define FN_MAGIC "SWFUNC1\n"

enum fn_times { FN_OFF, FN_EXACT, FN_SAMPLED, FN_SAMPLE };

enum {
    FN_PAGE = 4096,
    FN_MAPPINGS = 4096, /* executable mappings that are remembered, dlclose()d ones too */
    FN_NAMES = 1 << 20,
    FN_ACTIONS = 16 + 10000,
    FN_ACTION_NAME = 256,
    FN_THREADS = 1024, /* at the same time; a thread that ends leaves its tree to another */
    FN_CAP = 1 << 16,  /* contexts of a thread that have a node of their own */
    FN_NODES = FN_CAP + (1 << 14), /* with roots, and calls carried into other regions */
    FN_MORE = 1 << 16,             /* beyond that: nodes by caller and callee */
    FN_NODES_ALL = FN_NODES + FN_MORE
};

/* In place of an address: callers that were not looked at (FN_SAMPLE). */
#define FN_DEEPER UINT64_C(2)

/* A mapping of an object with code. */
struct fn_mapping {
    uint64_t start, end, offset; /* of the file */
    uint64_t mtime_ns, size;     /* of the file, when it was mapped */
    uint32_t path;               /* offset in `names` */
    uint32_t gone; /* was unmapped: addresses of it are FN_GONE | number << 40 | offset in file */
};

/* Entry address in an object that was unmapped. */
#define FN_GONE (UINT64_C(1) << 63)
#define FN_GONE_PLACE(fn) ((uint32_t)(((fn) >> 40) & 0x7fffff))
#define FN_GONE_OFFSET(fn) ((fn) & ((UINT64_C(1) << 40) - 1))

struct fn_header {
    char magic[8];
    uint32_t header_size; /* of this struct, rounded up to pages */
    uint32_t thread_size;
    uint32_t times; /* enum fn_times */
    uint32_t pid;
    uint32_t rate;              /* samples a second */
    uint32_t complete;          /* the process came to its end */
    int64_t started_ns;         /* CLOCK_REALTIME */
    int64_t tick[2], ns[2];     /* two looks at the counter and at CLOCK_MONOTONIC */
    double inside, outside;     /* ticks of the hooks in the time of a callee, and of its caller */
    _Atomic uint32_t threads;   /* that have a tree */
    _Atomic uint32_t places;    /* in `place` */
    _Atomic uint32_t names;     /* bytes of `name` */
    _Atomic uint32_t actions;   /* 1 + the highest action in `action` */
    _Atomic uint64_t unmatched; /* returns without their call */
    _Atomic uint64_t lost;      /* calls that were not counted */
    _Atomic uint32_t short_of;  /* errno of why the file ends early; 0 */
    uint32_t wall;              /* FN_SAMPLE: of wall time */
    char program[1024];
    uint32_t kernel_rate;       /* FN_SAMPLE: timers of CPU time expire so often; 0: unknown */
    _Atomic uint32_t taken;     /* signal that the program took for itself: sampling ended; 0 */
    _Atomic uint32_t unsampled; /* threads that got no timer */
    _Atomic uint32_t unseen;    /* errno of why waiting threads are not seen; 0 */
};

/* Flags of a node. */
enum {
    FN_ROOT = 1,    /* of a region: `fn` is its action, -1 for none; calls are begins */
    FN_CARRIED = 2, /* the call was entered in another region */
    FN_BEYOND = 4,  /* one of FN_MORE: `caller` and the levels below tell it from others */
    FN_OPEN = 8,    /* the function is open already in this thread */
    FN_OPEN_EDGE = 16,
    FN_OPEN_REGION = 32, /* the same of calls that were entered in this region */
    FN_OPEN_REGION_EDGE = 64,
    FN_CAUGHT =
        128 /* where an exception was caught: `fn` is an address of the function that goes on */
};

/* A context: a function and the path of its callers. */
struct fn_node {
    _Atomic uint64_t fn;
    uint64_t calls;
    int64_t self;          /* ticks, or sampled ones; FN_SAMPLE: samples */
    struct fn_node *first; /* the child that was called first when it was not the expected one */
    struct fn_node *parent;
    struct fn_node *chain;
    union {
        uint64_t caller;       /* of FN_BEYOND; of a root: begins while the action was not open */
        struct fn_node *after; /* of others: the same of the sibling that was called next */
    };
    int32_t region; /* action, or -1 */
    uint32_t flags;
};

/* Beside each node, used only once a thread has more than FN_NODES contexts. */
struct fn_sums {
    int64_t below;          /* of calls from here that have one of FN_MORE */
    int64_t total;          /* of this node of FN_MORE, with its callees, in its region */
    uint64_t caller_region; /* the caller among calls entered in the same region */
    uint64_t spare;
};

/* The first page of a thread. */
struct fn_thread {
    uint64_t base; /* address of node 0, which is none */
    uint32_t number;
    uint32_t tid;           /* of the thread that had it last */
    _Atomic uint32_t count; /* of nodes, from 0 */
    _Atomic uint32_t more;  /* the same of FN_MORE, from FN_NODES */
    _Atomic uint64_t current;
    int64_t last; /* tick */
    uint32_t live;
    char name[20];
};

/* Where things are in the file. */
static inline uint64_t fn_pages(uint64_t size)
{
    return (size + FN_PAGE - 1) / FN_PAGE * FN_PAGE;
}
static inline uint64_t fn_mappings_at(void)
{
    return fn_pages(sizeof(struct fn_header));
}
static inline uint64_t fn_names_at(void)
{
    return fn_mappings_at() + fn_pages(FN_MAPPINGS * sizeof(struct fn_mapping));
}
static inline uint64_t fn_actions_at(void)
{
    return fn_names_at() + FN_NAMES;
}
static inline uint64_t fn_header_size(void)
{
    return fn_actions_at() + fn_pages((uint64_t)FN_ACTIONS * FN_ACTION_NAME);
}
static inline uint64_t fn_nodes_at(void)
{
    return FN_PAGE;
}
static inline uint64_t fn_sums_at(void)
{
    return fn_nodes_at() + (uint64_t)FN_NODES_ALL * sizeof(struct fn_node);
}
static inline uint64_t fn_thread_size(void)
{
    return fn_sums_at() + fn_pages((uint64_t)FN_NODES_ALL * sizeof(struct fn_sums));
}
static inline uint64_t fn_thread_at(uint32_t n)
{
    return fn_header_size() + n * fn_thread_size();
}

#endif
