/* SPDX-License-Identifier: Apache-2.0
 *
 * conf_private: what conf.c and conf_get.c share.
 */
#ifndef DCGEN_CONF_PRIVATE_H
#define DCGEN_CONF_PRIVATE_H

#include "gen/base/conf.h"
#include "gen/base/conf_scan.h"

struct Conf {
    Arena *arena;
    const Source *src;
    Diag *diag;
    config_t config;
    ConfPlaces places; /* a setting's hook points to its ConfPlace */
    size_t *line;      /* offset of each line's start */
    size_t nline;
};

#endif
