/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/engine/guard-frame.h"

#include "test.h"

/* Two snapshots of a machine with 4 CPUs, a large zone (1,000,000 pages) and ZONE_DMA (4,000: 0.4 %). */
static struct {
        MachineFacts facts;
        Snapshot before, now;
        VmStat vm_before, vm_now;
        CpuStat stat_before, stat_now;
        MemInfo mem;
        Pressure pressure;
        Zone zones[2];
        Pageset lists[2][2];
        ZoneInfo info;
        PcpModel pcp;
        GuardFrame f;
} m;

static void fill(void) {
        guard_frame_fill(&m.facts, &m.before, &m.now, NULL, &m.f);
}

static void counter(VmKey key, uint64_t before, uint64_t now) {
        m.vm_before.value[key] = KNOWN(before);
        m.vm_now.value[key] = KNOWN(now);
}

static void times(CpuStat *stat, uint64_t user, uint64_t steal) {
        *stat = (CpuStat){ .user = KNOWN(user),
                           .nice = KNOWN(0),
                           .system = KNOWN(0),
                           .idle = KNOWN(0),
                           .iowait = KNOWN(0),
                           .irq = KNOWN(0),
                           .softirq = KNOWN(0),
                           .steal = KNOWN(steal),
                           .n_cpus = 4 };
}

static void machine(void) {
        memset(&m, 0, sizeof(m));
        m.facts.page_bytes = KNOWN(4096);
        m.facts.memory_bytes = KNOWN(1111);
        m.facts.topology.n_online = 4;
        for (unsigned z = 0; z < 2; z++)
                for (unsigned i = 0; i < 2; i++)
                        m.lists[z][i] = (Pageset){ .cpu = i,
                                                   .count = 100,
                                                   .high = 500,
                                                   .batch = 63,
                                                   .has = PAGESET_COUNT | PAGESET_HIGH |
                                                          PAGESET_BATCH };
        m.zones[0] = (Zone){ .name = "DMA",
                             .free = KNOWN(0),
                             .low = KNOWN(10),
                             .high = KNOWN(20),
                             .present = KNOWN(4000),
                             .managed = KNOWN(4000),
                             .pagesets = m.lists[0],
                             .n_pagesets = 2 };
        m.zones[1] = (Zone){ .name = "Normal",
                             .free = KNOWN(30000),
                             .low = KNOWN(10000),
                             .high = KNOWN(14000),
                             .present = KNOWN(1000000),
                             .managed = KNOWN(1000000),
                             .pagesets = m.lists[1],
                             .n_pagesets = 2 };
        m.info = (ZoneInfo){ .zones = m.zones, .n = 2 };
        m.now.zoneinfo = &m.info;
        m.before.vmstat = &m.vm_before;
        m.now.vmstat = &m.vm_now;
        m.before.stat = &m.stat_before;
        m.now.stat = &m.stat_now;
        m.now.meminfo = &m.mem;
        m.now.pressure_memory = &m.pressure;
        times(&m.stat_before, 1000, 100);
        times(&m.stat_now, 1700, 200);
}

TEST(free_memory_is_measured_on_the_way_from_low_to_high) {
        machine();
        fill();
        /* (30000 - 10000) / 4000; ZONE_DMA, which is empty, is too small to count */
        ASSERT_TRUE(m.f.free_level_ppm.known);
        ASSERT_EQ_U(m.f.free_level_ppm.value, 5000000);
        m.zones[1].free = KNOWN(11000);
        fill();
        ASSERT_EQ_U(m.f.free_level_ppm.value, 250000);
        m.zones[1].free = KNOWN(9999);
        fill();
        ASSERT_EQ_U(m.f.free_level_ppm.value, 0);
        /* No way between the watermarks. */
        m.zones[1].low = m.zones[1].high = KNOWN(9999);
        fill();
        ASSERT_EQ_U(m.f.free_level_ppm.value, 1000000);
        m.zones[1].free = KNOWN(9998);
        fill();
        ASSERT_EQ_U(m.f.free_level_ppm.value, 0);
        m.zones[1].free = UNKNOWN;
        fill();
        ASSERT_FALSE(m.f.free_level_ppm.known);
}

TEST(the_least_of_the_zones_that_count_leads) {
        machine();
        m.zones[0].managed = KNOWN(20000); /* 2 % */
        m.zones[0].free = KNOWN(15);
        fill();
        ASSERT_EQ_U(m.f.free_level_ppm.value, 500000);
}

TEST(parked_pages_are_a_share_of_the_zone_and_count_as_short_below_twice_high) {
        machine();
        m.lists[1][0].count = 20000;
        fill();
        ASSERT_EQ_U(m.f.parked_ppm.value, 20100); /* 20,100 of 1,000,000 */
        ASSERT_TRUE(m.f.parked_short_ppm.known);
        ASSERT_EQ_U(m.f.parked_short_ppm.value, 0); /* 30,000 free, twice high is 28,000 */
        m.zones[1].free = KNOWN(28000);
        fill();
        ASSERT_EQ_U(m.f.parked_short_ppm.value, 0);
        m.zones[1].free = KNOWN(27999);
        fill();
        ASSERT_EQ_U(m.f.parked_short_ppm.value, 20100);
        m.zones[1].high = UNKNOWN;
        fill();
        ASSERT_FALSE(m.f.parked_short_ppm.known);
        ASSERT_TRUE(m.f.parked_ppm.known);
}

TEST(without_zoneinfo_the_zones_are_unknown) {
        machine();
        m.now.zoneinfo = NULL;
        fill();
        ASSERT_FALSE(m.f.free_level_ppm.known);
        ASSERT_FALSE(m.f.parked_ppm.known);
        ASSERT_FALSE(m.f.parked_short_ppm.known);
}

TEST(counters_become_growth) {
        machine();
        counter(VM_ALLOCSTALL_NORMAL, 5, 7);
        counter(VM_ALLOCSTALL_MOVABLE, 1, 2);
        counter(VM_PGSCAN_KSWAPD, 100, 150);
        counter(VM_PGSCAN_DIRECT, 10, 13);
        counter(VM_COMPACT_STALL, 20, 24);
        counter(VM_COMPACT_FAIL, 3, 4);
        counter(VM_COMPACT_SUCCESS, 8, 8);
        counter(VM_THP_FAULT_ALLOC, 1000, 1500);
        counter(VM_THP_FAULT_FALLBACK, 7, 70);
        fill();
        ASSERT_EQ_U(m.f.allocstall.value, 3);
        ASSERT_EQ_U(m.f.reclaimed.value, 53);
        ASSERT_EQ_U(m.f.compact_stall.value, 4);
        ASSERT_EQ_U(m.f.compact_fail.value, 1);
        ASSERT_TRUE(m.f.compact_success.known);
        ASSERT_EQ_U(m.f.compact_success.value, 0);
        ASSERT_EQ_U(m.f.thp_fault.value, 500);
        ASSERT_EQ_U(m.f.thp_fallback.value, 63);
}

TEST(growth_needs_two_readings_and_no_reset) {
        machine();
        counter(VM_COMPACT_STALL, 24, 20);
        m.vm_now.value[VM_PGSCAN_DIRECT] = KNOWN(5);
        fill();
        ASSERT_FALSE(m.f.compact_stall.known);
        ASSERT_FALSE(m.f.reclaimed.known);
        ASSERT_FALSE(m.f.thp_fault.known);
        counter(VM_COMPACT_STALL, 20, 24);
        guard_frame_fill(&m.facts, NULL, &m.now, NULL, &m.f);
        ASSERT_FALSE(m.f.compact_stall.known);
        ASSERT_FALSE(m.f.steal_ppm.known);
        ASSERT_TRUE(m.f.free_level_ppm.known); /* a state */
}

TEST(steal_is_a_share_of_all_time_that_passed) {
        machine();
        fill();
        ASSERT_EQ_U(m.f.steal_ppm.value, 125000); /* 100 of 800 ticks */
        m.stat_now.n_cpus = 5;
        fill();
        ASSERT_FALSE(m.f.steal_ppm.known);
        machine();
        m.stat_now = m.stat_before;
        fill();
        ASSERT_FALSE(m.f.steal_ppm.known);
}

TEST(pressure_is_the_mean_of_ten_seconds) {
        machine();
        m.pressure.some = (PressureLine){ .present = true,
                                          .avg10_ppm = KNOWN(12300),
                                          .avg60_ppm = KNOWN(1),
                                          .total_usec = KNOWN(9) };
        fill();
        ASSERT_EQ_U(m.f.psi_some_ppm.value, 12300);
        ASSERT_FALSE(m.f.psi_full_ppm.known);
}

TEST(slab_memory_comes_from_meminfo_or_in_pages_from_vmstat) {
        machine();
        counter(VM_NR_SLAB_UNRECLAIMABLE, 1, 300);
        fill();
        ASSERT_EQ_U(m.f.slab_unreclaimable_bytes.value, 300 * 4096);
        ASSERT_EQ_U(m.f.memory_bytes.value, 1111);
        m.mem.value[MEM_SUNRECLAIM] = KNOWN(5000);
        m.mem.value[MEM_MEM_TOTAL] = KNOWN(70000);
        fill();
        ASSERT_EQ_U(m.f.slab_unreclaimable_bytes.value, 5000);
        ASSERT_EQ_U(m.f.memory_bytes.value, 70000);
}

TEST(the_hold_is_an_estimate_of_the_longest_zone) {
        machine();
        m.pcp = (PcpModel){ .gen = PCP_GEN_AUTO,
                            .fraction = KNOWN(0),
                            .page_bytes = KNOWN(4096),
                            .batch_cap_bytes = 1 << 20,
                            .n_online = 4,
                            .topology = &m.facts.topology,
                            .zoneinfo = &m.info };
        guard_frame_fill(&m.facts, &m.before, &m.now, &m.pcp, &m.f);
        /* high_max = 1,000,000 / 8 / 4 = 31,250; a hold moves at most 63 << 5 = 2,016 pages of 45 ns */
        ASSERT_EQ_U(m.f.hold_nsec.value, 2016 * 45);
        ASSERT_EQ_I(m.f.hold_evidence, EVIDENCE_ESTIMATED);
        /* The zones of the model where this tick did not read them. */
        m.now.zoneinfo = NULL;
        guard_frame_fill(&m.facts, &m.before, &m.now, &m.pcp, &m.f);
        ASSERT_EQ_U(m.f.hold_nsec.value, 2016 * 45);
        m.pcp.fraction = UNKNOWN;
        guard_frame_fill(&m.facts, &m.before, &m.now, &m.pcp, &m.f);
        ASSERT_FALSE(m.f.hold_nsec.known);
}

TEST(an_empty_snapshot_knows_nothing_but_where_it_runs) {
        Snapshot nothing = { 0 };

        machine();
        m.facts.contained = true;
        m.facts.memory_bytes = UNKNOWN;
        memset(&m.f, 0xff, sizeof(m.f));
        guard_frame_fill(&m.facts, &nothing, &nothing, NULL, &m.f);
        ASSERT_TRUE(m.f.contained);
        ASSERT_FALSE(
                m.f.free_level_ppm.known || m.f.parked_ppm.known || m.f.parked_short_ppm.known ||
                m.f.allocstall.known || m.f.reclaimed.known || m.f.psi_some_ppm.known ||
                m.f.psi_full_ppm.known || m.f.slab_unreclaimable_bytes.known ||
                m.f.memory_bytes.known || m.f.compact_stall.known || m.f.compact_fail.known ||
                m.f.compact_success.known || m.f.thp_fault.known || m.f.thp_fallback.known ||
                m.f.failures.known || m.f.steal_ppm.known || m.f.hold_nsec.known ||
                m.f.own_cpu_ppm.known || m.f.slow_read_usec.known || m.f.zone_reclaim_mode.known);
        ASSERT_EQ_I(m.f.hold_evidence, EVIDENCE_NONE);
}

TEST_MAIN()
