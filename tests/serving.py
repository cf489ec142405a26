"""A study served by the real command, in a process of its own, on a free loopback port."""

import json
import os
import re
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.commands import Forked, launch
from tests.stores import create_store

FOODS = [
    ("tea", "Green tea with honey"),
    ("cucumber", "Cucumber slices with salt and lemon"),
    ("soup", "A bowl of lentil soup with one slice of rye bread"),
    ("salmon", "Grilled salmon with rice and steamed broccoli"),
    ("eggs", "Two boiled eggs with buttered toast"),
    ("pasta", "Pasta with pesto 🍝"),
    ("hummus", "حمص مع الجزر"),
    ("burger", "Double burger, <b>fries</b> & “sauce”"),
    ("salad", "Greek salad with feta"),
    ("curry", "Chicken curry with half a naan"),
]


@dataclass
class Served:
    process: subprocess.Popen | Forked
    folder: Path
    address: str
    owner: str

    def kill(self):
        self.process.kill()
        self.process.wait()


def write_study(folder: Path, protocol="list", extra="", scale="", items=None):
    """A study's folder, as `steelyard new` would leave it after some editing."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = items if items is not None else FOODS
    lines = ["id,text"] + [f'{name},"{text}"' for name, text in rows]
    (folder / "items.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "study.toml").write_text(
        f"""
title = "How filling is it?"
protocol = {json.dumps(protocol)}
seed = 7
{extra}

[items]
file = "items.csv"

[scale]
labels = ["Not filling at all", "Moderately filling", "Extremely filling"]
{scale}

[[questions]]
text = "How filling would each be for you?"
most = "Most filling on top"
""",
        encoding="utf-8",
    )
    return create_store(folder)[1]


@contextmanager
def serving(folder: Path, key: str, start=launch, options=()):
    """Serve the folder until the end of the block; `options` are further arguments of the command."""
    reader, writer = os.pipe()
    with open(reader, encoding="utf-8") as messages:
        with open(writer, "w", encoding="utf-8") as stderr:
            process = start("serve", str(folder), "--port", "0", *options, stderr=stderr)
        try:
            address = None
            for line in messages:
                found = re.search(r"at (http://\S+)", line)
                address = found.group(1) if found and address is None else address
                if line.startswith("Press Ctrl-C"):
                    break
            assert address, "the server did not start"
            yield Served(process, folder, address, f"{address}/owner/enter?key={key}")
        finally:
            process.kill()
            process.wait()
