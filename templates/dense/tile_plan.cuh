/* SPDX-License-Identifier: MIT-0 */
/* A block for each PROBLEMS tiles of all Y, and for each slice of k of them. */
static NAME_plan KERNEL_plan(const NAME_args &a, int sms)
{
    const int64_t most = 2147483647, batches = KERNEL_batches(a);
    const int64_t tiles = ((int64_t)KERNEL_nrow(a) + BM - 1) / BM * (((int64_t)KERNEL_ncol(a) + BN - 1) / BN);
    const int64_t all = tiles > most || batches > most ? most + 1 : tiles * batches, ntile = (all + PROBLEMS - 1) / PROBLEMS;
    NAME_plan plan = { (unsigned)ntile, 1, 1, 0, NT, SMEM, 0 };
    (void)sms;
    if (all > most)
        plan.x = 0; /* no such grid: the launch says so */
#if SPLITK > 1
    if (ntile <= COUNTERS) { /* more would keep any device busy */
        const int64_t blocks = ((int64_t)KERNEL_nk(a) + BK - 1) / BK + (KERNEL_nk(a) == 0), slice = (blocks + SPLITK - 1) / SPLITK;
        plan.z = (unsigned)((blocks + slice - 1) / slice);
        if (plan.z > 1)
            plan.workspace_bytes = 4 * (COUNTERS + (size_t)ntile * plan.z * (BM * BN));
    }
#endif
    return plan;
}
