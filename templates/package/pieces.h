/* SPDX-License-Identifier: MIT-0
 *
 * pieces: how a call is shared out among threads. Included by kernels.c, and by what measured it.
 */
#ifndef NAME_PIECES_H
#define NAME_PIECES_H

/* Pieces that a call's work is cut into for `threads` threads, which take them in turn: more than threads where they are large
 * enough, so that a thread whose core is slower, or was taken away for a while, does fewer. flops: of the whole call. */
static inline int NAME_pieces(int threads, double flops)
{
    const double worth = flops / 2e6;
    const int most = 4 * threads;
    return worth <= threads ? threads : worth >= most ? most : (int)worth;
}

#endif
