/* SPDX-License-Identifier: Apache-2.0
 *
 * cli: reads argv into Options by tables of commands and options. If something is wrong it says so, with the nearest
 * name that exists.
 */
#include "gen/driver/cli.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "gen/base/diag.h"
#include "gen/base/name.h"
#include "gen/base/text.h"

enum { GO_ON = -1, HELP_COLUMN = 26, HELP_WIDTH = 79, MAX_BINDING = 64 };

/* ---- the tables --------------------------------------------------------- */

typedef struct {
    const char *name, *operand;
    const char *values; /* NAME=VALUE words that may follow its operand, as the usage shows them; "": none may */
    const char *help;
} CommandRow;

static const CommandRow COMMANDS[] = {
    [COMMAND_GENERATE] = { "generate", "SPEC", "", "search, then write the package (the default)" },
    [COMMAND_CHECK] = { "check", "SPEC", "", "report every error of the spec; measure nothing" },
    [COMMAND_EXPLAIN] = { "explain", "PKG", " T=37 ...", "say which kernel a package takes for a shape, and why" },
    [COMMAND_REPLAY] = { "replay", "SPEC", "",
                         "make the package again from its records; --check PKG: has it changed?" },
    [COMMAND_BENCH] = { "bench", "PKG", "",
                        "build and run the package's own benchmark. This runs its code: trust it first" },
    [COMMAND_LIMITS] = { "limits", "SPEC", "", "measure the peak rates of the device, and record them" },
    [COMMAND_BUILD] = { "build", "SPEC", "", "compile ahead what a search would try first; needs no device" },
    [COMMAND_TRY] = { "try", "TEMPLATE", " MR=4 ... SPEC",
                      "build, verify and time one kernel of TEMPLATE (a name or a file)" },
    [COMMAND_IMPORT] = { "import", "MODEL", "", "write the spec and the weights of a model, MODEL.onnx" },
};
enum { NCOMMAND = LENGTH(COMMANDS) };

/* The modes of a run: one for each command, and some that an option makes. Each option says with which modes it
 * goes. */
enum {
    GENERATE = 1 << COMMAND_GENERATE,
    CHECK = 1 << COMMAND_CHECK,
    EXPLAIN = 1 << COMMAND_EXPLAIN,
    REPLAY = 1 << COMMAND_REPLAY,
    BENCH = 1 << COMMAND_BENCH,
    LIMITS = 1 << COMMAND_LIMITS,
    BUILD = 1 << COMMAND_BUILD,
    TRY = 1 << COMMAND_TRY,
    IMPORT = 1 << COMMAND_IMPORT,
    REPLAY_CHECK = 1 << NCOMMAND, /* from here on an option makes the mode */
    REGRET = REPLAY_CHECK << 1,
    DUMP = REGRET << 1,
    DUMP_PACKAGE = DUMP << 1,
    DUMPS = DUMP | DUMP_PACKAGE,
    ALL = 2 * DUMP_PACKAGE - 1
};
static const char *const MADE_BY_OPTION[] = { "replay --check", "bench --regret", "--dump", "explain --dump" };

typedef enum {
    ARG_FLAG,
    ARG_COUNT,
    ARG_TEXT,
    ARG_INT,
    ARG_INT_OR_NONE, /* the next word is its argument if it is a number */
    ARG_U64,
    ARG_CHOICE,
    ARG_LIST,  /* items with ',' between; given twice, it adds to the list */
    ARG_WORDS, /* words with blanks between; given twice, the last counts */
    ARG_HELP,
    ARG_VERSION
} ArgKind;

typedef struct {
    const char *name;
    char letter; /* 0: no short form */
    ArgKind kind;
    unsigned modes;  /* that use it; others refuse it */
    const char *arg; /* its name in the usage; for ARG_CHOICE the names, '|' between, in enum order */
    size_t field;    /* in Options */
    int min, max;    /* of ARG_INT; of ARG_CHOICE: min is the value of the first name */
    const char *help;
} OptionRow;

#define FIELD(f) offsetof(Options, f)

static const OptionRow OPTIONS[] = {
    { "out", 'o', ARG_TEXT, GENERATE | REPLAY | IMPORT, "DIR", FIELD(out), 0, 0,
      "write the package to DIR (default: out/NAME); import: the spec and the weights (default: beside MODEL)" },
    { "dim", 0, ARG_LIST, IMPORT | GENERATE | REPLAY, "NAME=D:LEAST..MOST", FIELD(dims), 0, 0,
      "what the model calls NAME is the dim D, of that range; repeat it for several" },
    { "force", 0, ARG_FLAG, GENERATE | REPLAY, NULL, FIELD(force), 0, 0,
      "write even into a folder with other files; those stay as they are" },
    { "partial", 0, ARG_FLAG, IMPORT, NULL, FIELD(partial), 0, 0,
      "import what is supported; what other nodes give becomes inputs of the model" },
    { "keep", 0, ARG_FLAG, IMPORT | GENERATE | REPLAY, NULL, FIELD(keep), 0, 0,
      "inputs of the model that it gives back as outputs with more behind, as keys and values, stay in place from call "
      "to "
      "call; the dim 'kept' says for how many there is room" },
    { "target", 't', ARG_LIST, ALL & ~(REPLAY_CHECK | IMPORT), "NAME", FIELD(target), 0, 0,
      "generate for NAME, not for the spec's target: host, cuda, avx2 ..., or several: avx512,avx2; explain, bench: "
      "which one of the package's targets" },
    { "jobs", 'j', ARG_INT, GENERATE | BENCH | BUILD | REGRET | TRY, "COUNT", FIELD(jobs), 1, 1024,
      "compile COUNT kernels at a time (default: one a core)" },
    { "trials", 0, ARG_INT, GENERATE | BUILD | DUMP, "COUNT", FIELD(trials), 1, 1000000,
      "measure at most COUNT kernels; build: compile COUNT" },
    { "seconds", 0, ARG_INT, GENERATE | DUMP | LIMITS, "SECONDS", FIELD(seconds), 1, 1000000,
      "take at most SECONDS in all; limits: SECONDS for each target (default: 1)" },
    { "kernels", 0, ARG_INT, GENERATE | REPLAY | DUMP, "COUNT", FIELD(kernels), 1, 256, "keep at most COUNT kernels" },
    { "code-kib", 0, ARG_INT, GENERATE | REPLAY | DUMP, "COUNT", FIELD(code_kib), 1, 1048576,
      "keep at most COUNT KiB of machine code" },
    { "regret", 0, ARG_INT_OR_NONE, REGRET, "[COUNT]", FIELD(regret), 1, 100000,
      "measure how far the package's choice is from the best kernels, on its shapes or on COUNT; fail above the bound "
      "that it states" },
    { "search", 0, ARG_CHOICE, GENERATE | DUMPS, "joint|random|exhaustive", FIELD(search), STRATEGY_JOINT, 0,
      "which kernels to measure: those that the model expects most of (default), random ones, all" },
    { "seed", 0, ARG_U64, GENERATE | BUILD | REGRET | TRY | DUMPS, "NUMBER", FIELD(seed), 0, 0,
      "start the random choices from NUMBER (default: 1)" },
    { "records", 0, ARG_TEXT, GENERATE | REPLAY | DUMP | LIMITS | TRY, "FILE", FIELD(records), 0, 0,
      "read measurements from FILE, and append new ones; try: only read" },
    { "builds", 0, ARG_TEXT, GENERATE | BUILD | REGRET | LIMITS, "DIR", FIELD(builds), 0, 0,
      "keep compiled kernels in DIR, and reuse those that are there" },
    { "offline", 0, ARG_FLAG, GENERATE, NULL, FIELD(offline), 0, 0, "measure nothing: use the records alone" },
    { "fresh", 0, ARG_FLAG, GENERATE, NULL, FIELD(fresh), 0, 0, "ignore what is recorded: measure everything anew" },
    { "check", 0, ARG_FLAG, REPLAY_CHECK, NULL, FIELD(check), 0, 0,
      "say whether PKG is still as dcgen would write it" },
    { "no-report", 0, ARG_FLAG, GENERATE | REPLAY | REPLAY_CHECK, NULL, FIELD(no_report), 0, 0,
      "leave out report.html, whose figures need gnuplot" },
    { "runner", 0, ARG_WORDS, GENERATE | CHECK | REGRET | DUMPS | LIMITS | TRY, "COMMAND", FIELD(runner), 0, 0,
      "measure with COMMAND, such as \"ssh host dcgen-runner-c\"" },
    { "templates", 0, ARG_LIST, ALL & ~(BENCH | IMPORT), "DIR", FIELD(templates), 0, 0,
      "look in DIR first for operators, templates and targets; repeat it, or put commas, for several" },
    { "cc", 0, ARG_TEXT, GENERATE | BENCH | BUILD | REGRET | DUMPS | LIMITS | TRY, "PROGRAM", FIELD(cc), 0, 0,
      "compile kernels with PROGRAM (default: gcc)" },
    { "cxx", 0, ARG_TEXT, GENERATE | DUMPS | TRY, "PROGRAM", FIELD(cxx), 0, 0,
      "compile CUDA kernels for the emulator with PROGRAM (default: g++)" },
    { "nvcc", 0, ARG_TEXT, GENERATE | CHECK | BUILD | REGRET | DUMPS | LIMITS | TRY, "PROGRAM", FIELD(nvcc), 0, 0,
      "compile CUDA kernels with PROGRAM (default: nvcc)" },
    { "dump", 0, ARG_CHOICE, ALL & ~IMPORT, "spec|space|source|records|model|assign|tree|trace", FIELD(dump), DUMP_SPEC,
      0, "print what this stage makes, then stop; try: source only" },
    { "progress", 0, ARG_CHOICE, GENERATE | BUILD, "auto|bar|plain|none", FIELD(progress), PROGRESS_AUTO, 0,
      "how to show the search" },
    { "color", 0, ARG_CHOICE, ALL, "auto|always|never", FIELD(color), COLOR_AUTO, 0, "colour in messages" },
    { "json", 0, ARG_FLAG, ALL, NULL, FIELD(json), 0, 0, "print results and messages as JSON" },
    { "quiet", 'q', ARG_FLAG, ALL, NULL, FIELD(quiet), 0, 0, "print errors and results only" },
    { "verbose", 'v', ARG_COUNT, GENERATE | REPLAY | CHECK, NULL, FIELD(verbose), 0, 0,
      "list the candidates that failed, and why; check: describe the machine and the space" },
    { "version", 0, ARG_VERSION, ALL, NULL, 0, 0, 0, "print the version" },
    { "help", 'h', ARG_HELP, ALL, NULL, 0, 0, 0, "print this" },
};
enum { NOPTION = LENGTH(OPTIONS) };

static const char EXAMPLES[] = "\nExamples:\n"
                               "  dcgen specs/bert_dense.cfg               writes out/bert_dense\n"
                               "  dcgen -o vendor/dense --seconds 60 specs/bert_dense.cfg\n"
                               "  dcgen explain out/bert_dense T=37        which kernel for T=37, and why\n"
                               "  dcgen --offline --records FILE specs/bert_dense.cfg\n"
                               "\nExit codes: 0 done, 1 failed or found wrong, 2 bad usage or spec, 3 environment\n"
                               "(no compiler, no device, disk), 130 interrupted. More: man dcgen\n";

/* ---- usage --------------------------------------------------------------- */

/* Prints words from HELP_COLUMN on, wrapped and indented to there. */
static void print_wrapped(FILE *out, const char *text)
{
    for (int column = HELP_COLUMN; *text;) {
        const int word = (int)strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + word > HELP_WIDTH)
            column = fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
        column += fprintf(out, "%s%.*s", column > HELP_COLUMN ? " " : "", word, text);
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}

/* Prints a row's left side, then its help beside it, or below when the left side is long. */
static void print_row(FILE *out, const char *left, const char *help)
{
    const int n = fprintf(out, "  %s", left);
    if (n > HELP_COLUMN - 2)
        fprintf(out, "\n%*s", HELP_COLUMN, "");
    else
        fprintf(out, "%*s", HELP_COLUMN - n, "");
    print_wrapped(out, help);
}

/* "generate, replay". Where both `replay` and `replay --check` are among the modes, only `replay` is named. */
static const char *modes_text(Arena *a, unsigned modes)
{
    static const unsigned pair[][2] = { { REPLAY, REPLAY_CHECK }, { BENCH, REGRET }, { DUMP, DUMP_PACKAGE } };
    TextList names = { 0 };
    for (size_t i = 0; i < LENGTH(pair); i++)
        if (modes & pair[i][0])
            modes &= ~pair[i][1];
    for (int i = 0; modes >> i; i++)
        if (modes >> i & 1)
            text_list_add(a, &names, i < NCOMMAND ? COMMANDS[i].name : MADE_BY_OPTION[i - NCOMMAND]);
    return text_list_join(a, &names, ", ");
}

static void print_option(Arena *a, const OptionRow *row, FILE *out)
{
    const char *letter = row->letter ? arena_printf(a, "-%c, ", row->letter) : "    ";
    const char *help = row->modes == ALL ? row->help : arena_printf(a, "%s [%s]", row->help, modes_text(a, row->modes));
    print_row(out, arena_printf(a, "%s--%s%s%s", letter, row->name, row->arg ? " " : "", row->arg ? row->arg : ""),
              help);
}

static void print_usage(Arena *a, FILE *out)
{
    fputs("Usage: dcgen [COMMAND] [OPTION...] SPEC|PKG [NAME=VALUE...]\n"
          "Generates a source package of fast kernels for a workload of dynamic shapes.\n\nCommands:\n",
          out);
    for (const CommandRow *row = COMMANDS; row < COMMANDS + NCOMMAND; row++)
        print_row(out, arena_printf(a, "%s %s%s", row->name, row->operand, row->values), row->help);
    fputs("\nOptions, each with the [commands] that take it; without any, all do:\n", out);
    for (int i = 0; i < NOPTION; i++)
        print_option(a, &OPTIONS[i], out);
    fputs(EXAMPLES, out);
}

/* ---- parsing -------------------------------------------------------------- */

/* A function that is given one returns true as long as parsing goes on; else it has set `code`. */
typedef struct {
    Arena *arena;
    int argc, at; /* at: the argument to look at next */
    char **argv;
    FILE *out, *err;
    Options *o;
    int code;
    const char **operand;
    int noperand;
    bool given[NOPTION];
} CommandLine;

__attribute__((format(printf, 2, 3))) static bool fail(CommandLine *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag_say(p->err, DIAG_ERROR, "%s", arena_vprintf(p->arena, fmt, ap));
    va_end(ap);
    diag_say(p->err, DIAG_NOTE, "Try 'dcgen --help'.");
    p->code = EXIT_USAGE;
    return false;
}

static bool parse_number(CommandLine *p, const OptionRow *row, const char *text, void *field)
{
    const bool wide = row->kind == ARG_U64;
    const uint64_t least = (uint64_t)row->min, most = wide ? UINT64_MAX : (uint64_t)row->max;
    char *end;
    errno = 0;
    const uint64_t v = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || v < least || v > most)
        return fail(p, "--%s: '%s' is not a whole number from %" PRIu64 " to %" PRIu64, row->name, text, least, most);
    if (wide)
        *(uint64_t *)field = v;
    else
        *(int *)field = (int)v;
    return true;
}

static bool parse_list(CommandLine *p, const OptionRow *row, const char *text, TextList *list)
{
    bool words = row->kind == ARG_WORDS;
    if (words)
        *list = (TextList){ 0 }; /* a second --runner replaces the first */
    int before = list->n;
    text_list_split(p->arena, list, text, words ? " \t" : ",");
    return list->n > before || fail(p, "--%s: '%s' names nothing", row->name, text);
}

static bool parse_choice(CommandLine *p, const OptionRow *row, const char *text, void *field)
{
    TextList names = { 0 };
    text_list_split(p->arena, &names, row->arg, "|");
    const int at = names_find(NAMES(names.item, names.n), text);
    if (at >= 0) {
        memcpy(field, &(int){ row->min + at }, sizeof(int));
        return true;
    }
    const char *near = diag_nearest(text, NAMES(names.item, names.n));
    if (near)
        return fail(p, "--%s: unknown choice '%s'; did you mean '%s'?", row->name, text, near);
    return fail(p, "--%s: '%s' is none of %s", row->name, text, row->arg);
}
_Static_assert(sizeof(ProgressMode) == sizeof(int) && sizeof(ColorMode) == sizeof(int) &&
                   sizeof(StrategyKind) == sizeof(int) && sizeof(DumpStage) == sizeof(int),
               "parse_choice stores enums as int");

/* Stores the option in its field; prints what --help and --version ask for. arg: NULL if there is none. */
static bool option_store(CommandLine *p, const OptionRow *row, const char *arg)
{
    void *field = (char *)p->o + row->field;
    switch (row->kind) {
    case ARG_FLAG:
        *(bool *)field = true;
        return true;
    case ARG_COUNT:
        ++*(int *)field;
        return true;
    case ARG_TEXT:
        *(const char **)field = arg;
        return *arg || fail(p, "--%s: its %s is empty", row->name, row->arg);
    case ARG_INT:
    case ARG_U64:
        return parse_number(p, row, arg, field);
    case ARG_INT_OR_NONE:
        *(int *)field = 0;
        return !arg || parse_number(p, row, arg, field);
    case ARG_CHOICE:
        return parse_choice(p, row, arg, field);
    case ARG_LIST:
    case ARG_WORDS:
        return parse_list(p, row, arg, field);
    case ARG_HELP:
        print_usage(p->arena, p->out);
        break;
    case ARG_VERSION:
        fprintf(p->out, "dcgen %s\n", DCGEN_VERSION);
        break;
    }
    p->code = EXIT_DONE;
    return false;
}

static bool is_number(const char *s) { return *s && !s[strspn(s, "0123456789")]; }

/* Finds the option's argument, which is `attached` (--jobs=4, -j4) or else the next word, and stores it. */
static bool option_take(CommandLine *p, const OptionRow *row, const char *attached)
{
    const char *next = p->at < p->argc ? p->argv[p->at] : NULL, *arg = attached;
    p->given[row - OPTIONS] = true;
    if (!row->arg && attached)
        return fail(p, "--%s takes no argument, but got '%s'", row->name, attached);
    if (row->arg && !attached && (row->kind != ARG_INT_OR_NONE || (next && is_number(next)))) {
        if (!next)
            return fail(p, "--%s: missing %s", row->name, row->arg);
        arg = next;
        p->at++;
    }
    return option_store(p, row, arg);
}

static bool parse_long(CommandLine *p, const char *text)
{
    size_t n = strcspn(text, "=");
    const char *name = arena_strndup(p->arena, text, n);
    const int at = names_find(NAMES(OPTIONS, NOPTION), name);
    if (at >= 0)
        return option_take(p, &OPTIONS[at], text[n] ? text + n + 1 : NULL);
    const char *near = diag_nearest(name, NAMES(OPTIONS, NOPTION));
    if (near)
        return fail(p, "unknown option '--%s'; did you mean '--%s'?", name, near);
    return fail(p, "unknown option '--%s'", name);
}

/* Parses a cluster of letters: -qv, -j4, -qj 4. */
static bool parse_letters(CommandLine *p, const char *text)
{
    for (; *text; text++) {
        int i = 0;
        while (i < NOPTION && OPTIONS[i].letter != *text)
            i++;
        if (i == NOPTION)
            return fail(p, "unknown option '-%c'", *text);
        const bool is_joined = OPTIONS[i].arg && text[1];
        const bool ok = option_take(p, &OPTIONS[i], is_joined ? text + 1 : NULL);
        if (!ok || is_joined)
            return ok;
    }
    return true;
}

static bool parse_arguments(CommandLine *p)
{
    bool only_operands = false, ok = true;
    while (ok && p->at < p->argc) {
        const char *s = p->argv[p->at++];
        if (only_operands || s[0] != '-' || !s[1])
            p->operand[p->noperand++] = s;
        else if (strcmp(s, "--") == 0)
            only_operands = true;
        else
            ok = s[1] == '-' ? parse_long(p, s + 2) : parse_letters(p, s + 1);
    }
    return ok;
}

/* ---- operands -------------------------------------------------------------- */

static bool parse_binding(CommandLine *p, const char *text, ExplainBinding *out)
{
    size_t n = strcspn(text, "=");
    char *end;
    bool named = isalpha((unsigned char)text[0]) || text[0] == '_';
    for (size_t i = 0; i < n; i++)
        named = named && (isalnum((unsigned char)text[i]) || text[i] == '_');
    errno = 0;
    long long v = named && text[n] ? strtoll(text + n + 1, &end, 10) : 0;
    if (!named || !text[n] || !(isdigit((unsigned char)text[n + 1]) || text[n + 1] == '-') || *end || errno)
        return fail(p, "'%s' is not NAME=VALUE with a whole number, such as T=37", text);
    *out = (ExplainBinding){ arena_strndup(p->arena, text, n), v };
    return true;
}

static bool parse_bindings(CommandLine *p, const char *const *text, int n)
{
    if (n > MAX_BINDING)
        return fail(p, "more than %d values given", MAX_BINDING);
    p->o->binding = ARENA_ARRAY(p->arena, (size_t)n + 1, ExplainBinding);
    for (int i = 0; i < n; i++) {
        ExplainBinding *b = &p->o->binding[i];
        if (!parse_binding(p, text[i], b))
            return false;
        for (int k = 0; k < i; k++)
            if (strcmp(p->o->binding[k].name, b->name) == 0)
                return fail(p, "'%s' is given twice", b->name);
        p->o->nbinding = i + 1;
    }
    return true;
}

/* Is it NAME=..., whatever stands behind it? */
static bool is_value(const char *word)
{
    const size_t n = strcspn(word, "=");
    return word[n] && !memchr(word, '/', n);
}

/* Parses TEMPLATE SPEC, with values of the template's parameters behind it. */
static bool parse_try(CommandLine *p, const char *const *word, int n)
{
    const char **value = ARENA_ARRAY(p->arena, (size_t)n + 1, const char *);
    int nvalue = 0;
    p->o->tried = word[0];
    p->o->operand = NULL;
    for (int i = 1; i < n; i++)
        if (is_value(word[i]))
            value[nvalue++] = word[i];
        else if (p->o->operand)
            return fail(p, "too many operands: '%s'", word[i]);
        else
            p->o->operand = word[i];
    if (!p->o->operand)
        return fail(p, "missing SPEC after try %s", word[0]);
    return parse_bindings(p, value, nvalue);
}

static bool refuse_more(CommandLine *p, const char *first, const char *extra, bool is_implied)
{
    const char *near = is_implied ? diag_nearest(first, NAMES(COMMANDS, NCOMMAND)) : NULL;
    if (near)
        return fail(p, "unknown command '%s'; did you mean '%s'?", first, near);
    return fail(p, "too many operands: '%s'", extra);
}

/* Parses [COMMAND] OPERAND [NAME=VALUE...], or what `try` takes. */
static bool parse_operands(CommandLine *p)
{
    const int command = p->noperand ? names_find(NAMES(COMMANDS, NCOMMAND), p->operand[0]) : -1;
    const bool is_implied = command < 0;
    const CommandRow *row = &COMMANDS[is_implied ? COMMAND_GENERATE : command];
    const char *const *arg = p->operand + !is_implied;
    const int narg = p->noperand - !is_implied;
    p->o->command = (Command)(row - COMMANDS);
    if (narg == 0)
        return fail(p, "missing %s%s%s", row->operand, is_implied ? "" : " after ", is_implied ? "" : row->name);
    if (p->o->command == COMMAND_TRY)
        return parse_try(p, arg, narg);
    p->o->operand = arg[0];
    const bool has_function = p->o->command == COMMAND_EXPLAIN && narg > 1 && !strchr(arg[1], '=');
    p->o->function = has_function ? arg[1] : NULL;
    if (*row->values)
        return parse_bindings(p, arg + 1 + has_function, narg - 1 - has_function);
    return narg == 1 || refuse_more(p, arg[0], arg[1], is_implied);
}

static unsigned mode_of(const Options *o)
{
    if (o->dump != DUMP_NONE && o->command != COMMAND_TRY)
        return o->command == COMMAND_EXPLAIN || o->command == COMMAND_BENCH ? DUMP_PACKAGE : DUMP;
    if (o->check && o->command == COMMAND_REPLAY)
        return REPLAY_CHECK;
    return o->regret >= 0 && o->command == COMMAND_BENCH ? REGRET : 1u << o->command;
}

/* Checks that all options go with the mode, and with each other. */
static bool check_combination(CommandLine *p)
{
    const unsigned mode = mode_of(p->o);
    for (int i = 0; i < NOPTION; i++)
        if (p->given[i] && !(OPTIONS[i].modes & mode))
            return fail(p, "--%s is no option of '%s'; it goes with %s", OPTIONS[i].name, modes_text(p->arena, mode),
                        modes_text(p->arena, OPTIONS[i].modes));
    if (mode == BUILD && !p->o->builds)
        return fail(p, "build: missing --builds DIR, where what it compiles is kept");
    if (mode == TRY && p->o->dump != DUMP_NONE && p->o->dump != DUMP_SOURCE)
        return fail(p, "--dump of that stage is no option of 'try', which has the source alone");
    if (p->o->offline && p->o->fresh)
        return fail(p, "--offline measures nothing and --fresh everything: choose one");
    return true;
}

/* True if --json stands anywhere: then an error in what stands before it is JSON too. */
static bool asks_for_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

/* ---- the interface ----------------------------------------------------------- */

int cli_parse(Arena *a, int argc, char **argv, FILE *out, FILE *err, Options *o)
{
    CommandLine p = { .arena = a, .argc = argc, .at = 1, .argv = argv, .out = out, .err = err, .o = o, .code = GO_ON };
    *o = (Options){
        .cc = "gcc", .cxx = "g++", .seed = 1, .trials = -1, .seconds = -1, .kernels = -1, .code_kib = -1, .regret = -1
    };
    p.operand = ARENA_ARRAY(a, (size_t)argc + 1, const char *);
    diag_use_json(asks_for_json(argc, argv));
    const bool ok = parse_arguments(&p) && parse_operands(&p);
    if (o->json && o->progress == PROGRESS_AUTO)
        o->progress = PROGRESS_NONE; /* standard error is for programs too */
    if (ok)
        check_combination(&p);
    return p.code;
}

bool cli_color(ColorMode mode, FILE *to)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    if (mode != COLOR_AUTO)
        return mode == COLOR_ALWAYS;
    return isatty(fileno(to)) && !(none && *none) && term && strcmp(term, "dumb") != 0;
}
