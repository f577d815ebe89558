/* SPDX-License-Identifier: Apache-2.0
 *
 * worker: what the files of the emulator share. A worker is a thread of this program that executes clusters of blocks,
 * mostly of one, one after the other; it holds all that belongs to its cluster, so nothing here needs a lock.
 *
 * A stamp says who did something and when: time << 13 | id. A thread has times from 1 on, another one behind each
 * __syncthreads and whatever else lets it say what it has done so far. The id is a fiber's number, or an agent's:
 * agents do what threads have only started, such as copies (order.c).
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
    GROUP_THREADS = 4 * LANES, /* of a warpgroup */
    MAX_BLOCK_THREADS = 1024,
    MAX_CLUSTER = 8,
    MAX_FIBERS = 4096, /* of a cluster */
    MAX_WARPS = MAX_FIBERS / LANES,
    MAX_AGENTS = 512,
    STAMP_BITS = 13,
    SEVERAL = (1 << STAMP_BITS) - 1, /* as an id in a stamp: more than one thread, or a whole warp */
    MAX_TIME = (1 << 22) - 1,        /* what marks of global memory hold */
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

typedef uint64_t Stamp;

/* Stamps of a line of shared memory; access.c says more. */
typedef struct {
    Stamp written, read;
} AccessLine;

/* What a thread waits for. */
typedef enum { RUNNING, AT_BARRIER, AT_COLLECTIVE, AT_NAMED, AT_MBARRIER, AT_WGMMA, AT_CLUSTER, EXITED } FiberState;

/* What somebody knows: of each id up to which time what it did lies behind; order.c says more. */
typedef struct {
    uint32_t *known;  /* of fibers, then of agents */
    uint32_t *fenced; /* of fibers: up to when what they stored is there for the asynchronous proxy too */
} Clock;

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
    struct Held *held; /* registers that wgmma uses; see wgmma.c */
    int max_copy, max_access, max_held;
    /* what follows is 0 when a block begins */
    int ncopy, naccess;
    FiberState state;
    int line;       /* in the source, of the barrier or primitive that it waits at or passed last */
    uint32_t time;  /* that its accesses have now */
    uint32_t group; /* the group of copies that the next commit closes */
    /* for global memory: how often it called __threadfence(), when last, and how often up to the last barrier */
    uint32_t fences, fence_epoch, fences_at_barrier;
    uint32_t write_fences, write_time; /* fences and time of its last store to scratch memory; time 0: none */
    Clock clock;                       /* while the cluster is followed */
    const struct Mbarrier *at;         /* AT_MBARRIER: it waits for the end of this one's phase, of this parity */
    unsigned parity;
    int nheld, nproduct, ngroup, waits_for; /* see wgmma.c */
    bool settled;                           /* it has used no register of a wgmma since its last wgmma_fence */
    int nstore; /* copies to global memory that it has started and not waited for; see tensor.c */
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

/* An atomic of a block, and what it made visible; see global.c. */
typedef struct Release {
    uintptr_t address;
    uint64_t order;         /* among all atomics */
    uint32_t epoch, fences; /* of the atomic's thread, at that moment */
    uint32_t time;
    int thread;                  /* of its block */
    bool acq_rel;                /* the atomic's order; else it is relaxed */
    struct Release *next, *past; /* of the launch; of its block, before it */
    uint32_t visible[];          /* of each thread: up to which time its stores are visible */
} Release;

/* A launch under way. */
typedef void EmuCall(void *kernel, const void *args);
typedef struct {
    EmuCall *call; /* calls kernel with args; made where the kernel's type is known */
    void *kernel;
    const void *args;
    unsigned grid[3], block[3], cluster;
    size_t smem_bytes;
    uint32_t first_block; /* number of its first block */
    uint64_t nx, nblock;  /* values of x, and blocks, that are executed */
    uint64_t next;        /* atomic; in clusters */
    int stop;             /* atomic: no further block */
    Release **release;    /* of each block, the last */
} Launch;

/* A block of the cluster. */
typedef struct {
    unsigned char *shared;
    uintptr_t window; /* addresses near shared memory begin there */
    AccessLine *line;
    Stamp *written, *read;   /* of each granule */
    struct Readers *readers; /* of each line, then of each granule; shadow.c says more */
    unsigned index[3];
    uint32_t number; /* unique in all launches of a call, from 1 on */
    uint32_t epoch;  /* the time of its last __syncthreads */
    int nbarrier, nexited, barrier_line;
    bool fenced;      /* some thread called __threadfence() since the last barrier */
    Release *release; /* the last one; NULL: no atomic yet */
} ClusterBlock;

typedef struct {
    /* what each access looks at, of the running fiber's block */
    unsigned char *shared;
    AccessLine *line;
    uintptr_t nline; /* whole lines of shared memory; 0 while the slow way is to be taken, or no block runs */
    int64_t budget;
    Stamp stamp, floor; /* of the running fiber now; what is below lies behind a __syncthreads */
    uint32_t smem_bytes;
    uintptr_t stack, stack_bytes;     /* of the running fiber */
    uintptr_t window, window_bytes;   /* addresses near shared memory; 0 bytes while no block runs */
    const EmuRegion *recent[2];       /* the last two that were accessed */
    bool counting, followed, holding; /* followed: clocks are kept; holding: the running fiber has registers of wgmma */
    /* the cluster */
    Launch *launch;
    Context home;
    ClusterBlock block[MAX_CLUSTER], *at; /* at: the running fiber's */
    int nblock, nthread, nfiber;          /* nthread: of a block */
    int running, nexited;
    uint32_t time;                /* of agents */
    uint64_t random;              /* state of what the order of fibers is drawn from; 0: it is not random */
    uint32_t runnable[MAX_WARPS]; /* a bit a lane */
    int nstack;                   /* fibers that have one */
    char place[EMU_TEXT_BYTES];   /* of place_text() */
    EmuCounts counts;
    struct Order *order;   /* order.c */
    struct Barriers *wait; /* mbarrier.c */
    struct Engine *engine; /* tensor.c */
    struct Tensor *tensor; /* wgmma.c */
    Fiber fiber[MAX_FIBERS];
    Collective warp[MAX_WARPS];
    AccessSite site[SITE_SLOTS];
} Worker;

extern _Thread_local Worker *emu_worker __attribute__((tls_model("local-exec"))); /* this program is no library */

/* ---- launch.c */

extern Emu *emu_current; /* the one that launches go to; NULL: none */

/* Where in the grid a launch's block is; `block` is its number less that of the launch's first block. */
void launch_place(const Launch *l, uint64_t block, unsigned index[3]);

/* ---- block.c */
bool worker_prepare(Worker *w, const Launch *l); /* false: no memory */
void worker_free(Worker *w);
void cluster_run(Worker *w, uint64_t index);
_Noreturn void block_abort(Worker *w); /* ends the cluster and the launch */

/* The running lane's collective. Its operands go there; so do results, once collective_wait returns. */
Collective *collective_enter(Worker *w, int kind, int line);
void collective_wait(Worker *w, Collective *c);

void fiber_wait(Worker *w, FiberState state); /* until another one wakes the running one */
void fiber_wake(Worker *w, int fiber);
void fiber_pause(Worker *w); /* lets others go on, or copies arrive, if the order is random */

/* ---- access.c */
uintptr_t shared_offset_of(Worker *w,
                           const Access *a); /* of an access to shared memory, which must be the block's own */

/* ---- shadow.c */
bool shadow_prepare(ClusterBlock *b); /* false: no memory */
void shadow_free(ClusterBlock *b);
void shadow_begin(Worker *w, ClusterBlock *b);
void shared_read_row(Worker *w, uintptr_t address); /* checks a read of 16 bytes for all lanes of a warp */
/* Checks and notes an access to any bytes of shared memory. mark: what is written gets it, or who reads. */
void shadow_access(Worker *w, const Access *a, uintptr_t offset, Stamp mark);
Stamp shadow_pending(const Worker *w);                             /* the mark of what the running fiber copies */
void shadow_end_write(Worker *w, uint32_t offset, uint32_t bytes); /* such a copy is done */
/* A copy by an agent to shared memory: from its start on nobody may look there; at its end it has been written. */
void shared_start_copy(Worker *w, uint32_t offset, uint32_t bytes, int agent, uintptr_t site);
void shared_end_copy(ClusterBlock *b, uint32_t offset, uint32_t bytes, int agent, uint32_t time);
/* A read by an agent, who is done with it when it is known to have reached that time. */
void shared_async_read(Worker *w, uint32_t offset, uint32_t bytes, int agent, uint32_t time, const char *does,
                       uintptr_t site);
void shared_read_remote(Worker *w, ClusterBlock *b, uint32_t offset, uint32_t bytes, uintptr_t site);
void shared_make_barrier(Worker *w, uint32_t offset, uint32_t bytes, uintptr_t site); /* it is no memory any more */

/* ---- order.c */

void order_begin(Worker *w); /* of a cluster */
void order_free(Worker *w);
void order_follow(Worker *w); /* from here on clocks are kept */
Clock order_clock(Worker *w); /* a new one; it ends with the cluster */
int order_agent(Worker *w);
uint32_t order_tick(Worker *w); /* a new time of agents */
/* Does what this fiber or agent did up to that time lie behind what the fiber does now? */
bool order_known(const Worker *w, int fiber, int id, uint32_t time);
/* The same of what it stored, for the asynchronous proxy. */
bool order_fenced(const Worker *w, int fiber, int id, uint32_t time);
void order_learn(Worker *w, int fiber, int id, uint32_t time);
void order_tell(const Worker *w, Clock c, int id, uint32_t time);
void order_join(const Worker *w, Clock to, Clock from);
void order_release(Worker *w, Clock to); /* adds what the running fiber knows and has done */
void order_fence(Worker *w);             /* proxy_fence of the running fiber */
void order_barrier(Worker *w);           /* __syncthreads of its block */
void order_warp(Worker *w, int first);   /* __syncwarp of the lanes from this fiber on */

/* ---- mbarrier.c */

typedef struct Mbarrier {
    const ClusterBlock *block;
    uint32_t offset;
    unsigned expected, pending, phase; /* arrivals of a phase, and those to come; the parity of the phase under way */
    int64_t tx;                        /* bytes to come */
    Clock bring, take;
    int agent, made_by; /* what copies by it; the fiber that initialised it, and its time then */
    uint32_t made;
    bool is_shown; /* to copies, by a fence of made_by */
} Mbarrier;

void barriers_begin(Worker *w);
void barriers_free(Worker *w);
/* The mbarrier of a block, which the running fiber may use. */
Mbarrier *mbarrier_in(Worker *w, const ClusterBlock *b, uint32_t offset, uintptr_t site);
void mbarrier_copied(Worker *w, Mbarrier *m, uint32_t time, uint32_t bytes);
ClusterBlock *cluster_block(Worker *w, unsigned rank, uintptr_t site); /* one that runs */
const char *barrier_text(const Worker *w, int fiber, char *text, size_t bytes);

/* ---- tensor.c */
void engine_begin(Worker *w);
void engine_free(Worker *w);
bool engine_end_load(Worker *w, uint64_t which); /* false: none is on its way. 0: the oldest */
void engine_check_exit(Worker *w);

/* ---- wgmma.c */
void wgmma_begin(Worker *w);
void wgmma_free(Worker *w);
bool wgmma_end_any(Worker *w); /* carries out what some lane waits for and all have started; false: nothing */
void wgmma_check_exit(Worker *w);
void wgmma_stack_access(Worker *w, const Access *a);

/* ---- global.c */
void global_end(void);                                     /* of a launch */
bool global_reads_input(const Worker *w, const Access *a); /* true: the access does; false: it may even so */
void global_access(Worker *w, const Access *a);            /* checks an access, and notes what it writes */
void global_check_counters(void);

/* ---- warp.c */
enum {
    MMA_F16,
    MMA_BF16,
    MMA_TF32,
    LDMATRIX_2,
    LDMATRIX_4,
    LDMATRIX_2T,
    LDMATRIX_4T,
    SHUFFLE_XOR,
    SHUFFLE_DOWN,
    WARP_SYNC
};
extern const char *const collective_name[];
void collective_run(Worker *w, Collective *c);
float mma_element(int kind, uint32_t word, int i); /* of a word of an operand */

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

static inline int stamp_id(Stamp stamp) { return (int)(stamp & SEVERAL); }
static inline uint32_t stamp_time(Stamp stamp) { return (uint32_t)(stamp >> STAMP_BITS) & MAX_TIME; }
static inline Stamp stamp_of(uint32_t time, int id) { return (Stamp)time << STAMP_BITS | (Stamp)id; }

/* The first fiber of the running one's block. */
static inline int first_fiber(const Worker *w) { return (int)(w->at - w->block) * w->nthread; }

#define EXPORT __attribute__((visibility("default")))

/* Loops of arithmetic, which are worth the vectors that most machines have. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)
#define FAST __attribute__((target_clones("avx2", "default")))
#else
#define FAST
#endif

#endif
