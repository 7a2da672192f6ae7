/* SPDX-License-Identifier: MIT */
/* other_cpu.c - checksums by the instruction of a CPU that this machine does not have: a program
 * for an emulator, which has no Check. test_crc32c.c is the specification; this one compares with
 * the table, which is the same for all. */
#include "sinks/tensorboard/writer/crc32c.h"

#include <stdbool.h>
#include <stdio.h>

int main(void)
{
    uint8_t bytes[300];
    swi_crc32c_fn *hardware = swi_crc32c_hardware();
    if (!hardware || swi_crc32c_choose() != hardware) {
        printf("this CPU has an instruction for checksums, and it is not used\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + i / 7);
    for (size_t from = 0; from < 9; from++)
        for (size_t size = 0; size <= sizeof bytes - from; size++)
            if (hardware(bytes + from, size) != swi_crc32c_table(bytes + from, size)) {
                printf("%zu bytes from %zu: instruction and table differ\n", size, from);
                return 1;
            }
    bool published = hardware((const uint8_t *)"123456789", 9) == 0xe3069283;
    printf("%s\n", published ? "instruction and table agree" : "both are wrong");
    return published ? 0 : 1;
}
