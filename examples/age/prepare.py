"""Draw the faces of this example, or take portraits of your own.

    python prepare.py                                # draw faces from 2 to 60 years
    python prepare.py portraits --count 90           # copy portraits from a folder, drawn at random

With portraits of your own, replace anchors.csv and the exercise in study.toml: they name drawn faces.
"""

import argparse
import csv
import random
import shutil
from pathlib import Path

HERE = Path(__file__).parent
PORTRAITS = {".jpg", ".jpeg", ".png", ".webp"}
COUNT = 36
EXAMPLES = (2, 17, 34)  # numbers of the faces that are examples: young, middle, old


def mixed(young, old, share):
    """Return the colour between two, as a hexadecimal number."""
    pairs = zip(bytes.fromhex(young), bytes.fromhex(old), strict=True)
    return "".join(f"{round(one + share * (other - one)):02x}" for one, other in pairs)


def draw_face(age, hair):
    """Return a face as SVG: it grows longer, its hair greyer, and it gets more wrinkles."""
    share = age / 60.0
    height, eye = 52 + 22 * min(age / 20.0, 1.0), 6.5 - 2.5 * min(age / 20.0, 1.0)
    top = 104 - height
    colour = hair if age < 35 else mixed(hair, "e6e6e6", (age - 35) / 25.0)
    parts = [
        f'<ellipse cx="100" cy="{top + 18:.0f}" rx="60" ry="36" fill="#{colour}"/>',
        f'<ellipse cx="100" cy="108" rx="54" ry="{height:.0f}" fill="#f0c9a4" stroke="#8a6a4f"/>',
        *(f'<circle cx="{x}" cy="100" r="{eye:.1f}" fill="#3a4a5a"/>' for x in (80, 120)),
        f'<path d="M80 {128 + 10 * share:.0f} Q100 {140 - 4 * share:.0f} 120 {128 + 10 * share:.0f}" fill="none" '
        'stroke="#8a3d3d" stroke-width="3"/>',
    ]
    for line in range(round(6 * max(share - 0.35, 0.0) / 0.65)):
        y = 72 + 4 * line
        parts.append(
            f'<path d="M78 {y} Q100 {y - 4} 122 {y}" fill="none" stroke="#b98f6d" stroke-width="1.5"/>'
        )
    return "".join(parts)


def save(name, content):
    start = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="200" height="200">'
    back = '<rect width="200" height="200" fill="#eef1f4"/>'
    (HERE / f"{name}.svg").write_text(f"{start}{back}{content}</svg>\n", encoding="utf-8")


def draw_all():
    """Draw all faces, write anchors.csv and gold.csv, and return the rows of items.csv."""
    rng, rows, ages = random.Random(6), [], {}
    for number in range(COUNT):
        age = round(2 + 58 * number / (COUNT - 1))
        name = f"face-{number + 1:02}"
        save(name, draw_face(age, rng.choice(("5a3a22", "2b2b2b", "a5642a", "d8b36a"))))
        rows.append((name, f"{name}.svg", "Drawing of a person"))
        ages[name] = age
    save("exercise", draw_face(59, "2b2b2b"))
    anchors = [(f"face-{number:02}", ages[f"face-{number:02}"]) for number in EXAMPLES]
    for file_name, head, lines in (
        ("anchors.csv", ("item", "position"), anchors),
        ("gold.csv", ("item", "value"), ages.items()),
    ):
        with (HERE / file_name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([head, *lines])
    return rows


def copy_portraits(folder, count, seed):
    """Copy portraits drawn at random, and return the rows of items.csv."""
    portraits = sorted(path for path in folder.rglob("*") if path.suffix.lower() in PORTRAITS)
    rows = []
    for number, path in enumerate(random.Random(seed).sample(portraits, min(count, len(portraits))), 1):
        name = f"face-{number:03}{path.suffix.lower()}"
        shutil.copy(path, HERE / name)
        rows.append((f"face-{number:03}", name, "Portrait of a person"))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="folder with portraits")
    parser.add_argument("--count", type=int, default=90)
    parser.add_argument("--seed", type=int, default=6)
    arguments = parser.parse_args()
    if arguments.folder is None:
        rows = draw_all()
    else:
        rows = copy_portraits(arguments.folder, arguments.count, arguments.seed)
    with (HERE / "items.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("id", "image", "alt"), *rows])


if __name__ == "__main__":
    main()
