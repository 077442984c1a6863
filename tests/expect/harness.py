# SPDX-License-Identifier: GPL-2.0-or-later
"""What the runners share: TAP, running the program, the JSON schema, reading zoneinfo.

ALLOCTUNE is the program; SOURCE_ROOT the source tree. Nothing of this machine's configuration is read: the
policies are the tree's, the configuration is a file of our own.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("SOURCE_ROOT") or os.path.dirname(os.path.dirname(HERE))
ALLOCTUNE = os.environ.get("ALLOCTUNE", "alloctune")
POLICIES = os.path.join(ROOT, "policies")
TIMEOUT_S = 300


class Tap:
    def __init__(self):
        self.n = self.failed = 0

    def ok(self, good, name, detail=None):
        self.n += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} - {name}", flush=True)
        if not good and detail is not None:
            print("\n".join("# " + s[:400] for s in str(detail).splitlines()[:40]), flush=True)
        return bool(good)

    def skip(self, name, why):
        self.n += 1
        print(f"ok {self.n} - {name} # SKIP {why}", flush=True)

    def done(self):
        print(f"1..{self.n}")
        return 1 if self.failed else 0


def run(*args, config=None):
    """(exit, stdout, stderr) of the program. With a configuration: and the policies of the source tree."""
    argv = [ALLOCTUNE, *args]
    if config:
        argv += ["--config", config, "--policy-dir", POLICIES]
    env = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")}
    try:
        p = subprocess.run(argv, capture_output=True, timeout=TIMEOUT_S, env=env, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return -1, b"", f"no answer in {TIMEOUT_S} s".encode()
    except OSError as e:
        return -1, b"", f"{ALLOCTUNE}: {e.strerror}".encode()
    return p.returncode, p.stdout, p.stderr


def scratch():
    """A temporary directory, in memory where there is room: a capture is thousands of small files."""
    place = "/dev/shm"
    if os.access(place, os.W_OK) and os.statvfs(place).f_bavail * os.statvfs(place).f_bsize > 256 << 20:
        return tempfile.TemporaryDirectory(dir=place, prefix="alloctune-test-")
    return tempfile.TemporaryDirectory(prefix="alloctune-test-")


def write_config(directory, profile):
    path = os.path.join(directory, f"alloctuned-{profile}.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f'profile = "{profile}";\n')
    os.chmod(path, 0o644)
    return path


def schema_errors(name, document):
    """None if the schema cannot be checked here, else a list of what is wrong."""
    path = os.path.join(ROOT, "docs", "schema", name + ".json")
    try:
        import jsonschema  # Debian: python3-jsonschema
    except ImportError:
        return None
    if not os.path.exists(path):
        return [f"{path}: no such schema"]
    with open(path, encoding="utf-8") as f:
        schema = json.load(f)
    validator = jsonschema.Draft7Validator(schema)
    return [f"{'/'.join(str(x) for x in e.absolute_path)}: {e.message}" for e in validator.iter_errors(document)]


def check_schema(tap, name, document, what):
    wrong = schema_errors(name, document)
    if wrong is None:
        tap.skip(f"{what}: schema of {name}", "python3-jsonschema is missing")
    else:
        tap.ok(not wrong, f"{what}: schema of {name}", "\n".join(wrong[:10]))


def parse(stdout):
    """The document, or None."""
    try:
        return json.loads(stdout.decode("utf-8"))
    except ValueError:
        return None


def zones_of(text):
    """[{node, name, managed, low, ..., cpus: {cpu: {count, high, batch}}}] of the populated zones of a zoneinfo."""
    rows = []
    for part in re.split(r"(?m)^(?=Node\s+\d+, zone)", text)[1:]:
        m = re.match(r"Node\s+(\d+), zone\s+(\S+)", part)
        row = {"node": int(m.group(1)), "name": m.group(2), "cpus": {}}
        for key in ("min", "low", "high", "managed", "present"):
            found = re.search(rf"(?m)^\s+{key}\s+(\d+)$", part)
            row[key] = int(found.group(1)) if found else None
        for piece in re.split(r"(?m)^\s+cpu: ", part)[1:]:
            values = dict(re.findall(r"(?m)^\s+(count|high|batch|high_min|high_max):\s*(\d+)$", piece))
            row["cpus"][int(piece.split()[0])] = {k: int(v) for k, v in values.items()}
        if row["cpus"]:
            rows.append(row)
    return rows


def cpu_list(text):
    ids = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        ids += range(int(first), int(last or first) + 1)
    return ids


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8", errors="replace") as f:
        return f.read()


def snapshots(capture):
    """The snapshots of a capture, oldest first."""
    return sorted(os.path.join(capture, d) for d in os.listdir(capture) if re.fullmatch(r"\d{8}", d))


def local_cpus(snapshot, node):
    return cpu_list(read(snapshot, f"sys/devices/system/node/node{node}/cpulist"))
