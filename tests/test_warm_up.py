import subprocess
import sys
from pathlib import Path

PROGRAM = """
import gc
import numpy as np
from numba.core.registry import CPUDispatcher
from fairviz.studies.tradeoff.curves import sampled_curve, tradeoff_curve
from fairviz.compiled import KERNELS
from fairviz.attention import TopK, attention
from fairviz.io import read_qrels, read_run, read_samples
from fairviz.warm_up import warm_up
from fairviz.pool import pool

def compiled():
    kernels = [x for x in gc.get_objects() if isinstance(x, CPUDispatcher)]
    return {(k.py_func.__module__, k.py_func.__name__, str(s)) for k in kernels
            if k.py_func.__module__.startswith("fairviz") for s in k.signatures}

warm_up()
warm = compiled()
assert KERNELS and all(kernel.is_kept for kernel in KERNELS), "a kernel that nothing warms"
run = read_run("data/demo/bm25.run").value
qrels = read_qrels("data/demo/usefulness.qrels").value
drawn = read_samples("data/demo/samples.alpha-2.run.gz").value
pools = pool(run, qrels)
for policy in ("plackett-luce", "optimal", "oracle", "uniform", "deterministic"):
    for browsing in (TopK(5), attention("dcg", cutoff=None), attention("rbp", cutoff=10)):
        tradeoff_curve(pools, system="s", policy=policy, alphas=np.array([2.0]), attention=browsing)
sampled_curve([drawn], [pool(drawn, qrels)], attention=TopK(5))
for kernel in sorted(compiled() - warm):
    print(*kernel)
"""


def test_nothing_is_left_to_compile_for_files_that_were_read() -> None:
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, text=True, check=True)
    assert not done.stdout
