/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Times of calls and nodes, in run_model.c. */
#endif
typedef struct {
    double last, seconds[NNODE + 1];
} run_watch;

static void run_watch_node(void *ctx, int node)
{
    run_watch *w = ctx;
    const double at = run_now();
    if (node > 0)
        w->seconds[node - 1] += at - w->last;
    w->last = at;
}

/* Times calls as they are, then as many with a look at the clock before each node. */
static void run_time(run_call *c)
{
    double *seconds = run_take((size_t)c->times * sizeof *seconds), all = 0;
    run_watch *w = run_take(sizeof *w);
    PACKAGE_exec watched = c->exec;
    watched.watch = run_watch_node;
    watched.watch_ctx = w;
    for (int i = 0; i < c->times; i++) {
        const double begin = run_now();
        run_once(c, &c->exec);
        seconds[i] = run_now() - begin;
    }
    qsort(seconds, (size_t)c->times, sizeof *seconds, run_order);
    printf("median of %d calls: %.1f us\n", c->times, seconds[c->times / 2] * 1e6);
    for (int i = 0; i < c->times; i++)
        run_once(c, &watched);
    for (int i = 0; i < NNODE; i++)
        all += w->seconds[i];
    for (int i = 0; i < NNODE; i++)
        printf("%10.1f us %5.1f %%  %s\n", w->seconds[i] / c->times * 1e6, all > 0 ? 100 * w->seconds[i] / all : 0, PACKAGE_node_name(i));
    free(w);
    free(seconds);
}
