/* SPDX-License-Identifier: MIT */
/* test_crc32c.c - the checksum of records, by table and by instruction. */
#include "sinks/tensorboard/writer/crc32c.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

static uint8_t zeros[32], ones[32], up[32], down[32];

static void fill(void)
{
    memset(ones, 0xff, sizeof ones);
    for (int i = 0; i < 32; i++) {
        up[i] = (uint8_t)i;
        down[i] = (uint8_t)(31 - i);
    }
}

static const struct {
    const void *bytes;
    size_t size;
    uint32_t crc;
    uint32_t masked;
} vectors[] = {
    {"", 0, 0x00000000, 0xa282ead8},
    {"a", 1, 0xc1d04330, 0x28e46e78},
    {"123456789", 9, 0xe3069283, 0xc78ab0e5},
    {zeros, 32, 0x8a9136aa, 0x0fd7fffa},
    {ones, 32, 0x62a8ab43, 0xf909b029},
    {up, 32, 0x46dd794e, 0x951f7892},
    {down, 32, 0x113fdb5c, 0x593b0d57},
    {"\x18\0\0\0\0\0\0", 8, 0x4a65bfe4, 0x224b7fa3},
    {"\x09\0\0\x80\x38\x99\xd6\xd7\x41\x1a\x0d"
     "brain.Event:2",
     24, 0xb01d0459, 0xab364b12},
};

START_TEST(table_and_instruction_agree_with_the_published_vectors)
{
    fill();
    swi_crc32c_fn *hardware = swi_crc32c_hardware();
    ck_assert_uint_eq(swi_crc32c_table(vectors[_i].bytes, vectors[_i].size), vectors[_i].crc);
    if (hardware)
        ck_assert_uint_eq(hardware(vectors[_i].bytes, vectors[_i].size), vectors[_i].crc);
    ck_assert_uint_eq(swi_crc32c_mask(vectors[_i].crc), vectors[_i].masked);
}
END_TEST

START_TEST(they_agree_at_every_length_and_alignment)
{
    swi_crc32c_fn *hardware = swi_crc32c_hardware();
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + i / 7);
    for (size_t from = 0; hardware && from < 9; from++)
        for (size_t size = 0; size <= sizeof bytes - from; size++)
            ck_assert_uint_eq(hardware(bytes + from, size), swi_crc32c_table(bytes + from, size));
}
END_TEST

START_TEST(the_instruction_is_used_where_there_is_one)
{
    swi_crc32c_fn *hardware = swi_crc32c_hardware();
    ck_assert(swi_crc32c_choose() == (hardware ? hardware : swi_crc32c_table));
#if defined(__x86_64__)
    ck_assert_int_eq(hardware != NULL, __builtin_cpu_supports("sse4.2") != 0);
#endif
}
END_TEST

SUITE(tensorboard_crc32c)
{
    tcase_add_loop_test(tc, table_and_instruction_agree_with_the_published_vectors, 0,
                        sizeof vectors / sizeof *vectors);
    tcase_add_test(tc, they_agree_at_every_length_and_alignment);
    tcase_add_test(tc, the_instruction_is_used_where_there_is_one);
}
