/* SPDX-License-Identifier: Apache-2.0
 *
 * blame: whose fault a failure is. A candidate's own fault becomes a record, and is kept for good. What the machine
 * lacked at that moment must not: it is tried again alone, and if that fails too, either that candidate is left out of
 * this run or the run ends; nothing of it is recorded, so that the next run begins there. blame.c has the one table of
 * signs.
 */
#ifndef DCGEN_BLAME_H
#define DCGEN_BLAME_H

typedef enum {
    BLAME_CANDIDATE,
    /* memory was short, or someone killed it: no other candidate need be hit, so the run goes on without this one */
    BLAME_MOMENT,
    BLAME_MACHINE /* disk, descriptors, processes: nothing else will work either, so the run ends */
} Blame;

Blame blame_error(int problem);   /* an errno */
Blame blame_end(int wait_status); /* of a program that ended by itself */
/* text: what a compiler, a loader or a runner wrote. *sign: the words in it that tell, or NULL; sign may be NULL. */
Blame blame_text(const char *text, const char **sign);

#endif
