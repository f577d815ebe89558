/* SPDX-License-Identifier: Apache-2.0
 *
 * request: the kernels of a request.
 */
#include "search/measure/request.h"

int kernels_add(Kernels *k, const char *key, const char *so, int at)
{
    if (k->n == REQUEST_MOST)
        return -1;
    k->key[k->n] = key;
    k->so[k->n] = so;
    k->at[k->n] = at;
    return k->n++;
}
