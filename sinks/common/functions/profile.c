/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/profile.h"

#include "core/text/map.h"
#include "core/text/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the functions of a profile: a number for each address, and where it lies ---------------- */

/* The file while it is being read. */
struct profile_reader {
    const unsigned char *data;
    size_t size;
    const struct fn_header *header;
    struct profile *profile;
    double rate; /* ns per tick or per sample */
    struct swi_map addresses;
    uint64_t *address; /* of each name: by its number in the map */
    bool failed;
};

/* Marks an address that is not the entry of its function. */
#define PROFILE_INSIDE (UINT64_C(1) << 62)

/* Returns the number of an address; SIZE_MAX: none, or out of memory. */
static size_t profile_name_of(struct profile_reader *in, uint64_t address)
{
    if (!address)
        return SIZE_MAX;
    uint64_t *at = swi_map_item(&in->addresses, &in->address, sizeof *at, &address, sizeof address);
    in->failed |= !at;
    if (!at)
        return SIZE_MAX;
    *at = address;
    in->profile->name_count = in->addresses.count;
    return (size_t)(at - in->address);
}

/* ---- objects ---- */

static const char *path_at(const struct profile_reader *in, uint32_t at)
{
    const char *names = (const char *)in->data + fn_names_at();
    return at < FN_NAMES && memchr(names + at, '\0', FN_NAMES - at) ? names + at : "";
}

static uint32_t place_count(const struct profile_reader *in)
{
    uint32_t count = in->header->places;
    return count < FN_MAPPINGS ? count : FN_MAPPINGS;
}

static void name_place(const struct profile_reader *in, uint64_t address,
                       struct function_name *name)
{
    const struct fn_mapping *place = (const struct fn_mapping *)(in->data + fn_mappings_at());
    uint32_t count = place_count(in);
    bool inside = address & PROFILE_INSIDE;
    address &= ~PROFILE_INSIDE;
    *name = (struct function_name){.object = "", .offset = address, .inside = inside};
    if (address & FN_GONE) {
        uint32_t number = FN_GONE_PLACE(address);
        name->offset = FN_GONE_OFFSET(address);
        name->object = number < count ? path_at(in, place[number].path) : "";
        name->replaced =
            number < count && function_file_replaced(place, count, number, name->object);
        return;
    }
    for (uint32_t i = count; i-- > 0;) {
        if (address < place[i].start || address >= place[i].end)
            continue;
        name->object = path_at(in, place[i].path);
        name->offset = address - place[i].start + place[i].offset;
        name->replaced = function_file_replaced(place, count, i, name->object);
        if (!place[i].gone)
            return;
    }
}

/* Finds the object of each address. The paths are copied, because the file is not kept. */
static bool profile_names_place(struct profile_reader *in)
{
    struct profile *profile = in->profile;
    profile->names = calloc(profile->name_count + 1, sizeof *profile->names);
    for (size_t i = 0; profile->names && in->address && i < profile->name_count; i++) {
        struct function_name *name = &profile->names[i];
        name_place(in, in->address[i], name);
        if (!(name->object = strdup(name->object)))
            return false;
    }
    return profile->names != NULL;
}

/* ---- reads a function profile of libstepwatch-functions: the contexts of each thread --------- */

bool profile_is(const void *data, size_t size)
{
    return size >= sizeof(struct fn_header) && memcmp(data, FN_MAGIC, 8) == 0;
}

/* ---- nodes ---- */

static struct node *node_add(struct profile *profile)
{
    bool fits = swi_vec_room(&profile->node, profile->count, sizeof *profile->node);
    return fits ? &profile->node[profile->count++] : NULL;
}

/* A thread's part of the file. */
struct thread_part {
    const struct fn_thread *thread;
    const struct fn_node *node;
    const struct fn_sums *sums;
    uint32_t count, more;
    size_t first; /* number of its node 1 */
};

/* Parents come before their children, so there are no cycles. */
static size_t parent_of(const struct thread_part *part, const struct fn_node *node, uint32_t own)
{
    uint64_t at = (uint64_t)(uintptr_t)node->parent - part->thread->base;
    uint64_t index = at / sizeof *node;
    bool fine = at % sizeof *node == 0 && index > 0 && index < own && index < part->count;
    return fine ? part->first + index - 1 : SIZE_MAX;
}

/* Returns whether an address is the entry of a function. Others are return addresses. */
static bool is_entry(const struct profile_reader *in, uint32_t flags)
{
    return in->header->times != FN_SAMPLE && !(flags & FN_CAUGHT);
}

static struct node node_of(struct profile_reader *in, const struct thread_part *part,
                           uint32_t index)
{
    const struct fn_node *raw = &part->node[index];
    const struct fn_sums *sums = &part->sums[index];
    uint32_t flags = raw->flags;
    bool root = flags & FN_ROOT, beyond = flags & FN_BEYOND;
    struct node node = {.parent = SIZE_MAX,
                        .name = SIZE_MAX,
                        .caller = SIZE_MAX,
                        .caller_region = SIZE_MAX,
                        .region = raw->region,
                        .flags = flags,
                        .calls = (int64_t)raw->calls,
                        .self = (double)raw->self * in->rate};
    if (root)
        node.primitive = (int64_t)raw->caller;
    else
        node.name =
            profile_name_of(in, is_entry(in, flags) ? raw->fn : (raw->fn - 1) | PROFILE_INSIDE);
    if (!root && !beyond)
        node.parent = parent_of(part, raw, index);
    if (beyond) {
        node.caller = profile_name_of(in, raw->caller);
        node.caller_region = profile_name_of(in, sums->caller_region);
        node.total = (double)sums->total * in->rate;
    }
    if (part->more > FN_NODES)
        node.below = (double)sums->below * in->rate;
    return node;
}

/* A node that was not written because the disk was full is dropped with its children. */
static bool is_whole(const struct node *node)
{
    return (node->flags & FN_ROOT) ||
           (node->name != SIZE_MAX && (node->parent != SIZE_MAX || (node->flags & FN_BEYOND)));
}

/* ---- the time of the hooks ---- */

static void hooks_take_off(struct profile_reader *in, struct profile *profile, size_t first)
{
    double inside = in->header->inside * in->rate, outside = in->header->outside * in->rate;
    double *callees = calloc(profile->count - first + 1, sizeof *callees);
    if (!callees) {
        in->failed = true;
        return;
    }
    for (size_t i = first; i < profile->count; i++) {
        const struct node *node = &profile->node[i];
        if (node->parent != SIZE_MAX)
            callees[node->parent - first] += (double)node->calls;
    }
    for (size_t i = first; i < profile->count; i++) {
        struct node *node = &profile->node[i];
        double calls = node->flags & FN_ROOT ? 0 : (double)node->calls;
        double hooks = calls * inside + callees[i - first] * outside;
        profile->hooks_ns += hooks < node->self ? hooks : node->self > 0 ? node->self : 0;
        node->self -= hooks;
    }
    free(callees);
}

static void nodes_round(struct profile *profile, size_t first)
{
    for (size_t i = first; i < profile->count; i++) {
        struct node *node = &profile->node[i];
        if (node->self < 0)
            node->self = 0;
        profile->total_ns += node->self;
        if (!(node->flags & FN_ROOT))
            profile->calls += node->calls;
    }
}

/* ---- threads ---- */

static void part_read(struct profile_reader *in, struct thread_part *part)
{
    struct profile *profile = in->profile;
    part->first = profile->count;
    for (uint32_t i = 1; i < part->more; i = i + 1 == part->count ? FN_NODES : i + 1) {
        struct node *node = node_add(profile);
        if (!node) {
            in->failed = true;
            return;
        }
        /* profile_name_of() may fail. */
        *node = node_of(in, part, i);
        if (!is_whole(node))
            *node = (struct node){.parent = SIZE_MAX,
                                  .name = SIZE_MAX,
                                  .caller = SIZE_MAX,
                                  .caller_region = SIZE_MAX,
                                  .region = PROFILE_WHOLE,
                                  .flags = FN_ROOT};
    }
    profile->full |= part->more > FN_NODES;
    if (part->more <= FN_NODES && in->header->times == FN_EXACT)
        hooks_take_off(in, profile, part->first);
    nodes_round(profile, part->first);
}

static void threads_read(struct profile_reader *in)
{
    uint32_t count = in->header->threads;
    for (uint32_t i = 0; i < count && i < FN_THREADS && !in->failed; i++) {
        if (fn_thread_at(i + 1) > in->size)
            break;
        const unsigned char *at = in->data + fn_thread_at(i);
        struct thread_part part = {.thread = (const struct fn_thread *)at,
                                   .node = (const struct fn_node *)(at + fn_nodes_at()),
                                   .sums = (const struct fn_sums *)(at + fn_sums_at())};
        part.count = part.thread->count;
        part.more = part.thread->more;
        if (part.count < 2 || part.count > FN_NODES || part.more < FN_NODES ||
            part.more > FN_NODES_ALL)
            continue;
        part_read(in, &part);
        in->profile->threads++;
    }
}

/* ---- actions ---- */

static struct action *action_of(struct profile *profile, int32_t number)
{
    for (size_t i = 0; i < profile->action_count; i++)
        if (profile->action[i].number == number)
            return &profile->action[i];
    if (!swi_vec_room(&profile->action, profile->action_count, sizeof *profile->action))
        return NULL;
    profile->action[profile->action_count] = (struct action){.number = number};
    return &profile->action[profile->action_count++];
}

static char *action_name(const struct profile_reader *in, int32_t number)
{
    const char *name = (const char *)in->data + fn_actions_at() + (size_t)number * FN_ACTION_NAME;
    char *copy = strndup(name, FN_ACTION_NAME - 1);
    if (copy && !*copy && asprintf(&copy, "action %" PRId32, number) < 0)
        copy = NULL;
    return copy;
}

static void actions_read(struct profile_reader *in)
{
    struct profile *profile = in->profile;
    for (size_t i = 0; i < profile->count; i++) {
        const struct node *node = &profile->node[i];
        if (!(node->flags & FN_ROOT) || node->region < 0 || node->region >= FN_ACTIONS)
            continue;
        struct action *action = action_of(profile, node->region);
        if (action && !action->name)
            action->name = action_name(in, node->region);
        if (!action || !action->name) {
            in->failed = true;
            return;
        }
        action->begins += node->calls;
        action->primitive += node->primitive;
    }
}

/* ---- the file ---- */

static int header_check(const void *data, size_t size, struct sw_error *err)
{
    const struct fn_header *header = data;
    if (!profile_is(data, size))
        return sw_error_set(err, SW_EINVAL, "this is not a function profile of stepwatch");
    if (size < fn_header_size() || header->header_size != fn_header_size() ||
        header->thread_size != fn_thread_size())
        return sw_error_set(err, SW_EINVAL,
                            "this function profile is damaged, or another version of "
                            "libstepwatch-functions wrote it");
    return 0;
}

static double rate_of(const struct fn_header *header)
{
    if (header->times == FN_SAMPLE)
        return 1e9 / (header->rate ? header->rate : 1);
    double ticks = (double)(header->tick[1] - header->tick[0]);
    double ns = (double)(header->ns[1] - header->ns[0]);
    return ticks > 0 && ns > 0 ? ns / ticks : 1;
}

static bool header_take(struct profile *profile, const struct fn_header *header)
{
    profile->program = strndup(header->program, sizeof header->program - 1);
    profile->pid = header->pid;
    profile->rate = header->rate;
    profile->short_of = header->short_of;
    profile->kernel_rate = header->kernel_rate;
    profile->taken = header->taken;
    profile->unsampled = header->unsampled;
    profile->unseen = header->unseen;
    profile->wall = header->wall && !header->unseen;
    profile->times = header->times <= FN_SAMPLE ? (enum fn_times)header->times : FN_EXACT;
    profile->complete = header->complete;
    profile->started_ns = header->started_ns;
    profile->unmatched = header->unmatched;
    profile->lost = header->lost;
    return profile->program != NULL;
}

int profile_read(const void *data, size_t size, struct profile *profile, struct sw_error *err)
{
    *profile = (struct profile){0};
    int rc = header_check(data, size, err);
    if (rc < 0)
        return rc;
    struct profile_reader in = {.data = data, .size = size, .header = data, .profile = profile};
    in.rate = rate_of(in.header);
    in.failed = !header_take(profile, in.header);
    if (!in.failed)
        threads_read(&in);
    if (!in.failed)
        actions_read(&in);
    in.failed |= in.failed || !profile_names_place(&in);
    free(in.address);
    swi_map_free(&in.addresses);
    return in.failed ? sw_error_set(err, SW_ENOMEM, "not enough memory for this profile") : 0;
}

void profile_free(struct profile *profile)
{
    for (size_t i = 0; profile->names && i < profile->name_count; i++)
        free((void *)profile->names[i].object);
    if (profile->names)
        function_names_free(profile->names, profile->name_count);
    for (size_t i = 0; i < profile->action_count; i++)
        free(profile->action[i].name);
    free(profile->action);
    free(profile->names);
    free(profile->node);
    free(profile->program);
    *profile = (struct profile){0};
}

const struct action *profile_action(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->action_count; i++)
        if (strcmp(profile->action[i].name, name) == 0)
            return &profile->action[i];
    return NULL;
}

const char *profile_empty_text(const struct profile *profile)
{
    if (profile->times != FN_SAMPLE)
        return "no calls were counted";
    return profile->unsampled ? "no function was sampled: the system had no timers for the "
                                "threads: raise the limit of pending signals (ulimit -i)"
                              : "no function was sampled: the program took too little time";
}
