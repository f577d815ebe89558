/* SPDX-License-Identifier: Apache-2.0
 *
 * loops ARCH < ASSEMBLY: a line for each innermost loop that multiplies vectors: how many multiplications, loads and
 * stores of vectors one round has, how many of these are from and to the stack, and the function that it is in.
 * (test_loops.sh)
 */
#include <stdio.h>
#include <stdlib.h>
#include "search/build/spills.h"

static void print(void *ctx, const char *function, int len, const SpillReport *loop)
{
    (void)ctx;
    printf("%d %d %d %d %d %.*s\n", loop->multiplications, loop->loads, loop->stores, loop->loaded, loop->stored, len,
           function);
}

int main(int argc, char **argv)
{
    const Arch *arch = argc == 2 ? arch_find(argv[1]) : NULL;
    char *text = NULL;
    size_t cap = 0;
    if (!arch || !arch->assembly || getdelim(&text, &cap, '\0', stdin) < 0)
        return 2;
    spills_loops(arch->assembly, text, print, NULL);
    free(text);
    return ferror(stdout) != 0;
}
