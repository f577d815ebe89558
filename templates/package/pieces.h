/* SPDX-License-Identifier: MIT-0
 *
 * pieces: how a call is shared out among threads. Included by kernels.c, and by what measured it.
 */
#ifndef PACKAGE_PIECES_H
#define PACKAGE_PIECES_H

/* Threads worth their start, of those allowed; flops: of the whole call, each: of the least that is worth a thread. A thread of a
 * pool costs about 2 microseconds, a new one 20. */
#define PACKAGE_POOLED_FLOPS 256e3
#define PACKAGE_NEW_FLOPS 8e6
static inline int PACKAGE_worthwhile(int threads, double flops, double each)
{
    const double most = flops / each;
    return threads < most ? threads : most > 1 ? (int)most : 1;
}

/* Pieces that a call's work is cut into for `threads` threads, which take them in turn: more than threads where they are large
 * enough, so that a thread whose core is slower, or was taken away for a while, does fewer. A multiple of the threads: 3 pieces
 * would keep 2 threads as long as 4. flops: of the whole call. */
static inline int PACKAGE_pieces(int threads, double flops)
{
    const double worth = flops / 2e6;
    const int most = 4 * threads;
    return worth <= threads ? threads : worth >= most ? most : (int)worth / threads * threads;
}

#endif
