/* SPDX-License-Identifier: MIT */
/* crc32c.c - CRC-32C, reflected polynomial 0x82f63b78, by table and by instruction. */
#include "sinks/tensorboard/writer/crc32c.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <arm_acle.h>
#include <sys/auxv.h>
#include <asm/hwcap.h>
#endif

static uint32_t table[256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void table_fill(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? (crc >> 1) ^ UINT32_C(0x82f63b78) : crc >> 1;
        table[i] = crc;
    }
}

uint32_t swi_crc32c_table(const uint8_t *data, size_t size)
{
    pthread_once(&table_once, table_fill);
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++)
        crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xff];
    return ~crc;
}

#if defined(__x86_64__)

/* For short records, reading the tail by 4, 2 and 1 bytes is faster than a loop over single bytes.
 */
__attribute__((target("sse4.2"))) static uint32_t by_instruction(const uint8_t *data, size_t size)
{
    uint64_t crc = UINT32_MAX;
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    for (; size >= 8; data += 8, size -= 8) {
        memcpy(&eight, data, 8);
        crc = _mm_crc32_u64(crc, eight);
    }
    uint32_t rest = (uint32_t)crc;
    if (size & 4) {
        memcpy(&four, data, 4);
        rest = _mm_crc32_u32(rest, four);
        data += 4;
    }
    if (size & 2) {
        memcpy(&two, data, 2);
        rest = _mm_crc32_u16(rest, two);
        data += 2;
    }
    if (size & 1)
        rest = _mm_crc32_u8(rest, *data);
    return ~rest;
}

/* Does not use __builtin_cpu_supports(), which reads ten CPUID leaves when the sink is loaded. In a
 * virtual machine, each takes up to tens of microseconds. */
swi_crc32c_fn *swi_crc32c_hardware(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2) ? by_instruction : NULL;
}

#elif defined(__aarch64__) && defined(__linux__)

__attribute__((target("+crc"))) static uint32_t by_instruction(const uint8_t *data, size_t size)
{
    uint32_t crc = UINT32_MAX;
    uint64_t eight;
    for (; size >= 8; data += 8, size -= 8) {
        memcpy(&eight, data, 8);
        crc = __crc32cd(crc, eight);
    }
    for (; size > 0; data++, size--)
        crc = __crc32cb(crc, *data);
    return ~crc;
}

swi_crc32c_fn *swi_crc32c_hardware(void)
{
    return getauxval(AT_HWCAP) & HWCAP_CRC32 ? by_instruction : NULL;
}

#else

swi_crc32c_fn *swi_crc32c_hardware(void)
{
    return NULL;
}

#endif

swi_crc32c_fn *swi_crc32c_choose(void)
{
    swi_crc32c_fn *hardware = swi_crc32c_hardware();
    return hardware ? hardware : swi_crc32c_table;
}
