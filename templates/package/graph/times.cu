/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
/* Times of calls and nodes on a device, in run_model.c. */
#endif
typedef struct {
    cudaStream_t stream;
    cudaEvent_t event[NNODE + 1];
} run_watch;

static void run_watch_node(void *ctx, int node)
{
    run_watch *w = ctx;
    on_device_must(cudaEventRecord(w->event[node], w->stream), "cudaEventRecord");
}

/* The median time of a call, to when the device has done it. */
static double run_median(run_call *c)
{
    double *seconds = run_take((size_t)c->times * sizeof *seconds);
    for (int i = 0; i < c->times; i++) {
        const double begin = run_now();
        run_once(c, NULL);
        on_device_must(cudaStreamSynchronize(c->stream), "a kernel");
        seconds[i] = run_now() - begin;
    }
    qsort(seconds, (size_t)c->times, sizeof *seconds, run_order);
    const double median = seconds[c->times / 2];
    free(seconds);
    return median;
}

/* Times calls as they are, and kept, then as many with an event before each node. */
static void run_time(run_call *c)
{
    double *seconds = run_take((NNODE + 1) * sizeof *seconds), all = 0;
    run_watch *w = run_take(sizeof *w);
    const PACKAGE_exec watched = { .watch = run_watch_node, .watch_ctx = w };
    w->stream = c->stream;
    for (int i = 0; i <= NNODE; i++)
        on_device_must(cudaEventCreate(&w->event[i]), "cudaEventCreate");
    printf("median of %d calls: %.1f us\n", c->times, run_median(c) * 1e6);
    c->nkept = 1;
    printf("median of %d kept calls: %.1f us\n", c->times, run_median(c) * 1e6);
    c->nkept = 0;
    PACKAGE_kept_free(&c->kept, 1);
    for (int i = 0; i < c->times; i++) {
        run_once(c, &watched);
        on_device_must(cudaStreamSynchronize(c->stream), "a kernel");
        for (int k = 0; k < NNODE; k++) {
            float ms = 0;
            on_device_must(cudaEventElapsedTime(&ms, w->event[k], w->event[k + 1]), "cudaEventElapsedTime");
            seconds[k] += (double)ms * 1e-3;
            all += (double)ms * 1e-3;
        }
    }
    for (int i = 0; i < NNODE; i++)
        printf("%10.1f us %5.1f %%  %s\n", seconds[i] / c->times * 1e6, all > 0 ? 100 * seconds[i] / all : 0, PACKAGE_node_name(i));
    for (int i = 0; i <= NNODE; i++)
        cudaEventDestroy(w->event[i]);
    free(w);
    free(seconds);
}
