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

static void put_value(FILE *out, const json_t *value)
{
    const char *string = json_string_value(value);
    if (string)
        text_html(out, string, 0);
    else if (json_is_integer(value))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        fprintf(out, "%.6g", json_number_value(value));
}

void put_config(FILE *out, const json_t *config)
{
    const char *name;
    json_t *value;
    if (!json_object_size(config))
        return;
    fputs("<h2>Configuration</h2>\n<div class=\"wide\"><table>\n<tbody>\n", out);
    json_object_foreach((json_t *)config, name, value)
    {
        fputs("<tr><td class=\"name\">", out);
        text_html(out, name, 0);
        fputs("</td><td class=\"why\">", out);
        put_value(out, value);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody>\n</table></div>\n", out);
}
