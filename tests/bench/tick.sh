#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU of one tick against bare reads of the same files.
set -eu
exec "${BUILD_ROOT:?}/tests/bench/bench-tick"
