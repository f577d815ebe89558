/* SPDX-License-Identifier: MIT-0
 *
 * Which kernel serves which shape. Included by kernels.cu.
 *
//@ about_dispatch
 */
#ifndef NAME_DISPATCH_H
#define NAME_DISPATCH_H

//@ target_of
//@ tree
//@ dispatch
#endif
