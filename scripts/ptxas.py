"""Assembles every PTX for each architecture: ptxas.py PTXAS. Called by ptx.sh --ptxas.

Writes evidence/cuda/ptxas.csv, registers per kernel and architecture, and fails when a kernel spills any of them.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path("kreg-kernels/src/cuda")
OUT = Path("evidence/cuda/ptxas.csv")
ARCHS = ["sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"]
ENTRY = re.compile(r"Compiling entry function '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")


def assemble(ptx: Path, arch: str) -> list[tuple[str, int, int]]:
    """Kernel, registers and spilled bytes of each entry. A function that is not inlined would count as its caller's."""
    command = [sys.argv[1], "-v", f"-arch={arch}", str(ptx), "-o", "/dev/null"]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{ptx} for {arch}:\n{run.stderr}")
    rows, kernel, spilled = [], "", 0
    for line in run.stderr.splitlines():
        if found := ENTRY.search(line):
            kernel, spilled = found[1], 0
        elif found := SPILLS.search(line):
            spilled += int(found[2]) + int(found[3])
        elif found := REGISTERS.search(line):
            rows.append((kernel, int(found[1]), spilled))
    return rows


def main() -> None:
    files = sorted(ROOT.rglob("*.ptx"))
    table: dict[tuple[str, str], dict[str, int]] = {}
    spills = []
    with ThreadPoolExecutor(2) as pool:
        jobs = [(ptx, arch, pool.submit(assemble, ptx, arch)) for ptx in files for arch in ARCHS]
        for ptx, arch, job in jobs:
            for kernel, registers, spilled in job.result():
                table.setdefault((ptx.relative_to(ROOT).as_posix(), kernel), {})[arch] = registers
                if spilled:
                    spills.append(f"{kernel} on {arch}: {spilled} bytes")
    lines = [",".join(["file", "kernel", *ARCHS])]
    lines += [",".join([*key, *(str(row[arch]) for arch in ARCHS)]) for key, row in sorted(table.items())]
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(table)} kernels, {len(ARCHS)} architectures: {OUT}")
    if spills:
        sys.exit("registers are spilled:\n" + "\n".join(spills))


main()
