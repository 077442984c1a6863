#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A virtual day of one-second ticks, texts and parsers on: under 20 s, 3 of them in model and engine.
set -eu
exec "${BUILD_ROOT:?}/tests/bench/bench-day"
