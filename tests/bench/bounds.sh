#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The bounds of the controller over 1,000 seeds (RUNS=n: another number). The tests do the same with few.
set -eu
exec "${BUILD_ROOT:?}/tests/sim/bounds" "${RUNS:-1000}"
