/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/log_output.h"

#include "core/text/digest.h"
#include "core/text/vec.h"

#include <stdlib.h>

/* No library can take back what it compressed: then the text of the frame is compressed again, and
 * goes on if that gives the same bytes. It happens only if they could not be written. */
struct swi_log_frame {
    const struct swi_frame_codec *codec;
    void *packer;
    struct swi_text text; /* of the frame */
    size_t *piece;        /* sizes of what was added one after the other */
    size_t count, room;
    bool ends;              /* with the newest piece */
    uint32_t kept, checked; /* checksums of its bytes without the newest piece, and with it */
};

struct swi_log_frame *swi_log_frame_new(const struct swi_frame_codec *codec)
{
    struct swi_log_frame *frame = calloc(1, sizeof *frame);
    if (frame && (frame->packer = codec->pack_new())) {
        frame->codec = codec;
        return frame;
    }
    free(frame);
    return NULL;
}

void swi_log_frame_free(struct swi_log_frame *frame)
{
    if (!frame)
        return;
    frame->codec->pack_free(frame->packer);
    swi_text_free(&frame->text);
    free(frame->piece);
    free(frame);
}

void swi_log_frame_begin(struct swi_log_frame *frame)
{
    frame->codec->pack_begin(frame->packer);
    frame->text.size = frame->count = 0;
    frame->text.failed = false;
    frame->kept = 0;
}

bool swi_log_frame_add(struct swi_log_frame *frame, const char *lines, size_t size, bool ends,
                       struct swi_text *out)
{
    size_t from = out->size;
    if (!swi_vec_grow(&frame->piece, frame->count, &frame->room, sizeof *frame->piece))
        return false;
    frame->piece[frame->count++] = size;
    frame->ends = ends;
    swi_text_add(&frame->text, lines, size);
    if (frame->text.failed || !frame->codec->pack(frame->packer, lines, size, ends, out))
        return false;
    frame->checked = swi_crc32(frame->kept, out->data + from, out->size - from);
    return true;
}

void swi_log_frame_keep(struct swi_log_frame *frame)
{
    frame->kept = frame->checked;
    if (frame->ends)
        swi_log_frame_begin(frame);
}

bool swi_log_frame_undo(struct swi_log_frame *frame)
{
    struct swi_text again = {0};
    size_t count = frame->count ? frame->count - 1 : 0, at = 0;
    uint32_t checked = 0;
    bool fine = !frame->text.failed;
    frame->codec->pack_begin(frame->packer);
    for (size_t i = 0; fine && i < count; at += frame->piece[i++]) {
        again.size = 0;
        fine = frame->codec->pack(frame->packer, frame->text.data + at, frame->piece[i], false,
                                  &again);
        checked = fine ? swi_crc32(checked, again.data, again.size) : 0;
    }
    swi_text_free(&again);
    frame->text.size = at;
    frame->count = count;
    fine = fine && checked == frame->kept;
    if (!fine)
        swi_log_frame_begin(frame);
    return fine;
}
