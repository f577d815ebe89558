/* SPDX-License-Identifier: Apache-2.0
 *
 * workshop: a lab on a study of its own, with a clock that the test sets, whose workshop may keep records. Included
 * once by each.
 */
#ifndef DCGEN_TEST_WORKSHOP_H
#define DCGEN_TEST_WORKSHOP_H

#include "tests/test.h"
#include "gen/unit/unit.h"
#include "search/measure/lab.h"
#include "tests/search/study_place.h"
#include "tests/tmp_folder.h"

static Lab lab;
static LabKind kind;
static Workshop shop;
static UnitContext unit;
static char folder[TMP_FOLDER_BYTES];
static volatile int stop_now;

/* On a synthetic study of this spec; it is 1000 s, of 100 s none is over. */
static inline int open_lab(const char *spec, LabKind of)
{
    if (!synthetic_make(&y, spec, 4))
        return -1;
    stop_now = 0;
    kind = of;
    kind.own_clock = true;
    unit = (UnitContext){ .spec = y.spec,
                          .device = &y.device,
                          .targets = &y.targets,
                          .package_dir = DCGEN_SOURCE_DIR "/templates/package",
                          .target = y.study->target };
    shop = (Workshop){ .unit = &unit };
    lab = (Lab){ .kind = &kind,
                 .shop = &shop,
                 .arena = y.arena,
                 .templates = &y.templates,
                 .study = new_study(),
                 .began_s = 1000,
                 .now_s = 1000,
                 .seconds = 100,
                 .stop = &stop_now };
    return 0;
}

/* Its workshop has an agent; nobody looks into its runner. */
static inline void have_agent(void) { shop.agents = agents_of(y.arena, NULL); }

static inline void keep_records(void)
{
    const char *err = NULL;
    assert_non_null(tmp_folder(folder));
    shop.records = record_open(y.arena, arena_printf(y.arena, "%s/r", folder), NULL, &err);
    assert_non_null(shop.records);
}

static inline const Records *recorded(void) { return record_all(shop.records); }

static inline int close_lab(void **state)
{
    if (shop.records) {
        record_close(shop.records);
        assert_int_equal(tmp_folder_remove(folder), 0);
    }
    return drop(state);
}

#endif
