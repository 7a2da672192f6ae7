/* SPDX-License-Identifier: MIT */
#include "config/yaml_tree.h"

#include "core/text/characters.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* Where and why the parser stopped. */
struct stop {
    const char *text; /* the whole file, without a NUL at its end */
    const char *here; /* the problem, at most the end of the text */
    const char *end;
    int context_line; /* where the construct began that the parser was in; 0: unknown */
    int context_column;
    struct swi_where where;
    struct swi_mistakes *mistakes;
};

/* Marks of libyaml count characters. */
static const char *at_mark(const char *text, size_t size, const yaml_mark_t *mark)
{
    const char *end = text + size;
    for (size_t i = 0; i < mark->index && text < end; i++) {
        uint32_t code;
        size_t length = swi_utf8_next(text, (size_t)(end - text), &code);
        text += length ? length : 1;
    }
    return text;
}

static char char_at(const struct stop *stop)
{
    return stop->here < stop->end ? *stop->here : '\0';
}

static const char *line_begin(const struct stop *stop)
{
    const char *begin = stop->here;
    while (begin > stop->text && begin[-1] != '\n' && begin[-1] != '\r')
        begin--;
    return begin;
}

/* Returns whether only blanks and list dashes come before the problem in its line. */
static bool begins_line(const struct stop *stop)
{
    const char *begin = line_begin(stop);
    while (begin < stop->here && strchr(" -\t", *begin))
        begin++;
    return begin == stop->here;
}

/* Returns whether the line has a ": " before the problem. */
static bool has_colon_before(const struct stop *stop)
{
    const char *begin = line_begin(stop);
    return memmem(begin, (size_t)(stop->here - begin), ": ", 2) != NULL;
}

static void move_to_context(struct stop *stop)
{
    if (!stop->context_line)
        return;
    stop->where.line = stop->context_line;
    stop->where.column = stop->context_column;
}

/* ---- one function for each kind of problem ---- */

static void bad_start(struct stop *stop)
{
    if (char_at(stop) == '\t')
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "found a tab in the indentation: use spaces");
    else
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "text cannot begin with %c: put it in quotes", char_at(stop));
}

static void tab(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where, "found a tab in the indentation: use spaces");
}

static void stray_colon(struct stop *stop)
{
    if (has_colon_before(stop))
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "found a second \": \" on one line: put text that contains it in quotes, "
                         "or begin the inner mapping on its own line");
    else
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "a key is not expected here: is the line indented like its neighbours, "
                         "and does the line above have its \":\"?");
}

static void not_a_key(struct stop *stop)
{
    if (char_at(stop) == ']' || char_at(stop) == '}')
        swi_mistakes_add(
            stop->mistakes, &stop->where,
            "this \"%c\" has no opening bracket: remove it, or add the opening bracket",
            char_at(stop));
    else if (char_at(stop) == ',')
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "a \",\" is allowed only between entries within [ ] and { }: remove it");
    else if (!begins_line(stop))
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "the value ended before this: put the whole value in quotes (a quote "
                         "within single quotes is written twice)");
    else if (char_at(stop) == ':')
        swi_mistakes_add(stop->mistakes, &stop->where, "a key is missing before the \":\"");
    else if (char_at(stop) == '-')
        swi_mistakes_add(
            stop->mistakes, &stop->where,
            "a list entry cannot be among the keys of the mapping that begins on line %d",
            stop->context_line);
    else
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "this line is not indented like the mapping that it belongs to, whose "
                         "keys begin in column %d on line %d",
                         stop->context_column, stop->context_line);
}

static void no_colon(struct stop *stop)
{
    move_to_context(stop);
    swi_mistakes_add(stop->mistakes, &stop->where, "a key needs a \": \" after it");
}

static void open_bracket(struct stop *stop, const char *what, const char *expected)
{
    if (char_at(stop) == '{' && stop->here > stop->text && stop->here[-1] == '$') {
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "within [ ] and { } text with ${...} needs quotes: \"${NAME}\"");
        return;
    }
    if (stop->here >= stop->end) {
        move_to_context(stop);
        swi_mistakes_add(stop->mistakes, &stop->where, "the %s is never closed: %s is missing",
                         what, expected);
        return;
    }
    swi_mistakes_add(
        stop->mistakes, &stop->where,
        "the %s that begins on line %d, column %d continues here: expected \",\" or %s", what,
        stop->context_line, stop->context_column, expected);
}

static void open_list(struct stop *stop)
{
    open_bracket(stop, "list", "\"]\"");
}

static void open_mapping(struct stop *stop)
{
    open_bracket(stop, "mapping", "\"}\"");
}

static void open_quote(struct stop *stop)
{
    move_to_context(stop);
    swi_mistakes_add(stop->mistakes, &stop->where, "the quote that opens here is never closed");
}

static void bad_escape(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "YAML has no such escape: write \\\\ for a backslash, or use single quotes");
}

static void bad_name(struct stop *stop)
{
    move_to_context(stop);
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "text cannot begin with * or &: put it in quotes");
}

static void entry_behind_key(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "a list entry (\"- \") begins on a line of its own, or the text needs quotes");
}

static void no_entry(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "expected \"- \": the list that begins on line %d continues here, or this "
                     "line has the wrong indentation",
                     stop->context_line);
}

static void no_value(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "expected a value, found \"%c\": put text that begins with it in quotes",
                     char_at(stop));
}

static void bad_question(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "text cannot begin with \"? \": put it in quotes");
}

static void after_the_end(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "the configuration ended before this: is a quote or a bracket closed too "
                     "early, or is there a line \"...\"?");
}

static void directive(struct stop *stop)
{
    move_to_context(stop);
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "a line that begins with %% is a directive, and this directive is unknown: "
                     "remove it");
}

static void bad_tag(struct stop *stop)
{
    move_to_context(stop);
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "text that begins with ! is a tag, and this tag is unknown: put the "
                     "text in quotes");
}

static void bad_block(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "only +, -, a digit from 1 to 9 and a comment may follow | or >: put the text "
                     "on lines of its own, or in quotes");
}

/* All problems of libyaml 0.2, recognised by a part of the message. */
static const struct {
    const char *problem;
    void (*add)(struct stop *stop);
} problems[] = {
    {"cannot start any token", bad_start},
    {"found a tab character", tab},
    {"mapping values are not allowed", stray_colon},
    {"did not find expected key", not_a_key},
    {"could not find expected ':'", no_colon},
    {"expected ',' or ']'", open_list},
    {"expected ',' or '}'", open_mapping},
    {"found unexpected end of stream", open_quote},
    {"found unexpected document indicator", open_quote},
    {"unknown escape character", bad_escape},
    {"expected hexdecimal number", bad_escape},
    {"invalid Unicode character escape", bad_escape},
    {"expected alphabetic or numeric", bad_name},
    {"block sequence entries are not allowed", entry_behind_key},
    {"expected '-' indicator", no_entry},
    {"expected node content", no_value},
    {"mapping keys are not allowed", bad_question},
    {"expected <document start>", after_the_end},
    {"incompatible YAML document", directive},
    {"directive", directive},
    {"version number", directive},
    {"expected digit or '.'", directive},
    {"unexpected non-alphabetical", directive},
    {"tag", bad_tag},
    {"expected '!'", bad_tag},
    {"expected '>'", bad_tag},
    {"the expected '>'", bad_tag},
    {"URI", bad_tag},
    {"indentation indicator", bad_block},
    {"expected comment or line break", bad_block},
};

static void add_problem(struct stop *stop, const yaml_parser_t *parser)
{
    const char *problem = parser->problem ? parser->problem : "found unexpected text";
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (strstr(problem, problems[i].problem)) {
            problems[i].add(stop);
            return;
        }
    }
    swi_mistakes_add(stop->mistakes, &stop->where, "this is not YAML: %s%s%s",
                     parser->context ? parser->context : "", parser->context ? ", " : "", problem);
}

void swi_syntax_mistake(const yaml_parser_t *parser, const char *text, size_t size,
                        const char *name, struct swi_mistakes *mistakes)
{
    const yaml_mark_t *mark = &parser->problem_mark;
    struct stop stop = {
        .text = text,
        .here = at_mark(text, size, mark),
        .end = text + size,
        .context_line = parser->context ? (int)parser->context_mark.line + 1 : 0,
        .context_column = (int)parser->context_mark.column + 1,
        .where = {.file = name, .line = (int)mark->line + 1, .column = (int)mark->column + 1},
        .mistakes = mistakes,
    };
    add_problem(&stop, parser);
}
