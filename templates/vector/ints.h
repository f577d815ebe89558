/* SPDX-License-Identifier: MIT-0 */
#ifndef DCGEN
#pragma once
#endif
typedef int32_t PACKAGE_ints_MACHINE __attribute__((vector_size(VECTOR_BYTES)));
