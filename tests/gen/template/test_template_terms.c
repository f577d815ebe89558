/* SPDX-License-Identifier: Apache-2.0
 *
 * What the templates of dense say that a call costs: of each some calls, worked out by hand with factors written out
 * (K, vectors or panels, rows); and what holds for every candidate and call. On the CPU L1 has 32 KiB and L2 has 1 MiB,
 * vectors have 16 floats.
 * ctest: label=slow
 */
#include "tests/test.h"
#include "tests/gen/template/template_place.h"

typedef struct {
    const char *kernel, *values; /* "TEMPLATE TARGET DTYPE [packed] LAYOUT", NULL: that of the point before */
    int64_t extent[3];
    int threads;
    const char *terms; /* "NAME=VALUE; ..." */
} Point;

/* Ten rows in tiles of 4, 3 and 3; three vectors of columns in one tile of two and a single one. */
#define SMALL { 10, 40, 64 }, 1
/* 33 rows for each of three threads, in 16 tiles of 2 and one of 1; 63 vectors of columns, in 31 tiles of two and a
 * single one. */
#define LARGE { 99, 1000, 3000 }, 3

#define CALL(m, n, k, threads) { m, n, k }, threads

#define OCTAVE_64TH "1.0108892860517005"

static const Point points[] = {
    { "packed_gemm avx512 f32 NK", "MR=4 NP=2 KA=2 UK=4 KC=0 PF=8 BLOCK=0 EVEN=1 SPLIT=0", SMALL,
      "padded=2*10*48*64; serial=2*10*48*64; fma=64*3*10/2; "
      "loads=64*(2*(2+4-4)+(2+3-3)+2*(1+4-2)+(1+3-1.5)); loads_2=64*(2*(1+4-4)+(1+3-3))/2; "
      "stalls=64*(2-1.5); w_l2=0; w_first=64*3; w_stream=0; cold=0; prefetch=64*3*3/2; x_l2=0; y=10*3; "
      "issue=64*(2*(15/3-4)+(12/3-3)+2*(10/3-2)+(8/3-1.5)); tiles=3*2*30; call=2000" },
    { "packed_gemm avx512 f32 NK", "MR=2 NP=2 KA=1 UK=1 KC=0 PF=16 BLOCK=8 EVEN=0 SPLIT=1", LARGE,
      "serial=2*33*1008*3000; fma=3000*63*33/2; loads=3000*(31*(16*(2+2-2)+(2+1-1))+16*(1+2-1)+(1+1-.5)); "
      "loads_2=3000*(31*(2+1-2)+16*(1+2-2)+(1+1-1))/2; stalls=3000*(31*(16*(4-2)+(4-1))+16*(4-1)+(4-.5)); "
      "w_l2=3000*16*(31*(4-2)+(2-1.5)); w_first=0; w_stream=3*63*3000*2; x_far=0; cold=0; "
      "prefetch=3000*17*63/2; x_l2=33*3000/16*32; y=33*63; "
      "issue=3000*(31*(16*(16/3-2)+(13/3-1))+16*(13/3-1)+(11/3-.5)); tiles=17*32*30; call=6000" },
    /* In blocks of 512 of k a single panel is just as large as L1, and X is not too long for it. */
    { "packed_gemm avx512 f32 KN", "MR=2 NP=2 KA=1 UK=1 KC=512 PF=16 BLOCK=0 EVEN=0 SPLIT=1", LARGE,
      "padded=2*99*1008*3000; w_l2=3000*16*31*(4-2); w_stream=63*3000*2; cold=0; x_l2=0; y=33*63*6" },
    /* Single rows whose first lines of each panel nobody fetches. */
    { "packed_gemm avx512 f32 NK", "MR=1 NP=4 KA=1 UK=1 KC=0 PF=0 BLOCK=0 EVEN=0 SPLIT=0", SMALL,
      "cold=3*300; prefetch=0" },
    /* Rows that exceed L2 come from beyond it for each of 31 tiles and a single one. */
    { "packed_gemm avx512 f32 NK", "MR=2 NP=2 KA=1 UK=1 KC=0 PF=16 BLOCK=0 EVEN=0 SPLIT=0", CALL(99, 1000, 3000, 1),
      "x_far=32*99*3000/8" },
    /* One panel is for one of seven threads, whatever the width of a tile. */
    { "packed_gemm avx512 f32 NK", "MR=4 NP=6 KA=1 UK=4 KC=0 PF=16 BLOCK=0 EVEN=1 SPLIT=0", CALL(8, 5, 32, 7),
      "padded=2*8*16*32; serial=2*8*16*32; fma=32*8/2; tiles=2*30; w_first=32; y=8" },
    /* Forty panels for seven threads: six each, in tiles of six. */
    { .extent = { 8, 640, 32 }, .terms = "serial=2*8*96*32; tiles=2*30" },
    { "direct_gemm avx512 f32 KN", "MR=4 NV=2 UK=8 KC=0 PF=4 ORDER=0 EVEN=1 SPLIT=0", SMALL,
      "padded=2*10*48*64; serial=2*10*48*64; fma=64*3*10/2; loads=64*(2*(2+4-4)+(2+3-3)+2*(1+2)+(1+1.5)); "
      "loads_2=64*3/2; stalls=64*((4-3)+2*(4-2)+(4-1.5)); w_l2=0; w_first=64*3; w_stream=0; y=10*3; "
      "issue=64*(2*(15/3-4)+(12/3-3)+2*(10/3-2)+(8/3-1.5)); tiles=3*2*30; call=2000" },
    { "direct_gemm avx512 f32 KN", "MR=2 NV=2 UK=1 KC=128 PF=0 ORDER=1 EVEN=0 SPLIT=1", LARGE,
      "serial=2*33*1008*3000; fma=3000*63*33/2; loads=3000*(31*(16*(2+2-2)+(2+1-1))+16*(1+1)+(1+.5)); "
      "loads_2=3000*(31*(2+1-2)+17)/2; stalls=3000*(31*(16*(4-2)+(4-1))+16*(4-1)+(4-.5)); w_l2=16*3000*63; "
      "w_first=0; w_stream=3000*63*2; y=33*63*24; issue=3000*(31*(16*(16/3-2)+(13/3-1))+16*(13/3-1)+(11/3-.5)); "
      "tiles=17*32*24*30; call=6000" },
    /* All columns for all of k exceed L2: W comes again for each row tile. Rows of 1024 floats share the sets of a
     * cache. */
    { "direct_gemm avx512 f32 KN", "MR=2 NV=2 UK=1 KC=0 PF=0 ORDER=1 EVEN=0 SPLIT=1", LARGE,
      "w_stream=17*3000*63*2; y=33*63" },
    { "direct_gemm avx512 f32 KN", "MR=2 NV=2 UK=1 KC=0 PF=0 ORDER=0 EVEN=0 SPLIT=0", CALL(4, 1024, 100, 1),
      "w_l2=1*100*64" },
    { "direct_gemm avx512 f32 KN", "MR=4 NV=6 UK=4 KC=0 PF=0 ORDER=0 EVEN=1 SPLIT=0", CALL(8, 5, 32, 7),
      "padded=2*8*16*32; serial=2*8*16*32; tiles=2*30" },
    /* 7 columns in two tiles of 3 and a single one; 40 values of k are 3 vectors. */
    { "dot_gemm avx512 f32 NK", "MR=4 NR=3 UK=2 KC=0 ORDER=0 EVEN=1 SPLIT=0", CALL(10, 7, 40, 1),
      "padded=2*10*7*48; serial=2*10*7*48; fma=3*10*7/2; "
      "loads=3*(2*(2*(3+4-6)+(3+3-4.5))+2*(1+4-2)+(1+3-1.5)); loads_2=3*(2*(1+4-4)+(1+3-3))/2; "
      "stalls=3*(2*(4-2)+(4-1.5)); w_l2=0; x_l2=0; w_first=7*40/16; w_stream=0; sums=10*7*2; "
      "issue=3*(2*(2*(23/3-6)+(19/3-4.5))+2*(13/3-2)+(11/3-1.5)); tiles=3*3*30; call=2000" },
    { "dot_gemm avx512 f32 NK", "MR=2 NR=2 UK=1 KC=512 ORDER=1 EVEN=0 SPLIT=1", CALL(99, 1001, 3000, 3),
      "serial=2*33*1001*3008; fma=188*33*1001/2; loads=188*(500*(16*(2+2-2)+(2+1-1))+16*(1+2-1)+(1+1-.5)); "
      "loads_2=188*(500*(2+1-2)+16*(1+2-2)+(1+1-1))/2; stalls=188*(500*(16*(4-2)+(4-1))+16*(4-1)+(4-.5)); "
      "w_l2=16*1001*3000/16; x_l2=0; w_first=0; w_stream=17*1001*3000/16*2; sums=33*1001*6*2; "
      "issue=188*(500*(16*(16/3-2)+(13/3-1))+16*(13/3-1)+(11/3-.5)); tiles=17*501*6*30; call=6000" },
    { "dot_gemm avx512 f32 NK", "MR=2 NR=2 UK=1 KC=512 ORDER=0 EVEN=0 SPLIT=0", CALL(99, 1001, 3000, 1),
      "x_l2=500*99*3000/16; w_l2=0; w_stream=1001*3000/16*2" },
    { "dot_gemm avx512 f32 NK", "MR=2 NR=6 UK=1 KC=0 ORDER=0 EVEN=1 SPLIT=0", CALL(8, 2, 32, 7),
      "serial=2*8*2*32; tiles=2*4*30" },
    /* 40 columns are two tiles of 32; 100 values of k are blocks of 64 and 36. */
    { "repack_gemm avx512 f32 NK", "MR=4 NP=2 UK=8 KC=64 EVEN=1 SPLIT=0", CALL(10, 40, 100, 1),
      "padded=2*10*64*100; serial=2*10*64*100; fma=100*2*2*10/2; loads=100*2*(2*(2+4-4)+(2+3-3)); "
      "loads_2=0; stalls=100*2*(4-3); pack=100*2*2*5; w_stream=100*2*2*2; x_l2=0; y=10*2*2*2; "
      "issue=100*2*(2*(15/3-4)+(12/3-3)); tiles=3*2*2*30; call=2000" },
    { "repack_gemm avx512 f32 KN", "MR=4 NP=2 UK=8 KC=64 EVEN=1 SPLIT=0", CALL(10, 40, 100, 1), "pack=100*2*2*4" },
    /* 1334 rows a thread, in 166 tiles of 8 and one of 6; 118 blocks of 256 values of k. */
    { "repack_gemm avx512 f32 NK", "MR=8 NP=1 UK=8 KC=256 EVEN=0 SPLIT=1", CALL(4000, 1000, 30000, 3),
      "serial=2*1334*1008*30000; fma=30000*63*1334/2; loads=30000*63*(166*(1+8-4)+(1+6-3)); "
      "loads_2=30000*63*167/2; stalls=30000*63*(4-3); pack=30000*63*5; w_stream=30000*63*2; "
      "x_l2=63*1334*30000/16; y=1334*63*118; issue=30000*63*(166*(18/3-4)+(14/3-3)); tiles=167*63*118*30; call=6000" },
    /* 8 tiles of 64 x 64 in 4 slices of 16 blocks of k, one on an SM, a warp on each sub-core: 1024 cycles of FMAs, in
     * which its 616 instructions are issued, and 232 for want of others. */
    { "simt_gemm sm_80 f32 NK", "BM=64 BN=64 TM=4 TN=8 BK=16 STAGES=3 SPLITK=4", CALL(100, 200, 1000, 1),
      "serial=2*8*64*64*16*4*16; ns=1500+((1024+232)*16+600+256+1198+4096*(1+4)/4)*1000/1410" },
    /* 1252 blocks in 3 waves of 4 on each of 108 SMs: two full ones and 4 on the busiest, 12 in all, each of which
     * stores its sums. Of four warps of a sub-core hardly anything of the 232 cycles shows. */
    { .extent = { 1, 20000, 20000 },
      .terms = "serial=2*313*64*64*313*4*16; "
               "ns=1500+(3*(4*1024+11)*313+3*(600+256)+1198+4096*(12+4)/4)*1000/1410" },
    /* 8 tiles in 2 slices of 16 blocks: 128 cycles of tensor cores, 192 of shared memory, 76 to issue, 40 for want of
     * others. */
    { "mma_gemm sm_80 f16 NK", "BM=64 BN=64 WM=32 WN=32 ROW=64 STAGES=4 SPLITK=2", CALL(100, 200, 1000, 1),
      "serial=2*8*64*64*16*2*32; ns=1500+((192+(128+76)/4+40)*16+1100+256+1198+4096*(1+2)/8)*1000/1410" },
    /* L2: each of 64 x 64 tiles is summed up by 8 blocks, which write and read whole tiles of floats. */
    { "mma_gemm sm_80 f16 NK", "BM=64 BN=64 WM=32 WN=32 ROW=64 STAGES=4 SPLITK=8", CALL(4033, 4096, 256, 1),
      "PASSED=4096*8*64*64; ns=1500+(2*(4096*128*256+4033*4096)+8*4096*8*64*64)/4500" },
    /* Two warps on two sub-cores: 1280 cycles of 1024 FMAs, 270 of 144 other instructions, 256 for want of others. Of
     * the 3 blocks of 2 warps on an SM, two warps share a sub-core, and hide most of that. */
    { "simt_gemm sm_86 f32 NK", "BM=32 BN=128 TM=8 TN=8 BK=16 STAGES=3 SPLITK=1", CALL(32, 128, 1024, 1),
      "ns=1500+((1280+270+256)*64+600+256)*1000/1500" },
    { .extent = { 32 * 72 * 3, 128, 1024 }, .terms = "ns=1500+((2*1550+63)*64+600+256)*1000/1500" },
    /* A loop of 2280 instructions: a lone block waits for them. */
    { "simt_gemm sm_90a f32 NK", "BM=64 BN=64 TM=8 TN=8 BK=32 STAGES=3 SPLITK=1", CALL(64, 64, 3072, 1),
      "WARP=2560+435; FETCH=5130; STEP=5130" },
    { .extent = { 64, 64 * 132 * 4, 3072 }, .terms = "STEP=2*2995+37" },
    /* Chunks of k are not unrolled: of 512 FMAs 9 % wait for ports, and each chunk's loads are waited for. */
    { "simt_gemm sm_90a f32 NK", "BM=64 BN=64 TM=8 TN=8 BK=8 STAGES=4 SPLITK=4", CALL(64, 64, 768, 1),
      "PORTS=9; ISSUE=512+32+16+34+12; WARP=640+176+61; WAIT=160+2*96" },
    /* But for 12 columns of 8 rows, which are loaded first. */
    { "simt_gemm sm_90a f32 NK", "BM=128 BN=96 TM=8 TN=12 BK=64 STAGES=3 SPLITK=1 KGROUPS=2", CALL(128, 96, 768, 1),
      "PORTS=0; ISSUE=3072+160+56+34+48; WARP=3840+558; WAIT=160+8*120" },
    /* The memory: W once. */
    { "gemv sm_80 f32 NK", "ROWS=1 COLS=4 WARPS=4 KWARPS=1 UNROLL=4 SPLITK=1", CALL(1, 20000, 20000, 1),
      "serial=2*1250*16*157*128; ns=1500+4*(20000*20000+20000+20000)/1555" },
    /* L2: W once for each of 16 rows. */
    { .extent = { 16, 2048, 2048 }, .terms = "serial=2*2048*16*16*128; ns=1500+4*16*2048*2048/4500" },
    /* Two tiles in 8 slices: 2102 cycles to issue it, more than X and than 2048 of FMAs, 1600 of latency, four times;
     * then a sum. */
    { "gemv sm_80 f16 KN", "ROWS=4 COLS=1 WARPS=8 LANES=32 UNROLL=2 SPLITK=8", CALL(4, 512, 4096, 1),
      "serial=2*2*4*256*4*8*128; ns=1500+((2102+1600)*4+800+300+1198+40*8)*1000/1410" },
    /* 312 blocks of which an SM has 3, one at a time; W just fits half of L2, and does not come from memory. */
    { .extent = { 4, 9984, 1024 },
      .terms = "serial=2*39*4*256*8*128; ns=1500+3*(2102+1600+800+300+1198+40*8)*1000/1410" },
    /* Two blocks of 4 warps on an SM: the latency of memory, four times. */
    { "mma_gemv sm_80 f16 NK", "ROWS=8 COLS=32 WARPS=4 KWARPS=4 UNROLL=2 SPLITK=1", CALL(8, 4096, 1024, 1),
      "serial=2*128*8*32*8*128; ns=1500+(730*4+600+140+(40+32)*2)*1000/1410" },
    /* Two row groups of 8 tiles, in 4 slices. */
    { "mma_gemv sm_80 f16 NK", "ROWS=16 COLS=16 WARPS=4 KWARPS=4 UNROLL=4 SPLITK=4", CALL(17, 128, 4096, 1),
      "serial=2*16*16*16*8*4*128; ns=1500+(730*2+600+280+(40+32)*2+300+1198+160)*1000/1410" },
    /* K is odd: 9 loads of 8 elements, 32 cycles each, of 8 warps; one block after the other on an SM. */
    { "mma_gemv sm_80 f16 KN", "ROWS=8 COLS=64 WARPS=8 KWARPS=8 UNROLL=1 SPLITK=1 ALIGNED=0", CALL(8, 8192, 1025, 1),
      "serial=2*128*8*64*5*256; ns=1500+2*(8*9*32*5+600+70+(40+64)*2)*1000/1410" },
    /* As many tiles as there are counters are split, more are not. */
    { "simt_gemm sm_80 f32 NK", "BM=64 BN=64 TM=4 TN=8 BK=16 STAGES=3 SPLITK=4", CALL(4096, 4096, 1000, 1),
      "serial=2*4096*64*64*16*4*16" },
    { .extent = { 4097, 4096, 1000 }, .terms = "serial=2*4160*64*64*63*16" },
    { "mma_gemm sm_80 f16 NK", "BM=64 BN=64 WM=32 WN=32 ROW=64 STAGES=4 SPLITK=2", CALL(4096, 4096, 1000, 1),
      "serial=2*4096*64*64*16*2*32" },
    { "gemv sm_80 f16 KN", "ROWS=4 COLS=1 WARPS=8 LANES=32 UNROLL=2 SPLITK=8", CALL(16384, 256, 1024, 1),
      "serial=2*4096*4*256*8*128" },
    { "mma_gemv sm_80 f16 NK", "ROWS=8 COLS=16 WARPS=4 KWARPS=4 UNROLL=4 SPLITK=4", CALL(8, 65536, 4096, 1),
      "serial=2*4096*8*16*8*4*128" },
    { .extent = { 8, 65537, 4096 - 1 }, .terms = "serial=2*4097*8*16*32*128" },
    /* Copies of a float are 18 instructions, and so are those of 4 bytes. */
    { "simt_gemm sm_90a f32 NK", "", CALL(64, 63, 64, 1), "ISSUE=512+48+16+34+6" },
    { "simt_gemm sm_90a f32 NK", "ALIGNED=0", CALL(64, 64, 63, 1), "ISSUE=512+48+18*16+34+6" },
    { "simt_gemm sm_90a f32 KN", "BM=32 BN=96 TM=4 TN=6 STAGES=4", CALL(64, 64, 64, 1), "ISSUE=384+64+16+34+6" },
    { "simt_gemm sm_90a f32 KN", "BM=32 BN=96 TM=4 TN=6 STAGES=4 ALIGNED=0", CALL(64, 63, 64, 1),
      "ISSUE=384+64+18*16+34+6" },
    /* Two groups of four warps have four of eight chunks of k each; 9216 sums pass through shared memory. */
    { "simt_gemm sm_90a f32 NK", "BM=96 BN=96 TM=6 TN=12 BK=32 STAGES=3 KGROUPS=2", CALL(96, 96, 3072, 1),
      "NT=256; ISSUE=1152+72+24+34+24; LDS=18*4*16+192; ENDS=600+576+576" },
    { "mma_gemm sm_90a bf16 KN", "ALIGNED=4", CALL(64, 62, 64, 1), "ODD=0; ISSUE=76+18*16; WAIT=40" },
    { "mma_gemm sm_90a bf16 KN", "ALIGNED=0", CALL(64, 63, 64, 1), "ODD=1; WAIT=40+2*300" },
    { "mma_gemm sm_90a tf32 KN", "ALIGNED=0", CALL(64, 63, 64, 1), "ODD=0" },
    { "mma_gemv sm_90a bf16 KN", "", CALL(8, 64, 64, 1), "L1=4*9*5" },
    { "mma_gemv sm_90a bf16 KN", "ALIGNED=4", CALL(8, 62, 64, 1), "L1=4*9*16" },
    { "mma_gemv sm_90a bf16 KN", "ALIGNED=0", CALL(8, 63, 64, 1), "L1=4*9*32" },
    { "mma_gemv sm_90a bf16 NK", "", CALL(8, 63, 64, 1), "L1=4*9*5" },
    /* Of single elements, a lane of gemv takes a k a load (NK), or 4 k each time (KN). */
    { "gemv sm_90a f32 NK", "", CALL(4, 63, 1024, 1), "KTIMES=4; BYTES=256*2*16; ISSUE=32+22+32+12" },
    { "gemv sm_90a f32 NK", "ALIGNED=0", CALL(4, 63, 1023, 1), "KTIMES=16; BYTES=256*2*4; ISSUE=8+30+4+16" },
    { "gemv sm_90a bf16 KN", "UNROLL=1", CALL(4, 64, 1024, 1), "KTIMES=16; BYTES=256*8*16; ISSUE=256+96+64+16+12" },
    { "gemv sm_90a bf16 KN", "UNROLL=1 ALIGNED=0", CALL(4, 63, 1024, 1),
      "KTIMES=32; BYTES=256*8*8; ISSUE=128+4*48+2*32+16" },
    /* Fixed for K = 64: a 64th of an octave behind the others where nothing tells them apart. */
    { "simt_gemm sm_80 f32 NK", "FIXED_K=64", CALL(100, 200, 64, 1),
      "ns=" OCTAVE_64TH "*(1500+(1256*4+600+256)*1000/1410)" },
    { "mma_gemm sm_80 f16 NK", "FIXED_K=64", CALL(100, 200, 64, 1),
      "ns=" OCTAVE_64TH "*(1500+(283*2+1100+256)*1000/1410)" },
};

static const Template *find(const TemplateList *list, const char *name)
{
    for (int i = 0; i < list->n; i++)
        if (strcmp(list->t[i]->name, name) == 0)
            return list->t[i];
    fail_msg("no template %s", name);
    return NULL;
}

static double real_of(const Expr *e, const int64_t *slots)
{
    double x;
    assert_int_equal(expr_real_at(e, slots, &x), EXPR_OK);
    return x;
}

static double value_of(const Binding *b, const char *name, const int64_t *slots)
{
    const Template *t = b->t;
    int64_t derived;
    if (strcmp(name, "padded") == 0)
        return real_of(t->padded_flops, slots);
    if (strcmp(name, "serial") == 0)
        return real_of(t->serial_flops, slots);
    for (int i = 0; i < t->nterm; i++)
        if (strcmp(t->term[i].name, name) == 0)
            return real_of(t->term[i].expr, slots);
    if (!template_lookup((void *)b, name, &derived))
        fail_msg("%s has no term %s", t->name, name);
    return (double)derived;
}

/* The spec of such a W, and the templates for it. */
static Spec *spec_for(const char *layout, bool packed, TemplateList *list)
{
    static Spec *spec[4];
    static TemplateList read[4];
    const int i = 2 * packed + (strcmp(layout, "KN") == 0);
    if (!spec[i]) {
        spec[i] = make_spec(layout, packed, true);
        assert_true(template_read_all(arena, spec[i], NULL, 0, &read[i], diag_new(arena)));
    }
    *list = read[i];
    return spec[i];
}

static void check_point(const Point *kernel, const Point *p)
{
    char name[32], target_name[32], dtype[32], layout[32];
    TemplateList list;
    int64_t value[TEMPLATE_MAX_PARAM] = { 0 }, slots[TEMPLATE_MAX_SLOT];
    const bool packed = strstr(kernel->kernel, " packed ");
    const char *form = packed ? "%31s %31s %31s packed %31s" : "%31s %31s %31s %31s";
    assert_int_equal(sscanf(kernel->kernel, form, name, target_name, dtype, layout), 4);
    Spec *spec = spec_for(layout, packed || strcmp(name, "packed_gemm") == 0, &list);
    spec->dtype = dtype;
    spec->threads[0] = kernel->threads;
    Template t = *find(&list, name);
    for (int i = 0; i < t.nparam; i++)
        t.param[i].searched = ~0u; /* whatever the spec's shapes are served by */
    const Target *target = target_find(&targets, target_name);
    const Device typical = target->family == &family_cuda ? device_typical(arena, target) : device;
    Candidate c;
    template_place_values(&t, target_name, kernel->values, value);
    assert_true(candidate_from_values(&t, target, value, &c));
    if (!candidate_fits(&c, spec, &typical))
        fail_msg("%s %s: is no candidate", name, kernel->values);
    Binding b = bind(&t, spec, value, p->extent);
    b.target = target;
    b.device = &typical;
    b.threads = kernel->threads;
    assert_true(template_slots(&b, slots));
    char *terms = arena_strdup(arena, p->terms), *save = NULL;
    for (char *term = strtok_r(terms, "; ", &save); term; term = strtok_r(NULL, "; ", &save)) {
        char *text = strchr(term, '=');
        *text++ = '\0';
        const double got = value_of(&b, term, slots),
                     want = real_of(expr_parse(arena, text, (Loc){ 0 }, diag_new(arena)), NULL);
        if (!(fabs(got - want) <= 1e-9 * want))
            fail_msg("%s %s at %d x %d x %d: %s is %.10g, not %.10g", name, kernel->values, (int)p->extent[0],
                     (int)p->extent[1], (int)p->extent[2], term, got, want);
    }
}

TEST(calls_cost_what_was_worked_out)
{
    const Point *kernel = points;
    for (size_t i = 0; i < LENGTH(points); i++) {
        kernel = points[i].kernel ? &points[i] : kernel;
        check_point(kernel, &points[i]);
    }
}

/* ---- for any candidate and call ---- */

static void check_all(const Binding *b)
{
    const Template *t = b->t;
    int64_t slots[TEMPLATE_MAX_SLOT];
    double x;
    assert_true(template_slots(b, slots));
    const double flops = real_of(b->spec->op->flops, slots), padded = real_of(t->padded_flops, slots),
                 serial = real_of(t->serial_flops, slots);
    bool good = padded >= flops && serial <= padded && serial * b->threads >= flops;
    for (int i = 0; i < t->nterm; i++) {
        const double term = real_of(t->term[i].expr, slots);
        good = good && term >= 0 && isfinite(term);
        if (strcmp(t->term[i].name, "fma") == 0) /* as many as the busiest thread's operations take: two a cycle */
            good = good && fabs(term - serial / (4 * value_of(b, "VECTOR_BYTES", slots) / 4)) <= 1e-9 * term;
    }
    if (b->target->family == &family_cuda) /* from a launch to a year, in nanoseconds */
        good = good && real_of(t->term[0].expr, slots) > 2e3 && real_of(t->term[0].expr, slots) < 3.2e16;
    for (int i = 0; i < t->nfeature; i++)
        good = good && expr_real_at(t->feature[i].expr, slots, &x) == EXPR_OK && isfinite(x);
    if (!good)
        fail_msg("%s at %d x %d x %d, %d threads: %.10g operations, %.10g padded, %.10g of the busiest, or a term or "
                 "feature",
                 t->name, (int)b->extent[0], (int)b->extent[1], (int)b->extent[2], b->threads, flops, padded, serial);
}

static void check_space(const char *target_name, const char *dtype, const char *layout, bool packed)
{
    static const int64_t extents[][3] = { { 1, 1, 1 },          { 1, 3072, 768 }, { 5, 7, 3 },
                                          { 17, 768, 3072 },    { 300, 15, 1 },   { 2, 33, 65536 },
                                          { 1000, 1024, 4096 }, { 4096, 1, 64 },  { 1, 1, 2147483647 } };
    TemplateList list;
    Diag *d = diag_new(arena);
    Spec *spec = make_spec(layout, packed, true);
    const Target *target = target_find(&targets, target_name);
    const Device typical = target->family == &family_cuda ? device_typical(arena, target) : device;
    spec->dtype = dtype;
    spec->threads[0] = 7;
    assert_true(template_read_all(arena, spec, NULL, 0, &list, d));
    const Space *space = space_make(arena, spec, &list, target, &typical, d);
    assert_non_null(space);
    for (int64_t i = 0; i < space->n; i += space->n / 500 + 1)
        for (size_t e = 0; e < LENGTH(extents) * 2; e++) {
            int64_t value[TEMPLATE_MAX_PARAM];
            candidate_values(&space->candidate[i], value);
            Binding b = bind(space->candidate[i].t, spec, value, extents[e / 2]);
            b.target = target;
            b.device = &typical;
            b.threads = e % 2 && target->family != &family_cuda ? 7 : 1;
            check_all(&b);
        }
}

TEST(work_is_bounded_for_any_call)
{
    for (int kn = 0; kn < 2; kn++) {
        for (int packed = 0; packed < 2; packed++) {
            check_space("avx512", "f32", kn ? "KN" : "NK", packed);
            check_space("portable", "f32", kn ? "KN" : "NK", packed);
        }
        check_space("sm_75", "f32", kn ? "KN" : "NK", false);
        check_space("sm_90a", "bf16", kn ? "KN" : "NK", false);
    }
}

TEST_FILE(setup, place_teardown)
