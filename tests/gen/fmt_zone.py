# SPDX-License-Identifier: GPL-2.0-or-later
"""proc/zoneinfo and proc/buddyinfo, in the exact layout of the captured kernels."""


def node_gauges(moment, node_id):
    """Per-node gauges: what is neither free nor parked is file cache, but for the slabs."""
    m = moment.machine
    zones = [z for z in m.zones if z.node == node_id]
    used = sum(z.managed - moment.zone_free(z) - z.parked() for z in zones)
    gauges = {"nr_inactive_file": max(used, 0), "nr_file_pages": max(used, 0)}
    if m.nodes[0].id == node_id:
        gauges.update(moment.load.gauges)
    return gauges


def zone_gauges(moment, zone):
    free = moment.zone_free(zone)
    used = max(zone.managed - free - zone.parked(), 0)
    return {"nr_free_pages": free, "nr_zone_inactive_file": used, "nr_free_pages_blocks": free // 512 * 512}


def protection(moment, zone):
    """lowmem_reserve_ratio 256 256 32 0 0: a zone keeps 1/ratio of the managed pages above it, cumulated."""
    m = moment.machine
    names = m.zone_names()
    ratio = {"DMA": 256, "DMA32": 256, "Normal": 32}.get(zone.name, 0)
    mine = names.index(zone.name)
    values, above = [], 0
    for i, name in enumerate(names):
        if i > mine:
            above += next(z.managed for z in m.zones if z.node == zone.node and z.name == name)
        values.append(above // ratio if ratio and i > mine and zone.managed else 0)
    return "        protection: (" + ", ".join(str(v) for v in values) + ")"


def head_values(moment, zone):
    return {"pages free": moment.zone_free(zone), "min": zone.min, "low": zone.low, "high": zone.high,
            "promo": zone.high + (zone.low - zone.min) if zone.low else 0, "spanned": zone.spanned,
            "present": zone.present, "managed": zone.managed}


def threshold(managed, page):
    """vm stats threshold grows with CPUs and memory; 8..125. Any value will do."""
    return min(8 + (managed * page >> 27), 125)


def zoneinfo(moment):
    m = moment.machine
    lay = m.layout["zoneinfo"]
    out = []
    seen = set()
    for z in m.zones:
        out.append(f"Node {z.node}, zone {z.name:>8}")
        if z.populated() and z.node not in seen:
            seen.add(z.node)
            out.append("  per-node stats")
            gauges = node_gauges(moment, z.node)
            out += [p + str(gauges.get(p.strip(), 0)) for p in lay["node_stats"]]
        values = head_values(moment, z)
        out += [p + str(values.get(" ".join(p.split()), 0)) for p in lay["head"]]
        out.append(protection(moment, z))
        if not z.populated():
            continue
        gauges = zone_gauges(moment, z)
        out += [p + str(gauges.get(p.strip(), 0)) for p in lay["zone_stats"]]
        out.append("  pagesets")
        keys = [p.strip().rstrip(":") for p in lay["pageset"]]
        tail = f"  vm stats threshold: {threshold(z.managed, m.page)}"
        fixed = {"batch": z.batch, "high_min": z.high_min, "high_max": z.high_max}
        shape = "\n".join(["    cpu: %d"] + [p + ("%d" if k in ("count", "high") else str(fixed[k]))
                                            for p, k in zip(lay["pageset"], keys)] + [tail])
        out += [shape % (c, z.cpu_count.get(c, 0), z.cpu_high.get(c, 0)) for c in m.online]
        starts = {"start_pfn": z.start_pfn}
        out += [p + str(starts.get(p.strip().rstrip(":"), 0)) for p in lay["tail"]]
    return "\n".join(out) + "\n"


def buddyinfo(moment):
    """Blocks per order: the largest blocks first, what is left in smaller ones; a report's own line where given."""
    m = moment.machine
    orders = m.layout["buddyinfo_orders"]
    lines = []
    for z in m.zones:
        if not z.populated():
            continue
        blocks = moment.zone_changes.get((z.node, z.name), {}).get("blocks")
        if blocks is None:
            left, blocks = moment.zone_free(z), [0] * orders
            for order in range(orders - 1, -1, -1):
                blocks[order], left = left >> order, left & ((1 << order) - 1)
        lines.append(f"Node {z.node}, zone {z.name:>8} " + " ".join(f"{b:6d}" for b in blocks) + " ")
    return "\n".join(lines) + "\n"
