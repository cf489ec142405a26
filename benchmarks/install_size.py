"""Size of `pip install 'steelyard[study]'` in a new environment, by package, and without single packages.

python benchmarks/install_size.py [--source .] [--extras study]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

REMOVED = (("vl-convert-python",), ("numba", "llvmlite"))
OWN = ("pip", "setuptools", "pkg_resources", "_distutils_hack")  # of every environment
MEGABYTE = 1024 * 1024


def size(path):
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_blocks * 512 for each in files) / MEGABYTE


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default=".")
    parser.add_argument("--extras", default="study")
    settings = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip = [f"{place}/bin/python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", f"{settings.source}[{settings.extras}]"], check=True)
        (packages,) = Path(place).glob("lib/python*/site-packages")

        def report(words):
            sizes = {each.name: size(each) for each in packages.iterdir() if not each.name.startswith(OWN)}
            print(f"{words}: {sum(sizes.values()):.0f} MB", flush=True)
            return sizes

        sizes = report(f"[{settings.extras}]")
        for name, megabytes in sorted(sizes.items(), key=lambda each: -each[1])[:12]:
            print(f"  {name} {megabytes:.0f}")
        for names in REMOVED:
            subprocess.run([*pip, "uninstall", "--yes", *names], check=False, stderr=subprocess.DEVNULL)
            report(f"without {', '.join(names)}")


if __name__ == "__main__":
    main()
