/* SPDX-License-Identifier: Apache-2.0
 *
 * kept: some options decide what a package made of given records is. They stand in the first line of its spec.cfg, "#
 * dcgen: --kernels 4 ...", so that the package can be explained and made again from its folder alone. Folders of
 * templates are kept as paths from the package's folder; those that have nothing in common with it but the root, as
 * they were given. What is no letter, digit or one of _./+~@- in a path is %XX.
 */
#ifndef DCGEN_KEPT_H
#define DCGEN_KEPT_H

#include "gen/base/diag.h"
#include "gen/driver/cli.h"

/* The options, with those added that the first line of the spec's text keeps and the command line does not give. An
 * error for a folder of templates that it keeps and that is not there. */
Options kept_add(Arena *a, const Options *o, const char *spec_path, const char *text, Diag *d);
/* The spec's text with a first line that keeps these options, in place of the one it may have; without such a line if
 * there are none. out: the package's folder. */
const char *kept_text(Arena *a, const Options *o, const char *out, const char *text);

#endif
