/* SPDX-License-Identifier: Apache-2.0
 *
 * made_up: dcgen in a folder of its own, with templates whose kernels are short, and records of what nobody measured,
 * so that `replay` makes packages at once. For tests of what is in a package, whatever is in it.
 */
#ifndef DCGEN_TEST_MADE_UP_H
#define DCGEN_TEST_MADE_UP_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "tests/test.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "gen/base/dir.h"
#include "gen/base/index.h"
#include "gen/base/text.h"
#include "gen/spec/spec.h"
#include "gen/unit/unit.h"
#include "search/record/study.h"
#include "search/space/space.h"
#include "tests/gen/kernel_record.h"
#include "tests/kept_list.h"
#include "tests/put_file.h"

static Arena *arena;
static const char *root, *share, *dcgen;

static inline const char *in(const char *folder, const char *name)
{
    return arena_printf(arena, "%s/%s", folder, name);
}

static inline char *read_text(const char *path, size_t *n)
{
    char *text = text_read_file(arena, path, n);
    if (!text)
        fail_msg("%s is missing", path);
    return text;
}

/* Its exit code; what it said is in root/said. */
__attribute__((format(printf, 1, 2))) static inline int shell(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const int status =
        system(arena_printf(arena, "cd %s && { %s; } >said 2>&1 </dev/null", root, arena_vprintf(arena, fmt, ap)));
    va_end(ap);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* What `shell` gave is 0; if not, the test ends with what was said. */
static inline void must(int code)
{
    size_t n;
    if (code != 0)
        fail_msg("%.2000s", read_text(in(root, "said"), &n));
}

/* ---- the tree ---- */

static inline int made_up_setup(void **state)
{
    static char folder[] = "/tmp/dcgen-test-made-up-XXXXXX";
    (void)state;
    arena = arena_new();
    root = mkdtemp(folder);
    share = in(root, "share/dcgen/templates");
    dcgen = in(root, "bin/dcgen");
    assert_int_equal(shell("mkdir -p bin %s/dense && cp " DCGEN_BINARY_DIR "/dcgen bin", share), 0);
    assert_int_equal(shell("cd " DCGEN_SOURCE_DIR "/templates && cp -R targets family package device vector %s", share),
                     0);
    assert_int_equal(shell("cd " DCGEN_SOURCE_DIR
                           "/templates/dense && cp op.cfg reference.c pack.c library.c library.cu " DCGEN_SOURCE_DIR
                           "/tests/cli/templates/dense/plain.* %s/dense",
                           share),
                     0);
    return 0;
}

static inline int made_up_teardown(void **state)
{
    (void)state;
    const int code = shell("rm -rf -- %s", root);
    arena_free(arena);
    return code;
}

/* ---- packages whose names are replaced ---- */

/* The text, with name[k] wherever stand_in[k] is. */
static inline const char *renamed(const char *text, const char *const *stand_in, const char *const *name, size_t n)
{
    Text out = { .arena = arena };
    for (; *text; text++) {
        size_t k = 0;
        while (k < n && strncmp(text, stand_in[k], strlen(stand_in[k])) != 0)
            k++;
        text_addn(&out, k < n ? name[k] : text, k < n ? strlen(name[k]) : 1);
        text += k < n ? strlen(stand_in[k]) - 1 : 0;
    }
    return text_str(&out);
}

/* The C files of root/pkg in the folder root/try. */
static inline void try_renamed(const char *const *stand_in, const char *const *name, size_t n)
{
    static const char *const suffix[] = { ".c", ".h" };
    assert_int_equal(shell("rm -rf try && mkdir try"), 0);
    for (int i = 0; i < 2; i++) {
        char **path;
        int npath;
        size_t size;
        assert_true(dir_list(arena, in(root, "pkg"), suffix[i], &path, &npath));
        for (int k = 0; k < npath; k++)
            put_file(in(in(root, "try"), renamed(strrchr(path[k], '/') + 1, stand_in, name, n)),
                     renamed(read_text(path[k], &size), stand_in, name, n));
    }
}

/* ---- records ---- */

/* n: its place among the function's kernels, which says what became of it and its times. */
static inline void add_trial(RecordFile *f, const Study *s, const Candidate *c, const char *context, int n, bool timed,
                             const char *text)
{
    const char *err = NULL;
    const Device *d = &record_all(f)->device[record_all(f)->ndevice - 1]; /* as the file has it */
    KernelRecord k = kernel_record(c, candidate_key(arena, c, context, d), d);
    k.status = n == 3 ? STATUS_BUILD_FAILED : STATUS_OK;
    k.n = n + 1;
    k.nfact = 1;
    k.fact = KEPT(Param, { "spilled", 0 });
    k.why = text;
    assert_true(record_add_kernel(f, &k, &err));
    for (int64_t j = 0; timed && k.status == STATUS_OK && j < s->nshape; j++) {
        if (!candidate_serves(c, s->spec, s->shape[j]->extent))
            continue;
        const double ns = 1000 + 100 * (double)((n + j) % 3) + 7 * n;
        MeasureRecord m = { .key = k.key,
                            .device = d->id,
                            .naxis = s->spec->op->ngiven,
                            .extent = s->shape[j]->extent,
                            .threads = 1,
                            .nsample = 2,
                            .ns = KEPT(double, ns, ns + 1),
                            .anchor_ns = 1000,
                            .final = true,
                            .max_err = 0.1,
                            .why = text };
        assert_true(record_add_measure(f, &m, &err));
    }
}

/* Is it a general kernel that serves every call, behind the first general kernel, which does not? */
static inline bool serves_the_rest(const Space *space, const Candidate *c, const Spec *spec)
{
    return candidate_is_general(c) && candidate_serves_all(c, spec) && !candidate_serves_all(&space->general[0], spec);
}

/* Adds five kernels of a function, on the tuned shapes that they serve; and the general ones for other calls, never
 * timed. */
static inline void add_function(RecordFile *f, const Spec *spec, const TargetList *targets, const Target *target,
                                const Device *device, const char *text)
{
    Diag *d = diag_new(arena);
    TemplateList templates;
    assert_true(template_read_all(arena, spec, NULL, 0, &templates, d));
    const UnitContext u = { spec, device, targets, in(share, "package"), target };
    const char *context = unit_context_hash(arena, &u);
    const Space *space = space_make(arena, spec, &templates, target, device, d);
    Study *study = study_new(arena, spec, device, target, context);
    assert_non_null(space);
    add_trial(f, study, &space->general[0], context, 0, true, text);
    for (int i = 1; i < space->ngeneral; i++)
        if (serves_the_rest(space, &space->general[i], spec))
            add_trial(f, study, &space->general[i], context, 0, false, text);
    const int64_t step = space->n > 20 ? space->n / 5 : 1; /* of all templates */
    for (int64_t i = 0, n = 1; i < space->n && n < 5; i += step)
        if (!candidate_same(&space->candidate[i], &space->general[0]) &&
            !serves_the_rest(space, &space->candidate[i], spec))
            add_trial(f, study, &space->candidate[i], context, (int)n++, true, text);
}

/* Adds what a search for all functions finds, as if a device of that name had been measured with such a compiler and
 * flags. */
static inline void add_records(const char *path, const char *spec_path, const char *target_name, const char *text)
{
    const bool cuda = strncmp(target_name, "sm_", 3) == 0;
    const char *folder[] = { share }, *err = NULL;
    Diag *d = diag_new(arena);
    TargetList targets;
    Source src = { .path = spec_path };
    src.text = read_text(spec_path, &src.len);
    const SpecFile *file = spec_file_parse(arena, &src, folder, 1, d);
    Device device = { .id = arena_printf(arena, "%016" PRIx64, index_hash(target_name, strlen(target_name), 0)),
                      .name = text,
                      .arch = cuda ? target_name : "x86_64",
                      .cores = 4,
                      .l1_bytes = 32768,
                      .l2_bytes = 1 << 20,
                      .l3_bytes = 1 << 24,
                      .compiler = text,
                      .flags = text,
                      .nisa = cuda ? 1 : 3,
                      .isa = { target_name, "avx2", "portable" } };
    assert_true(file && target_read_all(arena, in(share, "targets"), &targets, d));
    RecordFile *f = record_open(arena, path, stderr, &err);
    assert_true(f && record_add_device(f, &device, &err));
    for (int i = 0; i < file->nfunction; i++)
        add_function(f, file->function[i], &targets, target_find(&targets, target_name), &device, text);
    LimitRecord l = { .device = device.id,
                      .target = target_name,
                      .dtype = "f32",
                      .threads = 1,
                      .flops_per_s = 1e11,
                      .bytes_per_s = { 1e11, 1e11, 1e11, 1e10 } };
    assert_true(record_add_limit(f, &l, &err));
    record_close(f);
}

static inline void make_records(const char *path, const char *spec_path, const char *target_name, const char *text)
{
    remove(path);
    add_records(path, spec_path, target_name, text);
}

#endif
