/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow: what the fast way of an access (access.c) and the slow one (shadow.c) ask of the stamps of shared memory.
 */
#ifndef DCGEN_EMU_SHADOW_H
#define DCGEN_EMU_SHADOW_H

#include "search/runner/emu/worker.h"

#define INLINE static inline __attribute__((always_inline))

#define MIXED UINT64_MAX /* in a line: its granules have stamps of their own */

/* True if the owner of `stamp` may read what has the stamp `written`: its own, or one that lies behind a barrier. */
INLINE bool is_readable(const Worker *w, Stamp written, Stamp stamp)
{
    return written == stamp || written - 1 < w->floor - 1;
}

/* True if the owner of `stamp` may write what has the stamp `accessed`: its own, or one that lies behind a barrier. */
INLINE bool is_writable(const Worker *w, Stamp accessed, Stamp stamp)
{
    return accessed == stamp || accessed < w->floor;
}

/* The stamp of the last read, when `stamp` reads what had `before`. */
INLINE Stamp read_stamp(const Worker *w, Stamp before, Stamp stamp)
{
    return before == stamp || before < w->floor ? stamp : stamp | SEVERAL;
}

/* Notes an access to a line of shared memory that is right and leaves one stamp for it. False: it is another. */
INLINE bool line_access(const Worker *w, AccessLine *l, size_t bytes, bool write, Stamp stamp)
{
    const Stamp written = l->written, read = l->read;
    if (write) {
        if (!is_writable(w, written, stamp) || !is_writable(w, read, stamp) || (bytes < LINE_BYTES && written != stamp))
            return false;
        l->written = stamp;
        return true;
    }
    const Stamp after = read_stamp(w, read, stamp);
    if (!is_readable(w, written, stamp) || read == MIXED || (bytes < LINE_BYTES && read != after))
        return false;
    l->read = after;
    return true;
}

#endif
