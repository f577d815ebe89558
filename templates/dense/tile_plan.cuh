/* SPDX-License-Identifier: MIT-0 */
/* A block for each tile of Y, and for each slice of k of it. */
static NAME_plan KERNEL_plan(int64_t M, int64_t N, int64_t K)
{
    const int64_t ntile = (M + BM - 1) / BM * ((N + BN - 1) / BN);
    NAME_plan plan = { (unsigned)ntile, 1, 1, NT, SMEM, 0 };
    if (ntile > 2147483647)
        plan.x = 0; /* no such grid: the launch says so */
#if SPLITK > 1
    if (ntile <= COUNTERS) { /* more would keep any device busy */
        const int64_t blocks = (K + BK - 1) / BK + (K == 0), slice = (blocks + SPLITK - 1) / SPLITK;
        plan.z = (unsigned)((blocks + slice - 1) / slice);
        if (plan.z > 1)
            plan.workspace_bytes = 4 * (COUNTERS + (size_t)ntile * plan.z * (BM * BN));
    }
#else
    (void)K;
#endif
    return plan;
}
