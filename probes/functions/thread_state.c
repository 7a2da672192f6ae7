/* SPDX-License-Identifier: MIT */
#include "probes/functions/thread_state.h"
#include "probes/functions/store.h"

#include <unistd.h>

struct fn_own fn_nobody;
struct fn_own *_Atomic fn_owns[FN_THREADS];
_Thread_local struct fn_own *fn_self = &fn_nobody;
double fn_hooks_inside, fn_hooks_outside;

bool fn_vfork_is_child(struct fn_own *own)
{
    if (fn_file->pid != (uint32_t)getpid())
        return true;
    fn_own_no_longer(own, FN_VFORKED);
    return false;
}

void fn_owns_each(void (*act)(struct fn_own *own, void *arg), void *arg)
{
    uint32_t count = fn_file ? atomic_load(&fn_file->threads) : 0;
    for (uint32_t i = 0; i < count && i < FN_THREADS; i++) {
        struct fn_own *own = atomic_load(&fn_owns[i]);
        if (own && !fn_own_is_copy(own))
            act(own, arg);
    }
}
