/* SPDX-License-Identifier: MIT */
#include "ends.h"

#include <unistd.h>

int main(int argc, char **argv)
{
    ends_open();
    ends_by(argv[argc - 1]);
    sleep(20);
}
