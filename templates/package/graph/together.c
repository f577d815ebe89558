/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Nodes that run at the same time, in model.c. */
#endif
/* The plan of any of these nodes. */
typedef union PACKAGE_any_plan {
    CALL_plan CALL; //@ repeat beside_calls
} PACKAGE_any_plan;

typedef struct PACKAGE_task {
    int (*execute)(const union PACKAGE_any_plan *plan, void *scratch);
    PACKAGE_any_plan plan;
    void *scratch;
    int code;
} PACKAGE_task;

/* Nodes that do not depend on each other. */
typedef struct PACKAGE_group {
    unsigned char takes[MOST_BESIDE]; /* those that wait, to run at the same time, each on one thread: their places */
    int ntask;
    atomic_int next;
    PACKAGE_task task[MOST_BESIDE];
    PACKAGE_exec alone; /* what each has */
    char *scratch;
} PACKAGE_group;

static int CALL_beside(const PACKAGE_any_plan *plan, void *scratch) { return CALL_execute(&plan->CALL, scratch); } //@ repeat beside_calls

/* May nodes of the call run at the same time? */
static int PACKAGE_may_share(const PACKAGE_exec *exec) { return exec && exec->threads > 1 && exec->parallel_for && !exec->watch; }

static void PACKAGE_begin_group(PACKAGE_group *g, const PACKAGE_exec *exec, const PACKAGE_work *work, int n, void *scratch)
{
    g->ntask = 0;
    g->scratch = scratch;
    memset(g->takes, 0, sizeof g->takes);
    if (!PACKAGE_may_share(exec))
        return;
    g->alone = *exec;
    g->alone.threads = 1;
    if (PACKAGE_saved_ns(exec->threads, work, n, g->takes) < PACKAGE_WORTH_NS)
        memset(g->takes, 0, sizeof g->takes);
}

static void PACKAGE_do_tasks(void *arg, int i)
{
    PACKAGE_group *g = (PACKAGE_group *)arg;
    (void)i;
    for (int k; (k = atomic_fetch_add_explicit(&g->next, 1, memory_order_relaxed)) < g->ntask;)
        g->task[k].code = g->task[k].execute(&g->task[k].plan, g->task[k].scratch);
}

/* Runs those that wait: a code. */
static int PACKAGE_end_group(PACKAGE_group *g, const PACKAGE_exec *exec)
{
    if (g->ntask == 0)
        return PACKAGE_OK;
    atomic_init(&g->next, 0);
    exec->parallel_for(exec->ctx, g->ntask < exec->threads ? g->ntask : exec->threads, PACKAGE_do_tasks, g);
    PACKAGE_do_tasks(g, 0); /* what nobody took */
    for (int i = 0; i < g->ntask; i++)
        if (g->task[i].code != PACKAGE_OK)
            return g->task[i].code;
    return PACKAGE_OK;
}

/* A node of a group: it waits for the others, or runs now. */
#define BESIDE(number, place, name, ...) \
    do { \
        if (group.takes[place]) { \
            PACKAGE_task *const PACKAGE_one = &group.task[group.ntask++]; \
            code = name##_prepare(__VA_ARGS__, &group.alone, &PACKAGE_one->plan.name); \
            if (code != PACKAGE_OK) \
                return code; \
            PACKAGE_one->execute = name##_beside; \
            PACKAGE_one->scratch = group.scratch; \
            group.scratch += (PACKAGE_one->plan.name.scratch_bytes + 63) / 64 * 64; \
        } else { \
            NODE(number, name(__VA_ARGS__, scratch, exec)); \
        } \
    } while (0)
