/* SPDX-License-Identifier: Apache-2.0
 *
 * tools: what kernels are compiled with, and the folders that record files are made in.
 * ctest: replaces
 */
#define _GNU_SOURCE /* sched_getaffinity */
#include "tests/test.h"
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "gen/driver/tools.h"
#include "tests/gen/place.h"
#include "tests/open_files.h"

static const char *joined(const char *const *flags)
{
    const char *all = "";
    for (int i = 0; flags[i]; i++)
        all = arena_printf(arena, "%s%s%s", all, i ? " " : "", flags[i]);
    return all;
}

TEST(compilers_have_their_flags)
{
    const char *const gencode = "arch=compute_90a,code=sm_90a";
    const Options o = { .cc = "my-cc", .cxx = "my-cxx" };
    const Toolchain cc = tools_cc(arena, &o), so = toolchain_make(arena, "my-nvcc", &family_cuda, gencode, false),
                    cubin = toolchain_make(arena, "my-nvcc", &family_cuda, gencode, true),
                    emu = toolchain_emulator(arena, o.cxx, "there/package");
    assert_string_equal(cc.program, "my-cc");
    assert_string_equal(joined(cc.flags), "-std=gnu17 -O3 -ffp-contract=fast -frename-registers -fPIC");
    assert_string_equal(so.program, "my-nvcc");
    assert_string_equal(joined(so.flags), "-std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -Xptxas -v -shared "
                                          "-Xcompiler -fPIC -cudart none --no-compress");
    assert_string_equal(so.shipped, "-std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a");
    assert_string_equal(so.source, ".cu");
    assert_string_equal(so.product, ".so");
    assert_true(so.keep_log); /* registers and spills are read from it */
    assert_string_equal(joined(cubin.flags), "-std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a -Xptxas -v -cubin");
    assert_string_equal(cubin.product, ".cubin");
    assert_true(cubin.keep_log);
    assert_string_equal(emu.program, "my-cxx");
    const char *flags = joined(emu.flags), *last = strstr(flags, "-I there/package/../device/emulator");
    assert_non_null(last);
    assert_string_equal(last, "-I there/package/../device/emulator");
    assert_has(flags, " -fsanitize=thread ");
    assert_string_equal(emu.product, ".so");
}

/* How many bytes a mask must have that the system fills: those of a machine with so many cores; 0: this one. */
static size_t mask_bytes;

/* The system's, but on a machine with more cores than there are here: those are not this process's. */
int sched_getaffinity(pid_t process, size_t bytes, cpu_set_t *mask)
{
    if (bytes < mask_bytes) {
        errno = EINVAL;
        return -1;
    }
    memset(mask, 0, bytes);
    return syscall(SYS_sched_getaffinity, process, bytes, mask) < 0 ? -1 : 0;
}

/* One compiler a core that this process may run on. */
TEST(compilers_run_on_our_cores)
{
    cpu_set_t mine, one;
    assert_int_equal(sched_getaffinity(0, sizeof mine, &mine), 0);
    assert_int_equal(tools_jobs(&(Options){ .jobs = 7 }), 7);
    assert_int_equal(tools_jobs(&(Options){ 0 }), CPU_COUNT(&mine));
    int core = 0;
    while (!CPU_ISSET(core, &mine))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(tools_jobs(&(Options){ 0 }), 1);
    sched_setaffinity(0, sizeof mine, &mine);
    mask_bytes = 8 * sizeof mine;
    assert_int_equal(tools_jobs(&(Options){ 0 }), CPU_COUNT(&mine));
    mask_bytes = 0;
}

TEST(folders_of_the_records_are_made)
{
    const int open = open_files();
    const char *path = in_root("a/b/c.jsonl");
    const Options o = { 0 };
    Run r = { .a = arena, .o = &o };
    for (int i = 0; i < 2; i++) { /* not there, then there */
        Tools t = { 0 };
        if (!tools_open_records(&r, &(Job){ .records = path }, &t))
            fail_msg("%s", r.err);
        tools_close(&r, &t);
        assert_int_equal(open_files(), open);
    }
    assert_int_equal(access(path, F_OK), 0);
    Tools t = { 0 };
    assert_true(tools_open_records(&r, &(Job){ .records = path, .fresh = true }, &t));
    tools_close(&r, &t);
    assert_int_equal(chdir(root), 0);
    t = (Tools){ 0 };
    assert_true(tools_open_records(&r, &(Job){ .records = "d/e.jsonl" }, &t));
    tools_close(&r, &t);
    assert_int_equal(access(in_root("d/e.jsonl"), F_OK), 0);
    t = (Tools){ 0 };
    const char *below = arena_printf(arena, "%s/x/y.jsonl", path);
    assert_false(tools_open_records(&r, &(Job){ .records = below }, &t));
    assert_has_all(r.err, "cannot create the folder '", "c.jsonl/x': Not a directory");
    assert_null(t.records);
    assert_int_equal(open_files(), open);
    assert_int_equal(chdir("/"), 0);
}

TEST_EACH(place_setup, place_teardown)
