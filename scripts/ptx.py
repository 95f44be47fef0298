"""Compiles the .cu files of kreg-kernels to PTX: ptx.py LIBNVRTC [--check]. Called by ptx.sh.

A PTX begins with the digests of everything that went into it, one line a file:

    // kreg-ptx/v1 nvrtc 12.0 compute_70 --std=c++17
    // sha256 <64 hex digits> cuda/gemv/q8_0.cu

The drift rule `ptx-stale` reads them at build time; the files are the source and, by their quoted names, the headers that
it includes, directly or not.
"""

import ctypes
import hashlib
import re
import sys
from pathlib import Path

SRC = Path("kreg-kernels/src")
ROOT = SRC / "cuda"  # where a quoted name is looked for when it is not beside the file that includes it
OPTIONS = ["--gpu-architecture=compute_70", "--std=c++17", f"--include-path={ROOT}"]
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def inputs(source: Path) -> list[Path]:
    """The file and every header that it includes by a quoted name, sorted."""
    found, open_ = set(), [source]
    while open_:
        path = open_.pop()
        if path in found:
            continue
        found.add(path)
        for name in INCLUDE.findall(text(path)):
            places = [place / name for place in (path.parent, ROOT) if (place / name).is_file()]
            if not places:
                if name.startswith("emu/"):
                    continue
                sys.exit(f'{path}: #include "{name}" is in neither its folder nor {ROOT}')
            open_.append(Path(*normal(places[0])))
    return sorted(found)


def normal(path: Path) -> list[str]:
    """The parts of a path without `..`."""
    parts: list[str] = []
    for part in path.parts:
        parts.pop() if part == ".." else parts.append(part)
    return parts


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8").replace("\r\n", "\n")


class Nvrtc:
    """The calls of libnvrtc that a compilation takes."""

    def __init__(self, library: str):
        self.lib = ctypes.CDLL(library)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.lib.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def compile(self, source: Path) -> str:
        program = ctypes.c_void_p()
        self.call("CreateProgram", ctypes.byref(program), text(source).encode(), str(source).encode(), 0, None, None)
        options = [o.encode() for o in [*OPTIONS, f"--include-path={source.parent}"]]
        status = self.lib.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
        log = self.string("ProgramLog", program).strip()
        if log:
            print(log, file=sys.stderr)
        if status:
            sys.exit(f"{source}: NVRTC refuses it")
        ptx = self.string("PTX", program)
        self.call("DestroyProgram", ctypes.byref(program))
        return ptx

    def string(self, what: str, program: ctypes.c_void_p) -> str:
        size = ctypes.c_size_t()
        self.call(f"Get{what}Size", program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self.call(f"Get{what}", program, buffer)
        return buffer.value.decode()

    def call(self, name: str, *arguments):
        status = getattr(self.lib, f"nvrtc{name}")(*arguments)
        if status:
            sys.exit(f"nvrtc{name}: error {status}")


def tidy(ptx: str) -> str:
    """Without NVRTC's banner and blank ends: what is left depends on the source alone."""
    lines = [line.rstrip() for line in ptx.splitlines() if not line.startswith("//")]
    return "\n".join(lines).strip() + "\n"


def main() -> None:
    nvrtc, check = Nvrtc(sys.argv[1]), "--check" in sys.argv[2:]
    stale = []
    for source in sorted(ROOT.rglob("*.cu")):
        options = " ".join(o for o in OPTIONS[1:] if "include" not in o)
        head = f"// kreg-ptx/v1 nvrtc {nvrtc.version} compute_70 {options}\n"
        for path in inputs(source):
            digest = hashlib.sha256(text(path).encode()).hexdigest()
            head += f"// sha256 {digest} {path.relative_to(SRC).as_posix()}\n"
        target = source.with_suffix(".ptx")
        old = text(target) if target.is_file() else ""
        if not check and old.startswith(head + "\n"):
            continue
        new = f"{head}\n{tidy(nvrtc.compile(source))}"
        if new != old:
            stale.append(target)
            if not check:
                target.write_text(new, encoding="utf-8")
    for target in stale:
        print(f"{'differs' if check else 'written'}: {target}")
    if check and stale:
        sys.exit("run scripts/ptx.sh and commit what it writes")


main()
