# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles over the bound of each network, before and after, as an SVG made by matplotlib."""

from Figures import geomean


def ratiosOf(table, after, names, target):
    """Over the bound of today for both, which weights stored in fewer bytes lower. 0: not measured."""
    keys = [(name, target) for name in names]
    return [table[key]["cycles"] / max(1, after[key]["roofline_cycles"]) if key in table and key in after else 0
            for key in keys]


def draw(path, before, after, targets):
    import matplotlib  # only those who draw need it (python3-matplotlib)

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "avocet"  # the same figures give the same bytes
    matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(targets), sharey=True, figsize=(3 * len(targets) + 2, 6.5))
    names = sorted({name for name, _ in after}, reverse=True)
    for panel, target in zip(panels if len(targets) > 1 else [panels], targets):
        for offset, table, label, color in ((0.2, before, "before", "#b8b8b8"), (-0.2, after, "after", "#2f6db3")):
            ratios = ratiosOf(table, after, names, target)
            mean = geomean(ratio for ratio in ratios if ratio > 0)
            panel.barh([place + offset for place in range(len(names))], ratios, 0.4, color=color,
                       label=f"{label} {mean:.2f}")
        panel.axvline(1, color="black", linewidth=0.8)
        panel.set_xlim(0, 6)
        panel.set_title(target)
        panel.legend(loc="lower right", fontsize="small", title="geometric mean", title_fontsize="small")
        panel.tick_params(labelsize="small")
    (panels[0] if len(targets) > 1 else panels).set_yticks(range(len(names)), names)
    figure.supxlabel("cycles over the bound; bars end at 6")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    declaration, rest = path.read_text(encoding="utf-8").split("\n", 1)
    license = "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->"
    text = "\n".join(line.rstrip() for line in f"{declaration}\n{license}\n{rest}".splitlines())
    path.write_text(text + "\n", encoding="utf-8")
