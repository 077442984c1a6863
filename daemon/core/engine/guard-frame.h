/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "core/engine/frame.h"

/* What guards compare, from the snapshots of this tick and the one before (NULL: the first tick; only states are known
 * then). pcp: the model of the lists (NULL: not known). All of ret is set; what no snapshot tells is unknown and is the caller's
 * to fill: failures, own_cpu_ppm, slow_read_usec, zone_reclaim_mode. */
void guard_frame_fill(const MachineFacts *facts, const Snapshot *before, const Snapshot *now,
                      const PcpModel *pcp, GuardFrame *ret);

/* Zones with less than 1 % of the managed pages (ZONE_DMA) decide nothing (alloctuned.policy(5), bounds). */
_pure_ uint64_t guard_managed_total(const ZoneInfo *info); /* NULL: 0 */
_pure_ bool guard_zone_counts(const Zone *zone, uint64_t managed_total);
