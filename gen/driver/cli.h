/* SPDX-License-Identifier: Apache-2.0
 *
 * cli: the command line as one struct of finished values. Options are rows of a table in cli.c, from which the usage
 * text is printed too; a new option is a field here and a row there.
 */
#ifndef DCGEN_CLI_H
#define DCGEN_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "gen/base/arena.h"
#include "gen/base/progress.h"
#include "gen/base/text_list.h"
#include "gen/print/dump.h"
#include "gen/report/explain.h"
#include "search/space/propose.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3, EXIT_INTERRUPTED = 130 };

typedef enum {
    COMMAND_GENERATE,
    COMMAND_CHECK,
    COMMAND_EXPLAIN,
    COMMAND_REPLAY,
    COMMAND_BENCH,
    COMMAND_LIMITS,
    COMMAND_BUILD,
    COMMAND_TRY,
    COMMAND_IMPORT
} Command;
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorMode;

typedef struct {
    Command command;
    const char *operand;     /* SPEC, or PKG of explain, bench and replay --check */
    const char *tried;       /* try: the template's name, or the path of its file */
    const char *function;    /* explain: of a package of several, or a node of its model; NULL: none is named */
    ExplainBinding *binding; /* explain: T=37 ... in the order given; try: MR=4 ... */
    int nbinding;

    const char *out;                        /* NULL: out/<name> */
    TextList target;                        /* empty: the spec's */
    TextList templates;                     /* folders to search before dcgen's own */
    bool partial;                           /* import: what is not supported becomes inputs */
    bool keep;                              /* import: kept keys become states */
    TextList dims;                          /* import: "batch=B:1..16" */
    TextList runner;                        /* the words of the command; empty: dcgen's own */
    const char *records;                    /* NULL: the default file */
    const char *builds;                     /* folder of what was compiled; NULL: none */
    const char *cc, *cxx;                   /* never NULL */
    const char *nvcc;                       /* NULL: to be found */
    int jobs;                               /* 0: one a core */
    int trials, seconds, kernels, code_kib; /* -1: the spec's budget */
    /* bench: how many shapes to measure the regret on; 0: all of the contract; -1: run the package's benchmark */
    int regret;
    StrategyKind search;
    uint64_t seed;
    bool offline, fresh, force, check, no_report, json, quiet;
    int verbose; /* how often -v was given */
    DumpStage dump;
    ProgressMode progress;
    ColorMode color;
} Options;

/* -1: go on with *o. Else the exit code: 0 after --help or --version (on out), 2 after an error (one line and a hint on
 * err). */
int cli_parse(Arena *a, int argc, char **argv, FILE *out, FILE *err, Options *o);

/* Whether to colour what goes to `to`. With COLOR_AUTO: if it is a terminal that is not dumb, and the environment has
 * no NO_COLOR. */
bool cli_color(ColorMode mode, FILE *to);

#endif
