#!/usr/bin/env python3
"""Pictures of modules of 300 to 100 000 instructions: our layout, the
page's size, the time until Chromium shows its first frame, and beside it what
Graphviz' dot takes (given up after --dot-limit seconds).

    benchmarks/graph/graph_cost.py [--build=build/release] [--sizes=1000,...]
                                   [--kind=realistic] [--dot-limit=60] [--json]

Needs nothing but Python's standard library; without Chromium or dot their
columns stay empty.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


class Browser:
    """Chromium by its DevTools protocol over a pair of pipes."""

    def __init__(self, folder):
        program = shutil.which("chromium") or shutil.which("google-chrome")
        if program is None:
            raise FileNotFoundError("chromium")
        commands_in, self.commands = os.pipe()
        self.answers, answers_out = os.pipe()

        def connect():
            high_in, high_out = os.dup2(commands_in, 70), os.dup2(
                answers_out, 71)
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--no-first-run", "--remote-debugging-pipe",
             "--user-data-dir=" + folder, "--window-size=1400,900",
             "about:blank"],
            preexec_fn=connect, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands_in)
        os.close(answers_out)
        self.rest = b""
        self.number = 0
        self.session = None
        targets = self.command("Target.getTargets")["targetInfos"]
        page = next(t for t in targets if t["type"] == "page")
        self.session = self.command(
            "Target.attachToTarget", targetId=page["targetId"],
            flatten=True)["sessionId"]
        self.command("Page.enable")

    def command(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                self.rest += os.read(self.answers, 1 << 20)
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer["result"]

    def first_frame_ms(self, path):
        self.command("Page.navigate", url="file://" + path)
        for _ in range(3000):
            result = self.command(
                "Runtime.evaluate", returnByValue=True,
                expression="window.hlokit ? window.hlokit.firstFrame : 0")
            value = result["result"].get("value")
            if value:
                return value
            time.sleep(0.02)
        return None

    def close(self):
        self.process.terminate()
        self.process.wait()


def dot_seconds(build, module, limit, folder):
    """What dot takes to lay the module out as svg; None when it is given up."""
    if shutil.which("dot") is None:
        return None
    graph = os.path.join(folder, "graph.dot")
    tool = os.path.join(build, "bin", "hlo-graph")
    subprocess.run([tool, module, "--to=" + graph], check=True)
    start = time.monotonic()
    try:
        subprocess.run(["dot", "-Tsvg", "-o", os.devnull, graph], check=True,
                       timeout=limit, stderr=subprocess.DEVNULL)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("--sizes", default="300,1000,10000,100000")
    parser.add_argument("--kind", default="realistic")
    parser.add_argument("--dot-limit", type=float, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = None
        try:
            browser = Browser(os.path.join(folder, "profile"))
        except OSError as error:
            print("no browser:", error, file=sys.stderr)
        for size in options.sizes.split(","):
            module = os.path.join(folder, "m.hlo")
            page = os.path.join(folder, "page.html")
            subprocess.run(
                [sys.executable, os.path.join(ROOT, "benchmarks/gen_scale.py"),
                 options.kind, size, "-o", module], check=True)
            out = subprocess.run(
                [os.path.join(options.build, "benchmarks/graph_bench"), module,
                 page], check=True, capture_output=True, text=True).stdout
            row = json.loads(out)
            row["first_frame_ms"] = (
                browser.first_frame_ms(page) if browser else None)
            row["dot_s"] = dot_seconds(options.build, module,
                                       options.dot_limit, folder)
            rows.append(row)
        if browser:
            browser.close()
    if options.json:
        print(json.dumps(rows, indent=1))
        return

    def show(value, form):
        return "-" if value is None else form % value

    print("instructions  layout s  layout MiB  page s  page KiB  "
          "first frame ms  dot s")
    for row in rows:
        print("%12d  %8.3f  %10.0f  %6.2f  %8.0f  %14s  %5s" % (
            row["instructions"], row["layout_s"], row["layout_mb"],
            row["page_s"], row["page_bytes"] / 1024,
            show(row["first_frame_ms"], "%.0f"), show(row["dot_s"], "%.1f")))


if __name__ == "__main__":
    main()
