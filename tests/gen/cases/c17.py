# SPDX-License-Identifier: GPL-2.0-or-later
from cases import signal
from machine import GIB, Machine, Node
from moment import Load

TITLE = "requests stall for 100 to 330 ms in page faults"
SOURCE = "golang/go#61718; scylladb/scylladb#8828"
REPORT = (
    "enabled=madvise, defrag=madvise; the program marks its heap",
    "longest stall 333635000 ns: external:fault-stall-max",
    "stalls inside the fault from direct compaction: compact_stall and thp_fault_alloc one a second each (the report names the "
    "counters to watch and gives no number)",
    "variant without PSI: no pressure files; variant with PSI: memory some 4 %: hot, yet below the 5 % at which growth stops",
)
NEUTRAL = ("16 CPUs, one node, 64 GiB", "kernel 6.1 class")


def make(psi):
    m = Machine("6.1", [Node(0, list(range(16)), 64 * GIB)], thp={"enabled": "madvise", "defrag": "madvise"})
    load = Load(rates={"compact_stall": 1, "compact_success": 1, "thp_fault_alloc": 1, "pgalloc_normal": 10000},
                cpu={"system": 0.05}, psi=psi)
    return {"machine": m, "load": load, "signals": [signal("external:fault-stall-max", 333635000, "ns")]}


VARIANTS = {"C17-nopsi": lambda: make({}), "C17-psi": lambda: make({"some": 0.04, "full": 0.0})}
