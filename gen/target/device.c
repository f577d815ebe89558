/* SPDX-License-Identifier: Apache-2.0
 *
 * device: this machine as a Device, or a typical GPU of a target; and the id under which its measurements are kept.
 */
#include "gen/target/device.h"

#include <hwloc.h>
#include <string.h>
#include <xxhash.h>
#include "gen/base/text.h"
#include "gen/target/arch.h"

/* A copy of n characters, without each "_": gcc says avx512bf16, Linux avx512_bf16. */
static char *without_underscores(Arena *a, const char *s, size_t n)
{
    char *out = arena_strndup(a, s, n), *to = out;
    for (const char *from = out; *from; from++)
        if (*from != '_')
            *to++ = *from;
    *to = '\0';
    return out;
}

/* A CPU runs a target when it has every feature that the target's code is compiled for. */
static bool cpu_runs(Arena *a, const Target *t, const char *arch, const char *cpuinfo)
{
    const Arch *row = arch_find(arch);
    const char *line = row ? strstr(cpuinfo, arena_printf(a, "\n%s", row->features)) : NULL;
    const char *has = line ? arena_printf(a, "%s ", without_underscores(a, line + 1, strcspn(line + 1, "\n"))) : "";
    for (const char *p = t->attribute; *p;) {
        const size_t n = strcspn(p, ",");
        if (!strstr(has, arena_printf(a, " %s ", without_underscores(a, p, n))))
            return false;
        p += n + (p[n] == ',');
    }
    return true;
}

static int64_t cache_bytes(hwloc_topology_t topo, hwloc_obj_type_t type, int64_t unknown)
{
    const hwloc_obj_t obj = hwloc_get_obj_by_type(topo, type, 0);
    return obj && obj->attr->cache.size ? (int64_t)obj->attr->cache.size : unknown;
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

bool device_probe(Arena *a, const TargetList *list, Device *out, const char **err)
{
    hwloc_topology_t topo;
    const char *cpuinfo = text_read_file(a, "/proc/cpuinfo", NULL);
    const bool has_topo = hwloc_topology_init(&topo) == 0;
    if (!has_topo || hwloc_topology_load(topo)) {
        if (has_topo)
            hwloc_topology_destroy(topo);
        *err = "cannot read this machine's topology";
        return false;
    }
    const int cores = hwloc_get_nbobjs_by_type(topo, HWLOC_OBJ_CORE);
    /* A machine that hides its caches is taken for a small one, so that no candidate is too large for it. */
    const int64_t l2 = cache_bytes(topo, HWLOC_OBJ_L2CACHE, 256 << 10);
    *out = (Device){ .name = cpu_name(a, topo),
                     .arch = arch_here(),
                     .cores = cores > 0 ? cores : 1,
                     .l1_bytes = cache_bytes(topo, HWLOC_OBJ_L1CACHE, 32 << 10),
                     .l2_bytes = l2,
                     .l3_bytes = cache_bytes(topo, HWLOC_OBJ_L3CACHE, l2),
                     .compiler = "",
                     .flags = "" };
    hwloc_topology_destroy(topo);
    for (int i = 0; i < list->n && out->nisa < DEVICE_MAX_ISA; i++)
        if (!list->t[i].family->off_cpu && !list->t[i].same_code &&
            (!*list->t[i].arch || strcmp(list->t[i].arch, out->arch) == 0) &&
            cpu_runs(a, &list->t[i], out->arch, cpuinfo ? cpuinfo : ""))
            out->isa[out->nisa++] = list->t[i].name;
    out->id = device_id(a, out);
    return true;
}

Device device_typical(Arena *a, const Target *t)
{
    Device d = { .name = arena_printf(a, "typical %s device", t->name),
                 .arch = t->name,
                 .sms = (int)target_number(t, "SMS"),
                 .smem_bytes = target_number(t, "SMEM_SM"),
                 .l2_bytes = target_number(t, "L2_SIZE"),
                 .nisa = 1,
                 .isa = { t->name },
                 .compiler = "",
                 .flags = "",
                 .modelled = true };
    d.id = device_id(a, &d);
    return d;
}

void device_set_compiler(Arena *a, Device *d, const Family *f, const char *compiler, const char *flags)
{
    d->compiler = compiler;
    /* the id that the device came with tells which release of that system there is */
    d->flags = f->system ? arena_printf(a, "%s|%s", flags, d->id) : flags;
    d->id = device_id(a, d);
    d->flags = flags;
}

bool device_runs(const Device *d, const Target *t)
{
    while (names_find(NAMES(d->isa, d->nisa), t->name) < 0 && t->same_code && !d->modelled)
        t = t->base;
    return names_find(NAMES(d->isa, d->nisa), t->name) >= 0;
}

const Target *device_best(const TargetList *list, const Device *device)
{
    const Target *t = list->t, *end = t + list->n;
    while (t < end && !device_runs(device, t))
        t++;
    return t < end ? t : NULL;
}
