/* SPDX-License-Identifier: Apache-2.0
 *
 * family: the families that there are, and how files name them.
 */
#include "gen/target/family.h"

#include <stddef.h>
#include <string.h>

const Family *const families[FAMILY_COUNT] = { &family_cpu, &family_cuda };

const Family *family_of_best(const char *word)
{
    for (int i = 0; i < FAMILY_COUNT; i++)
        if (strcmp(families[i]->best, word) == 0)
            return families[i];
    return NULL;
}

bool family_read(const Conf *c, const Family **family)
{
    const char *names[FAMILY_COUNT];
    int at = 0;
    for (int i = 0; i < FAMILY_COUNT; i++)
        names[i] = families[i]->name;
    const bool ok = conf_choice(c, c->root, "family", "family", names, FAMILY_COUNT, &at);
    *family = families[at];
    return ok;
}
