/* SPDX-License-Identifier: MIT-0 */
/* Into how many parts the tasks of a call divide its pixels: into ntask, each with all filters; or into 1, as they divide its filters, each with all
 * pixels. To read a filter once more costs more than to read a pixel. SPLIT in the heads of templates says the same for the cost model. */
static inline int64_t KERNEL_parts(const NAME_args *a, int64_t panels, int64_t ntask) { return panels < ntask || a->N * a->P * a->Q >= 2 * a->OC ? ntask : 1; }
