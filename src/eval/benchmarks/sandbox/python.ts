// What runs inside the interpreter, around the code under test.

/** Modules that reach out of the interpreter, or that only do so; the code under test cannot import them. */
const closed = ["js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "ctypes", "_ctypes", "micropip"];

/**
 * Prepares the interpreter once, before its memory is copied: what answers commonly import is loaded, the ways out are
 * closed, and `run_answer` is defined. It takes the code, a function's name or nothing, and the input, and answers with
 * an outcome and a text.
 */
export const preparation = `
import sys, os, io, json
import bisect, collections, copy, datetime, fractions, decimal, functools, heapq, itertools, math, operator, random, re
import statistics, string, typing, types, traceback, enum, dataclasses, abc, cmath, array, queue, time

answer_names = {"__name__": "__main__", "__builtins__": __builtins__}
exec("""
import sys, os, io, json, bisect, collections, copy, datetime, functools, heapq, itertools, math, operator, random, re
import statistics, string, typing
from string import *
from re import *
from collections import *
from heapq import *
from bisect import *
from copy import *
from random import *
from statistics import *
from itertools import *
from functools import *
from operator import *
from math import *
from typing import *
from builtins import *
""", answer_names)

class Closed:
    names = frozenset(${JSON.stringify(closed)})
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r} (closed in the sandbox)", name=name)
        return None

for loaded in [name for name in sys.modules if name.split(".")[0] in Closed.names]:
    del sys.modules[loaded]
for finder in sys.meta_path:
    getattr(finder, "jsproxies", {}).clear()
sys.meta_path[:] = [Closed()] + [
    finder for finder in sys.meta_path if not type(finder).__module__.startswith("_pyodide")
]
os.environ.clear()
sys.argv[:] = ["answer"]
sys.setrecursionlimit(100_000)
# Answers take it for infinity; here it would be 2 ** 31 - 1.
sys.maxsize = 2**63 - 1

def short(error):
    where = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == "answer":
            where = step.tb_lineno
        step = step.tb_next
    text = f"{type(error).__name__}: {error}"[:300]
    return text if where is None else f"{text} (line {where})"

def flush():
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except Exception:
        pass

def run_answer(code, function, given):
    try:
        names = answer_names
        exec(compile(code, "answer", "exec"), names)
        if not function:
            flush()
            return "ok\\n"
        if "Solution" in names and hasattr(names["Solution"], function):
            called = getattr(names["Solution"](), function)
        elif function in names:
            called = names[function]
        else:
            return f"error\\nthere is no function {function}"
        result = called(*[json.loads(line) for line in given.split("\\n")])
        flush()
        return "ok\\n" + repr(result)
    except SystemExit as end:
        flush()
        if function or end.code not in (None, 0):
            return f"error\\nit ended itself with {end.code!r}"[:300]
        return "ok\\n"
    except MemoryError:
        return "memory\\nit needed more memory than there is"
    except KeyboardInterrupt:
        return "late\\nit took too long"
    except RecursionError as error:
        return "error\\n" + short(error)
    except BaseException as error:
        flush()
        return "error\\n" + short(error)

# The interpreter's own sleep hears no interrupt.
def sleep(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass

time.sleep = sleep

import gc
gc.collect()
`;
