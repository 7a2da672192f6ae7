/* SPDX-License-Identifier: MIT */
/* options.c - the command line. */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct options standard = {.epochs = 60, .batch_size = 64, .lr = 0.003, .seed = 1};

static void print_help(void)
{
    printf("Usage: digits [OPTION]...\n"
           "Trains a small network on handwritten digits, measured by stepwatch.\n"
           "\n"
           "  --epochs N       passes over the data (%d)\n"
           "  --batch-size N   pictures in a batch (%d)\n"
           "  --lr X           learning rate (%g)\n"
           "  --seed N         seed of the weights, the order and the augmentation (%d)\n"
           "  --help           print this help and exit\n"
           "\n"
           "The file $STEPWATCH_CONFIG, or else the stepwatch.yaml beside this program, says what\n"
           "is measured and where the results go.\n",
           standard.epochs, standard.batch_size, standard.lr, (int)standard.seed);
}

static bool whole_number(const char *name, const char *text, long low, long high, long *value)
{
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && *value >= low && *value <= high)
        return true;
    fprintf(stderr, "digits: --%s: expected a whole number from %ld to %ld, found \"%s\"\n", name,
            low, high, text);
    return false;
}

static bool positive_number(const char *name, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && *value > 0 && isfinite(*value))
        return true;
    fprintf(stderr, "digits: --%s: expected a number above 0, found \"%s\"\n", name, text);
    return false;
}

/* Handles one option. If c is '?', getopt_long() has already printed the mistake. */
static bool option_read(struct options *options, int c)
{
    long number = 0;
    bool fine = false;
    switch (c) {
    case 'e':
        fine = whole_number("epochs", optarg, 1, 100000, &number);
        options->epochs = (int)number;
        break;
    case 'b':
        fine = whole_number("batch-size", optarg, 1, 100000, &number);
        options->batch_size = (int)number;
        break;
    case 'l':
        fine = positive_number("lr", optarg, &options->lr);
        break;
    case 's':
        fine = whole_number("seed", optarg, 0, 1000000000, &number);
        options->seed = (uint64_t)number;
        break;
    case 'h':
        print_help();
        fine = options->help = true;
        break;
    }
    return fine;
}

bool options_read(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"epochs", required_argument, NULL, 'e'}, {"batch-size", required_argument, NULL, 'b'},
        {"lr", required_argument, NULL, 'l'},     {"seed", required_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    *options = standard;
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
        if (!option_read(options, c) || options->help)
            return options->help;
    if (optind < argc)
        fprintf(stderr, "digits: unexpected \"%s\": --help shows the options\n", argv[optind]);
    return optind == argc;
}
