# SPDX-License-Identifier: GPL-2.0-or-later
# Short holds of the zone lock before throughput. 20 us: a hold of 252 pages (four batches) takes at most 189 pages * 45 ns,
# one of 2,016 pages about 90 us; an EPYC guest saw 450 us on average (linux-mm 2024-07). Such lists may cost up to 3 % more
# kernel CPU per page.
profile = {
  about = "latency before throughput";
  policies = {
    pcp-contention = {
      most_loss = 30000;
      guards = ( { name = "hold-length"; limit = 20000; action = "cut"; evidence = "estimated"; } );
      text = "A kernel with split free (seen in 7.2 and 7.3) is recommended: it gives pages back a batch at a time and needs no cap on the free side. Where network receive is much of the load, recycling pages in the driver (page_pool) helps more than any list size.";
    };
  };
};
