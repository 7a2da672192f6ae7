/* SPDX-License-Identifier: MIT */
/* own_floats.h - the floating-point environment of the program: which exceptions trap, which were
 * raised, how results are rounded, and what becomes of denormal numbers; and its errno.
 *
 * Code of stepwatch on a thread of the program computes in the default environment, so that nothing
 * traps and the figures do not depend on what the program chose. It leaves the environment as it
 * was, so that the program finds no exception that it did not raise, and no error that is not its
 * own: between a call that fails and the look at errno, it may end a region, or a signal handler
 * may. */
#ifndef CORE_PROCESS_OWN_FLOATS_H
#define CORE_PROCESS_OWN_FLOATS_H

#include <errno.h>
#include <fenv.h>
#include <stdint.h>

/* SSE has one register for modes and flags. Nothing here raises exceptions of the x87 unit, but the
 * C library looks there for the rounding of printf() and strtod(). */
struct swi_floats {
#if defined(__x86_64__)
    uint32_t sse;
    uint16_t x87;
#elif defined(__aarch64__)
    uint64_t modes, flags;
#else
    fenv_t environment;
#endif
};

#if defined(__x86_64__)
enum { SWI_SSE_FLAGS = 0x3f, SWI_SSE_DEFAULT = 0x1f80, SWI_X87_DEFAULT = 0x37f };

static inline uint32_t swi_sse_get(void)
{
    uint32_t sse;
    __asm__ volatile("stmxcsr %0" : "=m"(sse)::"memory");
    return sse;
}

static inline void swi_sse_set(uint32_t sse)
{
    __asm__ volatile("ldmxcsr %0" ::"m"(sse) : "memory");
}

static inline void swi_x87_set(uint16_t x87)
{
    __asm__ volatile("fldcw %0" ::"m"(x87) : "memory");
}

static inline void swi_floats_keep(struct swi_floats *floats)
{
    floats->sse = swi_sse_get();
    __asm__ volatile("fnstcw %0" : "=m"(floats->x87)::"memory");
    if (__builtin_expect((floats->sse & ~(uint32_t)SWI_SSE_FLAGS) != SWI_SSE_DEFAULT, 0))
        swi_sse_set(SWI_SSE_DEFAULT);
    if (__builtin_expect(floats->x87 != SWI_X87_DEFAULT, 0))
        swi_x87_set(SWI_X87_DEFAULT);
}

static inline void swi_floats_give_back(const struct swi_floats *floats)
{
    if (swi_sse_get() != floats->sse)
        swi_sse_set(floats->sse);
    if (__builtin_expect(floats->x87 != SWI_X87_DEFAULT, 0))
        swi_x87_set(floats->x87);
}

#elif defined(__aarch64__)
static inline void swi_floats_keep(struct swi_floats *floats)
{
    __asm__ volatile("mrs %0, fpcr" : "=r"(floats->modes)::"memory");
    __asm__ volatile("mrs %0, fpsr" : "=r"(floats->flags)::"memory");
    if (__builtin_expect(floats->modes != 0, 0))
        __asm__ volatile("msr fpcr, %0" ::"r"((uint64_t)0) : "memory");
}

static inline void swi_floats_give_back(const struct swi_floats *floats)
{
    __asm__ volatile("msr fpsr, %0" ::"r"(floats->flags) : "memory");
    if (__builtin_expect(floats->modes != 0, 0))
        __asm__ volatile("msr fpcr, %0" ::"r"(floats->modes) : "memory");
}

#else
static inline void swi_floats_keep(struct swi_floats *floats)
{
    fegetenv(&floats->environment);
    fesetenv(FE_DFL_ENV);
}

static inline void swi_floats_give_back(const struct swi_floats *floats)
{
    fesetenv(&floats->environment);
}
#endif

static inline void swi_errno_give_back(const int *error)
{
    errno = *error;
}

/* From here to the end of the block, the environment is the default one. Then it is again what it
 * was, and so is errno. */
#define SWI_OWN_FLOATS                                                                             \
    __attribute__((cleanup(swi_errno_give_back), unused)) const int swi_errno_ = errno;            \
    __attribute__((cleanup(swi_floats_give_back), unused)) struct swi_floats swi_floats_;          \
    swi_floats_keep(&swi_floats_)

#endif
