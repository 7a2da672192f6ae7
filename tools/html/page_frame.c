/* SPDX-License-Identifier: MIT */
#include "tools/html/page_frame.h"

/* The colours are those of Okabe and Ito, which can be distinguished with every kind of colour
 * vision. The contrast of text is at least 7:1 on both backgrounds. */
static const char head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; img-src data:\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>stepwatch report</title>\n"
    "<style>\n"
    ":root { --ground: #ffffff; --text: #1c2026; --soft: #4d5561; --line: #d5d9df; --note: "
    "#fff3d6;\n"
    "  --mark: #0072b2; --band: #0072b2; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  :root { --ground: #15181c; --text: #e8eaed; --soft: #b4bbc5; --line: #3a414b; --note: "
    "#3d3219;\n"
    "    --mark: #7cc4f0; --band: #56b4e9; }\n"
    "}\n"
    "body { background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif;\n"
    "  max-width: 76rem; margin: 2rem auto; padding: 0 1rem; }\n"
    "h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }\n"
    "h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }\n"
    "h3 { font-size: 1rem; margin: 2rem 0 .5rem; }\n"
    "p, figcaption { color: var(--soft); margin: .3rem 0; overflow-wrap: anywhere; }\n"
    "section + section { border-top: 2px solid var(--line); margin-top: 3rem; padding-top: 2rem; "
    "}\n"
    ".note { background: var(--note); color: var(--text); padding: .5rem .8rem; }\n"
    ".wide { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }\n"
    "th, td { padding: .2rem .5rem; text-align: right; white-space: nowrap; border-bottom: 1px "
    "solid var(--line); }\n"
    "th { color: var(--soft); font-weight: 600; }\n"
    "th.name, td.name { text-align: left; max-width: 20rem; overflow: hidden; text-overflow: "
    "ellipsis; }\n"
    "tr.first td { border-top: 2px solid var(--line); }\n"
    "figure { margin: 0; overflow-x: auto; }\n"
    "svg { display: block; width: 100%; min-width: 40rem; height: auto; }\n"
    "svg.bar { min-width: 0; }\n"
    "svg text { fill: var(--soft); font: 12px system-ui, sans-serif; }\n"
    "svg text.name { fill: var(--text); }\n"
    "svg text.frame { fill: #15181c; }\n"
    ".grid { stroke: var(--line); stroke-width: 1; }\n"
    ".line { fill: none; stroke: var(--mark); stroke-width: 2; stroke-linejoin: round; }\n"
    ".band { fill: var(--band); fill-opacity: .25; }\n"
    ".inner { fill: var(--band); fill-opacity: .55; }\n"
    ".whisker { stroke: var(--soft); stroke-width: 1; }\n"
    ".median { stroke: var(--text); stroke-width: 2; }\n"
    ".swatch { display: inline-block; width: .8rem; height: .8rem; margin-right: .5rem; }\n"
    ".c0 { fill: #e69f00; background: #e69f00; } .c1 { fill: #56b4e9; background: #56b4e9; }\n"
    ".c2 { fill: #f0e442; background: #f0e442; } .c3 { fill: #0072b2; background: #0072b2; }\n"
    ".c4 { fill: #009e73; background: #009e73; } .c5 { fill: #d55e00; background: #d55e00; }\n"
    ".c6 { fill: #cc79a7; background: #cc79a7; } .c7 { fill: #882255; background: #882255; }\n"
    ".c8 { fill: #44aa99; background: #44aa99; } .c9 { fill: #8c8fd9; background: #8c8fd9; }\n"
    ".rest { fill: #9aa1ab; background: #9aa1ab; }\n"
    "h4 { font-size: .95rem; margin: 1.5rem 0 .3rem; overflow-wrap: anywhere; }\n"
    "small { color: var(--soft); font-weight: 400; margin-left: .5rem; }\n"
    "pre { white-space: pre-wrap; overflow-wrap: anywhere; }\n"
    ".images { display: flex; flex-wrap: wrap; gap: 1rem; }\n"
    "img { max-width: 100%; height: auto; image-rendering: pixelated; }\n";

/* Continued, because compilers need not accept a longer string. */
static const char head_rest[] =
    ".charts { display: flex; flex-wrap: wrap; gap: 1rem; }\n"
    "figure.small { flex: 1 1 20rem; max-width: 36rem; min-width: 0; }\n"
    "figure.small svg { min-width: 0; }\n"
    ".key { display: inline-block; margin-right: 1rem; }\n"
    ".curve { fill: none; stroke-width: 2; stroke-linejoin: round; }\n"
    ".l0 { stroke: var(--mark); background: var(--mark); } .dot.l0 { fill: var(--mark); }\n"
    ".l1 { stroke: #e69f00; background: #e69f00; } .dot.l1 { fill: #e69f00; }\n"
    ".l2 { stroke: #009e73; background: #009e73; } .dot.l2 { fill: #009e73; }\n"
    ".l3 { stroke: #cc79a7; background: #cc79a7; } .dot.l3 { fill: #cc79a7; }\n"
    ".l4 { stroke: #d55e00; background: #d55e00; } .dot.l4 { fill: #d55e00; }\n"
    ".l5 { stroke: #8c8fd9; background: #8c8fd9; } .dot.l5 { fill: #8c8fd9; }\n"
    ".finding { border-left: 4px solid var(--line); padding: .1rem .8rem; margin: .8rem 0; }\n"
    ".finding.high { border-color: #d55e00; } .finding.medium { border-color: #e69f00; }\n"
    ".finding .what { color: var(--text); } .level { color: var(--soft); }\n"
    "summary { cursor: pointer; color: var(--soft); }\n"
    "td.why { text-align: left; white-space: normal; min-width: 12rem; overflow-wrap: anywhere; }\n"
    "@media print { body { max-width: none; } }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n";

void page_begin(FILE *out)
{
    fputs(head, out);
    fputs(head_rest, out);
}

void page_end(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}
