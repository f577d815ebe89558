/* SPDX-License-Identifier: Apache-2.0
 *
 * job: finds out what a job's kernels are made for, and what the package has before it.
 */
#include "gen/driver/job.h"

#include <string.h>
#include "gen/target/family.h"

const Target *job_target(Arena *a, const Job *job, const Device *device, const char **err)
{
    const TargetList *targets = job->workload->targets;
    const Target *best = device_best(targets, device);
    if (strcmp(job->target, spec_auto) == 0 || (best && strcmp(job->target, best->family->best) == 0)) {
        if (!best)
            *err = arena_printf(a, "no target suits %s", device->name);
        return best;
    }
    const Target *named = target_find(targets, job->target);
    if (named && device_runs(device, named))
        return named;
    *err = arena_printf(a, "%s cannot run target '%s', so it cannot be tuned for there", device->name, job->target);
    return NULL;
}

bool job_has_template(const Job *job, const Target *t)
{
    for (int i = 0; i < job->templates->n; i++)
        if (template_suits(job->templates->t[i], job->spec, t))
            return true;
    return false;
}

UnitContext job_unit(Arena *a, const Job *job, const Device *device, const Target *target)
{
    return (UnitContext){ .spec = target->family->splits_calls ? job->spec : spec_of_one_thread(a, job->spec),
                          .device = device,
                          .targets = job->workload->targets,
                          .package_dir = job->workload->package_dir,
                          .target = target };
}

const KernelKeys *job_present(Arena *a, const Job *job)
{
    KernelKeys *present = ARENA_NEW(a, KernelKeys);
    for (const Job *before = job->workload->job; before < job; before++) {
        const Assignment *as = before->result->assignment;
        for (int k = 0; as && k < as->nkernel; k++) {
            present->key =
                arena_grow(a, present->key, (size_t)present->n, (size_t)present->n + 1, sizeof *present->key);
            present->key[present->n++] = before->result->study->trial[as->kernel[k]].key;
        }
    }
    return present;
}
