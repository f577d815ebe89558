/* SPDX-License-Identifier: Apache-2.0
 *
 * target: a machine to generate for, as data (templates/targets/<name>.cfg), and what this machine is.
 *
 * A CPU target is an instruction set: vector width, registers, the function attribute that enables it and the run-time
 * check that guards it. A CUDA target is a compute capability with the limits and rates of a GPU that has it; where the
 * rates of the device itself were measured, those count (search/record/rates.c). What a kind of target has beside is
 * its Family's. A file says only what is different where it names a target that it is like.
 */
#ifndef DCGEN_TARGET_H
#define DCGEN_TARGET_H

#include <stdbool.h>
#include <stdint.h>
#include "gen/base/arena.h"
#include "gen/base/diag.h"
#include "gen/target/arch.h"
#include "gen/target/family.h"

enum { TARGET_MAX = 16, TARGET_MAX_FACT = 24 };

struct Target {
    const char *name; /* "avx512", "sm_90a" */
    const Family *family;
    const char *fallback;          /* the target whose code serves machines that lack this one; "": none */
    int rank;                      /* higher is tried first */
    const char *attribute;         /* cpu: "avx512f,avx512vl,..."; "": none */
    const char *runtime_check;     /* cpu: C expression, true where it may run; "1": always */
    const char *arch;              /* cpu: "x86_64"; "": any */
    const char *gencode;           /* cuda: "arch=compute_90a,code=sm_90a", as nvcc takes it */
    bool exact;                    /* cuda: its code runs on this compute capability alone */
    const Source *src;             /* its file */
    const Target *base;            /* the target that it is like; NULL: none */
    bool same_code;                /* its code is that of `base`, which it does not hide: it runs where that does */
    const char *hash;              /* 16 hex digits of all that code for it depends on; "": a target of dcgen's own */
    int64_t fact[TARGET_MAX_FACT]; /* see target_fact; 0: not given */
};

typedef struct {
    int n;
    Target t[TARGET_MAX];
} TargetList; /* by descending rank */

/* All targets of the folders dir[0..n-1], one a .cfg file. The last folder is dcgen's own; others need not be there. A
 * target of the same name in an earlier folder hides a later one, but may be like it. False after errors. */
bool target_read_folders(Arena *a, const char *const *dir, int n, TargetList *out, Diag *d);
/* The same of one folder. */
bool target_read_all(Arena *a, const char *dir, TargetList *out, Diag *d);
/* Reads one target, which is like no other, from its file's text. False after errors. */
bool target_parse(Arena *a, const Source *src, Target *t, Diag *d);
const Target *target_find(const TargetList *list, const char *name);
/* The target that t is like in the end: itself, if it is like no other. */
const Target *target_root(const Target *t);
/* Does `t` stand in for `of`, as its fallback or as a fallback of that? */
bool target_is_fallback(const TargetList *list, const Target *t, const Target *of);

/* Numbers that files of targets give, each under its name in small letters; expressions of templates know them by the
 * same name in capitals: VECTOR_BYTES, SMEM_BLOCK ... The i-th name; NULL behind the last. */
const char *target_fact_name(int i);
/* The number under a name in capitals; a NULL target has 0 under each. False: there is no such name. */
bool target_fact(const Target *t, const char *name, int64_t *value);
/* The number under a name that is known to be one of them. */
int64_t target_number(const Target *t, const char *name);
void target_set_fact(Target *t, const char *name, int64_t value);

/* The rate of the unit that kernels use for the type, or the family's first rate where the target lacks that unit.
 * NULL: there is no target, or its family's files say nothing of rates. */
const RateRow *target_rate(const Target *t, const char *dtype);
/* FMAs of the type that the row is of, a cycle. */
double target_fmas(const Target *t, const RateRow *rate);

/* "#if ..." around code for its architecture alone; NULL: it is for any. */
const char *target_arch_guard(const Target *t);
/* Family.body_guard of the target; NULL: it needs none. */
const char *target_guard(Arena *a, const Target *t);
/* Do machines that are no such target run its code, as later GPUs do? What was tuned for it may not suit them: they
 * need a general kernel of it. A CPU that runs the instruction set is of the target. */
bool target_is_inherited(const Target *t);

#endif
