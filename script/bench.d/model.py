# SPDX-License-Identifier: Apache-2.0
"""script/bench model: whole models by dcgen's packages, by ONNX Runtime and by OpenVINO, side by side (bench/README.md).

dcgen's result is compared with ONNX Runtime's before it is timed. Exit codes: 0 measured, 1 dcgen's result is wrong, 2 bad usage, 3 environment.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time

# Prefixes of variables that steer libraries: they go before any library reads them.
STEERING = tuple("OPENBLAS_ GOTO_ MKL_ DNNL_ ONEDNN_ OMP_ GOMP_ KMP_ ORT_ OV_ OPENVINO_".split())
for name in [name for name in os.environ if name.startswith(STEERING)]:
    print(f"bench: {name} is taken out of the environment", file=sys.stderr)
    del os.environ[name]

import numpy as np  # noqa: E402
import report  # noqa: E402
from dcgen_model import Dcgen, Library  # noqa: E402
from models import MODELS, first_sizes, largest_size  # noqa: E402
from peers import PEERS, Ort, files  # noqa: E402
from probe import Probe  # noqa: E402
from protocol import Contestant, Foreign, calls_ns, hold_rounds, wait_until_idle  # noqa: E402

RIGHT, WRONG, ENVIRONMENT = 0, 1, 3
NAMES = list(dict.fromkeys(peer.name for peer in PEERS))
MOST_OFF = 1e-3  # of the largest number of an output: rounding errors of a whole model in f32


def numbers(text):
    found = [int(part) for part in text.split(",")]
    if min(found) < 1:
        raise ValueError(text)
    return found


def options(argv):
    p = argparse.ArgumentParser(prog="bench model", description="Whole models next to ONNX Runtime and OpenVINO.")
    for hidden in ("--probe", "--dcgen", "--results", "--models", "--packages", "--builds"):
        p.add_argument(hidden, required=True, help=argparse.SUPPRESS)
    p.add_argument("--memory-of", metavar="CONTESTANT", help=argparse.SUPPRESS)
    p.add_argument("--quick", action="store_true", help="the first two sizes of each model, five rounds")
    p.add_argument("--threads", type=numbers, metavar="LIST", help="default: 1 and all cores")
    p.add_argument("--rounds", type=int, metavar="N", help="default: 7")
    p.add_argument("--first", action="store_true", help="the first call of 100 sizes, against the second")
    p.add_argument("--memory", action="store_true", help="the peak memory of a process that runs all sizes")
    p.add_argument("names", nargs="+", choices=MODELS, metavar="MODEL", help=" ".join(MODELS))
    o = p.parse_args(argv)
    o.rounds = o.rounds or (5 if o.quick else 7)
    if o.rounds < 2:
        p.error("--rounds: at least 2")
    return o


def must_run(command, log):
    with open(log, "a") as file:
        if subprocess.run([str(word) for word in command], stdout=file, stderr=file).returncode:
            print(f"bench: {command[0]} failed (the log: {log})", file=sys.stderr)
            sys.exit(ENVIRONMENT)


def library_of(o, name):
    """The package's library, made when it is not there: imported, searched, built."""
    made = f"{name}_full"
    package, build = pathlib.Path(o.packages) / made, pathlib.Path(o.builds) / made
    weights = pathlib.Path(o.packages) / f"{made}.safetensors"
    build.mkdir(parents=True, exist_ok=True)
    if not weights.exists():
        must_run([o.dcgen, "import", files(o.models, name)[0], *MODELS[name].options, "-o", o.packages], build / "import.log")
        with open(f"{package}.cfg", "a") as spec:
            spec.write(MODELS[name].settings)
    if not (package / "package.json").exists():
        print(f"bench: searching kernels for {name}", file=sys.stderr)
        start = time.monotonic()
        must_run([o.dcgen, f"{package}.cfg", "-o", package], build / "generate.log")
        print(f"bench: {name}: {time.monotonic() - start:.0f} s to the package", file=sys.stderr)
    must_run(["cmake", "-S", package, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON"], build / "build.log")
    must_run(["cmake", "--build", build, "-j", os.cpu_count()], build / "build.log")
    return Library(build / f"lib{made}.so", package, weights)


def takes(peer, path, threads):
    """The peer with this file, or None."""
    try:
        return peer(path, threads)
    except NotImplementedError:
        return None
    except Exception as e:  # of whatever a library throws
        print(f"bench: {path.name}: {peer.name} is left out: {str(e).strip().splitlines()[0]}", file=sys.stderr)
        return None


def fastest_ways(o, name, threads, sizes):
    """For each size and peer the (class, file) that is fastest. One at a time is in memory."""
    held = [{} for _ in sizes]
    for peer in PEERS:
        for path in files(o.models, name):
            one = takes(peer, path, threads)
            for size, best in zip(sizes, held, strict=True) if one else ():
                try:
                    one.bind(size)
                    wait_until_idle()
                    spent = min(calls_ns(one, 1) for _ in range(4))
                except Exception as e:  # a peer may refuse a size
                    print(f"bench: {size}: {peer.name}, {one.way}, is left out: {str(e).strip().splitlines()[0]}", file=sys.stderr)
                    continue
                if peer.name not in best or spent < best[peer.name][0]:
                    best[peer.name] = spent, (peer, path)
    return [[way for _, way in best.values()] for best in held]


def is_right(own, peer, name, size):
    results = peer.results()
    for output, y in own.results().items():
        expected = results[output].astype(np.float64)
        off, most = np.abs(y - expected).max(), np.abs(expected).max()
        if not off <= MOST_OFF * most:
            print(f"bench: {name} {size}: {output} is wrong, {off:.3g} off where the largest is {most:.3g}", file=sys.stderr)
            return False
    return True


class Status:
    code = RIGHT


def measure(o, name, library, probe):
    """A line a size and number of threads."""
    lines = []
    sizes = MODELS[name].sizes[: 2 if o.quick else None]
    for threads in o.threads or sorted({1, probe.cores}):
        ways, own, loaded = fastest_ways(o, name, threads, sizes), Dcgen(library, threads), {}
        judge = Ort(files(o.models, name)[0], threads)
        for i, size in enumerate(sizes):
            needed = {way for later in ways[i:] for way in later}
            loaded = {way: one for way, one in loaded.items() if way in needed}
            for peer, path in set(ways[i]) - set(loaded):
                loaded[peer, path] = peer(path, threads)
            chosen = [loaded[way] for way in ways[i]]
            for one in [judge, *chosen]:
                one.bind(size)
            judge.run()
            own.bind(size)
            own.run()
            if not is_right(own, judge, name, size):
                Status.code = WRONG
                continue
            contestants = [Contestant(peer) for peer in [own, *chosen]]
            rounds = hold_rounds(contestants, probe, threads, o.rounds)
            lines.append(report.line(name, size, threads, contestants, rounds))
            print(report.row(lines[-1], NAMES), flush=True)
        own.close()
    return lines


def measure_first(o, name, library):
    """Sizes that a contestant has not seen: each is called three times. The largest comes first, so that all memory is there."""
    threads = (o.threads or [1])[0]
    lines, sizes = [], first_sizes(name)
    if not sizes:
        print(f"bench: {name} has one size", file=sys.stderr)
        return lines
    for one in [Dcgen(library, threads)] + [peer(files(o.models, name)[0], threads) for peer in PEERS[:2]]:
        ratios = []
        for size in [largest_size(name), *sizes]:
            one.bind(size)
            first = calls_ns(one, 1)
            ratios.append(first / min(calls_ns(one, 1) for _ in range(2)))
        ordered = sorted(ratios[1:])
        lines.append({"model": name, "contestant": one.name, "median": report.rounded(statistics.median(ordered))})
        lines[-1] |= {"ninth_of_ten": report.rounded(ordered[len(ordered) * 9 // 10]), "largest": report.rounded(ordered[-1])}
        print(lines[-1], flush=True)
    return lines


def measure_memory(o, name, library):
    """The peak memory of a process for each contestant, in which all sizes are run one after the other."""
    lines = []
    for contestant in ("dcgen", *(peer.name for peer in PEERS[:2])):
        command = [sys.executable, "-B", __file__, *sys.argv[1:-len(o.names)], "--memory-of", contestant, name]
        told = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split()[-2:]
        lines.append({"model": name, "contestant": contestant, "loaded_mib": int(told[0]), "peak_mib": int(told[1])})
        print(lines[-1], flush=True)
    return lines


def tell_memory(o, name):
    """Prints what this process takes when the model is loaded, and at most, in MiB: less what the library took before."""
    peers = {peer.name: peer for peer in PEERS[:2]}
    if o.memory_of in peers:
        peers[o.memory_of].load()
    before = memory_mib("VmRSS")
    peer = peers[o.memory_of](files(o.models, name)[0], 1) if o.memory_of in peers else Dcgen(library_of(o, name), 1)
    loaded = memory_mib("VmRSS")
    for size in MODELS[name].sizes:
        peer.bind(size)
        peer.run()
    print(loaded - before, memory_mib("VmHWM") - before)


def memory_mib(key):
    """This process's memory now (VmRSS), or the most that it had (VmHWM)."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) // 1024 for line in file if line.startswith(key))


def main(argv):
    o = options(argv)
    if o.memory_of:
        tell_memory(o, o.names[0])
        return RIGHT
    probe = Probe(o.probe)
    kind = "first" if o.first else "memory" if o.memory else "times"
    measures = {"first": measure_first, "memory": measure_memory, "times": lambda *given: measure(*given, probe)}
    print(f"{probe.cpu}, {probe.cores} cores; " + ", ".join(f"{peer.name} {peer.load().__version__.split('-')[0]}" for peer in PEERS[:2]))
    if kind == "times":
        print(f"ratios: a peer's time / dcgen's, above 1 dcgen is faster\n\n{report.head(NAMES)}", flush=True)
    for name in o.names:
        library, foreign = library_of(o, name), Foreign()
        result = {"schema": 1, "cpu": probe.cpu, "cores": probe.cores, "settings": MODELS[name].settings.strip()}
        result[kind] = measures[kind](o, name, library)
        if not result[kind]:
            continue
        result["foreign_cores"] = report.rounded(foreign.cores())
        if kind == "times":
            result["goals"] = report.judged(result[kind])
            for goal in result["goals"]:
                told = f"{goal['goal']}, threads {goal['threads']}: {goal['value']:.2f}, at least {goal['at_least']}"
                print(f"{name}: {told}: {goal['verdict']}", flush=True)
        report.write(o.results, probe.slug, f"model_{name}{'' if kind == 'times' else '_' + kind}", result)
        print(f"other programs took {result['foreign_cores']:.2f} cores meanwhile", flush=True)
    probe.close()
    return Status.code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
