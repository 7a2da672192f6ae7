/* SPDX-License-Identifier: MIT */
#include "tools/html/page_ranks.h"

#include "tools/html/page_table.h"
#include "tools/output/text.h"

#include <inttypes.h>
#include <math.h>

static void put_ranks_row(FILE *out, const struct sw_ranks_row *row, bool first)
{
    char text[TEXT_NUMBER];
    fprintf(out, "<tr%s><td class=\"name\">", first ? " class=\"first\"" : "");
    text_html(out, first ? row->phase : "", 0);
    fputs("</td><td class=\"name\">", out);
    text_html(out, row->action, 0);
    fprintf(out, "</td><td>%" PRId64 "</td>", row->ranks);
    fprintf(out, "<td>%s@%" PRId64 "</td>", text_time(text, row->min_ns), row->min_rank);
    put_time(out, row->mean_ns);
    fprintf(out, "<td>%s@%" PRId64 "</td>", text_time(text, row->max_ns), row->max_rank);
    put_cell(out, text_share(text, row->imbalance));
    put_cell(out, text_count(text, (double)row->calls));
    put_time(out, row->call_mean_ns);
    fputs("</tr>\n", out);
}

static void put_ranks_notes(FILE *out, const struct sw_ranks *ranks)
{
    char text[TEXT_NUMBER];
    fprintf(out, "<p>%" PRId64 " of %" PRId64 " ranks, %" PRId64 " training steps.", ranks->ranks,
            ranks->world_size, ranks->steps);
    if (isfinite(ranks->lost))
        fprintf(out, " Perfect balance would save %s.", text_share(text, ranks->lost));
    if (isfinite(ranks->communication))
        fprintf(out, " Communication that all wait for: %s.",
                text_share(text, ranks->communication));
    fputs("</p>\n", out);
    if (!ranks->sentence)
        return;
    fprintf(out, "<p%s>", isfinite(ranks->gain) ? " class=\"note\"" : "");
    text_html(out, ranks->sentence, 0);
    fputs("</p>\n", out);
}

void put_ranks(FILE *out, const struct sw_ranks *ranks)
{
    enum sw_phase before = SW_PHASE_FIT;
    fputs(
        "<h3>All ranks</h3>\n<div class=\"wide\"><table>\n<thead><tr><th class=\"name\">Phase</th>"
        "<th "
        "class=\"name\">Action</th><th>Ranks</th><th>Min@rank</th><th>Mean</th><th>Max@rank</th>"
        "<th>Imbalance</th><th>Calls</th><th>Call mean</th></tr></thead>\n<tbody>\n",
        out);
    for (size_t i = 0; i < ranks->count; i++) {
        const struct sw_ranks_row *row = sw_ranks_row_at(ranks, i);
        put_ranks_row(out, row, i == 0 || row->phase_id != before);
        before = row->phase_id;
    }
    fputs("</tbody>\n</table></div>\n", out);
    put_ranks_notes(out, ranks);
}
