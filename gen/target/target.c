/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/target/target.h"

#include <ctype.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <xxhash.h>
#include "gen/base/conf.h"
#include "gen/base/dir.h"
#include "gen/base/name.h"
#include "gen/base/text.h"
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

static int64_t fact_of(const Target *t, const char *name)
{
    int64_t value = 0;
    target_fact(t, name, &value);
    return value;
}

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

/* Compares feature names without "_": gcc says avx512bf16, Linux avx512_bf16. */
static bool same_feature(const char *a, size_t na, const char *b, size_t nb)
{
    size_t i = 0, j = 0;
    for (;;) {
        while (i < na && a[i] == '_')
            i++;
        while (j < nb && b[j] == '_')
            j++;
        if (i == na || j == nb)
            return i == na && j == nb;
        if (a[i++] != b[j++])
            return false;
    }
}

static bool has_feature(const char *flags, const char *feature, size_t len)
{
    for (const char *p = flags; *p && *p != '\n';) {
        size_t n = strcspn(p, " \n");
        if (n && same_feature(p, n, feature, len))
            return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

/* A CPU runs a target when it has every feature that the target's code is compiled for. */
static bool cpu_runs(const Target *t, const char *cpuinfo)
{
    const char *flags = strstr(cpuinfo, "\nflags");
    flags = flags ? strchr(flags, ':') : NULL;
    for (const char *p = t->attribute; *p;) {
        size_t n = strcspn(p, ",");
        if (!flags || !has_feature(flags + 1, p, n))
            return false;
        p += n + (p[n] == ',');
    }
    return true;
}

static int64_t cache_bytes(hwloc_topology_t topo, hwloc_obj_type_t type)
{
    hwloc_obj_t obj = hwloc_get_obj_by_type(topo, type, 0);
    return obj ? (int64_t)obj->attr->cache.size : 0;
}

static const char *cpu_name(Arena *a, hwloc_topology_t topo)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topo, HWLOC_OBJ_PACKAGE, 0);
    const char *name = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    return arena_strdup(a, name && *name ? name : "unknown CPU");
}

static const char *device_id(Arena *a, const Device *d)
{
    Text t = { .arena = a };
    text_printf(&t, "%s|%s|%d|%lld|%lld|%lld|%s|%s|", d->name, d->arch, d->cores, (long long)d->l1_bytes,
                (long long)d->l2_bytes, (long long)d->l3_bytes, d->compiler, d->flags);
    for (int i = 0; i < d->nisa; i++)
        text_printf(&t, "%s,", d->isa[i]);
    return arena_printf(a, "%016llx", (unsigned long long)XXH3_64bits(text_str(&t), t.len));
}

bool target_probe(Arena *a, const TargetList *list, const char *compiler, const char *flags, Device *out,
                  const char **err)
{
    hwloc_topology_t topo;
    struct utsname uts;
    size_t len;
    const char *cpuinfo = text_read_file(a, "/proc/cpuinfo", &len);
    *out = (Device){ .compiler = compiler, .flags = flags };
    if (uname(&uts) || hwloc_topology_init(&topo)) {
        *err = "cannot read this machine's topology";
        return false;
    }
    if (hwloc_topology_load(topo)) {
        hwloc_topology_destroy(topo);
        *err = "cannot read this machine's topology";
        return false;
    }
    out->arch = arena_strdup(a, uts.machine);
    out->name = cpu_name(a, topo);
    int cores = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_CORE);
    out->cores = cores > 0 ? cores : 1;
    /* A machine that hides its caches is taken for a small one, so that no candidate is too large for it. */
    int64_t l1 = cache_bytes(topo, HWLOC_OBJ_L1CACHE), l2 = cache_bytes(topo, HWLOC_OBJ_L2CACHE),
            l3 = cache_bytes(topo, HWLOC_OBJ_L3CACHE);
    out->l1_bytes = l1 ? l1 : 32 << 10;
    out->l2_bytes = l2 ? l2 : 256 << 10;
    out->l3_bytes = l3 ? l3 : out->l2_bytes;
    hwloc_topology_destroy(topo);
    for (int i = 0; i < list->n && out->nisa < 8; i++)
        if (!target_is_cuda(&list->t[i]) && (!*list->t[i].arch || strcmp(list->t[i].arch, out->arch) == 0) &&
            cpu_runs(&list->t[i], cpuinfo ? cpuinfo : ""))
            out->isa[out->nisa++] = list->t[i].name;
    out->id = device_id(a, out);
    return true;
}

Device target_typical_device(Arena *a, const Target *t)
{
    Device d = { .name = arena_printf(a, "typical %s device", t->name),
                 .arch = t->name,
                 .cores = (int)fact_of(t, "SMS"),
                 .l1_bytes = fact_of(t, "SMEM_SM"),
                 .l2_bytes = fact_of(t, "L2_SIZE"),
                 .nisa = 1,
                 .isa = { t->name },
                 .compiler = "",
                 .flags = "",
                 .modelled = true };
    d.id = device_id(a, &d);
    return d;
}

void device_set_compiler(Arena *a, Device *d, const char *compiler, const char *flags)
{
    const bool cuda = strncmp(d->arch, "sm_", 3) == 0; /* the driver is in such a device's own id */
    d->compiler = compiler;
    d->flags = cuda ? arena_printf(a, "%s|%s", flags, d->id) : flags;
    d->id = device_id(a, d);
    d->flags = flags;
}

bool device_runs(const Device *d, const char *target)
{
    for (int i = 0; i < d->nisa; i++)
        if (strcmp(d->isa[i], target) == 0)
            return true;
    return false;
}

const Target *target_best(const TargetList *list, const Device *device)
{
    for (int i = 0; i < device->nisa; i++) {
        const Target *t = target_find(list, device->isa[i]);
        if (t)
            return t;
    }
    return NULL;
}
