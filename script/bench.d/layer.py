# SPDX-License-Identifier: Apache-2.0
"""script/bench layer: one encoder layer of BERT-base by dcgen's package, by ONNX Runtime and by PyTorch, side by side (bench/README.md).

Every contestant's result is compared with the layer in double precision before it is timed, once with sequences of different lengths; times are of
sequences that are all of T tokens. Exit codes: 0 measured, 1 dcgen's result is wrong, 2 bad usage, 3 environment.
"""

import argparse
import os
import sys

# Prefixes of variables that steer libraries: they go before any library reads them.
STEERING = tuple("OPENBLAS_ GOTO_ MKL_ DNNL_ ONEDNN_ OMP_ GOMP_ KMP_ ORT_ ATEN_ TORCH_".split())
for name in [name for name in os.environ if name.startswith(STEERING)]:
    print(f"bench: {name} is taken out of the environment", file=sys.stderr)
    del os.environ[name]

import peer_dcgen  # noqa: E402
import peer_ort  # noqa: E402
import peer_torch  # noqa: E402
import report  # noqa: E402
from probe import Probe  # noqa: E402
from problem import (  # noqa: E402
    Size,
    full_lengths,
    make_input,
    make_weights,
    mixed_lengths,
    reference,
    worst_error,
)
from protocol import Contestant, Foreign, hold_rounds  # noqa: E402

RIGHT, WRONG = 0, 1
SIZES = [Size(batch, T) for batch in (1, 16) for T in (1, 16, 43, 128)]
QUICK = [Size(1, 16), Size(1, 128), Size(16, 16), Size(16, 128)]


def pair(text):
    batch, T = (int(part) for part in text.split(","))
    if batch < 1 or T < 1:
        raise ValueError(text)
    return Size(batch, T)


def numbers(text):
    found = [int(part) for part in text.split(",")]
    if min(found) < 1:
        raise ValueError(text)
    return found


def options(argv):
    p = argparse.ArgumentParser(
        prog="bench layer", description="A layer of BERT-base next to ONNX Runtime and PyTorch."
    )
    p.add_argument("--probe", required=True, help=argparse.SUPPRESS)
    p.add_argument(
        "--library", metavar="FILE", help="the example as a shared library; without it the peers run alone"
    )
    p.add_argument("--results", metavar="FOLDER", required=True)
    p.add_argument("--quick", action="store_true", help="four sizes, five rounds")
    p.add_argument("--threads", type=numbers, metavar="LIST", help="default: 1 and all cores")
    p.add_argument("--rounds", type=int, metavar="N", help="default: 11")
    p.add_argument(
        "--shape", type=pair, action="append", metavar="BATCH,T", help="this size; may be repeated"
    )
    p.add_argument("--torch", action="store_true", help="PyTorch too, which is a large download")
    o = p.parse_args(argv)
    o.sizes = o.shape or (QUICK if o.quick else SIZES)
    o.rounds = o.rounds or (5 if o.quick else 11)
    if o.rounds < 2:
        p.error("--rounds: at least 2")
    return o


class Contest:
    """What is made once: weights, graphs, the package's library."""

    def __init__(self, o):
        self.weights = make_weights()
        self.models = peer_ort.make_models(self.weights)
        self.library = peer_dcgen.load(o.library) if o.library else None
        self.torch = peer_torch.version() if o.torch else None
        self.names = ["ONNX Runtime"] + (["PyTorch"] if self.torch else [])
        self.versions = [peer_ort.version()] + ([self.torch] if self.torch else [])
        self.status = RIGHT

    def peers(self, size, threads):
        """Functions that make them: what cannot be made is left out."""
        if self.library:
            yield lambda: peer_dcgen.DcgenPeer(self.library, self.weights, size, threads)
        for way in peer_ort.WAYS:
            for spin in (True, False) if threads > 1 else (True,):
                yield lambda way=way, spin=spin: peer_ort.OrtPeer(self.models[way], size, threads, way, spin)
        for way in peer_torch.WAYS if self.torch else ():
            yield lambda way=way: peer_torch.TorchPeer(self.weights, size, threads, way)

    def is_right(self, peer, size, x, expected):
        """Leaves the peer bound to full lengths."""
        for lengths, result in expected:
            peer.bind(x, lengths)
            peer.run()
            error = worst_error(peer.result(), result, lengths, size)
            if not error <= 1:
                told = f"{peer.name} {peer.way}, {size}: wrong result, {error:.3g} times what may be off"
                print(f"bench: {told}", file=sys.stderr)
                return False
        return True

    def contestants(self, size, threads, x, expected):
        found = []
        for make in self.peers(size, threads):
            try:
                peer = make()
                if self.is_right(peer, size, x, expected):
                    found.append(Contestant(peer))
            except Exception as e:  # of whatever a library throws
                print(f"bench: {size}: a contestant is left out: {e}", file=sys.stderr)
        if self.library and not any(c.peer.name == "dcgen" for c in found):
            self.status = WRONG
        return found


def measure(contest, o, probe):
    """A line a size and number of threads, printed as it comes."""
    lines = []
    print(report.head(contest.names), flush=True)
    for size in o.sizes:
        x = make_input(size)
        expected = [
            (lengths, reference(contest.weights, x, lengths, size))
            for lengths in (mixed_lengths(size), full_lengths(size))
        ]
        for threads in o.threads or sorted({1, probe.cores}):
            contestants = contest.contestants(size, threads, x, expected)
            if not any(c.peer.name in contest.names for c in contestants):
                continue
            rounds = hold_rounds(contestants, probe, threads, o.rounds)
            lines.append(report.line(size, threads, contestants, rounds))
            print(report.row(lines[-1], contest.names), flush=True)
            for c in contestants:
                getattr(c.peer, "close", lambda: None)()
    return lines


def main(argv):
    o = options(argv)
    contest, probe = Contest(o), Probe(o.probe)
    print(f"{probe.cpu}, {probe.cores} cores; {', '.join(contest.versions)}")
    print("GFLOP/s of the matrix products; ratios: a peer's time / dcgen's, above 1 dcgen is faster\n")
    foreign = Foreign()
    lines = measure(contest, o, probe)
    foreign_cores = foreign.cores()
    probe.close()

    goals = report.judged(lines)
    print()
    for text in report.peer_summary(lines, contest.names):
        print(text)
    for goal in goals:
        told = f"{goal['goal']}, threads {goal['threads']}: {goal['value']:.2f}, at least {goal['at_least']}"
        print(f"{told}: {goal['verdict']}")
    nrepeated = sum(made["rounds_repeated"] for made in lines)
    print(f"other programs took {foreign_cores:.2f} cores meanwhile; {nrepeated} rounds were held again")
    result = {
        "schema": 1,
        "package": "bert_layer",
        "cpu": probe.cpu,
        "cores": probe.cores,
        "rounds": o.rounds,
    }
    result |= {
        "versions": contest.versions,
        "foreign_cores": report.rounded(foreign_cores),
        "goals": goals,
        "sizes": lines,
    }
    print(report.write(o.results, probe.slug, result))
    return contest.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
