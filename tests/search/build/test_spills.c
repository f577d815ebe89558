/* SPDX-License-Identifier: Apache-2.0
 *
 * Assembly as gcc and clang write it, assembly that is none, and what this machine's compilers make of C; registers and
 * spills from what nvcc says, and from texts that only look like it.
 */
#include "tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "search/build/spills.h"

static SpillReport read(const char *text)
{
    SpillReport r;
    spills_read(arch_find("x86_64")->assembly, text, &r);
    return r;
}

static void expect_report(const SpillReport *r, int loops, int stored, int loaded, int multiplications)
{
    assert_int_equal(r->loops, loops);
    assert_int_equal(r->stored, stored);
    assert_int_equal(r->loaded, loaded);
    assert_int_equal(r->multiplications, multiplications);
}

static void expect(const char *text, int loops, int stored, int loaded, int multiplications)
{
    const SpillReport r = read(text);
    expect_report(&r, loops, stored, loaded, multiplications);
}

TEST(test_clean_loop)
{
    expect("k:\n\t.cfi_startproc\n\tvmovaps\t%zmm7, 64(%rsp)\n"
           ".L2:\n\tvbroadcastss\t(%rcx,%rdx,2), %zmm12\n#APP\n# 128 \"k.c\" 1\n\tvfmadd231ps %zmm3, %zmm12, %zmm10\n# "
           "0 \"\" 2\n#NO_APP\n"
           "\taddq\t$4, %rcx\n\tjne\t.L2\n\tvmovaps\t64(%rsp), %zmm7\n\tret\n",
           1, 0, 0, 1);
}

TEST(test_spilling_loop)
{
    const char *loop =
        ".L2:\n\tvmovaps\t1024(%rsp), %zmm13\n\tvfmadd231ps\t%zmm3, %zmm12, %zmm13\n\tvmovaps\t%zmm13, 1024(%rsp)\n"
        "\tvfmadd231ps\t-64(%rsp), %zmm12, %zmm1 # a comment, (%rsp)\n\tsubq\t$1, %rdi\n\tjne\t.L2\n";
    expect(loop, 1, 1, 2, 2);
    expect(
        "\tmulps\t%xmm1, %xmm2\n.LBB0_3:                # =>This Inner Loop\n\tmulps\t(%rsp), %xmm2 \n\tjb .LBB0_3\n",
        1, 0, 1, 1);
}

/* Of the loop that multiplies most, of equal ones the shortest, all instructions count: for 100 multiplications. */
TEST(test_instructions)
{
#define TWICE "\tvmulps\t%ymm0, %ymm1, %ymm2\n\tvmulps\t%ymm0, %ymm1, %ymm3\n"
    const char *loops =
        ".L1:\n\tvmulps\t%ymm0, %ymm1, %ymm2\n\tvmovups\t%ymm0, 8(%rsp)\n\tvmovups\t8(%rsp), %ymm0\n\tjne .L1\n"
        ".L2:\n" TWICE "\taddq\t$8, %rax\n\tincq\t%rbx\n\tjne .L2\n.L3:\n" TWICE "\tincq\t%rbx\n\tjne .L3\n\tret\n";
    expect(loops, 3, 1, 1, 1);
    assert_int_equal(read(loops).instructions, 200);
    assert_int_equal(read("\tmulps\t%xmm1, %xmm2\n\tret\n").instructions, 0);
}

/* The worst loop counts; one without a multiplication, as of copies, is none. */
TEST(test_several_loops)
{
    expect(".L1:\n\tvmovups\t%ymm0, 8(%rsp)\n\tjne .L1\n"
           ".L2:\n\tvmulps\t%ymm0, %ymm1, %ymm2\n\tjne .L2\n"
           ".L3:\n\tvmulps\t%ymm0, %ymm1, %ymm2\n\tvmulpd\t%ymm0, %ymm1, %ymm2\n\tvmovups\t%ymm0, 8(%rsp)\n\tjne .L3\n"
           ".L4:\n\tvpdpbusd\t%ymm0, %ymm1, %ymm2\n\tjne .L4\n",
           3, 1, 0, 2);
}

/* Where the result is the first operand, and a store's is memory. Scalars are no vectors, x29 is a pointer until it is
 * the frame's. */
TEST(test_aarch64)
{
    SpillReport r;
    const char *text =
        "k:\n\t.cfi_startproc\n\tmov\tx29, sp\n\tstr\tq9, [sp, 48]\n"
        ".L2:\n\tldr\tq0, [x1], 16\n\tldp\tq1, q2, [x2, #32]\n\tldr\ts3, [sp, 8]\n\tfmla\tv4.4s, v0.4s, v1.s[0]\n"
        "\tfmul\ts5, s6, s7\n\tld1r\t{v8.4s}, [x3]\n\tldr\tq9, [sp, 48]\n\tldr\tq9, [x29, 64]\n\tstr\tq4, [x4], 16\n"
        "\tstp\tq4, q9, [sp]\n\tbsl\tv1.16b, v2.16b, v3.16b\n\tfmla\tv9.4s, v2.4s, v8.4s\n\tcmp\tx5, 0\n\tbne\t.L2\n"
        ".LBB0_1:                                // =>This Inner Loop\n\tfmul\tv0.4s, v0.4s, v1.4s\n\tcbnz\tx8, "
        ".LBB0_1\n"
        ".L3:\n\tfmul\tv0.4s, v0.4s, v1.4s\n\tbl\tmemcpy\n\tb.ne\t.L3\n";
    spills_read(arch_find("aarch64")->assembly, text, &r);
    expect_report(&r, 2, 1, 2, 2);
    assert_true(r.loads == 5 && r.stores == 2);
}

typedef struct {
    int n;
    SpillReport loop[4];
    char function[4][16];
} Loops;

static void keep_loop(void *ctx, const char *function, int len, const SpillReport *loop)
{
    Loops *l = ctx;
    assert_true(l->n < 4 && len < 16);
    l->loop[l->n] = *loop;
    snprintf(l->function[l->n++], 16, "%.*s", len, function);
}

/* Every loop, one that computes a formula too, with what it moves from and to memory. */
TEST(test_each_loop)
{
    Loops l = { 0 };
    spills_loops(
        arch_find("x86_64")->assembly,
        "k:\n.L1:\n\tvmovups\t(%rax), %ymm0\n\tjne .L1\n"
        ".L2:\n\tvfmadd231ps\t(%rdi,%rax), %ymm1, %ymm2\n\tvbroadcastss\t8(%rsi), %ymm3\n\tvmovups\t%ymm2, 8(%rdi)\n"
        "\tmovq\t%rax, 8(%rcx)\n\tprefetcht0\t(%rcx)\n\tjne .L2\n"
        "k_finish:\n.L3:\n\tvmulps\t(%rsp), %ymm1, %ymm2\n\tjmp .L3\n",
        keep_loop, &l);
    assert_int_equal(l.n, 2);
    assert_string_equal(l.function[0], "k");
    assert_int_equal(l.loop[0].multiplications, 1);
    assert_int_equal(l.loop[0].loads, 2);
    assert_int_equal(l.loop[0].stores, 1);
    assert_string_equal(l.function[1], "k_finish");
    assert_int_equal(l.loop[1].loaded, 1);
}

/* Elements of an array, pointers, scalars; and a jump back over other jumps is no straight loop. */
TEST(test_no_spills)
{
    expect(".L2:\n\tvmovaps\t(%rsp,%rax,4), %zmm1\n\tvmulps\t%zmm0, %zmm1, %zmm2\n\tvmovaps\t%zmm2, "
           "(%rsp,%rax)\n\tmovq\t8(%rsp), %rax\n"
           "\tmovq\t%rax, 16(%rsp)\n\tvfmadd231ss\t8(%rsp), %xmm1, %xmm2\n\tjne\t.L2\n",
           1, 0, 1, 1); /* the scalar's place is an operand of a vector register: one load */
    expect(".L2:\n\tvmulps\t%zmm0, %zmm1, %zmm2\n\tjle\t.L3\n\tvmovaps\t%zmm2, (%rsp)\n.L3:\n\tjne\t.L2\n", 0, 0, 0, 0);
    expect(".L2:\n\tvmulps\t%zmm0, %zmm1, %zmm2\n\tcall\tmemcpy@PLT\n\tvmovaps\t%zmm2, (%rsp)\n\tjne\t.L2\n", 0, 0, 0,
           0);
}

/* A function that computes a formula of sums that are in memory has none to keep in registers. */
TEST(test_finish)
{
    const char *loop = "\t.cfi_startproc\n.L2:\n\tvmulps\t-112(%rsp), %zmm1, %zmm2\n\tjne\t.L2\n\tret\n";
    char text[400];
    snprintf(text, sizeof text, "k_finish:\n.LFB7:\n%s", loop);
    expect(text, 0, 0, 0, 0);
    snprintf(text, sizeof text, "k_finish: # @k_finish\n%sk:\n%s", loop, loop);
    expect(text, 1, 0, 1, 1);
}

/* %rbp is a pointer like any other unless the function keeps its frame there. */
TEST(test_frame_pointer)
{
    const char *loop = ".L2:\n\tvmulps\t-112(%rbp), %zmm1, %zmm2\n\tjne\t.L2\n\tret\n";
    char text[400];
    expect(loop, 1, 0, 0, 1);
    snprintf(text, sizeof text, "\t.cfi_startproc\n\tmovq\t%%rsp, %%rbp\n%s\t.cfi_endproc\n\t.cfi_startproc\n%s", loop,
             loop);
    expect(text, 2, 0, 1, 1);
    snprintf(text, sizeof text, "\t.cfi_startproc\n\tmovq\t%%rsp, %%rbp\n\tret\n\t.cfi_startproc\n%s", loop);
    expect(text, 1, 0, 0, 1); /* the frame was another function's */
}

enum { MOST = 32 };

/* The texts of a list with | between them: how many. */
static int split(char *list, const char *text[MOST])
{
    int n = 0;
    for (char *t = strtok(list, "|"); t; t = strtok(NULL, "|"))
        text[n++] = t;
    return n;
}

TEST(test_anything)
{
    char list[] = "\n\n|:|:\n\tj\n|\tj :|.L1:\n\tjmp\t.L1|\tvmulps|\tvmulps ,,,\n|\tvmulps (((\n|a:a:a:\n\tjne a:a:a\n|"
                  "\tjmp\t*%rax\n|j|#|\tcall";
    const char *text[MOST];
    for (int n = split(list, text); n >= 0; n--)
        assert_int_equal(read(n ? text[n - 1] : "").loops, 0);
    char many[4096] = "";
    for (int i = 0; i < 100; i++)
        sprintf(many + strlen(many), "l%d:\n", i);
    strcat(many, "\tvmulps\t%ymm0, %ymm0, %ymm0\n\tjne\tl99\n");
    expect(many, 1, 0, 0, 1);
}

/* Whatever stands there, counts are counts (and the sanitizers find nothing). */
TEST(test_mixtures)
{
    char list[] =
        "\n|\t| |,|:|(%rsp)|-8(%rsp)|(%rbp)|%zmm1|%rsp|%rbp|vmulps|.L1|(|)|#|jne|call|.cfi_startproc|\xff|movq|"
        "vmovaps|\n.L1:\n|\n\tjne\t.L1\n";
    const char *piece[MOST];
    const int npiece = split(list, piece);
    unsigned seed = 1;
    for (int round = 0; round < 20000; round++) {
        char text[512] = "";
        for (size_t n = 0; n < 30; n++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(text, piece[(seed >> 16) % (unsigned)npiece]);
        }
        const SpillReport r = read(text);
        assert_in_range(r.loops, 0, 30);
        assert_in_range(r.stored + r.loaded, 0, 30);
        assert_int_equal(r.loops > 0, r.multiplications > 0);
    }
}

/* ---- the log of the assembler of GPU code ---- */

/* The most of several kernels; the stack of a function that a kernel calls counts too. */
TEST(registers_and_stacks)
{
#define ENTRY(name, target) "ptxas info    : Compiling entry function '" name "' for '" target "'\n"
#define OF(name) "ptxas info    : Function properties for " name "\n"
#define BYTES(stack, stores, loads) \
    "    " #stack " bytes stack frame, " #stores " bytes spill stores, " #loads " bytes spill loads\n"
    static const struct {
        const char *log;
        int regs, stack_bytes, spill_bytes;
    } rows[] = {
        { "ptxas info    : 0 bytes gmem\n" ENTRY("_Z1kPf", "sm_90a") OF("_Z1kPf")
              BYTES(0, 0, 0) "ptxas info    : Used 127 registers, used 1 barriers, 4096 bytes smem, 424 bytes "
                             "cmem[0]\n" ENTRY("_Z1jPf", "sm_90a")
                                 BYTES(16, 8, 12) "ptxas info    : Used 40 registers, used 0 barriers\nptxas info    : "
                                                  "Compile time = 18.563 ms\n",
          127, 16, 8 },
        { ENTRY("k", "sm_80") OF("f") BYTES(64, 4, 4) OF("k") BYTES(0, 0, 0) "ptxas info    : Used 12 registers", 12,
          64, 4 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PtxasReport r;
        assert_true(spills_read_ptxas(rows[i].log, &r));
        assert_int_equal(r.regs, rows[i].regs);
        assert_int_equal(r.stack_bytes, rows[i].stack_bytes);
        assert_int_equal(r.spill_bytes, rows[i].spill_bytes);
    }
}

/* As nvcc 13.0 says it of wgmma that do not overlap, and of registers that are not shared out anew; with 0 spills. */
TEST(lost_speed)
{
#define INFO "ptxas info    : "
#define USED ENTRY("k", "sm_90a") OF("k") BYTES(0, 0, 0) INFO "Used 168 registers, used 1 barriers\n"
    static const struct {
        const char *log, *want;
    } rows[] = {
        { INFO "(C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma "
               "instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage in "
               "the function 'k'\n" USED,
          "(C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma "
          "instructions reading accumulator registers of  a wgmma between start and end of the pipeline stage" },
        { USED INFO "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at "
                    "entry.\n" INFO "(C7510) Potential Performance Loss: more\n",
          "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry." },
        { USED "Potential Performance Loss: without a code", "Potential Performance Loss: without a code" },
        { INFO "(C7517) warpgroup.wait is injected in around line 233 by compiler\n" USED, "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PtxasReport r;
        assert_true(spills_read_ptxas(rows[i].log, &r));
        assert_int_equal(r.nloss, strlen(rows[i].want));
        assert_memory_equal(r.nloss ? r.loss : "", rows[i].want, (size_t)r.nloss);
    }
}

/* A function that is called, not inlined, has properties but is no kernel; a log without kernels says nothing. */
TEST(logs_that_say_nothing)
{
    PtxasReport r;
    static const char *const logs[] = {
        "",
        "\n\n",
        "ptxas info    : 0 bytes gmem\n",
        "ptxas info    : Function properties for f\n    8 bytes stack frame, 0 bytes spill stores\n",
        "Compiling entry function '_Z1kPf' for 'sm_90a'\n",
        "registers\n: Used registers\nbytes spill stores\n"
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        assert_false(spills_read_ptxas(logs[i], &r));
}
