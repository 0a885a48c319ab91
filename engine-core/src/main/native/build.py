#!/usr/bin/env python3
"""Builds the native kernel library for every platform into a resource folder, once per state of the sources.

    python3 build.py --java-home JDK --out FOLDER --targets all|host|linux-x86_64,…

Puts FOLDER/native/<platform>/<library>. Libraries are kept in $KINDLING_CACHE (default ~/.cache/kindling), keyed by a hash of
the sources, this script, jni.h and the compiler, so that an unchanged build only compares files. The compiler is zig,
from the environment `zig` of tools/pyenv.py: one tool for all platforms, which brings their headers and C libraries.
"""
import argparse
import concurrent.futures
import fcntl
import filecmp
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "tools"))
import pyenv  # noqa: E402

X86_LEVELS = {
    "sse2": "-mcpu=x86_64",
    "avx2": "-mcpu=x86_64_v3",
    "avx512": "-mcpu=x86_64_v4",
    "avx512vnni": "-mcpu=x86_64_v4+avx512vnni",
    "amx": "-mcpu=x86_64_v4+avx512vnni+prfchw+amx_tile+amx_bf16+amx_int8",
}
ARM_LEVELS = {"neon": "-mcpu=generic", "dotprod": "-mcpu=generic+dotprod"}

TARGETS = {
    "linux-x86_64": ("x86_64-linux-gnu.2.17", "libkindling.so"),
    "linux-aarch64": ("aarch64-linux-gnu.2.17", "libkindling.so"),
    "linux-x86_64-musl": ("x86_64-linux-musl", "libkindling.so"),
    "linux-aarch64-musl": ("aarch64-linux-musl", "libkindling.so"),
    "macos-x86_64": ("x86_64-macos", "libkindling.dylib"),
    "macos-aarch64": ("aarch64-macos", "libkindling.dylib"),
    "windows-x86_64": ("x86_64-windows-gnu", "kindling.dll"),
}

FLAGS = [
    "-std=gnu11", "-O3", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno", "-fno-sanitize=all",
    "-mprefer-vector-width=512", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-unused-function", "-Wno-unknown-pragmas",
    "-Wno-psabi", "-Werror",
]
SHARED_UNITS = ["jni.c", "cpu.c", "memory.c", "nbits_pack.c"]


def levels(target: str) -> dict:
    return X86_LEVELS if "x86_64" in target else ARM_LEVELS


def host() -> str:
    system = {"Linux": "linux", "Darwin": "macos", "Windows": "windows"}.get(platform.system(), platform.system())
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    musl = "-musl" if system == "linux" and platform.libc_ver()[0] != "glibc" else ""
    return f"{system}-{machine}{musl}"


def source_key(jni: pathlib.Path) -> str:
    digest = hashlib.sha256(" ".join(pyenv.ENVIRONMENTS["zig"]).encode())
    files = sorted(path for path in HERE.rglob("*") if path.suffix in (".c", ".h", ".py"))
    for path in [*files, jni]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def compile_target(target: str, jni: pathlib.Path, target_folder: pathlib.Path) -> None:
    triple, library = TARGETS[target]
    zig = [str(pyenv.environment("zig")), "-m", "ziglang", "cc", "-target", triple]
    environment = dict(os.environ, ZIG_GLOBAL_CACHE_DIR=str(pyenv.cache_root() / "zig"))
    target_folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target_folder.parent) as scratch:
        # jni.h alone: the platform header beside it in the JDK is this machine's.
        include = pathlib.Path(scratch) / "include"
        include.mkdir()
        shutil.copy(jni, include)
        common = [*FLAGS, f"-I{HERE / 'include'}", f"-isystem{include}"]
        objects = []

        def unit(source: str, extra: list, name: str) -> None:
            output = f"{scratch}/{name}.o"
            run([*zig, *common, *extra, "-c", str(HERE / source), "-o", output], environment)
            objects.append(output)

        plain = next(iter(levels(target).values()))
        for source in SHARED_UNITS:
            unit(source, [plain], source)
        for level, cpu in levels(target).items():
            unit("level.c", [cpu, f"-DLEVEL={level}"], f"level-{level}")
        run([*zig, "-shared", "-s", "-o", f"{scratch}/{library}", *objects], environment)
        staged = pathlib.Path(scratch) / "staged"
        staged.mkdir()
        shutil.move(f"{scratch}/{library}", staged / library)
        shutil.rmtree(target_folder, ignore_errors=True)
        staged.rename(target_folder)


def run(command: list, environment: dict) -> None:
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"native build: failed: {' '.join(command)}\n{done.stdout}")


def built(cache: pathlib.Path, target: str) -> pathlib.Path:
    return cache / target / TARGETS[target][1]


def build(jni: pathlib.Path, out: pathlib.Path, targets: list) -> None:
    cache = pyenv.cache_root() / "native" / source_key(jni)
    cache.mkdir(parents=True, exist_ok=True)
    missing = [target for target in targets if not built(cache, target).exists()]
    if missing:
        with open(cache / ".lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            missing = [target for target in missing if not built(cache, target).exists()]
            if missing:
                print(f"native build: compiling {', '.join(missing)}", file=sys.stderr)
                pyenv.environment("zig")
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                list(pool.map(lambda target: compile_target(target, jni, cache / target), missing))
    for target in targets:
        library, copy = built(cache, target), out / "native" / target / TARGETS[target][1]
        if not copy.exists() or not filecmp.cmp(library, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(library, copy)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--java-home", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--targets", required=True)
    arguments = parser.parse_args()
    jni = arguments.java_home / "include" / "jni.h"
    if not jni.exists():
        raise SystemExit(f"native build: {jni} is missing; Maven must run on a JDK, not a JRE (set JAVA_HOME)")
    targets = {"all": list(TARGETS), "host": [host()]}.get(arguments.targets) or arguments.targets.split(",")
    unknown = [target for target in targets if target not in TARGETS]
    if unknown:
        raise SystemExit(f"native build: unknown targets {unknown}; known: {list(TARGETS)}")
    build(jni, arguments.out, targets)


if __name__ == "__main__":
    main()
