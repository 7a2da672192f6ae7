/* SPDX-License-Identifier: MIT */
/* The child of vfork() uses the memory of its parent, which waits until the child calls exec() or
 * _exit(). Its calls are not counted, like those of other children. The library is not called when
 * the parent continues, so its next hook finds out by the number of the process. */
#include "probes/functions/vfork.h"
#include "probes/functions/interpose.h"
#include "probes/functions/libc_calls.h"
#include "probes/functions/store.h"
#include "probes/functions/threads.h"

#include <unistd.h>

bool fn_vfork_is_child(struct fn_own *own)
{
    if (fn_file->pid != (uint32_t)getpid())
        return true;
    fn_own_no_longer(own, FN_VFORKED);
    return false;
}

#if defined(PIC) && defined(__GLIBC__) && defined(FN_INTERPOSE)
/* Called before vfork(). Returns libc's. A thread joins now, because its child must not. */
__attribute__((used)) FN_HIDDEN void *fn_vfork_noted(void);

void *fn_vfork_noted(void)
{
    struct fn_own *own = fn_self;
    if (own == &fn_nobody && fn_own_join())
        own = fn_self;
    if (fn_own_counts(own))
        fn_own_slow(own, FN_VFORKED);
    return *(void **)&fn_libc()->vfork;
}

FN_INTERPOSE(vfork, fn_vfork_noted, 0);
#endif
