/* SPDX-License-Identifier: MIT */
/* Copies findings. The evidence of each, with all names and steps, is one block of memory, as
 * swi_advice_free() expects it. */
#include "core/advice/advice_copy.h"

#include <stdlib.h>
#include <string.h>

static size_t room_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static const char *words_of(const struct sw_evidence *evidence)
{
    return evidence->kind == SW_EVIDENCE_TEXT ? evidence->text : NULL;
}

static size_t steps_of(const struct sw_evidence *evidence)
{
    bool steps = evidence->kind == SW_EVIDENCE_STEPS && evidence->count > 0 && evidence->step;
    return steps ? (size_t)evidence->count : 0;
}

/* Where the next steps and the next text of the evidence go. */
struct evidence_room {
    int64_t *steps;
    char *texts;
};

static struct sw_evidence *room_new(const struct sw_finding *finding, struct evidence_room *room)
{
    size_t steps = 0, texts = room_of(finding->id) + room_of(finding->formula);
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct sw_evidence *evidence = sw_finding_evidence(finding, i);
        steps += steps_of(evidence);
        texts += room_of(evidence->name) + room_of(words_of(evidence));
    }
    size_t list = (finding->evidence_count + 1) * sizeof(struct sw_evidence);
    char *memory = calloc(1, list + steps * sizeof *room->steps + texts);
    if (!memory)
        return NULL;
    room->steps = (int64_t *)(void *)(memory + list);
    room->texts = (char *)(room->steps + steps);
    return (struct sw_evidence *)(void *)memory;
}

static const char *text_take(struct evidence_room *room, const char *text)
{
    char *copy = room->texts;
    if (!text)
        return NULL;
    memcpy(copy, text, room_of(text));
    room->texts += room_of(text);
    return copy;
}

static struct sw_evidence evidence_take(struct evidence_room *room, const struct sw_evidence *from)
{
    struct sw_evidence to = {.name = text_take(room, from->name),
                             .kind = from->kind,
                             .number = from->number,
                             .count = from->count};
    to.text = text_take(room, words_of(from));
    if (from->kind != SW_EVIDENCE_STEPS)
        return to;
    to.count = (int64_t)steps_of(from);
    to.step = room->steps;
    for (size_t i = 0; i < steps_of(from); i++)
        *room->steps++ = from->step[i];
    return to;
}

static bool finding_copy(struct sw_finding *to, const struct sw_finding *from)
{
    struct evidence_room room = {0};
    struct sw_evidence *evidence = room_new(from, &room);
    *to = (struct sw_finding){.level = from->level,
                              .gain = from->gain,
                              .text = strdup(from->text ? from->text : ""),
                              .next = strdup(from->next ? from->next : ""),
                              .evidence_size = sizeof *evidence,
                              .evidence = evidence};
    if (!evidence || !to->text || !to->next)
        return false;
    to->id = text_take(&room, from->id);
    to->formula = text_take(&room, from->formula);
    for (; to->evidence_count < from->evidence_count; to->evidence_count++)
        evidence[to->evidence_count] =
            evidence_take(&room, sw_finding_evidence(from, to->evidence_count));
    return true;
}

bool swi_advice_copy(struct swi_advice *advice, const struct sw_finding *finding, size_t count,
                     size_t stride)
{
    *advice = (struct swi_advice){.finding = calloc(count + 1, sizeof *advice->finding)};
    bool fine = advice->finding != NULL;
    for (size_t i = 0; fine && i < count; i++) {
        const void *from = (const char *)finding + i * stride;
        fine = finding_copy(&advice->finding[advice->count++], from);
    }
    return fine;
}
