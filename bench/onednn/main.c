/* SPDX-License-Identifier: Apache-2.0
 *
 * onednn: whether all functions of bench/dnnl.h are right.
 */
#include <stdio.h>
#include "bench/dnnl.h"
#include "bench/onednn/check.h"

enum { EXIT_WRONG = 1, EXIT_ENVIRONMENT = 3 };

int main(void)
{
    const char *lacking = dnnl_library.open();
    if (lacking) {
        fprintf(stderr, "bench: %s\n", lacking);
        return EXIT_ENVIRONMENT;
    }
    return check_all() ? EXIT_WRONG : 0;
}
