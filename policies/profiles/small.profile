# SPDX-License-Identifier: GPL-2.0-or-later
# Largest zone under 4 GiB: half the memory in per-CPU lists. A Chromebook of 4 GB went from 2.9 to 165 MB of room in the
# lists with 5.14 (linux-mm 2023-11-24). parked_seen_auto stays: what the kernel parks by itself is 1.5 to 2.3 % when idle.
profile = {
  about = "small guests and devices";
  policies = {
    pcp-contention = { bounds = { parked_seen = 10000; parked_possible = 20000; }; };
    pcp-memory = { bounds = { parked_seen = 10000; parked_possible = 20000; }; };
  };
};
