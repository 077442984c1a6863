# SPDX-License-Identifier: GPL-2.0-or-later
from machine import GIB, Machine, Node
from moment import Load

TITLE = "kernel build 27 % slower, SPEC job up to 7 times slower: alignment of anonymous maps"
SOURCE = ("lkml, thread on f35b5d7d676e (2022-10..12); d4148aeab412 with distribution bug 1229012 and kernel bug 219366")
REPORT = (
    "(a) 128 threads, 6.1-rc1",
    "(b) 6.7 to 6.11: written as 6.9",
    "run times and map lengths (0x7fb000 bytes, 4632 kB) have no file: not written",
)
NEUTRAL = ("(a) one node, 256 GiB", "(b) 16 CPUs, one node, 64 GiB", "THP enabled always", "10000 pages/s; 5 % kernel CPU")


def make(kernel, release, cpus):
    m = Machine(kernel, [Node(0, list(range(cpus)), cpus * 2 * GIB)], release=release, thp={"enabled": "always"})
    return {"machine": m, "load": Load(rates={"pgalloc_normal": 10000}, cpu={"system": 0.05})}


VARIANTS = {"C19a": lambda: make("6.1", "6.1.0-rc1", 128), "C19b": lambda: make("6.7", "6.9.0", 16)}
