/* SPDX-License-Identifier: Apache-2.0
 *
 * worker: what the files of the emulator share. A worker is a thread of this program that executes blocks one after the
 * other; it holds all that belongs to its block, so nothing here needs a lock.
 *
 * A stamp says who did something and when: epoch << 11 | thread. The epoch counts the barriers of a block, from 1 on.
 */
#ifndef DCGEN_EMU_WORKER_H
#define DCGEN_EMU_WORKER_H

#include <stdio.h>
#include "search/runner/emu/emu.h"

/* Where a fiber goes on: its stack and registers; see block.c. */
#if defined(__x86_64__)
typedef struct {
    void *sp;
} Context;
#else
#include <ucontext.h>
typedef struct {
    ucontext_t u;
} Context;
#endif

/* ---- a block and its threads */

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
    SHARED_REACH = 256 << 10, /* addresses so near to shared memory count as shared memory out of bounds */
    SHARED_SKEW = 128,        /* shared memory begins so far behind a multiple of 1024: no more alignment is promised */
    WINDOW_BYTES = SHARED_REACH + SHARED_BYTES + SHARED_REACH,
    SITE_SLOTS = 1024 /* places that access memory: more than a kernel of sane size has */
};

/* Stamps of a line of shared memory; access.c says more. */
typedef struct {
    uint32_t written, read;
} AccessLine;

/* What a thread waits for. */
typedef enum { RUNNING, AT_BARRIER, AT_COLLECTIVE, EXITED } FiberState;

/* An asynchronous copy on its way: it arrives as late as it may. */
typedef struct {
    const void *from; /* the source, if it is in an input, which does not change; NULL: its bytes are in data */
    uint32_t offset;  /* in shared memory */
    uint32_t bytes, group;
    unsigned char data[16];
} PendingCopy;

/* One access to memory. */
typedef struct {
    uintptr_t site, address;
    uint32_t bytes;
    bool write, aligned, shared; /* aligned: the address must be a multiple of its bytes */
} Access;

typedef struct {
    Context context;
    uintptr_t stack; /* its lowest address */
    /* asynchronous copies that it has started and not waited for, and accesses since the last barrier, if counted */
    PendingCopy *copy;
    Access *access;
    int max_copy, max_access;
    /* what follows is 0 when a block begins */
    int ncopy, naccess;
    FiberState state;
    int line;       /* in the source, of the barrier or primitive that it waits at or passed last */
    uint32_t group; /* the group of copies that the next commit closes */
    /* for global memory: how often it called __threadfence(), when last, and how often up to the last barrier */
    uint32_t fences, fence_epoch, fences_at_barrier;
    uint32_t write_fences, write_epoch; /* fences and epoch of its last store to scratch memory; epoch 0: none */
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

/* One instruction of a warp that accesses memory. */
typedef struct {
    uintptr_t address[LANES];
    uint32_t bytes[LANES]; /* 0: this lane does not take part */
} Instruction;

/* The instructions of one place in the code. */
typedef struct {
    Access of;      /* its first access; without a site: the slot is free */
    int seen, lane; /* how many accesses of that lane were added so far */
    int n, max;     /* instructions, and room for them */
    Instruction *instruction;
} AccessSite;

/* A block's last atomic, and what it made visible; see global.c. */
typedef struct Release {
    uintptr_t address;
    uint64_t order;                           /* among all atomics */
    uint64_t visible[MAX_BLOCK_THREADS / 64]; /* a bit a thread: its stores are visible */
    uint32_t epoch, fences;                   /* of the atomic's thread, at that moment */
    int thread;
    bool acq_rel; /* the atomic's order; else it is relaxed */
    struct Release *next;
} Release;

/* A launch under way. */
typedef void EmuCall(void *kernel, const void *args);
typedef struct {
    EmuCall *call; /* calls kernel with args; made where the kernel's type is known */
    void *kernel;
    const void *args;
    unsigned grid[3], block[3];
    size_t smem_bytes;
    uint32_t first_block; /* number of its first block */
    uint64_t nx, nblock;  /* values of x, and blocks, that are executed */
    uint64_t next;        /* atomic */
    int stop;             /* atomic: no further block */
    Release **release;    /* of each block */
} Launch;

typedef struct {
    /* what each access looks at */
    unsigned char *shared;
    uintptr_t nline; /* whole lines of shared memory; 0 while accesses are counted, or no block runs */
    int64_t budget;
    uint32_t stamp; /* of the running fiber now */
    uint32_t smem_bytes;
    uintptr_t stack, stack_bytes;   /* of the running fiber */
    uintptr_t window, window_bytes; /* addresses near shared memory; 0 bytes while no block runs */
    const EmuRegion *recent[2];     /* the last two that were accessed */
    bool counting, fenced;          /* fenced: some thread called __threadfence() since the last barrier */
    /* the block */
    Launch *launch;
    Context home;
    int nthread, running, nbarrier, nexited;
    uint32_t epoch, block_number; /* the number is unique in all launches of a call, from 1 on */
    unsigned block_index[3];
    uint32_t runnable[MAX_WARPS]; /* a bit a lane */
    int barrier_line;
    Release *release;           /* NULL: no atomic yet */
    int nstack;                 /* fibers that have one */
    char place[EMU_TEXT_BYTES]; /* of place_text() */
    EmuCounts counts;
    Fiber fiber[MAX_BLOCK_THREADS];
    Collective warp[MAX_WARPS];
    AccessSite site[SITE_SLOTS];
    AccessLine line[SHARED_BYTES / LINE_BYTES];
    uint32_t written[SHARED_BYTES / GRANULE_BYTES], read[SHARED_BYTES / GRANULE_BYTES]; /* of each granule */
} Worker;

extern _Thread_local Worker *emu_worker __attribute__((tls_model("local-exec"))); /* this program is no library */

/* ---- launch.c */

extern Emu *emu_current; /* the one that launches go to; NULL: none */

/* Where in the grid a launch's block is; `block` is its number less that of the launch's first block. */
void launch_place(const Launch *l, uint64_t block, unsigned index[3]);

/* ---- block.c */
bool worker_prepare(Worker *w, int nthread); /* false: no memory */
void worker_free(Worker *w);
void block_run(Worker *w, uint64_t index);
_Noreturn void block_abort(Worker *w); /* ends the block and the launch */

/* The running lane's collective. Its operands go there; so do results, once collective_wait returns. */
Collective *collective_enter(Worker *w, int kind, int line);
void collective_wait(Worker *w, Collective *c);

/* ---- access.c */
void shared_begin(Worker *w);                       /* of a block */
void shared_rebase(Worker *w);                      /* makes all former writes writes of epoch 1, and forgets reads */
void shared_read_row(Worker *w, uintptr_t address); /* checks a read of 16 bytes for all lanes of a warp */

/* ---- global.c */
void global_end(void);                                     /* of a launch */
bool global_reads_input(const Worker *w, const Access *a); /* true: the access does; false: it may even so */
void global_access(Worker *w, const Access *a);            /* checks an access, and notes what it writes */
void global_check_counters(void);

/* ---- warp.c */
enum { MMA_F16, MMA_BF16, MMA_TF32, LDMATRIX_2, LDMATRIX_4, LDMATRIX_2T, LDMATRIX_4T, SHUFFLE_XOR, SHUFFLE_DOWN };
extern const char *const collective_name[];
void collective_run(Worker *w, Collective *c);

/* ---- count.c */
void count_access(Worker *w, const Access *a);
void count_flush(Worker *w);                             /* adds up all accesses since the last flush */
void count_rows(Worker *w, const uintptr_t *row, int n); /* ldmatrix: n rows of 16 bytes, 8 at a time */
void counts_add(EmuCounts *to, const EmuCounts *from);

/* ---- finding.c */

/* Notes what the running thread did wrong, w NULL: none; `site`: where, 0: not known. False: there are enough. */
bool finding_note(const Worker *w, uintptr_t site, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Notes it, and ends the launch when there are enough. */
#define finding(w, ...) (finding_note(w, __VA_ARGS__) ? (void)0 : block_abort(w))
/* Notes it and ends the launch: going on would crash. */
#define finding_fatal(w, ...) (finding_note(w, __VA_ARGS__), block_abort(w))
/* Notes an access that is wrong as such, "reads 4 bytes at ..." and the rest, and ends the launch. */
_Noreturn void finding_access(Worker *w, const Access *a, const char *more);
/* Returns what calloc or realloc gave for the emulator's own lists. The program ends if that is NULL. */
void *checked_memory(void *memory);
/* The array of *max elements, made larger if it holds n already. */
void *array_with_room(void *array, int n, int *max, size_t elem_bytes);
/* An address in words, until the next call: "shared byte 132", "operand 0 (X) element 77". */
const char *place_text(Worker *w, uintptr_t address);
/* Counts an access or a collective of the block: a block that has too many counts as endless. */
static inline void spend(Worker *w, uintptr_t site)
{
    if (__builtin_expect(--w->budget < 0, 0))
        finding_fatal(w, site, "does not end");
}

static inline int stamp_thread(uint32_t stamp) { return (int)(stamp & SEVERAL); }
static inline uint32_t stamp_epoch(uint32_t stamp) { return stamp >> STAMP_BITS; }
static inline uint32_t stamp_of(uint32_t epoch, int thread) { return epoch << STAMP_BITS | (uint32_t)thread; }

#define EXPORT __attribute__((visibility("default")))

#endif
