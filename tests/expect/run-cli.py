#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The command line as people and scripts use it: usage errors, exit codes, help, JSON against its
schemas, output that cannot be written, terminals and pipes. Prints TAP. The program is $ALLOCTUNE."""
import glob
import json
import os
import pty
import re
import resource
import select
import subprocess
import sys
import tarfile
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.environ.get("SOURCE_ROOT") or os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
PROGRAM = os.environ["ALLOCTUNE"]
POLICIES = ["--policy-dir", os.path.join(ROOT, "policies")]
VERBS = ["recommend", "knobs", "signals", "explain", "check", "cat-config", "capture", "replay", "simulate"]
ENV = {k: v for k, v in os.environ.items() if k not in ("PAGER", "COLUMNS", "NO_COLOR", "TERM")}
count = failed = skipped = 0


def report(good, name, why=""):
    global count, failed
    count += 1
    failed += not good
    print("%s %d - %s" % ("ok" if good else "not ok", count, name), flush=True)
    if not good:
        for line in str(why).splitlines()[:20]:
            print("# " + line)


def skip(name, why):
    global count, skipped
    count += 1
    skipped += 1
    print("ok %d - %s # SKIP %s" % (count, name, why))


def run(*args, stdout=subprocess.PIPE, env=None, **more):
    return subprocess.run([PROGRAM, *args], stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env={**ENV, **(env or {})}, timeout=60, **more)


def usage(name, args, *words):
    r = run(*args)
    text = r.stderr.decode()
    good = r.returncode == 2 and not r.stdout and text.startswith("alloctune: ") and all(w in text for w in words)
    report(good, name, "%s: exit %d\n%s" % (args, r.returncode, text))


def exits(name, code, args, *words, **more):
    r = run(*args, **more)
    text = r.stderr.decode()
    report(r.returncode == code and all(w in text for w in words), name,
           "%s: exit %d, expected %d\n%s" % (args, r.returncode, code, text))
    return r


def on_terminal(args, env):
    """The output of the program with stdout on a terminal of 80 columns."""
    master, slave = pty.openpty()
    child = subprocess.Popen([PROGRAM, *args], stdout=slave, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                             env={**ENV, "TERM": "xterm", **env})
    os.close(slave)
    data = b""
    while select.select([master], [], [], 30)[0]:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        data += part
    os.close(master)
    child.stderr.close()
    return child.wait(timeout=30), data


def test_usage():
    usage("no verb is a usage error", [])
    usage("an unknown verb is told with the nearest", ["recomend"], "did you mean 'recommend'?")
    usage("an unknown option is told with the nearest", ["knobs", "--jsno"], "did you mean --json?")
    usage("an abbreviated option is no option", ["knobs", "--js"], "unknown option --js")
    usage("an option without its value", ["knobs", "--root"], "expected DIR")
    usage("an option with an empty value", ["knobs", "--root="], "expected DIR")
    usage("a value for an option that takes none", ["knobs", "--json=yes"], "takes no value")
    usage("a time without a unit", ["recommend", "--duration", "10"], "--duration 10", "10s")
    usage("a negative time", ["recommend", "--duration", "-1s"], "--duration -1s")
    usage("a time beyond a day", ["recommend", "--duration", "25h"], "24h")
    usage("an interval of nothing", ["recommend", "--interval", "0s"], "10ms")
    usage("an option of another verb", ["check", "--root", "x"], "--root", "check")
    usage("too many arguments", ["recommend", "now"], "too many arguments")
    usage("too few arguments", ["explain"], "too few arguments")
    usage("an empty argument", ["explain", ""], "empty argument")
    usage("a short option", ["-j"], "written out")
    usage("verbs of later releases are unknown", ["status"], "unknown verb")


def test_help():
    options = [line.split("\t") for line in run("--dump-tables", "options").stdout.decode().splitlines()]
    verbs = {f[0]: f for f in (line.split("\t") for line in run("--dump-tables", "verbs").stdout.decode().splitlines())}
    report(sorted(verbs) == sorted(VERBS), "the verbs are those of this release", sorted(verbs))
    general = run("--help").stdout.decode()
    missing = [o[0] for o in options if o[0] not in general] + [v for v in verbs if v not in general]
    report(not missing, "--help names every verb and option", missing)
    for verb, fields in sorted(verbs.items()):
        r = run(verb, "--help")
        text = r.stdout.decode()
        wide = [line for line in text.splitlines() if len(line) > 80]
        missing = [o for o in fields[2].split() if o not in text]
        extra = [o[0] for o in options if o[0] not in fields[2].split() and re.search(o[0] + r"\b(?!-)", text.split("Options:")[1])]
        report(r.returncode == 0 and not wide and not missing and not extra and not r.stderr,
               "%s --help fits 80 columns and names its options" % verb, "%s %s %s" % (wide, missing, extra))
    report(all(len(line) <= 80 for line in general.splitlines()), "--help fits 80 columns", general)
    report(re.fullmatch(r"alloctune \d+\.\d+\.\d+\n", run("--version").stdout.decode()) is not None, "--version")


def validate(verb, args, code=0, keep=False):
    r = run(*args)
    name = "%s --json fits its schema" % " ".join(a for a in args[:2] if not a.startswith("/"))
    if r.returncode != code:
        report(False, name, "exit %d, expected %d\n%s" % (r.returncode, code, r.stderr.decode()))
        return None
    try:
        document = json.loads(r.stdout)
        if jsonschema:
            with open(os.path.join(ROOT, "docs/schema", verb + ".json")) as f:
                schema = json.load(f)
            jsonschema.Draft7Validator.check_schema(schema)
            jsonschema.validate(document, schema)
    except Exception as e:  # whatever is wrong with it
        report(False, name, str(e)[:1500])
        return None
    if jsonschema:
        report(True, name)
    else:
        skip(name, "python3-jsonschema is not installed")
    return document


def test_json(trees):
    for label, tree in trees:
        document = validate("recommend", ["recommend", "--json", "--root", tree, *POLICIES])
        if document:
            order = ["schema", "program", "machine", "window", "verdict", "signals", "knobs", "recommendations", "notes"]
            report(list(document) == order, "keys of recommend stand in order on " + label, list(document))
        knobs = validate("knobs", ["knobs", "--json", "--root", tree])
        if knobs and document:
            report(knobs["knobs"] == document["knobs"], "knobs and recommend list the same knobs on " + label)
        validate("signals", ["signals", "--json", "--root", tree])
    tree = trees[0][1]
    validate("explain", ["explain", "pcp-high-fraction", "--json", "--root", tree, *POLICIES])
    validate("explain", ["explain", "slab-cpu-partial", "--json", "--root", tree, *POLICIES])
    validate("explain", ["explain", "zone-lock-use", "--json", "--root", tree, *POLICIES])
    validate("explain", ["explain", "zone-lock-wait", "--json", "--root", tree, *POLICIES])
    d = validate("explain", ["explain", "pcp-contention", "--json", "--root", tree, *POLICIES])
    report(d and d["explain"] and d["explain"][0]["policy"] == "pcp-contention", "explain of a policy says what it finds", d)
    validate("cat-config", ["cat-config", "--json", *POLICIES])
    validate("check", ["check", "--json", *sorted(glob.glob(os.path.join(ROOT, "policies/*.policy")))])


def test_filters(tree):
    d = json.loads(run("knobs", "--json", "--root", tree, "thp-*").stdout)
    report(d["knobs"] and all(k["name"].startswith("thp-") for k in d["knobs"]), "knobs by pattern")
    d = json.loads(run("knobs", "--json", "--root", tree, "slab-order@kmalloc-64").stdout)
    report([(k["name"], k["scope"]) for k in d["knobs"]] == [("slab-order", "cache:kmalloc-64")], "a knob of one cache", d)
    d = json.loads(run("signals", "--json", "--root", tree, "psi-*").stdout)
    report(sorted({s["name"] for s in d["signals"]}) == ["psi-memory-full", "psi-memory-some"], "signals by pattern", d)
    usage("an unknown knob is told with the nearest", ["knobs", "--root", tree, "slab-odrer"], "did you mean 'slab-order'?")
    usage("an unknown cache of a knob", ["knobs", "--root", tree, "slab-order@nothing"], "no scope 'nothing'")
    usage("an unknown signal is told with the nearest", ["signals", "--root", tree, "alloc-rat"], "did you mean 'alloc-rate'?")
    usage("explain suggests the nearest of all", ["explain", "thp-enable", "--root", tree, *POLICIES], "did you mean 'thp-enabled'?")
    usage("explain of an id of no policy", ["explain", "no/such/id", "--root", tree, *POLICIES], "expected a knob")
    report(run("explain", "slab-order@kmalloc-64", "--root", tree).stdout.startswith(b"slab-order  cache:kmalloc-64\n"),
           "explain of one scope names it")


def test_trees(tree, scratch):
    exits("a directory that is no machine", 1, ["recommend", "--root", ROOT + "/docs", *POLICIES], "no machine")
    exits("a directory that does not exist", 1, ["knobs", "--root", scratch + "/none"], "no machine")
    exits("a file as root", 1, ["knobs", "--root", __file__], "no machine")
    bare = os.path.join(scratch, "bare")
    os.makedirs(bare + "/proc")
    with open(bare + "/proc/meminfo", "w") as f:
        f.write("MemTotal:        1000 kB\n")
    exits("no knob on a tree: exit 5", 5, ["knobs", "--root", bare])
    exits("recommend never exits with 5", 0, ["recommend", "--root", bare, *POLICIES])
    target = os.path.join(scratch, "copy")
    d = validate("capture", ["capture", target, "--json", "--root", tree, "--duration", "0s"])
    if d:
        report(d["directory"] == target and os.path.isfile(target + "/capture.json"), "capture wrote the directory", d)
        exits("a capture can be read", 0, ["recommend", "--root", target, *POLICIES])
    exits("capture refuses what exists", 1, ["capture", ROOT + "/docs", "--root", tree], "exists already")
    hostile = os.path.join(scratch, "hostile")
    os.makedirs(hostile + "/proc")
    os.makedirs(hostile + "/sys/kernel/slab/\033[31mred\377")
    with open(hostile + "/sys/kernel/slab/\033[31mred\377/order", "w") as f:
        f.write("1\n")
    r = run("knobs", "slab-order", "--root", hostile)
    report(b"\033" not in r.stdout and r.stdout.count(b"slab-order") >= 1, "names of a tree cannot send escape sequences", r)
    r = run("knobs", "--json", "--root", hostile)
    try:
        json.loads(r.stdout.decode("utf-8"))
        good = b"\033" not in r.stdout
    except ValueError as e:
        good, r = False, e
    report(good, "names that are no UTF-8 give valid JSON", r)


def test_config(scratch, tree):
    bad = os.path.join(scratch, "bad.conf")
    with open(bad, "w") as f:
        f.write('mode = "apply";\ntick = 12;\n')
    exits("check of a bad file: exit 78 with its line", 78, ["check", bad], bad + ":2: ")
    exits("recommend with a bad configuration: exit 78", 78, ["recommend", "--config", bad, "--root", tree], bad + ":2: ")
    d = validate("check", ["check", "--json", bad], code=78)
    report(d and not d["ok"] and d["errors"] == 1 and d["issues"][0]["line"] == 2, "check --json names the line", d)
    exits("check of a missing file", 78, ["check", scratch + "/none.conf"], "none.conf")
    policy = os.path.join(scratch, "policies")
    os.mkdir(policy)
    with open(policy + "/x.policy", "w") as f:
        f.write('policy = {\n  name = "x";\n  knob = "slab-odrer";\n  targets = ();\n};\n')
    exits("check of a bad policy names the nearest knob", 78, ["check", policy + "/x.policy"], "x.policy:3: ", "slab-order")
    exits("a bad policy is a note of recommend", 0, ["recommend", "--policy-dir", policy, "--root", tree])
    exits("recommend with a policy directory that is not there: exit 78", 78,
          ["recommend", "--policy-dir", scratch + "/none", "--root", tree], scratch + "/none: cannot open")
    exits("explain of a policy with an error names its line", 2,
          ["explain", "x", "--policy-dir", policy, "--root", tree], "x.policy:3: ", "nothing is called 'x'")
    os.mkdir(scratch + "/empty")
    exits("check without a policy is a warning", 0, ["check", "--policy-dir", scratch + "/empty"], "/empty: warning: no policy")
    with tempfile.TemporaryDirectory() as bare:
        os.makedirs(bare + "/proc/sys/kernel")
        for args in (["signals", "slab-use"], ["signals", "slab-us*@x"]):
            exits("a signal without rows is not called unknown: " + args[1], 2, [*args, "--root", bare], "has no value here")
        for verb in ("knobs", "explain"):
            exits(verb + " of a scope says why there is none", 2, [verb, "slab-order@x", "--root", bare], "no scopes of slab-order are known: ")
    exits("the shipped policies are good", 0, ["check", *sorted(glob.glob(os.path.join(ROOT, "policies/*.policy")))])
    r = exits("cat-config prints", 0, ["cat-config", *POLICIES])
    report(b"changes_per_hour" in r.stdout and b"pcp-contention" in r.stdout, "cat-config shows keys and policies")
    target = os.path.join(scratch, "good.conf")
    with open(target, "w") as f:
        f.write('changes_per_hour = 3;\n')
    r = run("cat-config", "--json", "--config", target, *POLICIES)
    rows = [s for s in json.loads(r.stdout)["settings"] if s["policy"] is None and s["key"] == "changes_per_hour"]
    report([(s["value"], s["file"], s["line"]) for s in rows] == [("3", target, 1)], "cat-config tells where a value comes from", rows)


def test_terminal(tree):
    code, data = on_terminal(["knobs", "--no-pager", "--root", tree], {})
    report(code == 0 and b"\033[" in data, "colour on a terminal", data[:200])
    code, data = on_terminal(["knobs", "--no-pager", "--root", tree], {"NO_COLOR": "1"})
    report(code == 0 and b"\033[" not in data, "NO_COLOR is respected", data[:200])
    code, data = on_terminal(["knobs", "--no-pager", "--root", tree], {"TERM": "dumb"})
    report(code == 0 and b"\033[" not in data, "no colour on a dumb terminal", data[:200])
    code, data = on_terminal(["knobs", "--root", tree], {"PAGER": "sed s/^/paged:/"})
    report(code == 0 and b"paged:" in data, "output on a terminal goes through PAGER", data[:200])
    code, data = on_terminal(["knobs", "--root", tree], {"PAGER": "true"})
    report(code == 0, "a pager that is left early is fine", data)
    code, data = on_terminal(["knobs", "--root", tree, "--json"], {"PAGER": "sed s/^/paged:/"})
    report(code == 0 and b"paged:" not in data, "JSON is never paged", data[:200])


def test_limits(tree):
    """Little of what a process may have is an error that says so; nothing is called absent for it."""
    def limited(what, least):
        return lambda: resource.setrlimit(what, (least, resource.getrlimit(what)[1]))

    with tempfile.TemporaryDirectory() as scratch:
        r = run("capture", "--root", tree, os.path.join(scratch, "x"), preexec_fn=limited(resource.RLIMIT_FSIZE, 1024))
        report(r.returncode == 1 and b"File too large" in r.stderr, "capture above the size limit of files: exit 1", r)
        report(not os.listdir(scratch), "and nothing is left behind", os.listdir(scratch))
        r = run("capture", "--root", tree, os.path.join(scratch, "x"), preexec_fn=limited(resource.RLIMIT_NOFILE, 6))
        report(r.returncode == 1 and b"Too many open files" in r.stderr, "capture without descriptors: exit 1", r)
        report(not os.listdir(scratch), "and nothing is left behind then", os.listdir(scratch))
    for least in (4, 5):
        r = run("recommend", "--root", tree, *POLICIES, preexec_fn=limited(resource.RLIMIT_NOFILE, least))
        report(r.returncode == 1 and b"Too many open files" in r.stderr, "%d descriptors are too few: exit 1" % least, r)


def test_output(tree):
    for verb in ("recommend", "knobs", "signals"):
        args = [verb, "--root", tree] + (POLICIES if verb == "recommend" else [])
        text = run(*args).stdout
        report(b"\033" not in text, "no colour of %s in a pipe" % verb)
        wide = [line for line in text.decode().splitlines() if len(line) > 80]
        report(not wide, "%s fits 80 columns" % verb, "\n".join(wide))
        narrow = run(*args, env={"COLUMNS": "60"}).stdout.decode()
        report(len(narrow.splitlines()) >= len(text.decode().splitlines()), "%s follows COLUMNS" % verb)
        with open("/dev/full", "wb") as full:
            r = run(*args, stdout=full)
        report(r.returncode == 1 and b"No space left" in r.stderr, "%s on a full disk: exit 1" % verb, r)
    with open("/dev/full", "wb") as full:
        report(run("recommend", "--json", "--root", tree, *POLICIES, stdout=full).returncode == 1, "JSON on a full disk: exit 1")
    for args in (["--help"], ["--version"], ["--dump-tables", "knobs"], ["cat-config", *POLICIES]):
        with open("/dev/full", "wb") as full:
            report(run(*args, stdout=full).returncode == 1, "%s on a full disk: exit 1" % args[0])
    read, write = os.pipe()
    os.close(read)
    r = run("knobs", "--json", "--root", tree, stdout=write)
    os.close(write)
    report(r.returncode == 1 and not r.stderr, "a reader that went away: exit 1, quietly", r)
    r = subprocess.run(["/bin/sh", "-c", '"$0" knobs --root "$1" >&-', PROGRAM, tree], stderr=subprocess.PIPE, timeout=60)
    report(r.returncode == 1 and b"alloctune: " in r.stderr, "a closed stdout: exit 1", r)
    test_limits(tree)
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as e:
        skip("on a terminal", e)
    else:
        test_terminal(tree)
    first = run("recommend", "--json", "--root", tree, *POLICIES).stdout
    report(first and first == run("recommend", "--json", "--root", tree, *POLICIES).stdout, "the same capture gives the same bytes")


def test_exit_code(tree, scratch):
    policy = os.path.join(scratch, "always")
    os.mkdir(policy)
    r = run("recommend", "--json", "--exit-code", "--root", tree, *POLICIES)
    document = json.loads(r.stdout)
    report(r.returncode == (4 if document["recommendations"] else 0), "--exit-code says whether there is something", r.returncode)
    exits("without policies nothing is found", 0, ["recommend", "--exit-code", "--policy-dir", policy, "--root", tree])


def main():
    archives = sorted(glob.glob(os.path.join(ROOT, "tests/trees/*.tgz")))
    if not archives:
        print("1..0 # SKIP no captures in tests/trees")
        return 0
    by_name = {os.path.basename(a)[:-4]: a for a in archives}
    chosen = [n for n in ("6.12-std-idle", "5.10-std-fault", "7.3-std-idle") if n in by_name] or list(by_name)[:1]
    with tempfile.TemporaryDirectory() as scratch:
        trees = []
        for name in chosen:
            directory = os.path.join(scratch, name)
            with tarfile.open(by_name[name]) as archive:
                # Python 3.14 would refuse the absolute links that a capture may hold, and change modes
                archive.extraction_filter = lambda member, _: member
                archive.extractall(directory)
            inner = [d for d, dirs, _ in os.walk(directory) if any(re.fullmatch(r"\d{8,}", x) for x in dirs)]
            trees.append((name, inner[0] if inner else directory))
        test_usage()
        test_help()
        test_json(trees)
        test_filters(trees[0][1])
        test_trees(trees[0][1], scratch)
        test_config(scratch, trees[0][1])
        test_output(trees[0][1])
        test_exit_code(trees[0][1], scratch)
    print("1..%d" % count)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
