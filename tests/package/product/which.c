/* SPDX-License-Identifier: Apache-2.0
 *
 * which: prints what the package NAME chooses on this CPU, within and outside its ranges, a kernel's text each line.
 */
#include "NAME.h"
#include <stdio.h>

int main(void)
{
    static const int64_t extents[][3] = { { 1, 48, 64 },   { 6, 80, 33 }, { 24, 48, 64 },
                                          { 40, 144, 64 }, { 0, 0, 0 },   { 1000, 1000, 1000 } };
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        const char *text = NAME_kernel_text(NAME_choose(extents[i][0], extents[i][1], extents[i][2]));
        if (!text)
            return 1;
        puts(text);
    }
    return 0;
}
