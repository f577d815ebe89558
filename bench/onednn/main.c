/* SPDX-License-Identifier: Apache-2.0
 *
 * onednn [check | THREADS]: whether all functions of bench/dnnl.h are right; then, without `check`, what oneDNN needs for rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/dnnl.h"
#include "bench/onednn/check.h"
#include "bench/onednn/times.h"

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, EXIT_ENVIRONMENT = 3 };

int main(int argc, char **argv)
{
    const bool only_check = argc == 2 && !strcmp(argv[1], "check");
    const int threads = argc == 2 && !only_check ? atoi(argv[1]) : 1;
    const char *lacking = dnnl_library.open();
    if (argc > 2 || threads < 1) {
        fputs("usage: onednn [check | THREADS]\n", stderr);
        return EXIT_USAGE;
    }
    if (lacking) {
        fprintf(stderr, "bench: %s\n", lacking);
        return EXIT_ENVIRONMENT;
    }
    if (check_all())
        return EXIT_WRONG;
    if (!only_check)
        times_print(threads);
    return 0;
}
