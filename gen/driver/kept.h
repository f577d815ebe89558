/* SPDX-License-Identifier: Apache-2.0
 *
 * kept: some options decide what a package made of given records is. Its spec.cfg is the spec with what they say as
 * settings, so that the package can be explained and made again from its folder alone. A setting that the spec has gets
 * another value in its place, one that it lacks a line at its end (of `budget`: a place behind the bracket); all else,
 * comments and blanks too, stays as it is. Folders of templates are kept as paths from the package's folder; those that
 * have nothing in common with it but the root, as they were given. Logs of shapes are files of the package.
 */
#ifndef DCGEN_KEPT_H
#define DCGEN_KEPT_H

#include "gen/driver/cli.h"
#include "gen/spec/spec.h"

/* The text of a good spec with the settings of these options. folders: those of templates, dcgen's own the last; out:
 * the package's folder. */
const char *kept_text(Arena *a, const Options *o, const TextList *folders, const char *out, const char *text);
/* The text of a good spec in which the logs that it takes shapes from are those of the package. */
const char *kept_logs(Arena *a, const SpecFile *file, const char *text);

#endif
