/* SPDX-License-Identifier: Apache-2.0
 *
 * device: what this machine and a typical one are, and what their ids tell apart.
 */
#include "tests/test.h"
#include <sys/utsname.h>
#include "gen/target/device.h"
#include "tests/arena.h"

/* Does it run the code of a target of this name, which is like no other? */
static bool runs(const Device *d, const char *name) { return device_runs(d, &(Target){ .name = name }); }

/* A target whose attribute no CPU has, one of another machine and a GPU's run here as little as one that lacks one
 * feature of two. */
TEST(what_this_cpu_runs)
{
    struct utsname uts;
    assert_int_equal(uname(&uts), 0);
    TargetList list = { 7,
                        { { .name = "none", .family = &family_cpu, .arch = "", .attribute = "no_such_feature" },
                          { .name = "gpu", .family = &family_cuda, .arch = "", .attribute = "" },
                          { .name = "here", .family = &family_cpu, .arch = uts.machine, .attribute = "" },
                          { .name = "there", .family = &family_cpu, .arch = "pdp11", .attribute = "" },
                          { .name = "half", .family = &family_cpu, .arch = "", .attribute = "fpu,no_such_feature" },
                          { .name = "both", .family = &family_cpu, .arch = "", .attribute = "s_se_2,f_pu" },
                          { .name = "any", .family = &family_cpu, .arch = "", .attribute = "" } } };
    Device d, other;
    const char *err = NULL;
    assert_true(device_probe(arena, &list, &d, &err));
#if defined(__x86_64__)
    static const char *const want[] = { "here", "both", "any" };
    assert_int_equal(d.nisa, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(d.isa[i], want[i]);
    list.t[5].attribute = "sse"; /* part of another's name is no feature */
    list.t[4].attribute = "ss";
    list.t[0].attribute = "fpu,fp";
    assert_true(device_probe(arena, &list, &other, &err));
    assert_true(runs(&other, "both") && !runs(&other, "none"));
#endif
    assert_string_equal(d.arch, uts.machine);
    assert_true(*d.compiler == '\0' && *d.flags == '\0');
    assert_true(d.cores >= 1 && d.l1_bytes >= 4096 && d.l2_bytes > 0 && d.l3_bytes > 0 && *d.name && !d.modelled);
    assert_true(runs(&d, "here") && runs(&d, "any"));
    assert_false(runs(&d, "gpu") || runs(&d, "there") || runs(&d, "half") || runs(&d, ""));
    assert_string_equal(device_best(&list, &d)->name, "here");
    assert_null(device_best(&(TargetList){ 1, { { .name = "none" } } }, &d));
    list = (TargetList){ .n = 10 };
    for (int i = 0; i < 10; i++)
        list.t[i] =
            (Target){ .name = arena_printf(arena, "t%d", i), .family = &family_cpu, .arch = "", .attribute = "" };
    assert_true(device_probe(arena, &list, &d, &err)); /* no more than there is room for */
    assert_int_equal(d.nisa, 8);
}

/* Whatever times depend on has a part in the id. */
TEST(ids_tell_machines_apart)
{
    const Device one = { .name = "n",
                         .arch = "x86_64",
                         .cores = 2,
                         .l1_bytes = 3,
                         .l2_bytes = 4,
                         .l3_bytes = 5,
                         .nisa = 2,
                         .isa = { "a", "b" } };
    Device other[10] = { one, one, one, one, one, one, one, one, one, one };
    other[1].name = "m";
    other[2].arch = "arm";
    other[3].cores = 3;
    other[4].l1_bytes = 4;
    other[5].l2_bytes = 5;
    other[6].l3_bytes = 6;
    other[7].isa[1] = "c";
    Device again = one;
    device_set_compiler(arena, &again, &family_cpu, "cc", "-O3");
    assert_int_equal(strlen(again.id), 16);
    assert_true(strcmp(again.compiler, "cc") == 0 && strcmp(again.flags, "-O3") == 0);
    for (int i = 0; i < 10; i++) {
        device_set_compiler(arena, &other[i], &family_cpu, i == 8 ? "cc 2" : "cc", i == 9 ? "-O2" : "-O3");
        assert_int_equal(strcmp(other[i].id, again.id) != 0, i > 0);
    }
}

/* The driver of a GPU is known by the id that its own runner gave, which stays a part of the new one. */
TEST(a_gpu_keeps_what_its_id_told)
{
    Device one = { .id = "driver 1", .name = "n", .arch = "sm_90a" }, two = one, cpu_one = one, cpu_two = one;
    two.id = cpu_two.id = "driver 2";
    device_set_compiler(arena, &one, &family_cuda, "nvcc", "-O3");
    device_set_compiler(arena, &two, &family_cuda, "nvcc", "-O3");
    device_set_compiler(arena, &cpu_one, &family_cpu, "nvcc", "-O3");
    device_set_compiler(arena, &cpu_two, &family_cpu, "nvcc", "-O3");
    assert_string_not_equal(one.id, two.id);
    assert_string_equal(cpu_one.id, cpu_two.id);
    assert_string_equal(one.flags, "-O3");
}

/* Where a target's code is that of another, it runs where that runs, and the device does not list it: its id is the
 * same with and without. */
TEST(targets_with_the_code_of_others)
{
    const Target any = { .name = "any", .family = &family_cpu, .arch = "", .attribute = "" };
    const Target none = { .name = "none", .family = &family_cpu, .arch = "", .attribute = "no_such_feature" };
    TargetList list = { 4,
                        { { .name = "like_none", .base = &none, .same_code = true },
                          { .name = "new_code", .base = &any },
                          { .name = "like_any", .base = &any, .same_code = true },
                          any } };
    for (int i = 0; i < 3; i++)
        list.t[i].family = &family_cpu, list.t[i].arch = "", list.t[i].attribute = "no_such_feature";
    Device d, alone;
    const char *err = NULL;
    assert_true(device_probe(arena, &list, &d, &err));
    assert_true(device_probe(arena, &(TargetList){ 1, { any } }, &alone, &err));
    assert_int_equal(d.nisa, 1);
    assert_string_equal(d.id, alone.id);
    assert_false(device_runs(&d, &list.t[0]) || device_runs(&d, &list.t[1]));
    assert_true(device_runs(&d, &list.t[2]) && device_runs(&d, &list.t[3]));
    assert_string_equal(device_best(&list, &d)->name, "like_any");
    const Device typical = device_typical(arena, &list.t[2]), of_any = device_typical(arena, &any); /* each is of one */
    assert_true(device_runs(&typical, &list.t[2]) && !device_runs(&typical, &list.t[3]));
    assert_true(device_runs(&of_any, &list.t[3]) && !device_runs(&of_any, &list.t[2]));
}

TEST(typical_devices)
{
    Target t = { .name = "sm_77", .family = &family_cuda };
    target_set_fact(&t, "SMS", 101);
    target_set_fact(&t, "SMEM_SM", 1026);
    target_set_fact(&t, "L2_SIZE", 41943040);
    const Device d = device_typical(arena, &t);
    assert_string_equal(d.name, "typical sm_77 device");
    assert_string_equal(d.arch, "sm_77");
    assert_int_equal(d.sms, 101);
    assert_int_equal(d.smem_bytes, 1026);
    assert_int_equal(d.l2_bytes, 41943040);
    assert_int_equal(d.nisa, 1);
    assert_true(runs(&d, "sm_77") && d.modelled);
    assert_int_equal(strlen(d.id), 16);
}

TEST_FILE(setup, teardown)
