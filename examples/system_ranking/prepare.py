"""Make items from source sentences and the outputs of systems, one sentence per line in each file.

    python prepare.py source.txt system-a.txt system-b.txt system-c.txt --count 200

The name of a system is the name of its file. Lines of all files belong together.
"""

import argparse
import csv
import random
from pathlib import Path

HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("systems", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=0, help="segments to draw; 0 takes all")
    parser.add_argument("--seed", type=int, default=3)
    arguments = parser.parse_args()
    source = arguments.source.read_text(encoding="utf-8").splitlines()
    outputs = {path.stem: path.read_text(encoding="utf-8").splitlines() for path in arguments.systems}
    for name, lines in outputs.items():
        if len(lines) != len(source):
            parser.error(f"{name} has {len(lines)} lines, and the source has {len(source)}.")
    numbers = list(range(len(source)))
    if arguments.count:
        numbers = sorted(random.Random(arguments.seed).sample(numbers, arguments.count))
    rows = [
        (f"s{number + 1}-{name}", lines[number], name, f"s{number + 1}", source[number])
        for number in numbers
        for name, lines in outputs.items()
    ]
    with (HERE / "items.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "text", "system", "segment", "source"), *rows])


if __name__ == "__main__":
    main()
