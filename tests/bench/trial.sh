#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Accept rates and lengths of trials over 10,000 runs a cell (RUNS=n: another number). The tests do the same with few.
set -eu
exec "${BUILD_ROOT:?}/tests/sim/trial-mc" "${RUNS:-10000}"
