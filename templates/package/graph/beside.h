/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN /* to compile this file as it stands */
#include "templates/package/pieces.h"
#endif
/* What a node's call does: operations, and bytes of its operands. */
typedef struct PACKAGE_work {
    double flops, bytes;
} PACKAGE_work;

/* Nanoseconds that calls at the same time must save: more than it takes to share them out. */
enum { PACKAGE_WORTH_NS = 5000 };

/* Nanoseconds that a core takes at least: a fast one, and operands in caches. */
static inline double PACKAGE_least_ns(const PACKAGE_work *w)
{
    const double computes = w->flops / 128, moves = w->bytes / 32;
    return computes > moves ? computes : moves;
}

/* What is saved at least, in ns, where n calls that do not depend on each other run at the same time, each on one of so many threads, which take them in
 * turn. Calls that are worth several threads alone are left out: 0 in takes, where that is not NULL. */
static inline double PACKAGE_saved_ns(int threads, const PACKAGE_work *work, int n, unsigned char *takes)
{
    enum { MOST = 8 };
    double busy[MOST] = { 0 }, sum = 0, longest = 0;
    for (int i = 0; i < n; i++) {
        const int alone = PACKAGE_worthwhile(threads, work[i].flops, PACKAGE_POOLED_FLOPS) <= 1;
        const double ns = alone ? PACKAGE_least_ns(&work[i]) : 0;
        int idle = 0;
        for (int k = 1; k < threads && k < MOST; k++)
            idle = busy[k] < busy[idle] ? k : idle;
        if (takes)
            takes[i] = (unsigned char)alone;
        busy[idle] += ns;
        sum += ns;
        longest = busy[idle] > longest ? busy[idle] : longest;
    }
    return sum - longest;
}
