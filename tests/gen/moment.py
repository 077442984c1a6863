# SPDX-License-Identifier: GPL-2.0-or-later
"""One moment of a machine: what changed since the first snapshot. A rate is per second, a counter counts since boot.

    rates      {"pgalloc_normal": 1e6}  vmstat counters that grow
    counters   {"compact_fail": 3}      values at the first snapshot
    cpu        {"system": 0.5}          shares of all CPU time in the window; the rest is idle
    psi        {"some": 0.02, "full": 0.001}   shares of the window's time
    gauges     {"nr_anon_transparent_hugepages": 512}
    meminfo    {"SwapTotal": kB}
    zones      {(node, name): {"free": pages}} per snapshot
"""
from dataclasses import dataclass, field

TICK_HZ = 100
CPU_FIELDS = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice")


@dataclass
class Load:
    rates: dict = field(default_factory=dict)
    counters: dict = field(default_factory=dict)
    cpu: dict = field(default_factory=dict)
    psi: dict = None            # None: the file exists and shows no stall; {}: no file
    gauges: dict = field(default_factory=dict)
    meminfo: dict = field(default_factory=dict)
    procs_blocked: int = 0
    loadavg: str = "0.00 0.00 0.00"
    boot_average: bool = True   # counters at the first snapshot as if the load had run since boot


@dataclass
class Moment:
    machine: object
    load: Load
    t_s: float                   # since the first snapshot
    zone_changes: dict = field(default_factory=dict)

    def uptime_s(self):
        return self.machine.uptime_s + self.t_s

    def zone_free(self, zone):
        return self.zone_changes.get((zone.node, zone.name), {}).get("free", zone.free)

    def free(self):
        return sum(self.zone_free(z) for z in self.machine.zones)

    def counter(self, name):
        rate = self.load.rates.get(name, 0)
        seconds = self.uptime_s() if self.load.boot_average else self.t_s
        return self.load.counters.get(name, 0) + int(rate * seconds)

    def cpu_ticks(self):
        """Ticks of one CPU, by field; every CPU carries the same share."""
        seconds = self.uptime_s()
        ticks = {f: 0 for f in CPU_FIELDS}
        for name, share in self.load.cpu.items():
            ticks[name] = int(share * seconds * TICK_HZ)
        ticks["idle"] = int(seconds * TICK_HZ) - sum(ticks.values())
        return ticks
