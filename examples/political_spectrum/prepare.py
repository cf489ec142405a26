"""Draw statements from your copy of the Fine-Grained Political Statements (Bamman & Smith 2015).

    python prepare.py statements.csv --text statement --score mean

The file has one statement per row and the mean of its judgments from -2 (very conservative) to 2 (very liberal).
items.csv gets the statements, and gold.csv the means from 0 to 100.
"""

import argparse
import csv
import random
from pathlib import Path

HERE = Path(__file__).parent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--text", default="text")
    parser.add_argument("--score", default="score")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=2)
    arguments = parser.parse_args()
    with arguments.file.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    drawn = random.Random(arguments.seed).sample(rows, arguments.count)
    items = [(f"p{number:03}", row[arguments.text]) for number, row in enumerate(drawn, 1)]
    gold = [
        (item, 25.0 * (float(row[arguments.score]) + 2.0))
        for (item, _), row in zip(items, drawn, strict=True)
    ]
    for name, head, lines in (("items.csv", ("id", "text"), items), ("gold.csv", ("item", "value"), gold)):
        with (HERE / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([head, *lines])


if __name__ == "__main__":
    main()
