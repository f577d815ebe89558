/* SPDX-License-Identifier: MIT-0
 *
 * Which kernel serves which shape. Included by kernels.c.
 *
//@ about_dispatch
 */
#ifndef NAME_DISPATCH_H
#define NAME_DISPATCH_H

//@ cpu
//@ tree
//@ dispatch
#endif
