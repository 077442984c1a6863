#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and order of the lines of vmstat and meminfo of the simulated machine: daemon/machine/sim/sim-layout.c, from the layouts that
were cut from real captures (extract.py). usage: sim-layout.py > daemon/machine/sim/sim-layout.c, then clang-format."""
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent / "layouts"
KERNELS = ["5.10", "6.1", "6.12", "7.2", "7.3"]

HEAD = """/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made by tests/gen/sim-layout.py from layouts of real captures (stock kernels of Debian): do not edit.
 * Names of vmstat, one blank behind each; of meminfo with the width of their number, ":k" where kB follows. */
#include "machine/sim/sim-private.h"

"""


def literal(words):
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) + 1 > 84:
            lines.append(line)
            line = ""
        line += word + " "
    return "\n".join(f'        "{text}"' for text in lines + [line])


def main():
    print(HEAD, end="")
    for kernel in KERNELS:
        layout = json.loads((HERE / f"{kernel}.json").read_text())
        name = kernel.replace(".", "_")
        meminfo = [f"{label.rstrip(':')}:{width}" + ("k" if unit else "") for label, width, unit in layout["meminfo"]]
        print(f"static const char vmstat_{name}[] =\n{literal(layout['vmstat'])};\n")
        print(f"static const char meminfo_{name}[] =\n{literal(meminfo)};\n")
    print("const SimLayout sim_layouts[SIM_LAYOUTS] = {")
    for kernel in KERNELS:
        name = kernel.replace(".", "_")
        print(f'        {{ "{kernel}", vmstat_{name}, meminfo_{name} }},')
    print("};")


main()
