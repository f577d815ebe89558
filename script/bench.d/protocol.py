# SPDX-License-Identifier: Apache-2.0
"""Rounds, as bench/protocol.c holds them: in each, one burst of calls a contestant, the order reversed every other round; the FMA peak before
and after. A round is held again where that peak was not there, or where other programs left too few cores. Ratios are taken within a round.
"""

import math
import os
import statistics
import time
from dataclasses import dataclass, field

BURST_NS = 20_000_000
WARM_NS = 4_000_000  # calls before a burst that are not timed
# The CPU time of other threads is brought up to date when the kernel's clock ticks, 100 to 1000 times a second.
NAP_S, IDLE_NS, MAX_NAPS = 0.02, 500_000, 20
DISTURBED = 0.85  # of the best FMA peak seen with as many threads

PATIENCE_S, LOOK_S = 20, 0.25
FOREIGN_CORES = 0.15  # that other programs may take of those that are measured

best_peak = {}  # of so many threads


class Foreign:
    """CPU time that all but this process has taken since, the host of a virtual machine included, as bench/machine.c counts it."""

    def __init__(self):
        self.start_ns, self.foreign_ns = time.perf_counter_ns(), self.now_ns()

    @staticmethod
    def now_ns():
        with open("/proc/stat") as f:
            t = [
                int(field) for field in f.readline().split()[1:9]
            ]  # user nice system idle iowait irq softirq steal
        ticks = t[0] + t[1] + t[2] + t[5] + t[6] + t[7]
        return ticks * 1e9 / os.sysconf("SC_CLK_TCK") - time.process_time_ns()

    def cores(self):
        return max(0, (self.now_ns() - self.foreign_ns) / (time.perf_counter_ns() - self.start_ns))


@dataclass
class Contestant:
    peer: object
    ncall: int = 1
    time_ns: list = field(default_factory=list)  # a call, in each round


def wait_until_idle():
    """Threads of an idle library that still spin would take a core from the next one."""
    for _ in range(MAX_NAPS):
        before_ns = time.process_time_ns()
        time.sleep(NAP_S)
        if time.process_time_ns() - before_ns < IDLE_NS:
            return


def calls_ns(peer, ncall):
    start_ns = time.perf_counter_ns()
    for _ in range(ncall):
        peer.run()
    return time.perf_counter_ns() - start_ns


def warm_up(peer):
    spent_ns = 0
    while spent_ns < WARM_NS:
        spent_ns += calls_ns(peer, 1)


def burst_ns(contestant, threads):
    if threads > 1:
        wait_until_idle()
    getattr(contestant.peer, "rest", lambda: None)()
    warm_up(contestant.peer)
    return calls_ns(contestant.peer, contestant.ncall) / contestant.ncall


def choose_calls(contestant):
    warm_up(contestant.peer)
    contestant.ncall = max(1, math.ceil(BURST_NS / calls_ns(contestant.peer, 1)))


def peak(probe, threads):
    if threads == 1:
        return probe.peak_gflops(threads)
    wait_until_idle()
    return max(probe.peak_gflops(threads) for _ in range(3))  # cores that slept take some milliseconds to be all there


def hold_round(contestants, probe, threads, number):
    """Times and FMA peak of the round; and whether the machine was whole."""
    before, foreign = peak(probe, threads), Foreign()
    order = contestants if number % 2 == 0 else contestants[::-1]
    times = {id(c): burst_ns(c, threads) for c in order}
    left_cores = os.cpu_count() - foreign.cores()
    after = peak(probe, threads)
    best_peak[threads] = max(best_peak.get(threads, 0), before, after)
    quiet = min(before, after) >= DISTURBED * best_peak[threads] and left_cores >= threads - FOREIGN_CORES
    return [times[id(c)] for c in contestants], (before + after) / 2, quiet


def wait_for_cores(threads):
    """Until other programs leave as many, or for PATIENCE_S."""
    for _ in range(int(PATIENCE_S / LOOK_S)):
        foreign = Foreign()
        time.sleep(LOOK_S)
        if os.cpu_count() - foreign.cores() >= threads - FOREIGN_CORES:
            return


@dataclass
class Rounds:
    peaks: list = field(default_factory=list)  # GFLOP/s, in each round
    nrepeated: int = 0
    ndisturbed: int = 0  # that count all the same, as too many had been held again


def hold_rounds(contestants, probe, threads, nround):
    """Fills the contestants' times."""
    for c in contestants:
        choose_calls(c)
    rounds = Rounds()
    while len(rounds.peaks) < nround:
        times, round_peak, quiet = hold_round(contestants, probe, threads, len(rounds.peaks))
        if not quiet and rounds.nrepeated < nround:
            rounds.nrepeated += 1
            wait_for_cores(threads)
            continue
        rounds.ndisturbed += not quiet
        rounds.peaks.append(round_peak)
        for c, time_ns in zip(contestants, times, strict=True):
            c.time_ns.append(time_ns)
    return rounds


def spread(values):
    """Distance of the quartiles, as a share of the median."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return (high - low) / middle


def paired_ratio(over, under):
    return statistics.median(a / b for a, b in zip(over, under, strict=True))
