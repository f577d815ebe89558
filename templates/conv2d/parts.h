/* SPDX-License-Identifier: MIT-0 */
/* Into how many parts the tasks of a call divide its tiles of pixels; the tasks of a part share out its panels of filters. A power of two that divides
 * ntask, or ntask: what takes the busiest task the least time, in units of a quarter of a tile by a panel. A task reads each of its panels once, which
 * takes as long as `again` tiles of it, and begins each of its tiles anew, which takes `begin` quarters. Where it has panels beside groups of `together`,
 * these take longer by a quarter. SPLIT in the heads of templates tells the cost model roughly the same. */
static inline int64_t KERNEL_parts(int64_t tiles, int64_t panels, int64_t ntask, int64_t together, int64_t begin, int64_t again)
{
    int64_t best = 1, least = INT64_MAX;
    for (int64_t parts = 1, next; parts <= ntask; parts = next) {
        const int64_t shares = ntask / parts, t = (tiles + parts - 1) / parts, p = (panels + shares - 1) / shares;
        const int64_t spent = t * (4 * p + p % together + begin) + 4 * p * again;
        if (spent < least) {
            best = parts;
            least = spent;
        }
        next = parts < ntask && ntask % (2 * parts) ? ntask : 2 * parts;
    }
    return best;
}
