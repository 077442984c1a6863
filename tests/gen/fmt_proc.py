# SPDX-License-Identifier: GPL-2.0-or-later
"""The other files of /proc: vmstat, meminfo, stat, pressure, slabinfo, sysctls and the one-liners."""
import fmt_zone
from moment import CPU_FIELDS

LOADAVG_TAIL = " 1/200 4242"


def all_gauges(moment):
    total = {}
    m = moment.machine
    for node in m.nodes:
        for k, v in fmt_zone.node_gauges(moment, node.id).items():
            total[k] = total.get(k, 0) + v
    for z in m.zones:
        for k, v in fmt_zone.zone_gauges(moment, z).items():
            total[k] = total.get(k, 0) + v
    total.update(slab_pages(moment))
    return total


def slab_pages(moment):
    pages = {"nr_slab_reclaimable": 0, "nr_slab_unreclaimable": 0}
    for c in moment.machine.cache_list():
        key = "nr_slab_reclaimable" if c["reclaim_account"] else "nr_slab_unreclaimable"
        pages[key] += sum(c["slabs"].values()) << c["order"]
    return {**pages, **{k: v for k, v in moment.load.gauges.items() if k in pages}}


def vmstat(moment):
    m, gauges = moment.machine, all_gauges(moment)
    known = set(m.layout["vmstat"])
    unknown = (set(moment.load.rates) | set(moment.load.counters)) - known
    if unknown:
        raise ValueError(f"{m.kernel.name} has no vmstat {sorted(unknown)}")
    lines = []
    for key in m.layout["vmstat"]:
        if key == "pgfree":    # the pages that boot released count as freed
            value = m.managed() + moment.counter(key)
            if "pgfree" not in moment.load.rates:
                value += sum(moment.counter(k) for k in known if k.startswith("pgalloc_"))
        else:
            value = gauges.get(key, moment.counter(key))
        lines.append(f"{key} {value}")
    return "\n".join(lines) + "\n"


def meminfo_values(moment, managed, free, slab):
    kb = moment.machine.page // 1024
    used = max(managed - free - moment_parked(moment), 0)
    values = {"MemTotal": managed * kb, "MemFree": free * kb, "MemAvailable": (free + used) * kb, "Cached": used * kb,
              "Inactive": used * kb, "Inactive(file)": used * kb, "MemUsed": (managed - free) * kb, "FilePages": used * kb,
              "KReclaimable": slab["nr_slab_reclaimable"] * kb, "SReclaimable": slab["nr_slab_reclaimable"] * kb,
              "SUnreclaim": slab["nr_slab_unreclaimable"] * kb, "Slab": sum(slab.values()) * kb,
              "Hugepagesize": (moment.machine.page << moment.machine.pmd_order()) // 1024,
              "CommitLimit": managed * kb // 2, "VmallocTotal": 34359738367, "DirectMap2M": managed * kb // 2048 * 2048}
    return values


def moment_parked(moment):
    return sum(z.parked() for z in moment.machine.zones)


def keyed(rows, values):
    return "".join(f"{name}{values.get(name.split()[-1].rstrip(':'), 0):>{width}}{unit}\n" for name, width, unit in rows)


def meminfo(moment):
    m = moment.machine
    values = meminfo_values(moment, m.managed(), moment.free(), slab_pages(moment))
    values.update(moment.load.meminfo)
    return keyed(m.layout["meminfo"], values)


def node_meminfo(moment, node_id):
    m = moment.machine
    zones = [z for z in m.zones if z.node == node_id]
    managed, free = sum(z.managed for z in zones), sum(moment.zone_free(z) for z in zones)
    rows = [[name.replace("Node 0", f"Node {node_id}"), width, unit] for name, width, unit in m.layout["node_meminfo"]]
    none = {"nr_slab_reclaimable": 0, "nr_slab_unreclaimable": 0}
    values = meminfo_values(moment, managed, free, none)
    kb = m.page // 1024
    used = max(managed - free - sum(z.parked() for z in zones), 0)
    values.update({"FilePages": used * kb, "Inactive": used * kb, "Inactive(file)": used * kb})
    return keyed(rows, values)


def stat(moment):
    m = moment.machine
    ticks = moment.cpu_ticks()
    n = len(m.online)
    each = " ".join(str(ticks[f]) for f in CPU_FIELDS)
    lines = ["cpu  " + " ".join(str(ticks[f] * n) for f in CPU_FIELDS)]
    lines += [f"cpu{c} {each}" for c in m.online]
    lines += ["intr 0", "ctxt 0", "btime 1796083845", "processes 4242", "procs_running 1",
              f"procs_blocked {moment.load.procs_blocked}", "softirq 0 0 0 0 0 0 0 0 0 0 0"]
    return "\n".join(lines) + "\n"


def pressure(moment, name):
    """avg10 is the window's own share; total grows by it. cpu and io show no stall."""
    psi = (moment.load.psi or {}) if name == "memory" else {}
    lines = []
    for kind in moment.machine.layout["pressure"][name][1]:
        share = psi.get(kind, 0)
        total = int(share * 1e6 * moment.uptime_s())
        avg = f"{share * 100:.2f}"
        lines.append(f"{kind} avg10={avg} avg60={avg} avg300={avg} total={total}")
    return "\n".join(lines) + "\n"


def slabinfo(moment):
    """One line a cache, aliases too, newest cache first as the kernel prints them."""
    m = moment.machine
    by_name = {}
    for c in m.cache_list():
        by_name[c["dir"]] = c
        for a in c["aliases"]:
            by_name[a] = c
    names = [n for n in m.layout["slab"]["slabinfo"] if n in by_name]
    names += sorted(n for n in by_name if n not in set(names) and not n.startswith(":"))
    out = ["slabinfo - version: 2.1",
           "# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount>"
           " <sharedfactor> : slabdata <active_slabs> <num_slabs> <sharedavail>"]
    printed = set()
    for name in names:
        c = by_name[name]
        if c["dir"] in printed:    # merged caches have one line
            continue
        printed.add(c["dir"])
        slabs = sum(c["slabs"].values())
        objects = slabs * c["objs_per_slab"]
        out.append(f"{name:<17} {objects:6d} {objects:6d} {c['slab_size']:6d} {c['objs_per_slab']:4d} {1 << c['order']:4d}"
                   f" : tunables {0:4d} {0:4d} {0:4d} : slabdata {slabs:6d} {slabs:6d} {0:6d}")
    return "\n".join(out) + "\n"


def sysctls(moment):
    """(mode, text) by path below proc/sys/vm."""
    m = moment.machine
    rows = {name: [mode, text] for name, (mode, text) in m.layout["sysctl"].items()}
    rows[m.kernel.sysctl_name()][1] = str(m.fraction)
    rows["min_free_kbytes"][1] = str(m.min_free_kb)
    rows["watermark_scale_factor"][1] = str(m.scale)
    for name, text in m.sysctl.items():
        rows.setdefault(name, [0o644, ""])[1] = str(text)
    return {"proc/sys/vm/" + name: (mode, text + "\n") for name, (mode, text) in rows.items()}


def version(moment):
    m = moment.machine
    return m.layout["version"].replace(m.layout["release"], m.release) if m.release == m.layout["release"] else \
        f"Linux version {m.release} (builder@localhost) (gcc) #1 SMP"


def files(moment):
    m = moment.machine
    rows = {
        "proc/vmstat": (0o444, vmstat(moment)),
        "proc/zoneinfo": (0o444, fmt_zone.zoneinfo(moment)),
        "proc/buddyinfo": (0o444, fmt_zone.buddyinfo(moment)),
        "proc/meminfo": (0o444, meminfo(moment)),
        "proc/stat": (0o444, stat(moment)),
        "proc/slabinfo": (0o400, slabinfo(moment)),
        "proc/cmdline": (0o444, m.cmdline + "\n"),
        "proc/version": (0o444, version(moment) + "\n"),
        "proc/sys/kernel/osrelease": (0o444, m.release + "\n"),
        "proc/uptime": (0o444, f"{moment.uptime_s():.2f} {moment.cpu_ticks()['idle'] * len(m.online) / 100:.2f}\n"),
        "proc/loadavg": (0o444, moment.load.loadavg + LOADAVG_TAIL + "\n"),
    }
    rows.update(sysctls(moment))
    if moment.load.psi is None or moment.load.psi:
        for name, (mode, _) in m.layout["pressure"].items():
            rows["proc/pressure/" + name] = (mode, pressure(moment, name))
    return rows
