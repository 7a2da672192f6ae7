# SPDX-License-Identifier: MIT
"""Builds the Python package: a wheel with the library, its sinks and the command inside, by the CMake files of stepwatch.

With ``--config-settings system=true`` or STEPWATCH_SYSTEM=1, the wheel has only the package, and links the stepwatch that
pkg-config finds. ``--config-settings build-dir=FOLDER`` keeps what was compiled, for the next build.
"""
from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent.parent
TOP = HERE / "source" if (HERE / "source").is_dir() else HERE.parent.parent  # in a source distribution; in the tree
NAME = "stepwatch"
# The package, and what CMake reads: sources, the lists of files, and what it installs.
OWN = ("README.md", "pyproject.toml", "backend", "src", "stepwatch", "tests")
SOURCE = ("CMakeLists.txt", "Makefile.am", "configure.ac", "LICENSE", "README.md", "build-aux", "config", "core", "docs/man", "include",
          "monitors", "mpi", "net", "probes", "schemas", "sinks", "tools")
MADE = (".a", ".la", ".lo", ".o", ".pyc", ".so")

LIMITED = not sysconfig.get_config_var("Py_GIL_DISABLED")  # a build without a GIL has no limited API
VERSION = re.findall(r"^AC_INIT\(\[[^]]*\], *\[([^]]*)\]", (TOP / "configure.ac").read_text(), re.M)[0]
INFO = f"{NAME}-{VERSION}.dist-info"


class BuildError(Exception):
    """Ends the build with a sentence for the user."""


def _wants_system(settings: dict[str, Any] | None) -> bool:
    value = str((settings or {}).get("system", os.environ.get("STEPWATCH_SYSTEM", "")))
    return value.lower() in ("1", "true", "yes", "on")


def _run(command: list[str], advice: str, **options: Any) -> str:
    """Returns what a command prints, if the options ask for that."""
    print("+", shlex.join(command), flush=True)
    try:
        return str(subprocess.run(command, check=True, text=True, **options).stdout)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"{command[0]}: {error}. {advice} {getattr(error, 'stderr', None) or ''}") from None


def _compile_core(target: pathlib.Path, flags: list[str], libraries: list[str]) -> None:
    compiler = shlex.split(os.environ.get("CC") or shutil.which("cc") or sysconfig.get_config_var("CC") or "gcc")
    include = sysconfig.get_paths()["include"]
    if not os.path.exists(os.path.join(include, "Python.h")):
        raise BuildError(f"{include}/Python.h does not exist: install the headers of Python (Debian: python3-dev)")
    limited = ["-DPy_LIMITED_API=0x03090000"] if LIMITED else []
    _run([*compiler, "-shared", "-fPIC", "-std=gnu11", "-O2", "-fvisibility=hidden", *limited, f"-I{include}", *flags,
          *shlex.split(os.environ.get("CFLAGS", "")), "-o", str(target), *map(str, sorted((HERE / "src").glob("*.c"))),
          *libraries, *shlex.split(os.environ.get("LDFLAGS", ""))], "The module could not be compiled.")


def _system_flags() -> tuple[list[str], list[str]]:
    flags, libraries = (shlex.split(_run(["pkg-config", what, NAME], "pkg-config does not find an installed stepwatch: install it, "
                                         "set PKG_CONFIG_PATH, or build without system=true.", capture_output=True))
                        for what in ("--cflags", "--libs"))
    # A library outside of the loader's path is found where it was when the package was built.
    return flags, libraries + [f"-Wl,-rpath,{flag[2:]}" for flag in libraries if flag.startswith("-L")]


def _build_library(folder: pathlib.Path, stage: pathlib.Path) -> None:
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    _run(["cmake", *generator, "-S", str(TOP), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_LIBDIR=lib",
          f"-DCMAKE_INSTALL_PREFIX={stage}", "-DCMAKE_INSTALL_RPATH=$ORIGIN;$ORIGIN/../lib", "-DSTEPWATCH_INSTALL=ON",
          "-DSTEPWATCH_COMMAND=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON"],
         "What stepwatch needs is in README.md; on Debian: gcc pkg-config libyaml-dev libjansson-dev, and for all sinks "
         "libcurl4-openssl-dev libsqlite3-dev libzstd-dev zlib1g-dev")
    _run(["cmake", "--build", str(folder), "-j", str(len(os.sched_getaffinity(0)))], "The library could not be compiled.")
    _run(["cmake", "--install", str(folder), "--strip"], "The library could not be installed into the wheel.",
         stdout=subprocess.DEVNULL)


def _library_files(stage: pathlib.Path) -> dict[str, bytes]:
    """The files of the library as they are in the wheel, which has no links: each library under its soname."""
    files = [path for path in (stage / "lib").glob("libstepwatch*.so.[0-9]") if not re.search("-(mpi|tensorboard)[.]", path.name)]
    files += [*(stage / "lib/stepwatch/sinks").glob("*.so"), *(stage / "bin").glob("stepwatch")]
    return {f"stepwatch/{path.relative_to(stage)}": path.read_bytes() for path in files}


def _metadata() -> bytes:
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\nSummary: Measures training loops at the cost of C\n"
            "License: MIT\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n").encode() + (HERE / "README.md").read_bytes()


def _tag() -> str:
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp39-abi3-{platform}" if LIMITED else f"{python}-{python}t-{platform}"


def _write_wheel(path: pathlib.Path, files: dict[str, bytes]) -> None:
    record = f"{INFO}/RECORD"
    lines = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
             for name, data in files.items()]
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in {**files, record: "".join([*lines, f"{record},,\n"]).encode()}.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if name.endswith("bin/stepwatch") or ".so" in name else 0o100644) << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    if _wants_system(config_settings):
        return []
    needed = [] if shutil.which("cmake") else ["cmake>=3.16"]
    return needed if shutil.which("ninja") or shutil.which("make") else [*needed, "ninja"]


def build_wheel(wheel_directory: str, config_settings: dict[str, Any] | None = None,
                metadata_directory: str | None = None) -> str:
    files = {f"stepwatch/{path.name}": path.read_bytes() for path in (HERE / "stepwatch").iterdir()
             if path.suffix in (".cpp", ".py", ".pyi", ".typed")}
    with tempfile.TemporaryDirectory() as scratch:
        work = pathlib.Path(scratch)
        core, stage = work / f"_core{'.abi3.so' if LIMITED else sysconfig.get_config_var('EXT_SUFFIX')}", work / "stage"
        if _wants_system(config_settings):
            _compile_core(core, *_system_flags())
        else:
            _build_library(pathlib.Path((config_settings or {}).get("build-dir", work / "build")).absolute(), stage)
            _compile_core(core, [f"-I{TOP / 'include'}"], [f"-L{stage / 'lib'}", "-lstepwatch", "-Wl,-rpath,$ORIGIN/lib"])
            files |= _library_files(stage)
            files[f"{INFO}/entry_points.txt"] = b"[console_scripts]\nstepwatch = stepwatch.__main__:main\n"
        files[f"stepwatch/{core.name}"] = core.read_bytes()
    files[f"{INFO}/METADATA"] = _metadata()
    files[f"{INFO}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: stepwatch_build\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    name = f"{NAME}-{VERSION}-{_tag()}.whl"
    _write_wheel(pathlib.Path(wheel_directory) / name, files)
    return name


def _kept(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """What a build makes stays out of a source distribution; files and folders with a dot are made, too."""
    path = pathlib.PurePath(entry.name)
    return None if path.name.startswith((".", "__pycache__")) or path.suffix in MADE else entry


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    base = f"{NAME}-{VERSION}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name in OWN:
            tar.add(HERE / name, f"{base}/{name}", filter=_kept)
        lists = (str(path.relative_to(TOP)) for path in sorted(TOP.glob("*/**/local.mk")))
        for name in [*SOURCE, *(name for name in lists if not name.startswith((*SOURCE, "build")))]:
            tar.add(TOP / name, f"{base}/source/{name}", filter=_kept)
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        info.size = len(_metadata())
        tar.addfile(info, io.BytesIO(_metadata()))
    return f"{base}.tar.gz"
