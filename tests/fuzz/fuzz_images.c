/* SPDX-License-Identifier: MIT */
/* fuzz_images.c - the head of an image file, whatever is in it, is refused with a reason or says a
 * size, which sw_log_images() then checks.
 *
 * For libFuzzer (make fuzz-images), and with the seeds of tests/fuzz/images a suite of tests/check.
 */
#include "tests/fuzz/fuzz.h"

#include "core/media/pictures.h"

#include <string.h>

int64_t fuzz_images(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"png", "jpg", "gif"};
    struct swi_picture_file file = {0};
    /* Memory of exactly that size, so that a sanitizer sees a byte too much. */
    uint8_t *copied = malloc(size ? size : 1);
    require(copied != NULL);
    if (size)
        memcpy(copied, data, size);
    const char *wrong = swi_picture_file_read(&file, copied, size);
    bool known = false;
    for (size_t i = 0; !wrong && i < 3; i++)
        known |= strcmp(file.format, formats[i]) == 0;
    require(wrong ? *wrong != '\0' : known && file.width >= 0 && file.height >= 0);
    free(copied);
    return wrong == NULL;
}
