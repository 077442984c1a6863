# SPDX-License-Identifier: GPL-2.0-or-later
# Every policy as its file has it.
profile = {
  about = "servers and workstations";
  policies = { };
};
