/* SPDX-License-Identifier: Apache-2.0
 *
 * op_private: what op.c and op_words.c share.
 */
#ifndef DCGEN_OP_PRIVATE_H
#define DCGEN_OP_PRIVATE_H

#include "gen/base/conf.h"
#include "gen/spec/op.h"

typedef struct {
    Arena *arena;
    Conf *conf;
    Diag *diag;
    Op *op;
    bool axes_ok; /* false: names in expressions are not checked, so that a fault in an axis gives one error */
} OpReader;

/* Reads a group's key `name`, which is that of a `what`. False after an error. */
bool op_read_name(OpReader *r, const ConfSetting *group, const char *what, const char **out);
void op_check_unique(OpReader *r, const ConfSetting *s, const char *what, const char *const *names, int n);
/* Reads each group of a list of 1 to `max`. */
void op_read_each(OpReader *r, const ConfSetting *root, const char *key, int max,
                  void (*read)(OpReader *, const ConfSetting *));
/* epilogues, accuracies, packs */
void op_read_words(OpReader *r, const ConfSetting *root);
/* Checks the formulas of all epilogues. */
void op_check_epilogues(OpReader *r, const ConfSetting *root);

#endif
