#!/usr/bin/env python3
"""Times hlokit's dumps beside jaxlib's, and its search beside grep and ripgrep.

usage: dump_cost.py [--build build/release] [--module FILE] [--count N]
                    [--folder F] [--size MB] [--only dump,find]

The cost of one dump in jaxlib is measured in this very run: printing (or
serializing) the module and writing the file, without the passes; both in seconds
of the processor. Prints ratios; times are for reading only.

jaxlib 0.10.2 comes into a throw-away environment; HLOKIT_JAXLIB_PYTHON names a
Python that has it. Without rg or grep their rows of `find` are missing.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))

PATTERNS = ["custom_call_target=.nosuch", "no_such_instruction",
            "dot\\(.*lhs_batch_dims"]


def bench(program, *arguments):
    out = subprocess.run([program, *arguments], check=True,
                         capture_output=True, text=True).stdout
    return json.loads(out)


def make_text(size, path):
    """A module of about `size` instructions in layers."""
    with open(path, "w") as f:
        f.write("HloModule made\n\nENTRY main {\n"
                "  p.0 = f32[128,128]{1,0} parameter(0)\n")
        for i in range(size):
            op = ("add", "multiply", "subtract", "maximum")[i % 4]
            f.write(f"  v.{i + 1} = f32[128,128]{{1,0}} {op}("
                    f"{'p.0' if i == 0 else f'v.{i}'}, p.0), metadata={{"
                    f"op_name=\"jit(step)/layer_{i // 20}/{op}\"}}\n")
        f.write(f"  ROOT r = f32[128,128]{{1,0}} negate(v.{size})\n}}\n")


# Run in the other Python: MODULE FOLDER COUNT.
CHILD = r"""
import json, os, sys, time
from jaxlib import _hlo
module, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
parsed = _hlo.hlo_module_from_text(open(module).read())
result = {}
for kind, make in (("text", lambda: parsed.to_string().encode()),
                   ("proto", parsed.as_serialized_hlo_module_proto)):
    best, size = float("inf"), 0
    for turn in range(3):
        to = os.path.join(folder, kind + str(turn))
        os.makedirs(to)
        start = time.process_time()
        for i in range(count):
            data = make()
            with open(os.path.join(to, f"{i:04}"), "wb") as f:
                f.write(data)
        best = min(best, time.process_time() - start)
        size = len(data) * count
    result[kind] = {"seconds": best, "bytes": size}
print(json.dumps(result))
"""


def jaxlib_python(folder):
    given = os.environ.get("HLOKIT_JAXLIB_PYTHON")
    if given:
        return given
    print("making an environment with jaxlib 0.10.2 ...", file=sys.stderr)
    venv.create(folder, with_pip=True)
    python = os.path.join(folder, "bin/python")
    subprocess.run([python, "-m", "pip", "install", "-q", "jax==0.10.2",
                    "jaxlib==0.10.2"], check=True)
    return python


def reference_dump(module, folder, count):
    """Seconds and bytes of `count` dumps: text, then proto."""
    python = jaxlib_python(os.path.join(folder, "venv"))
    out = subprocess.run([python, "-c", CHILD, module,
                          os.path.join(folder, "theirs"), str(count)],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def cost(options, folder):
    module = options.module
    if not module:
        module = os.path.join(folder, "module.hlo")
        make_text(20000, module)
    ours = bench(options.program, "dump", module, os.path.join(folder, "ours"),
                 str(options.count))
    try:
        theirs = reference_dump(module, folder, options.count)
    except (OSError, subprocess.CalledProcessError) as error:
        theirs = None
        print(f"jaxlib is not here ({error}); only hlokit is timed")
    print(f"{options.count} dumps of one module, ms of processor a dump")
    print(f"{'form':8}{'hlokit':>10}{'jaxlib':>10}{'ratio':>8}")
    for kind in ("text", "proto"):
        a = ours[kind]["seconds"] * 1e3 / options.count
        if theirs is None:
            print(f"{kind:8}{a:10.2f}")
            continue
        b = theirs[kind]["seconds"] * 1e3 / options.count
        print(f"{kind:8}{a:10.2f}{b:10.2f}{a / b:8.2f}")


def grep_seconds(command):
    best, count = float("inf"), 0
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL,
                              env=dict(os.environ, LC_ALL="C"))
        best = min(best, time.perf_counter() - start)
        count = done.stdout.count(b"\n")
    return best, count


def find(options, folder):
    dumps = os.path.join(folder, "dumps")
    os.makedirs(dumps)
    module = os.path.join(folder, "find.hlo")
    make_text(20000, module)
    text = open(module).read()
    copies = max(1, options.size * 1000000 // len(text))
    for i in range(copies):
        name = f"module_0000.made.{i:04}.p.after_a.before_b.txt"
        with open(os.path.join(dumps, name), "w") as f:
            f.write(text)
    size = copies * len(text)
    memory = bench(options.program, "read", dumps)
    print(f"{size / 1e9:.2f} GB in {copies} files; GB/s")
    print(f"{'reading alone':40}{size / memory['seconds'] / 1e9:8.2f}")
    ours = bench(options.program, "find", dumps, *PATTERNS)
    for pattern in PATTERNS:
        found = ours[pattern]
        print(f"{pattern}")
        for threads in ("one", "all"):
            rate = size / found[threads]["seconds"] / 1e9
            print(f"  {'hlokit, ' + threads + ' processor(s)':38}{rate:8.2f}"
                  f"  {found[threads]['matches']} matches")
        for tool, command in (("rg", ["rg", "-e", pattern, dumps]),
                              ("grep", ["grep", "-rE", pattern, dumps])):
            if shutil.which(tool):
                seconds, count = grep_seconds(command)
                print(f"  {tool:38}{size / seconds / 1e9:8.2f}  {count} lines")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("--module", default="")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--size", type=int, default=1000, help="MB to search")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--only", default="dump,find")
    options = parser.parse_args()
    options.program = os.path.join(options.build, "benchmarks/dump_bench")
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        if "dump" in options.only:
            cost(options, folder)
        if "find" in options.only:
            find(options, folder)


if __name__ == "__main__":
    sys.exit(main())
