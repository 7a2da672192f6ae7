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

#define TAB "found a tab in the indentation: use spaces"

static void bad_start(struct stop *stop)
{
    if (char_at(stop) == '\t')
        swi_mistakes_add(stop->mistakes, &stop->where, "%s", TAB);
    else
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "text cannot begin with %c: put it in quotes", char_at(stop));
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

static void no_entry(struct stop *stop)
{
    swi_mistakes_add(stop->mistakes, &stop->where,
                     "expected \"- \": the list that begins on line %d continues here, or this "
                     "line has the wrong indentation",
                     stop->context_line);
}

static void no_value(struct stop *stop)
{
    if (stop->here >= stop->end)
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "expected a value, found the end: a \"[\" or \"{\" is never closed");
    else
        swi_mistakes_add(stop->mistakes, &stop->where,
                         "expected a value, found \"%c\": put text that begins with it in quotes",
                         char_at(stop));
}

#define QUOTE "the quote that opens here is never closed"
#define ESCAPE "YAML has no such escape: write \\\\ for a backslash, or use single quotes"
#define DIRECTIVE                                                                                  \
    "a line that begins with % is a directive, and this directive is unknown: remove it"
#define TAG "text that begins with ! is a tag, and this tag is unknown: put the text in quotes"
#define BLOCK                                                                                      \
    "only +, -, a digit from 1 to 9 and a comment may follow | or >: put the text on lines of "    \
    "its own, or in quotes"

/* All problems of libyaml 0.2, recognised by a part of the message. */
static const struct {
    const char *problem;
    const char *sentence;
    void (*add)(struct stop *stop); /* in place of a sentence that is always the same */
    bool at_context;                /* its place is where the construct began */
} problems[] = {
    {"cannot start any token", .add = bad_start},
    {"found a tab character", .sentence = TAB},
    {"mapping values are not allowed", .add = stray_colon},
    {"did not find expected key", .add = not_a_key},
    {"could not find expected ':'", .sentence = "a key needs a \": \" after it",
     .at_context = true},
    {"expected ',' or ']'", .add = open_list},
    {"expected ',' or '}'", .add = open_mapping},
    {"found unexpected end of stream", .sentence = QUOTE, .at_context = true},
    {"found unexpected document indicator", .sentence = QUOTE, .at_context = true},
    {"unknown escape character", .sentence = ESCAPE},
    {"expected hexdecimal number", .sentence = ESCAPE},
    {"invalid Unicode character escape", .sentence = ESCAPE},
    {"expected alphabetic or numeric",
     .sentence = "text cannot begin with * or &: put it in quotes", .at_context = true},
    {"block sequence entries are not allowed",
     .sentence = "a list entry (\"- \") begins on a line of its own, or the text needs quotes"},
    {"expected '-' indicator", .add = no_entry},
    {"expected node content", .add = no_value},
    {"mapping keys are not allowed", .sentence = "text cannot begin with \"? \": put it in quotes"},
    {"expected <document start>", .sentence = "the configuration ended before this: is a quote or "
                                              "a bracket closed too early, or is there a "
                                              "line \"...\"?"},
    {"incompatible YAML document", .sentence = DIRECTIVE, .at_context = true},
    {"directive", .sentence = DIRECTIVE, .at_context = true},
    {"version number", .sentence = DIRECTIVE, .at_context = true},
    {"expected digit or '.'", .sentence = DIRECTIVE, .at_context = true},
    {"unexpected non-alphabetical", .sentence = DIRECTIVE, .at_context = true},
    {"tag", .sentence = TAG, .at_context = true},
    {"expected '!'", .sentence = TAG, .at_context = true},
    {"expected '>'", .sentence = TAG, .at_context = true},
    {"the expected '>'", .sentence = TAG, .at_context = true},
    {"URI", .sentence = TAG, .at_context = true},
    {"indentation indicator", .sentence = BLOCK},
    {"expected comment or line break", .sentence = BLOCK},
};

static void add_problem(struct stop *stop, const yaml_parser_t *parser)
{
    const char *problem = parser->problem ? parser->problem : "found unexpected text";
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (!strstr(problem, problems[i].problem))
            continue;
        if (problems[i].at_context)
            move_to_context(stop);
        if (problems[i].add)
            problems[i].add(stop);
        else
            swi_mistakes_add(stop->mistakes, &stop->where, "%s", problems[i].sentence);
        return;
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
