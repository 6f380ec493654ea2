#!/usr/bin/env python3
"""Pictures of modules of 300 to 100 000 instructions: our layout, the page's
size, the time until Chromium shows its first frame, and beside it what Graphviz'
dot and Google's model-explorer take.

    benchmarks/graph/graph_cost.py [--build=build/release] [--sizes=1000,...]
                                   [--kind=realistic] [--dot-limit=60]
                                   [--explorer-limit=120] [--json]

dot s       dot -Tsvg of the same module, given up after --dot-limit
explorer s  model-explorer's web page in the same Chromium, from the navigation
            until its graph is drawn (by WebGL in software where there is no
            graphics card), given up after --explorer-limit; each
            op_name scope is a layer, as on our page. The graph is given in its
            own JSON form, so that no conversion counts. It comes from PyPI into
            a throw-away environment (700 MB); HLOKIT_MODEL_EXPLORER names a
            Python that has it, --explorer-limit=0 leaves it out.

Without Chromium, dot or the package index their columns stay empty.
"""
import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import venv

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))


class Browser:
    """Chromium by its DevTools protocol over a pair of pipes."""

    def __init__(self, folder, webgl=False):
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
            [program, "--headless=new", "--no-sandbox", "--no-first-run",
             # WebGL without a graphics card is slow, and so is all other
             # drawing then: only for who needs it.
             *(["--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                "--ignore-gpu-blocklist"] if webgl else ["--disable-gpu"]),
             "--remote-debugging-pipe",
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

    def evaluate(self, expression):
        result = self.command("Runtime.evaluate", returnByValue=True,
                              expression=expression)
        return result["result"].get("value")

    def first_frame_ms(self, path):
        self.command("Page.navigate", url="file://" + path)
        for _ in range(3000):
            value = self.evaluate(
                "window.hlokit ? window.hlokit.firstFrame : 0")
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


INSTRUCTION = re.compile(
    r"^\s*(?:ROOT )?%?([\w.\-]+) = (\S+) ([\w\-]+)\((.*?)\)(.*)$")


def explorer_graph(module):
    """The entry of one of gen_scale.py's modules in model-explorer's form."""
    nodes, in_entry = [], False
    for line in open(module):
        in_entry = in_entry or line.startswith("ENTRY")
        found = INSTRUCTION.match(line) if in_entry else None
        if not found:
            continue
        name, shape, op, operands, rest = found.groups()
        scope = re.search(r'op_name="([^"]*)"', rest)
        edges = []
        if op not in ("parameter", "constant"):
            edges = [{"sourceNodeId": operand.split()[-1].lstrip("%"),
                      "sourceNodeOutputId": "0", "targetNodeInputId": str(k)}
                     for k, operand in enumerate(operands.split(","))
                     if operand.strip()]
        nodes.append({
            "id": name, "label": op, "incomingEdges": edges,
            "namespace": scope.group(1).rpartition("/")[0] if scope else "",
            "attrs": [{"key": "shape", "value": shape}]})
    return {"label": "module", "graphs": [{"id": "main", "nodes": nodes}]}


class Explorer:
    """A server of model-explorer and a browser that can draw its pages."""

    def __init__(self, folder):
        self.folder = folder
        self.browser = Browser(os.path.join(folder, "webgl"), webgl=True)
        python = os.environ.get("HLOKIT_MODEL_EXPLORER")
        if not python:
            print("making an environment with model-explorer ...",
                  file=sys.stderr)
            place = os.path.join(folder, "venv")
            venv.create(place, with_pip=True)
            python = os.path.join(place, "bin/python")
            subprocess.run([python, "-m", "pip", "install", "-q",
                            "ai-edge-model-explorer==0.1.34"], check=True)
        with socket.socket() as one:
            one.bind(("localhost", 0))
            self.port = one.getsockname()[1]
        self.process = subprocess.Popen(
            [python, "-m", "model_explorer", "--no_open_in_browser",
             "--skip_health_check", "--port", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            with socket.socket() as one:
                if one.connect_ex(("localhost", self.port)) == 0:
                    return
            time.sleep(0.1)
        raise OSError("model-explorer does not start")

    # Its page has a spinner until the graph's canvas is there.
    DRAWN = """(() => {
      const drawn = document.querySelector('webgl-renderer canvas');
      return !!drawn && !document.querySelector('mat-spinner') &&
             /op node count/i.test(document.body.innerText);
    })()"""

    def seconds(self, module, limit):
        browser = self.browser
        path = os.path.join(self.folder, "graph.json")
        with open(path, "w") as file:
            json.dump(explorer_graph(module), file)
        data = json.dumps({"models": [{"url": path}]})
        start = time.monotonic()
        browser.command("Page.navigate", url="http://localhost:%d/?data=%s" % (
            self.port, urllib.parse.quote(data)))
        while time.monotonic() - start < limit:
            if browser.evaluate(self.DRAWN):
                took = time.monotonic() - start
                browser.command("Page.navigate", url="about:blank")
                return took
            time.sleep(0.02)
        browser.command("Page.navigate", url="about:blank")
        return None

    def close(self):
        self.browser.close()
        self.process.terminate()
        self.process.wait()


def measure(size, options, folder, browser, explorer):
    module = os.path.join(folder, "m.hlo")
    page = os.path.join(folder, "page.html")
    subprocess.run(
        [sys.executable, os.path.join(ROOT, "benchmarks/gen_scale.py"),
         options.kind, size, "-o", module], check=True)
    out = subprocess.run(
        [os.path.join(options.build, "benchmarks/graph_bench"), module, page],
        check=True, capture_output=True, text=True).stdout
    row = json.loads(out)
    row["first_frame_ms"] = browser.first_frame_ms(page) if browser else None
    row["dot_s"] = dot_seconds(options.build, module, options.dot_limit, folder)
    row["explorer_s"] = None
    if explorer:
        row["explorer_s"] = explorer.seconds(module, options.explorer_limit)
    return row


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"))
    parser.add_argument("--sizes", default="300,1000,10000,100000")
    parser.add_argument("--kind", default="realistic")
    parser.add_argument("--dot-limit", type=float, default=60)
    parser.add_argument("--explorer-limit", type=float, default=120)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = explorer = None
        try:
            browser = Browser(os.path.join(folder, "profile"))
        except OSError as error:
            print("no browser:", error, file=sys.stderr)
        try:
            if browser and options.explorer_limit > 0:
                explorer = Explorer(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            print("no model-explorer:", error, file=sys.stderr)
        try:
            for size in options.sizes.split(","):
                rows.append(measure(size, options, folder, browser, explorer))
        finally:
            if explorer:
                explorer.close()
            if browser:
                browser.close()
    if options.json:
        print(json.dumps(rows, indent=1))
        return

    def show(value, form):
        return "-" if value is None else form % value

    print("instructions  layout s  layout MiB  page s  page KiB  "
          "first frame ms  dot s  explorer s")
    for row in rows:
        print("%12d  %8.3f  %10.0f  %6.2f  %8.0f  %14s  %5s  %10s" % (
            row["instructions"], row["layout_s"], row["layout_mb"],
            row["page_s"], row["page_bytes"] / 1024,
            show(row["first_frame_ms"], "%.0f"), show(row["dot_s"], "%.1f"),
            show(row["explorer_s"], "%.1f")))


if __name__ == "__main__":
    main()
