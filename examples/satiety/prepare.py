"""Draw the pictures of this example, or take photographs of your own.

    python prepare.py                         # draw plates with more and more food
    python prepare.py photos --count 80       # copy photographs from a folder, drawn at random

With photographs of your own, remove [anchors] and [training] from study.toml, or replace anchors.csv and the exercise:
they name drawn pictures. [cold_start] lets the owner place the first examples.
"""

import argparse
import csv
import math
import random
import shutil
from pathlib import Path

HERE = Path(__file__).parent
PHOTOGRAPHS = {".jpg", ".jpeg", ".png", ".webp"}
FOODS = (
    ("rice", "#efe3c0", 4),
    ("peas", "#79a84b", 5),
    ("potatoes", "#d9a94e", 9),
    ("dumplings", "#c98f5a", 11),
)
PORTIONS = (2, 7, 14, 24)
EXAMPLES = {
    "peas-2": 8,
    "rice-7": 20,
    "potatoes-7": 42,
    "dumplings-7": 55,
    "peas-24": 60,
    "potatoes-14": 74,
    "dumplings-24": 96,
}
PLATE = '<circle cx="100" cy="100" r="92" fill="#ffffff" stroke="#9aa0a6" stroke-width="3"/>'
RIM = '<circle cx="100" cy="100" r="68" fill="none" stroke="#d5d8db" stroke-width="2"/>'


def draw_plate(colour, radius, pieces):
    """Return a plate with pieces of one food in a spiral, as SVG."""
    dots = []
    for at in range(pieces):
        turn, out = 2.4 * at, min(2.1 * radius * math.sqrt(at), 62)
        x, y = 100 + out * math.cos(turn), 100 + out * math.sin(turn)
        dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}" stroke="#7a6a55"/>')
    return "".join(dots)


def save(name, content):
    start = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="200" height="200">'
    (HERE / f"{name}.svg").write_text(f"{start}{PLATE}{RIM}{content}</svg>\n", encoding="utf-8")


def draw_all():
    """Draw all plates and return the rows of items.csv."""
    rows = []
    for food, colour, radius in FOODS:
        for pieces in PORTIONS:
            save(f"{food}-{pieces}", draw_plate(colour, radius, pieces))
            rows.append(
                (f"{food}-{pieces}", f"{food}-{pieces}.svg", f"A plate with {pieces} pieces of food ({food})")
            )
    save("empty", "")
    with (HERE / "anchors.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("item", "position"), *EXAMPLES.items()])
    return rows


def copy_photographs(folder, count, seed):
    """Copy photographs drawn at random, and return the rows of items.csv."""
    photographs = sorted(path for path in folder.rglob("*") if path.suffix.lower() in PHOTOGRAPHS)
    rows = []
    for number, path in enumerate(random.Random(seed).sample(photographs, min(count, len(photographs))), 1):
        name = f"meal-{number:03}{path.suffix.lower()}"
        shutil.copy(path, HERE / name)
        rows.append((f"meal-{number:03}", name, f"A meal ({path.parent.name})"))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="folder with photographs")
    parser.add_argument("--count", type=int, default=80)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.folder is None:
        rows = draw_all()
    else:
        rows = copy_photographs(arguments.folder, arguments.count, arguments.seed)
    with (HERE / "items.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("id", "image", "alt"), *rows])


if __name__ == "__main__":
    main()
