/* SPDX-License-Identifier: Apache-2.0
 *
 * version: which texts are versions, as semver.org 2.0.0 has them: "1.2.0", "1.2.0-rc.1" before that release,
 * "1.2.0+linux" of one build of it.
 */
#ifndef DCGEN_VERSION_H
#define DCGEN_VERSION_H

enum { VERSION_MAX_LENGTH = 64 };

/* NULL when `text` is a semantic version, else what is wrong with it: "has a number that begins with 0". */
const char *version_fault(const char *text);

#endif
