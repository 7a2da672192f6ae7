/* SPDX-License-Identifier: MIT */
#include "tools/html/sections.h"

#include "tools/output/text.h"

#include <stdio.h>

/* ---- findings -------------------------------------------------------------------------------- */

static void put_finding(FILE *out, const struct sw_finding *finding)
{
    const char *level = swi_level_name(finding->level);
    fprintf(out, "<div class=\"finding %s\"><p class=\"what\"><strong>", level);
    text_html(out, finding->id, 0);
    fprintf(out, "</strong> <span class=\"level\">%s</span></p>\n<p class=\"what\">", level);
    text_html(out, finding->text, 0);
    fputs("</p>\n<p>Try: ", out);
    text_html(out, finding->next, 0);
    fputs("</p>\n", out);
    if (finding->formula) {
        fputs("<details><summary>Found by</summary><p>", out);
        text_html(out, finding->formula, 0);
        fputs("</p></details>", out);
    }
    fputs("</div>\n", out);
}

static void put_checked(FILE *out, const struct swi_checked *checked)
{
    fputs("<tr><td class=\"name\">", out);
    text_html(out, checked->id, 0);
    fprintf(out, "</td><td class=\"name\">%s</td><td class=\"why\">",
            swi_verdict_name(checked->verdict));
    text_html(out, checked->why ? checked->why : "", 0);
    fputs("</td></tr>\n", out);
}

static void put_all_checked(FILE *out, const struct swi_advice *advice)
{
    fprintf(out,
            "<details><summary>%s What was looked at</summary>\n<div class=\"wide\"><table>\n"
            "<tbody>\n",
            advice->count ? "" : "Nothing stands out.");
    for (size_t i = 0; i < advice->checked_count; i++)
        put_checked(out, &advice->checked[i]);
    fputs("</tbody>\n</table></div></details>\n", out);
}

/* A log of results has the findings, but not what else was checked. */
void put_findings(FILE *out, const struct swi_advice *advice)
{
    if (!advice->count && !advice->checked_count)
        return;
    fputs("<h3>Where it loses time</h3>\n", out);
    for (size_t i = 0; i < advice->count; i++)
        put_finding(out, &advice->finding[i]);
    if (advice->checked_count)
        put_all_checked(out, advice);
}

/* ---- configuration --------------------------------------------------------------------------- */

static void put_value(FILE *out, const struct log_value *value)
{
    if (log_text(value))
        text_html(out, log_text(value), 0);
    else if (log_is(value, LOG_INTEGER))
        fprintf(out, "%" PRId64, value->integer);
    else
        fprintf(out, "%.6g", log_digits(value, 0));
}

void put_config(FILE *out, const struct kept_lines *config)
{
    if (!config->count)
        return;
    fputs("<h2>Configuration</h2>\n<div class=\"wide\"><table>\n<tbody>\n", out);
    for (size_t i = 0; i < config->count; i++) {
        fputs("<tr><td class=\"name\">", out);
        text_html(out, config->names.name[i].text, 0);
        fputs("</td><td class=\"why\">", out);
        put_value(out, config->line[i]);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody>\n</table></div>\n", out);
}
