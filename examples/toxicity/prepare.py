"""Draw comments from your copy of the Jigsaw toxicity challenge (Wulczyn et al. 2017), half of them labelled toxic.

    python prepare.py train.csv --text comment_text --label toxic

Comments have 4 to 280 characters. The study then needs examples of its own: remove anchors.csv and the arm that uses it,
or replace `file` in [condition.anchors] by a [condition.cold_start] in which the owner places the first seven comments.
"""

import argparse
import csv
import random
from pathlib import Path

HERE = Path(__file__).parent
SHORTEST, LONGEST = 4, 280


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--text", default="comment_text")
    parser.add_argument("--label", default="toxic")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=4)
    arguments = parser.parse_args()
    with arguments.file.open(newline="", encoding="utf-8") as file:
        rows = [(" ".join(row[arguments.text].split()), row[arguments.label]) for row in csv.DictReader(file)]
    rng, drawn = random.Random(arguments.seed), []
    for label in ("0", "1"):
        fitting = [text for text, given in rows if given == label and SHORTEST <= len(text) <= LONGEST]
        drawn += rng.sample(fitting, arguments.count // 2)
    rng.shuffle(drawn)
    with (HERE / "items.csv").open("w", newline="", encoding="utf-8") as file:
        lines = ((f"c{number:03}", text) for number, text in enumerate(drawn, 1))
        csv.writer(file).writerows([("id", "text"), *lines])


if __name__ == "__main__":
    main()
