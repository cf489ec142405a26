"""Draw verbs from a frequency list of your own, such as one from wordfrequency.info.

    python prepare.py frequencies.csv --word lemma --frequency freq --pos PoS --verb v

The list is a CSV file. items.csv gets the verbs, and gold.csv their log10 frequency relative to the largest one, for
`steelyard compare mine gold.csv`.
"""

import argparse
import csv
import math
import random
from pathlib import Path

HERE = Path(__file__).parent


def read_words(arguments):
    """Return words with their frequencies; of one part of speech if a column is named."""
    with arguments.file.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kept = [row for row in rows if not arguments.pos or row[arguments.pos] == arguments.verb]
    return {row[arguments.word].strip(): float(row[arguments.frequency]) for row in kept}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--word", default="word")
    parser.add_argument("--frequency", default="frequency")
    parser.add_argument("--pos", default="", help="column with the part of speech")
    parser.add_argument("--verb", default="v", help="value of that column for verbs")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    words = read_words(arguments)
    drawn = random.Random(arguments.seed).sample(sorted(words), arguments.count)
    largest = max(math.log10(words[word]) for word in drawn)
    with (HERE / "items.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "text"), *((word, word) for word in drawn)])
    with (HERE / "gold.csv").open("w", newline="", encoding="utf-8") as file:
        gold = ((word, round(math.log10(words[word]) / largest, 4)) for word in drawn)
        csv.writer(file).writerows([("item", "value"), *gold])


if __name__ == "__main__":
    main()
