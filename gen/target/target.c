/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/target/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/target/family.h"

/* What the files of targets say in numbers. */
static const struct {
    const char *name, *family;
    int64_t min, max;
    const char *hint;
} facts[] = {
    { "VECTOR_BYTES", "cpu", 4, 1024, "16, 32 or 64" },
    { "VECTOR_REGISTERS", "cpu", 1, 1024, "how many" },
    { "SM_ARCH", "cuda", 50, 999, "the compute capability times ten" },
    { "SMS", "cuda", 1, 4096, "multiprocessors of a typical device" },
    { "SMEM_SM", "cuda", 1024, 1 << 24, "bytes of shared memory of a multiprocessor" },
    { "SMEM_BLOCK", "cuda", 1024, 1 << 24, "bytes of shared memory that a block can have" },
    { "REGS_SM", "cuda", 1024, 1 << 24, "registers of a multiprocessor" },
    { "THREADS_SM", "cuda", 32, 1 << 16, "threads that a multiprocessor holds" },
    { "BLOCKS_SM", "cuda", 1, 1024, "blocks that a multiprocessor holds" },
    { "FMA_SM", "cuda", 1, 1 << 16, "fp32 FMAs a cycle" },
    { "TENSOR_F16_SM", "cuda", 0, 1 << 16, "FMAs a cycle of mma.sync on f16 and bf16; 0: none" },
    { "TENSOR_TF32_SM", "cuda", 0, 1 << 16, "the same on tf32" },
    { "CLOCK_MHZ", "cuda", 1, 100000, "under load" },
    { "DRAM_GBS", "cuda", 1, 1000000, "bandwidth" },
    { "L2_GBS", "cuda", 1, 1000000, "bandwidth" },
    { "L2_SIZE", "cuda", 1, (int64_t)1 << 40, "bytes" },
    { "LAUNCH_NS", "cuda", 1, 1000000, "what an empty kernel takes" },
    { "HANDOVER_NS", "cuda", 1, 1000000, "what handing over from block to block takes" },
};
enum { NFACT = sizeof facts / sizeof *facts };
_Static_assert((int)NFACT <= (int)TARGET_MAX_FACT, "a target has room for every fact");

const char *target_fact_name(int i) { return i < NFACT ? facts[i].name : NULL; }

bool target_fact(const Target *t, const char *name, int64_t *value)
{
    for (int i = 0; i < NFACT; i++)
        if (strcmp(facts[i].name, name) == 0) {
            *value = t ? t->fact[i] : 0;
            return true;
        }
    return false;
}

void target_set_fact(Target *t, const char *name, int64_t value)
{
    for (int i = 0; i < NFACT; i++)
        if (strcmp(facts[i].name, name) == 0)
            t->fact[i] = value;
}

static const char *lower_case(Arena *a, const char *name)
{
    char *s = arena_strdup(a, name);
    for (char *p = s; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return s;
}

static bool read_facts(Arena *a, Conf *c, Target *t)
{
    bool ok = true;
    for (int i = 0; i < NFACT; i++)
        if (strcmp(facts[i].family, t->family) == 0)
            ok &= conf_int(c, conf_root(c), lower_case(a, facts[i].name), facts[i].min, facts[i].max, &t->fact[i]);
    return ok;
}

/* The keys that every target has, then those of its family. */
static bool check_keys(Arena *a, Conf *c, const Target *t)
{
    static const struct {
        const char *family; /* NULL: all */
        ConfKey key;
    } rows[] = { { NULL, { "name", true, "the target's name" } },
                 { NULL, { "family", true, "\"cpu\" or \"cuda\"" } },
                 { NULL, { "rank", true, "higher is tried first" } },
                 { NULL, { "fallback", false, NULL } },
                 { "cpu", { "arch", true, "as uname -m says it; \"\": any" } },
                 { "cpu", { "attribute", true, "for __attribute__((target(...))); \"\": none" } },
                 { "cpu", { "runtime_check", true, "a C expression" } },
                 { "cuda", { "gencode", true, "as nvcc -gencode takes it" } },
                 { "cuda", { "exact", false, NULL } } };
    ConfKey keys[sizeof rows / sizeof *rows + NFACT];
    size_t n = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!rows[i].family || strcmp(rows[i].family, t->family) == 0)
            keys[n++] = rows[i].key;
    for (int i = 0; i < NFACT; i++)
        if (strcmp(facts[i].family, t->family) == 0)
            keys[n++] = (ConfKey){ lower_case(a, facts[i].name), true, facts[i].hint };
    return conf_keys(c, conf_root(c), keys, n);
}

/* A word, or several, that will stand in generated code, in a compiler's arguments or in CMake: letters, digits and the signs of `more`. */
static bool read_word(Conf *c, Diag *d, const char *key, const char *more, const char **out)
{
    const ConfSetting *s = conf_member(conf_root(c), key);
    bool ok = conf_string(c, conf_root(c), key, out);
    for (const char *p = *out; ok && *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr(more, *p)) {
            diag_error(d, conf_value_loc(c, s), "'%s': expected letters, digits and '%s', found '%s'", key, more, *out);
            ok = false;
        }
    return ok;
}

/* Its name is a part of names in C. */
static bool read_name(Conf *c, Diag *d, const char **out)
{
    const ConfSetting *s = conf_member(conf_root(c), "name");
    const char *why = s && conf_string_of(c, s, out) ? name_fault(*out) : NULL;
    if (why)
        diag_error(d, conf_value_loc(c, s), "the target '%s' %s", *out, why);
    return **out && !why;
}

bool target_parse(Arena *a, const Source *src, Target *t, Diag *d)
{
    int64_t rank = 0;
    Conf *c = conf_parse(a, src, 0, src->len, d);
    if (!c)
        return false;
    const ConfSetting *root = conf_root(c);
    *t = (Target){ .name = "", .fallback = "", .attribute = "", .runtime_check = "0", .arch = "", .gencode = "" };
    bool ok = family_read(c, &t->family) && check_keys(a, c, t);
    ok &= read_name(c, d, &t->name) & read_word(c, d, "fallback", "_", &t->fallback);
    ok &= read_word(c, d, "arch", "_", &t->arch) & conf_int(c, root, "rank", 0, 1000, &rank);
    ok &= read_word(c, d, "attribute", "_,.=-", &t->attribute);
    ok &= conf_string(c, root, "runtime_check", &t->runtime_check);
    ok &= read_word(c, d, "gencode", "_,=", &t->gencode) & conf_bool(c, root, "exact", &t->exact);
    ok &= read_facts(a, c, t);
    t->rank = (int)rank;
    t->src = src;
    conf_free(c);
    return ok;
}

static bool target_read(Arena *a, const char *path, Target *t, Diag *d)
{
    const Source *src = conf_source(a, path, d);
    return src && target_parse(a, src, t, d);
}

static int by_rank(const void *x, const void *y)
{
    const Target *a = x, *b = y;
    return a->rank != b->rank ? b->rank - a->rank : strcmp(a->name, b->name);
}

bool target_read_all(Arena *a, const char *dir, TargetList *out, Diag *d)
{
    char **path;
    int n;
    *out = (TargetList){ 0 };
    if (!dir_list(a, dir, ".cfg", &path, &n)) {
        Source *folder = ARENA_NEW(a, Source); /* it is printed later */
        folder->path = arena_strdup(a, dir);
        diag_error(d, (Loc){ .src = folder }, "cannot read the folder of targets");
        return false;
    }
    for (int i = 0; i < n && i < TARGET_MAX; i++)
        if (!target_read(a, path[i], &out->t[out->n++], d))
            return false;
    qsort(out->t, (size_t)out->n, sizeof *out->t, by_rank);
    return out->n > 0;
}

const Target *target_find(const TargetList *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->t[i].name, name) == 0)
            return &list->t[i];
    return NULL;
}

bool target_is_fallback(const TargetList *list, const Target *t, const Target *of)
{
    for (int i = 0; i < list->n && of && *of->fallback; i++) {
        of = target_find(list, of->fallback);
        if (of == t)
            return true;
    }
    return false;
}

bool target_is_cuda(const Target *t) { return strcmp(t->family, "cuda") == 0; }

bool target_is_inherited(const Target *t) { return target_is_cuda(t) && !t->exact; }
