/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_dnnl: rows by oneDNN's softmax and layer normalisation.
 */
#include "bench/rows.h"

static bool knows(const Spec *spec) { return rows_known(spec) != NULL; }

static void *setup(Problem *p, int form, int threads)
{
    const DnnlRows r = rows_of(p);
    (void)form;
    return rows_known(p->spec)(&r, p->mem, threads);
}

const Peer rows_dnnl = { &dnnl_library, setup, dnnl_run, dnnl_teardown, knows, false, NULL };
