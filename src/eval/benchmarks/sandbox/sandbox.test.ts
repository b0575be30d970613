import assert from "node:assert/strict";
import { after, test } from "node:test";
import { VirtualClock } from "../../../testing/clock.ts";
import { pythonSandbox } from "./sandbox.ts";

// The process keeps its own time; that of its parent passes only where a test says so.
const clock = new VirtualClock();
const sandbox = pythonSandbox({ runMs: 700, memoryMb: 256, outputBytes: 200_000, processes: 1, clock });
after(() => sandbox.close());

const program = (...lines: readonly string[]) => lines.join("\n");
const run = (code: string, input = "") => sandbox.run({ code, input });

test("a program reads its input in every usual way", async () => {
  const input = "3 4\nx\n";
  for (const code of [
    "a, b = map(int, input().split())\nprint(a + b, input())",
    "import sys\na, b = map(int, sys.stdin.readline().split())\nprint(a + b, sys.stdin.readline().strip())",
    "import sys\nl = sys.stdin.read().split()\nsys.stdout.write(str(int(l[0]) + int(l[1])) + ' ' + l[2])",
    "import sys\nl = sys.stdin.buffer.read().split()\nprint(int(l[0]) + int(l[1]), l[2].decode())",
    "l = open(0).read().split()\nprint(int(l[0]) + int(l[1]), l[2])",
    "import os\nl = os.read(0, 100).split()\nos.write(1, b'%d %s' % (int(l[0]) + int(l[1]), l[2]))",
    "import sys\nl = [line for line in sys.stdin]\nprint(sum(map(int, l[0].split())), l[1], end='')",
    "def main():\n  print(sum(map(int, input().split())), input())\nif __name__ == '__main__':\n  main()",
    "print(sum(map(int, input().split())), input())\nimport sys\nsys.exit(0)",
  ]) {
    const ran = await run(code, input);
    assert.deepEqual([ran.outcome, ran.text.trim()], ["ok", "7 x"], code);
  }
});

test("a function is called with the lines of its input, and its result comes back as Python writes it", async () => {
  const call = async (code: string, input: string) => sandbox.run({ code, function: "f", input });
  const solution = "class Solution:\n  def f(self, a: List[int], b: str) -> str:\n    return b * len(a)";
  assert.deepEqual(await call(solution, '[1, 2]\n"x"'), { outcome: "ok", text: "'xx'" });
  assert.deepEqual(await call("def f(n):\n  print('noise')\n  return [n, None, (1.5,)]", "3"), {
    outcome: "ok",
    text: "[3, None, (1.5,)]",
  });
  assert.match((await call("def g(): pass", "1")).text, /no function f/);
  assert.match((await call("def f(n): return 1 / n", "0")).text, /ZeroDivisionError: division by zero \(line 1\)/);
});

test("what common answers import is there without importing it", async () => {
  const ran = await run(
    "print(gcd(4, 6), Counter('aab').most_common(1), len(list(permutations([1, 2, 3]))), pow(2, 3, 5))",
  );
  assert.equal(ran.text, "2 [('a', 2)] 6 3\n");
  assert.equal(
    (await run("print(min(10**12, sys.maxsize), [1] * 3, list(range(2)))")).text,
    "1000000000000 [1, 1, 1] [0, 1]\n",
  );
});

test("deep recursion works as far as it usually does", async () => {
  const code =
    "import sys\nsys.setrecursionlimit(10**6)\ndef f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(50000))";
  assert.deepEqual(await run(code), { outcome: "ok", text: "50000\n" });
});

/** What an answer tries, and what comes of it; `undefined`: whatever is not "ok". */
const attempts: readonly (readonly [name: string, code: string, outcome: string | undefined])[] = [
  ["read the host's users", "print(open('/etc/passwd').read())", "error"],
  ["read the host's processes", "print(open('/proc/self/environ').read())", "error"],
  ["list the host's home", "import os\nassert os.listdir('/home') == ['pyodide'] or os.listdir('/root')", undefined],
  ["read the environment", "import os\nprint(dict(os.environ))\nassert os.environ", "error"],
  ["write a file", "open('/tmp/x', 'w').write('x')", "error"],
  ["make a folder", "import os\nos.mkdir('/tmp/y')", "error"],
  ["change a library", "open('/lib/python3.14/json.py', 'w').write('x')", "error"],
  ["remove the library", "import os\nos.remove('/lib/python314.zip')", "error"],
  ["import js", "import js\nprint(js.process)", "error"],
  ["import pyodide", "import pyodide", "error"],
  ["import pyodide_js", "import pyodide_js", "error"],
  ["import the core", "import _pyodide_core", "error"],
  ["run JavaScript", "from pyodide.code import run_js\nrun_js('process.exit()')", "error"],
  ["call C", "import ctypes\nctypes.string_at(0)", "error"],
  [
    "call C past the block",
    "import sys\nsys.meta_path.pop(0)\nimport ctypes\nctypes.CDLL(None).emscripten_run_script(b'process.exit(0)')",
    "error",
  ],
  [
    "make an object of JavaScript's",
    program(
      "import sys",
      "sys.meta_path.pop(0)",
      "import _pyodide_core",
      "made = _pyodide_core.create_once_callable(print)",
      "made.constructor.prototype.x = 1",
    ),
    "error",
  ],
  [
    "use an object of JavaScript's that is in memory",
    program(
      "import gc",
      "seen, found, left = set(), [], list(gc.get_objects())",
      "while left:",
      "    it = left.pop()",
      "    if id(it) in seen: continue",
      "    seen.add(id(it))",
      "    if type(it).__name__ == 'JsProxy': found.append(it)",
      "    left.extend(gc.get_referents(it))",
      "for proxy in found: print(dir(proxy), proxy.constructor)",
      "assert found",
    ),
    "error",
  ],
  ["open a connection", "import socket\nsocket.create_connection(('127.0.0.1', 80), timeout=0.2)", "error"],
  ["listen", "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.listen()\ns.accept()", undefined],
  ["fetch", "import urllib.request\nurllib.request.urlopen('http://127.0.0.1/')", "error"],
  ["start a program", "import subprocess\nsubprocess.run(['ls'])", "error"],
  ["call the shell", "import os\nassert os.system('ls') == 0", "error"],
  ["fork", "import os\nos.fork()", "error"],
  ["start a thread", "import threading\nthreading.Thread(target=print).start()", "error"],
  ["start processes", "import multiprocessing\nmultiprocessing.Process(target=print).start()", "error"],
  ["end the process", "import os\nos._exit(0)", "error"],
  ["abort", "import os\nos.abort()", "error"],
  ["kill its parent", "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)", undefined],
  ["divide by zero", "1 / 0", "error"],
  ["be no Python", "def (", "error"],
  ["ask for a missing module", "import numpy", "error"],
  ["recurse without end", "def f(): f()\nf()", "error"],
  ["recurse without end and limit", "import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()", undefined],
  ["recurse in C", "import functools\n@functools.lru_cache(None)\ndef f(n): return f(n + 1)\nf(0)", undefined],
  ["take two gigabytes", "x = [0] * (2 * 10**9)", "memory"],
  ["take memory bit by bit", "x = []\nwhile True: x.append(bytearray(1000000))", "memory"],
  [
    "take memory and hide it",
    "x = []\ntry:\n  while True: x.append('a' * 10**6)\nexcept MemoryError: pass\nprint(1)",
    "ok",
  ],
  ["loop forever", "while True: pass", "late"],
  ["sleep forever", "import time\ntime.sleep(100)", "late"],
  ["print forever", "while True: print('x' * 1000)", "output"],
  ["print a lot at once", "print('x' * 10**6)", "output"],
  [
    "write forever, whatever happens",
    "import os\nwhile True:\n  try: os.write(1, b'x' * 10**5)\n  except OSError: pass",
    undefined,
  ],
  ["wait for input that never comes", "while True: input()", "error"],
  ["exit with an error", "import sys\nsys.exit(1)", "error"],
  ["exit well", "import sys\nsys.exit()", "ok"],
  ["close its output", "import os\nos.close(1)\nos.close(0)\nprint(1)", undefined],
  [
    "break what comes after",
    "import builtins, sys, json\nbuiltins.print = None\nsys.stdout = None\njson.loads = None\nsys.modules.clear()",
    undefined,
  ],
];

test("whatever code tries, it gets a verdict, and the next run finds everything as it was", async (t) => {
  for (const [name, code, outcome] of attempts) {
    const ran = await run(code, "3\n");
    const next = await run("import os, json\nprint(json.loads(input()) + 1, os.getcwd(), __name__)", "3\n");
    await t.test(`to ${name}: ${outcome ?? "no way"}`, () => {
      if (outcome !== undefined) assert.equal(ran.outcome, outcome, ran.text);
      assert.notEqual(ran.outcome, "failed", ran.text);
      assert.doesNotMatch(ran.text, /root:|PATH|HOME|node:internal/);
      assert.deepEqual(next, { outcome: "ok", text: "4 / __main__\n" });
    });
  }
});

test("an answer of a megabyte is run or refused like any other", async () => {
  assert.equal((await run(`x = "${"a".repeat(1_000_000)}"\nprint(len(x))`)).text, "1000000\n");
  assert.equal((await run("(".repeat(1_000_000))).outcome, "error");
});

test("code that cannot be interrupted is ended with its process, and another takes its place", async () => {
  const stubborn = "while True:\n  try:\n    while True: pass\n  except BaseException: pass";
  assert.equal((await run(stubborn)).outcome, "late");
  assert.deepEqual(await run("print(1)"), { outcome: "ok", text: "1\n" });
});

test("code that does not even look whether it shall stop is ended from outside", async () => {
  assert.equal((await clock.run(run("10 ** 10 ** 8"))).outcome, "late");
});

test("a run that is called off ends at once", async () => {
  const off = new AbortController();
  const running = sandbox.run({ code: "while True: pass", input: "" }, off.signal);
  off.abort();
  assert.equal((await running).outcome, "failed");
  assert.equal((await sandbox.run({ code: "print(1)", input: "" }, off.signal)).outcome, "failed");
});
