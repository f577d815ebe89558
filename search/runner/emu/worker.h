/* SPDX-License-Identifier: Apache-2.0
 *
 * worker: what the files of the emulator share. A worker is a thread of this program that executes blocks one after the
 * other; all that belongs to the block at hand is in it, so nothing here needs a lock.
 *
 * A stamp says who did something and when: epoch << 11 | thread. The epoch counts the barriers of a block, from 1 on.
 */
#ifndef DCGEN_EMU_WORKER_H
#define DCGEN_EMU_WORKER_H

#include <stdio.h>
#include "search/runner/emu/emu.h"
#include "search/runner/emu/switch.h"

enum {
    LANES = 32,
    MAX_BLOCK_THREADS = 1024,
    MAX_WARPS = MAX_BLOCK_THREADS / LANES,
    STAMP_BITS = 11,
    SEVERAL = (1 << STAMP_BITS) - 1, /* as a thread in a stamp: more than one, or a whole warp */
    MAX_EPOCH = (1 << 19) - 1,
    STACK_BYTES = 64 << 10,
    GUARD_BYTES = 256 << 10, /* below each stack */
    GRANULE_BYTES = 2,       /* of shared memory */
    LINE_BYTES = 16,         /* granules that mostly have the same stamps */
    LINE_GRANULES = LINE_BYTES / GRANULE_BYTES,
    SHARED_BYTES = 256 << 10, /* more than any GPU has */
    SHARED_REACH = 256 << 10, /* around it, addresses that count as shared memory out of bounds */
    SHARED_SKEW = 128,        /* it begins this far behind a multiple of 1024: no more alignment is promised */
    WINDOW_BYTES = SHARED_REACH + SHARED_BYTES + SHARED_REACH
};

/* Stamps of shared memory; access.c says more. */
typedef struct {
    uint32_t written, read;
} Line;

/* What a thread waits for. */
typedef enum { RUNNING, AT_BARRIER, AT_COLLECTIVE, EXITED } FiberState;

/* An asynchronous copy on its way: it arrives as late as it may. */
typedef struct {
    const void *from; /* in an input, which does not change; NULL: in data */
    uint32_t offset;  /* in shared memory */
    uint32_t bytes, group;
    unsigned char data[16];
} PendingCopy;

typedef struct {
    Context context;
    uintptr_t stack; /* its lowest address */
    FiberState state;
    int line; /* of the barrier or collective it waits at, or passed last */
    /* asynchronous copies that it has started and not waited for, a queue */
    PendingCopy *copy;
    int first_copy, ncopy, max_copy;
    uint32_t group; /* that the next commit closes */
    /* for global memory: how often and in which epoch it called __threadfence(), how often it had at the last barrier */
    uint32_t fences, fence_epoch, fences_at_barrier;
    uint32_t write_fences, write_epoch; /* fences and epoch of its last store to the workspace; epoch 0: none */
} Fiber;

typedef float Float4 __attribute__((vector_size(16)));
typedef uint32_t Word4 __attribute__((vector_size(16)));
typedef uint32_t Word2 __attribute__((vector_size(8)));

/* What lanes bring to a collective, and what they take away. */
typedef struct {
    int kind, line;
    unsigned arrived; /* a bit a lane */
    /* No union: while slow lanes take results away, a fast one may bring operands of the next collective. */
    struct {
        Word4 a[LANES];
        Word2 b[LANES];
        Float4 d[LANES];
    } mma;
    struct {
        uintptr_t row[LANES];
        Word4 r[LANES];
    } matrix;
    struct {
        float in[LANES], out[LANES];
        int operand[LANES];
    } shuffle;
} Collective;

/* One access of a lane, when accesses are counted. */
typedef struct {
    uintptr_t site, address;
    uint16_t bytes;
    uint8_t kind;
} Access;
typedef enum { COUNT_READ, COUNT_WRITE, COUNT_SHARED_READ, COUNT_SHARED_WRITE } CountKind;
typedef struct {
    Access *access;
    int n, max;
} Log;

typedef struct Launch Launch;

typedef struct Worker {
    /* what each access looks at */
    unsigned char *shared;
    uintptr_t nline; /* whole lines of shared memory; 0 while accesses are counted, or no block runs */
    Line *line;
    int64_t budget;
    uint32_t stamp; /* of the running fiber now */
    uint32_t smem_bytes;
    uintptr_t stack, stack_bytes;   /* of the running fiber */
    uintptr_t window, window_bytes; /* addresses near shared memory; 0 bytes while no block runs */
    const EmuRegion *recent[2];     /* that were hit last */
    uint32_t *written, *read;       /* of each granule */
    bool counting, fenced;          /* fenced: some thread called __threadfence() since the last barrier */
    /* the block */
    Emu *emu;
    Launch *launch;
    Context home;
    int nthread, running, nbarrier, nexited;
    uint32_t epoch, block_number; /* the number is unique in all launches of a call, from 1 on */
    unsigned block_index[3];
    uint64_t runnable[MAX_BLOCK_THREADS / 64];
    Fiber fiber[MAX_BLOCK_THREADS];
    Collective warp[MAX_WARPS];
    int barrier_line;
    /* atomics of this block */
    uintptr_t atomic_address;
    uint64_t atomic_order;                /* 0: none */
    uint32_t atomic_epoch, atomic_fences; /* fences: of its thread, when it did the last one */
    int atomic_thread;
    bool atomic_acq_rel; /* its order; else relaxed */
    /* memory */
    char *map;
    size_t map_bytes;
    int nstack;
    Log log[MAX_BLOCK_THREADS];
    struct Site *site; /* of count.c */
    EmuCounts counts;
} Worker;

extern _Thread_local Worker *emu_worker __attribute__((tls_model("local-exec"))); /* this program is no library */

/* A launch under way. */
typedef void EmuCall(void *kernel, const void *args);
struct Launch {
    EmuCall *call; /* calls kernel with args; made where the kernel's type is known */
    void *kernel;
    const void *args;
    unsigned grid[3], block[3];
    size_t smem_bytes;
    uint32_t first_block;     /* number of its first block */
    uint64_t nx, nblock;      /* values of x, and blocks, that are executed */
    uint64_t next;            /* atomic */
    int stop;                 /* atomic: no further block */
    struct Release **release; /* of each block, what its last atomic made visible; see global.c */
};

/* ---- launch.c */

/* Where in the grid a launch's block is, by its number less that of the first one. */
void launch_place(const Launch *l, uint64_t block, unsigned index[3]);

/* ---- block.c */
bool worker_prepare(Worker *w, int nthread);
void worker_free(Worker *w);
void block_run(Worker *w, uint64_t index);
_Noreturn void block_abort(Worker *w); /* ends the block and the launch */

/* The running lane's place in a collective of its warp; *lane is its number. It puts its operands there, and finds its
 * results there when collective_wait returns. */
Collective *collective_enter(Worker *w, int kind, int line, int *lane);
void collective_wait(Worker *w, Collective *c, int lane);

/* ---- access.c */
void shared_begin(Worker *w);
void shared_rebase(Worker *w);                      /* all that was written was so in epoch 1 */
void shared_read_row(Worker *w, uintptr_t address); /* 16 bytes, for all lanes of a warp */

/* ---- global.c */
bool global_begin(Launch *l);
void global_end(Emu *e, Launch *l);
void global_host_writes(Emu *e, uintptr_t address, size_t bytes);
bool global_reads_input(const Worker *w, uintptr_t address, size_t bytes); /* for sure; false: perhaps */
void global_access(Worker *w, uintptr_t address, size_t bytes, bool write, bool aligned, uintptr_t site);
void global_check_counters(Emu *e);

/* ---- warp.c */
enum {
    MMA_F16,
    MMA_BF16,
    MMA_TF32,
    LDMATRIX_2,
    LDMATRIX_4,
    LDMATRIX_2_TRANS,
    LDMATRIX_4_TRANS,
    SHUFFLE_XOR,
    SHUFFLE_DOWN
};
extern const char *const collective_name[];
void collective_run(Worker *w, Collective *c);

/* ---- count.c */
bool count_begin(Worker *w);
void count_access(Worker *w, uintptr_t site, uintptr_t address, size_t bytes, CountKind kind);
void count_flush(Worker *w);                             /* all accesses since the last flush */
void count_rows(Worker *w, const uintptr_t *row, int n); /* ldmatrix: n rows of 16 bytes, 8 at a time */
void count_free(Worker *w);
void counts_add(EmuCounts *to, const EmuCounts *from);

/* ---- finding.c */

/* Notes what the running thread did wrong; `site`: where, 0: not known. */
void finding(Worker *w, uintptr_t site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same, and ends the launch: going on would crash. */
_Noreturn void finding_fatal(Worker *w, uintptr_t site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void finding_plain(Emu *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* An address in words: "shared byte 132", "operand 0 (X) element 77". */
const char *place_text(const Worker *w, uintptr_t address, char text[EMU_TEXT_BYTES]);

static inline int stamp_thread(uint32_t stamp) { return (int)(stamp & SEVERAL); }
static inline uint32_t stamp_epoch(uint32_t stamp) { return stamp >> STAMP_BITS; }
static inline uint32_t stamp_of(uint32_t epoch, int thread) { return epoch << STAMP_BITS | (uint32_t)thread; }

#define EXPORT __attribute__((visibility("default")))

#endif
