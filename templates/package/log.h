/* SPDX-License-Identifier: MIT-0
 *
 * Counts the shapes of a product's calls, for the next search: a spec with shapes = "shapes.csv"; takes them, and how often each was called,
 * from the file that is written here. Beside each call a line, of one or two nanoseconds:
 *
 *   static _Thread_local NAME_log_table table;
 *   ...
 *   NAME_log(&table, AXES);
 *   ...
 *   NAME_log_write(&table, file);
 *
 * A table is the product's own: nothing is allocated, there is no global state, and threads that share a table take turns. Several tables
 * may be written into one file, one behind the other.
 */
#ifndef PACKAGE_LOG_H
#define PACKAGE_LOG_H

#include <inttypes.h>
#include <stdio.h>

/* A table has room for 2^BITS different shapes, some fewer where their places collide; the same in all files of a product. */
#ifndef PACKAGE_LOG_BITS
#define PACKAGE_LOG_BITS 13
#endif
enum { PACKAGE_LOG_TRIES = 16 }; /* slots that a shape may be in */
#ifdef __cplusplus
#define PACKAGE_LOG_WORD(extent) static_cast<uint64_t>(extent)
#else
#define PACKAGE_LOG_WORD(extent) ((uint64_t)(extent))
#endif
//@ repeat functions

typedef struct NAME_log_slot {
    uint64_t count; /* calls; 0: the slot is free */
    int64_t AXIS; //@ repeat axes
} NAME_log_slot;

/* Zeroed before its first use. */
typedef struct NAME_log_table {
    uint64_t lost; /* calls that are not counted: the table was full, or extents were not legal */
    NAME_log_slot slot[1 << PACKAGE_LOG_BITS];
} NAME_log_table;

/* Counts a call. */
static inline void NAME_log(NAME_log_table *table, EXTENTS)
{
    uint64_t hash = 0;
    hash = (hash + PACKAGE_LOG_WORD(AXIS)) * UINT64_C(0x9e3779b97f4a7c15); //@ repeat axes
    hash >>= 64 - PACKAGE_LOG_BITS;
    for (uint64_t tried = 0; tried < PACKAGE_LOG_TRIES; tried++) {
        NAME_log_slot *slot = &table->slot[(hash + tried) & ((UINT64_C(1) << PACKAGE_LOG_BITS) - 1)];
        if (slot->count && !(ANY(axes, slot->AXIS != AXIS))) {
            slot->count++;
            return;
        }
        if (slot->count)
            continue;
        if (ANY(axes, AXIS < FEWEST || AXIS > GREATEST))
            break;
        slot->AXIS = AXIS; //@ repeat axes
        slot->count = 1;
        return;
    }
    table->lost++;
}

/* Writes what was counted. Returns 0, or -1 where the file could not be written. */
static inline int NAME_log_write(const NAME_log_table *table, FILE *file)
{
    fputs("AXIS,", file); //@ repeat axes
    fputs("AXIS,", file); //@ repeat constants
    fputs("count\n", file);
    for (uint64_t i = 0; i < UINT64_C(1) << PACKAGE_LOG_BITS; i++) {
        const NAME_log_slot *slot = &table->slot[i];
        if (!slot->count)
            continue;
        fprintf(file, "%" PRId64 ",", slot->AXIS); //@ repeat axes
        fputs("VALUE,", file); //@ repeat constants
        fprintf(file, "%" PRIu64 "\n", slot->count);
    }
    return ferror(file) ? -1 : 0;
}
//@ end
#endif
