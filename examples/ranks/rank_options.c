/* SPDX-License-Identifier: MIT */
#include "rank_options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpirun -n RANKS ranks [option]...\n\n"
    "Trains a small network on handwritten digits, data-parallel with MPI.\n\n"
    "  --epochs N        passes over the pictures (default: 10)\n"
    "  --batch-size N    pictures in a batch of each rank (default: 32)\n"
    "  --pace MS         shortest time of forward and backward in a step, as if each\n"
    "                    rank computed on a device of its own; 0: as fast as the\n"
    "                    processor (default: 24)\n"
    "  --slow-rank N     make this rank slower than the others\n"
    "  --slow-by 20%     by so much, in forward and backward (default: 20%)\n"
    "  --help            print this text\n";

static bool number_read(const char *text, double least, double most, double *number)
{
    char *end;
    *number = strtod(text, &end);
    if (*end == '%' && most > 1e5) {
        *number /= 100;
        end++;
    }
    return *text && !*end && *number >= least && *number <= most;
}

static bool option_take(struct rank_options *options, int option, const char *text)
{
    double number = 0;
    bool fine = number_read(text, 0, option == 'y' ? 1e6 : 1e5, &number);
    if (option == 'e' && fine && number >= 1)
        options->epochs = (int)number;
    else if (option == 'b' && fine && number >= 1)
        options->batch_size = (int)number;
    else if (option == 'p')
        options->pace_ms = number;
    else if (option == 'r')
        options->slow_rank = (int)number;
    else if (option == 'y')
        options->slow_by = number;
    else
        fine = false;
    return fine;
}

bool rank_options_read(struct rank_options *options, int argc, char **argv, int rank)
{
    static const struct option names[] = {{"epochs", required_argument, NULL, 'e'},
                                          {"batch-size", required_argument, NULL, 'b'},
                                          {"pace", required_argument, NULL, 'p'},
                                          {"slow-rank", required_argument, NULL, 'r'},
                                          {"slow-by", required_argument, NULL, 'y'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option;
    *options = (struct rank_options){.epochs = 10,
                                     .batch_size = 32,
                                     .lr = 0.002f,
                                     .seed = 1,
                                     .pace_ms = 24,
                                     .slow_rank = -1,
                                     .slow_by = 0.2};
    opterr = rank == 0;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        options->help |= option == 'h';
        if (option == 'h' || (option != '?' && option_take(options, option, optarg)))
            continue;
        if (rank == 0 && option != '?')
            fprintf(stderr, "ranks: \"%s\" is not a value of this option\n", optarg);
        return false;
    }
    if (options->help && rank == 0)
        fputs(usage, stdout);
    return true;
}
