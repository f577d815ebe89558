/* SPDX-License-Identifier: Apache-2.0
 *
 * site: where the kernels run, for each kind of target, with GPUs that a script answers for; and where nvcc is looked
 * for.
 */
#include "tests/test.h"
#include <unistd.h>
#include "gen/driver/tools.h"
#include "tests/gen/place.h"
#include "tests/gen/spec_text.h"
#include "tests/open_files.h"

static Workload w;
static TemplateList templates;
static Job job = { .workload = &w, .templates = &templates };
static TargetList targets;
static const char *program;
static const char *command[3]; /* of --runner */
static Options o;
static const volatile int go_on = 0, stop = 1;
static Run run;

static const char gpu[] =
    "{\"id\":\"0123456789abcdef\",\"name\":\"Fake GPU\",\"arch\":\"sm_90\",\"cores\":4,\"l1_bytes\":1,"
    "\"l2_bytes\":2,\"l3_bytes\":0,\"isa\":[\"sm_90a\",\"sm_80\"]}";
static const char cpu[] = "{\"id\":\"0\",\"name\":\"A CPU\",\"arch\":\"x86_64\",\"cores\":4,\"l1_bytes\":1,"
                          "\"l2_bytes\":2,\"l3_bytes\":0,\"isa\":[\"avx2\"]}";

/* The runner is this script from now on. */
static void runner_says(const char *script) { put_program(program, arena_printf(arena, "#!/bin/sh\n%s\n", script)); }

static void runner_prints(const char *text) { runner_says(arena_printf(arena, "echo '%s'", text)); }

static int setup(void **state)
{
    static const char text[] =
        "name = \"x\"; op = \"dense\"; shapes = ( { M = 7; N = 48; K = 64; } ); target = [\"avx2\"];";
    if (place_setup(state))
        return -1;
    Diag *d = diag_new(arena);
    w = (Workload){ .targets = &targets };
    job.spec = spec_text(arena, text, spec_templates, 1, d);
    if (!job.spec || !target_read_all(arena, DCGEN_SOURCE_DIR "/templates/targets", &targets, d) ||
        !template_read_all(arena, job.spec, NULL, 0, &templates, d))
        return -1;
    program = command[0] = in_root("runner");
    command[1] = "word";
    o = (Options){ .runner = { command, 2 }, .nvcc = "nvcc" };
    run = (Run){ .a = arena, .o = &o, .stop = &go_on };
    return 0;
}

static const Site on_cpu = { .family = &family_cpu };

static Site on_gpu(const char *target) { return (Site){ &family_cuda, target_find(&targets, target), false }; }

static void finds(const char *target, bool model, const Site want)
{
    Site s;
    job.target = target;
    if (!site_find(&run, &job, model, &s))
        fail_msg("%s: %s", target, run.err);
    assert_ptr_equal(s.family, want.family);
    assert_ptr_equal(s.target, want.target);
    assert_int_equal(s.modelled, want.modelled);
}

static void finds_none(const char *target, const char *begin, const char *why)
{
    Site s;
    job.target = target;
    assert_false(site_find(&run, &job, false, &s));
    assert_memory_equal(run.err, begin, strlen(begin));
    assert_has(run.err, why);
}

TEST(a_gpu_that_is_there_is_taken)
{
    runner_prints(gpu);
    finds("cuda", false, on_gpu("sm_90a"));
    finds("cuda", true, on_gpu("sm_90a")); /* offline, but which one is to be found out */
    finds("sm_80", false, on_gpu("sm_80"));
    finds("auto", false, on_gpu("sm_90a"));
    finds("sm_80", true, (Site){ &family_cuda, target_find(&targets, "sm_80"), true });
    finds("avx2", false, on_cpu);
    finds("host", false, on_cpu);
}

TEST(one_that_does_not_run_the_target_is_not)
{
    runner_prints(gpu);
    finds_none("sm_86", "no GPU here to measure target 'sm_86' on: ", "Fake GPU does not run it");
    runner_prints(cpu);
    finds_none("cuda", "target 'cuda' asks the GPU of this machine: ", "A CPU does not run it");
    finds("auto", false, on_cpu);
}

/* For "auto" a GPU counts if kernels can be compiled for it, and if a template serves it. */
TEST(auto_takes_what_can_be_used)
{
    char *const path = getenv("PATH"), *const kept = arena_strdup(arena, path ? path : "");
    const TemplateList all = templates;
    runner_prints(gpu);
    templates.n = 0;
    finds("auto", false, on_cpu);
    templates = (TemplateList){ .t = ARENA_ARRAY(arena, (size_t)all.n, const Template *) };
    for (int i = 0; i < all.n; i++)
        if (template_suits(all.t[i], job.spec, target_find(&targets, "sm_90a")) == (templates.n > 0))
            templates.t[templates.n++] = all.t[i];
    assert_true(templates.n > 1); /* the first one is for CPUs, the others for the GPU */
    finds("auto", false, on_gpu("sm_90a"));
    templates.n = 1;
    finds("auto", false, on_cpu);
    templates = all;
    o.nvcc = NULL;
    setenv("PATH", "/nowhere", 1);
    setenv("CUDA_HOME", root, 1);
    runner_says(arena_printf(arena, "echo '%s' >&2; exit 1", "asked in vain"));
    finds("auto", false, on_cpu);
    setenv("PATH", kept, 1);
    unsetenv("CUDA_HOME");
}

TEST(the_targets_name_tells_its_family)
{
    Site s;
    job.target = "avx2";
    assert_ptr_equal(site_family(&job), &family_cpu);
    assert_true(site_find(&run, &job, false, &s));
    assert_ptr_equal(s.family, &family_cpu);
    job.target = "cuda";
    assert_ptr_equal(site_family(&job), &family_cuda);
    job.target = "sm_75";
    assert_ptr_equal(site_family(&job), &family_cuda);
    job.target = "auto";
    assert_null(site_family(&job));
}

static const Site gpu_site = { .family = &family_cuda };

static void is_probed(bool ok, const char *said)
{
    Device d = { .cores = -1 };
    const int open = open_files();
    assert_int_equal(site_device(&run, &job, &gpu_site, &d), ok);
    assert_int_equal(open_files(), open);
    if (ok)
        assert_string_equal(d.name, said);
    else
        assert_has(run.err, said);
}

/* Its words come before --probe; of what it says when it fails, the first line. Nothing stays open. */
TEST(the_runner_is_asked)
{
    runner_says(
        arena_printf(arena, "[ \"$#,$1,$2\" = 2,word,--probe ] && echo '%s'; sleep 300 >/dev/null 2>&1 &", gpu));
    is_probed(true, "Fake GPU");
    runner_says(arena_printf(arena, "echo '%s'; echo 'no driver' >&2; echo 'nor GPU' >&2; exit 7", gpu));
    is_probed(false, "no driver");
    assert_string_equal(run.err, "no driver");
    runner_says("exit 7");
    is_probed(false, "exited with code 7");
    runner_prints("{}");
    is_probed(false, "runner --probe prints no device");
    runner_prints("no JSON");
    is_probed(false, "runner --probe prints no device");
    runner_says("exec sleep 300");
    run.stop = &stop;
    is_probed(false, "interrupted");
    run.stop = &go_on;
    unlink(program);
    is_probed(false, "runner: No such file or directory");
}

/* More than a pipe holds, on either end: it is read while the program runs. */
TEST(much_that_is_said_is_read)
{
    runner_says(arena_printf(
        arena, "head -c 300000 /dev/zero | tr '\\0' x >&2; echo '%s'; head -c 40000 /dev/zero | tr '\\0' ' '", gpu));
    is_probed(true, "Fake GPU");
    runner_says("head -c 300000 /dev/zero | tr '\\0' x");
    is_probed(false, "prints no device");
}

static void put_compiler(const char *path) { put_program(path, "#!/bin/sh\n"); }

/* --nvcc, PATH, CUDA_HOME, the usual place, in this order; a file that cannot be run is none. */
TEST(nvcc_is_looked_for)
{
    const char *bin = in_root("bin"), *nvcc = arena_printf(arena, "%s/nvcc", bin);
    const char *path = arena_strdup(arena, getenv("PATH"));
    const char *usual = in_root("usual"), *last = arena_printf(arena, "%s/bin/nvcc", usual);
    const Options none = { 0 }, named = { .nvcc = "mine" };
    Family f = family_cuda;
    f.compiler.home = usual;
    const char *const made[] = { bin, usual, arena_printf(arena, "%s/bin", usual) };
    for (int i = 0; i < 3; i++)
        assert_int_equal(mkdir(made[i], 0777), 0);
    setenv("PATH", "/nowhere", 1);
    setenv("CUDA_HOME", root, 1);
    assert_null(site_compiler(arena, &none, &f));
    put_compiler(nvcc);
    assert_string_equal(site_compiler(arena, &none, &f), nvcc);
    chmod(nvcc, 0644);
    if (geteuid() != 0 || access(nvcc, X_OK) != 0)
        assert_null(site_compiler(arena, &none, &f));
    put_compiler(last);
    assert_string_equal(site_compiler(arena, &none, &f), access(nvcc, X_OK) == 0 ? nvcc : last);
    put_compiler(nvcc);
    assert_string_equal(site_compiler(arena, &none, &f), nvcc);
    unsetenv("CUDA_HOME");
    assert_string_equal(site_compiler(arena, &none, &f), last);
    setenv("CUDA_HOME", root, 1);
    const char *first = in_root("nvcc");
    put_compiler(first);
    setenv("PATH", root, 1);
    assert_string_equal(site_compiler(arena, &none, &f), first);
    assert_string_equal(site_compiler(arena, &named, &f), "mine");
    setenv("PATH", path, 1);
    unsetenv("CUDA_HOME");
}

TEST_EACH(setup, place_teardown)
