/* SPDX-License-Identifier: MIT */
/* 100,000 different functions, which the hooks are told of, are called twice and return. Then one
 * calls itself, 1,000 calls deep. */
#include <stdint.h>

void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static volatile int sink;

int itself(int depth)
{
    return sink = depth > 0 ? itself(depth - 1) + 1 : 0;
}

__attribute__((no_instrument_function)) int main(void)
{
    for (uintptr_t i = 0; i < 200000; i++) {
        void *function = (void *)((i % 100000 + 1) * 16);
        __cyg_profile_func_enter(function, 0);
        __cyg_profile_func_exit(function, 0);
    }
    return itself(999) != 999;
}
