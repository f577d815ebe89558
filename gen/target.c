/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/target.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <xxhash.h>
#include "gen/conf.h"
#include "gen/dir.h"
#include "gen/text.h"

static bool target_read(Arena *a, const char *path, Target *t, Diag *d)
{
    static const ConfKey keys[] = { { "name", true, "the target's name" },
                                    { "family", true, "\"cpu\"" },
                                    { "arch", true, "as uname -m says it; \"\": any" },
                                    { "rank", true, "higher is tried first" },
                                    { "vector_bytes", true, "16, 32 or 64" },
                                    { "vector_registers", true, "how many" },
                                    { "attribute", true, "for __attribute__((target(...))); \"\": none" },
                                    { "runtime_check", true, "a C expression" } };
    int64_t rank = 0;
    const Source *src = conf_source(a, path, d);
    Conf *c = src ? conf_parse(a, src, 0, src->len, d) : NULL;
    if (!c)
        return false;
    const ConfSetting *root = conf_root(c);
    bool ok = conf_keys(c, root, keys, sizeof keys / sizeof *keys);
    ok &= conf_string(c, root, "name", &t->name) & conf_string(c, root, "family", &t->family);
    ok &= conf_string(c, root, "arch", &t->arch) & conf_int(c, root, "rank", 0, 1000, &rank);
    ok &= conf_int(c, root, "vector_bytes", 4, 1024, &t->vector_bytes);
    ok &= conf_int(c, root, "vector_registers", 1, 1024, &t->vector_registers);
    ok &= conf_string(c, root, "attribute", &t->attribute) & conf_string(c, root, "runtime_check", &t->runtime_check);
    t->rank = (int)rank;
    conf_free(c);
    return ok;
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
    Loc nowhere = { .src = &(Source){ .path = arena_strdup(a, dir) } };
    *out = (TargetList){ 0 };
    if (!dir_list(a, dir, ".cfg", &path, &n)) {
        diag_error(d, nowhere, "cannot read the folder of targets");
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
        if ((!*list->t[i].arch || strcmp(list->t[i].arch, out->arch) == 0) &&
            cpu_runs(&list->t[i], cpuinfo ? cpuinfo : ""))
            out->isa[out->nisa++] = list->t[i].name;
    out->id = device_id(a, out);
    return true;
}

void device_set_compiler(Arena *a, Device *d, const char *compiler, const char *flags)
{
    d->compiler = compiler;
    d->flags = flags;
    d->id = device_id(a, d);
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
