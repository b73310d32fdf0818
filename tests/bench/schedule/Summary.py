# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the benchmark prints: a line for each network and target, and the means that the aims are about."""

from Figures import PARTS, geomean, peerCycles

# Aims: cycles over the peer's, over the bound; off-chip bytes over the least; share of networks predicted within 3 %.
PEER_AIM = {"e256": 0.70, "e256s": 0.70, "m512": 0.50}
BOUND_AIM = {"e256": 1.20, "e256s": 1.25, "m512": 1.35, "p4096": 1.35}
BYTES_AIM = {"e256": 1.1, "e256s": 1.6, "m512": 1.6}
EACH_PEER_AIM = 0.95
NEAR_BOUND = 1.05
PREDICTION_AIM = 0.03
COMPILE_AIM_SECONDS = 0.5
COMPILE_PEER_AIM = 20

HEADER = (f"{'network':27} {'target':6} {'cycles':>12} {'peer':>12}  {'ratio':>5} {'bound':>12} {'ratio':>5} "
          f"{'device':>12} {'ratio':>5} {'off chip':>12} {'weights':>11} {'refetched':>11} {'spills':>11} {'inputs':>8} {'outputs':>8} {'/least':>6} "
          f"{'predicted':>9} {'compile':>8}")


def overBound(row):
    return row["cycles"] / max(1, row["roofline_cycles"])


def overDevice(row):
    """What the schedule loses."""
    return row["cycles"] / max(1, row["device_cycles"])


def deviceOverBound(row):
    """What the device costs."""
    return row["device_cycles"] / max(1, row["roofline_cycles"])


def overLeast(row):
    return row["dram_bytes"] / max(1, row["least_dram_bytes"])


def overPredicted(row):
    return row["cycles"] / max(1, row["predicted_cycles"])


def line(row, peer, seconds):
    cycles, isValid = peerCycles(peer)
    peerText = f"{cycles:12,}{' ' if isValid else '5'} {row['cycles'] / cycles:5.2f}" if cycles else " " * 19
    compileText = f"{seconds * 1e3:5.0f} ms" if seconds else ""
    parts = " ".join(f"{row[part]:{width},}" for part, width in zip(PARTS, (11, 11, 11, 8, 8)))
    return (f"{row['network'][:27]:27} {row['target']:6} {row['cycles']:12,} {peerText} {row['roofline_cycles']:12,} "
            f"{overBound(row):5.2f} {row['device_cycles']:12,} {overDevice(row):5.2f} {row['dram_bytes']:12,} {parts} {overLeast(row):6.2f} {overPredicted(row):9.3f} "
            f"{compileText:>8}").rstrip()


def meetsPeer(row, peer):
    """At most 0.95 of the peer, or so near to the bound that no more is left."""
    cycles, _ = peerCycles(peer)
    return cycles is None or row["cycles"] <= EACH_PEER_AIM * cycles or overBound(row) <= NEAR_BOUND


def means(target, rows, peer, seconds):
    """Lines of one target: geometric means, each beside its aim."""
    own = [row for row in rows.values() if row["target"] == target]
    against = [row for row in own if (row["network"], target) in peer]
    peerOf = {row["network"]: peer[row["network"], target] for row in against}
    valid = [row for row in against if peerCycles(peerOf[row["network"]])[1]]
    aim = lambda table: f" (aim {table[target]:.2f})" if target in table else ""
    if valid:
        yield (f"{target}: cycles / peer {geomean(row['cycles'] / peerCycles(peerOf[row['network']])[0] for row in valid):.3f} "
               f"in {len(valid)} networks{aim(PEER_AIM)}")
    ofPeer = f", {geomean(map(overBound, against)):.3f} in the peer's {len(against)}" if against else ""
    yield f"{target}: cycles / bound {geomean(map(overBound, own)):.3f} in {len(own)} networks{ofPeer}{aim(BOUND_AIM)}"
    yield (f"{target}: cycles / bound of the device {geomean(map(overDevice, own)):.3f}, that / bound "
           f"{geomean(map(deviceOverBound, own)):.3f}")
    most = max(own, key=overLeast)
    yield (f"{target}: off-chip bytes / least {geomean(map(overLeast, own)):.3f}, at most {overLeast(most):.2f} "
           f"({most['network']}){aim(BYTES_AIM)}")
    close = sum(abs(overPredicted(row) - 1) <= PREDICTION_AIM for row in own)
    yield f"{target}: predicted within {PREDICTION_AIM:.0%} in {close} of {len(own)} networks (aim 95 %)"
    missed = [row["network"] for row in against if not meetsPeer(row, peerOf[row["network"]])]
    if missed:
        yield f"{target}: above {EACH_PEER_AIM} of the peer and {NEAR_BOUND} of the bound: {', '.join(missed)}"
    yield from compileMeans(target, own, peerOf, seconds)


def compileMeans(target, own, peerOf, seconds):
    times = {row["network"]: seconds[row["network"], target] for row in own if (row["network"], target) in seconds}
    if not times:
        return
    longest = max(times, key=times.get)
    faster = [float(row["vela5_compile_s"]) / times[name] for name, row in peerOf.items()
              if name in times and row["vela5_compile_s"]]
    speed = f", {geomean(faster):.1f} times as fast as version 5 (aim {COMPILE_PEER_AIM})" if faster else ""
    yield (f"{target}: compiled in at most {times[longest] * 1e3:.0f} ms ({longest}; aim {COMPILE_AIM_SECONDS * 1e3:.0f})"
           f"{speed}")
