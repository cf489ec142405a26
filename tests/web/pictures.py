"""A real picture, and studies that show nothing else."""

import struct
import zlib


def png(width=60, height=40):
    """A picture of one blue, as a PNG file."""
    rows = b"".join(b"\0" + b"\x20\x60\xc0" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


def only_pictures(folder):
    """Show the items of a study in this folder as pictures; their text is the name of the file."""
    lines = (folder / "items.csv").read_text(encoding="utf-8").splitlines()
    for line in lines[1:]:
        (folder / line.split(",")[1].strip('"')).write_bytes(png())
    (folder / "items.csv").write_text("\n".join(["id,image", *lines[1:]]) + "\n", encoding="utf-8")
