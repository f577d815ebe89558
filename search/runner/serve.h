/* SPDX-License-Identifier: Apache-2.0
 *
 * serve: a runner's side of the protocol (protocol.md), for any kind of device. It takes the streams, says hello, reads
 * requests and writes results; an engine knows the device: what it is, how to verify a kernel and how to time it.
 */
#ifndef DCGEN_SERVE_H
#define DCGEN_SERVE_H

#include "search/runner/runner.h"

enum { PROTOCOL = 1 };

/* A `limits` request. */
typedef struct {
    const char *target, *dtype, *so; /* so: code that measures them (abi.h); NULL: none was sent */
    int threads;
    double until_ns; /* on the clock of process_clock_ns: what would begin later is left out */
} LimitsRequest;

/* A `call` request. dcgen_launch gets operands { in, out } scratch memory and counters, which are zero, of as many
 * bytes as it asks for.
 * Nothing is verified and nothing is timed: the caller knows what the bytes mean. */
typedef struct {
    int64_t extent[OP_MAX_CALL];
    Kernel kernel;  /* its object, and what came of the call */
    char *in, *out; /* on the host; the engine fills in `out` */
    size_t in_bytes, out_bytes;
    int64_t smem_limit; /* bytes of shared memory that a block may have, for the emulator; 0: its own limit */
} Call;

/* A `measure` request under way. */
typedef struct {
    int64_t id;
    const Setup *setup;
    Shape *shape;
    Timing timing;
    int nkernel;
    Kernel *kernel;
    bool count;         /* for the emulator: it shall count what kernels do */
    int64_t smem_limit; /* for the emulator, as in a Call */
    /* Says that a kernel is still being verified, with timing.ctx; from any thread while verify runs. */
    void (*verifying)(void *ctx, int kernel);
    FILE *out; /* for events */
} Work;

typedef struct {
    const char *program; /* "dcgen-runner-c" */
    const char *runner;  /* what the hello calls it: "c" */
    const char *usage;   /* its own options: " [--timer cupti|events]"; NULL: it has none */
    /* Takes an option, with the argument that follows it or NULL. Returns how many arguments it took, 0: they are
     * wrong. NULL: this engine has no options but those of all runners. */
    int (*option)(const char *name, const char *value);
    /* Fields of the hello: `device`, and whatever else it has to say. NULL with *err set: there is no device. */
    json_t *(*hello)(Arena *a, const char **err);
    /* Prepares for the kernels of a request. False with why set: the request fails; close is called all the same. */
    bool (*open)(Work *w, char why[WHY_BYTES]);
    /* Loads and verifies kernel i, and sets its status and why. True: the status is STATUS_OK. */
    bool (*verify)(Work *w, int i);
    /* Times the kernels with status ok; called only if samples are wanted. NULL: this engine takes no times, and
     * results have none. False with why set: the request fails. */
    bool (*time)(Work *w, char why[WHY_BYTES]);
    void (*close)(Work *w); /* gives back what open took; may be NULL. Kernels are unloaded after it */
    void (*end)(void);      /* at the end of the input; may be NULL */
    /* Fills in the rates of `out`, the best of *rounds. False with *err set: there are none. NULL: it measures none. */
    bool (*limits)(Arena *a, const LimitsRequest *q, LimitRecord *out, int *rounds, const char **err);
    bool flushes; /* `time` can have the constant operand leave the caches before each call */
    /* Makes the call, and sets its kernel's status and why. True: the status is STATUS_OK. NULL: it makes no calls. */
    bool (*call)(Call *c);
} Engine;

/* Takes the program's arguments. False: they are wrong. */
bool serve_arguments(const Engine *engine, int argc, char **argv);
/* The whole program; returns its exit code. */
int serve_main(const Engine *engine, int argc, char **argv);
/* What the program does with its streams: says hello, does what `in` asks for until it ends. Gives the exit code. */
int serve_streams(const Engine *engine, int in, FILE *out);

/* ---- facts.c: what a runner's hello is made of: the targets there are, and this machine as a `device`. */

enum { FACTS_MAX_FOLDER = 64 };

/* Names a further folder of targets, to be searched behind those that were named before (target_read_folders). Unless
 * any is named, dcgen's own is looked for near this program. False: there are too many. */
bool facts_use_targets(const char *folder);
/* Reads all targets of the folders. False with *err set. */
bool facts_targets(Arena *a, TargetList *out, const char **err);
/* A device as an object of the protocol. */
json_t *facts_json(const Device *d);

#endif
