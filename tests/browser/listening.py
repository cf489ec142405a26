"""A study of short sounds."""

import math
import struct
import wave

RATE = 8_000  # samples per second
SECONDS = 0.4


def sounds(folder, names, sections=""):
    """Make the items of a study sounds: a tone each."""
    for number, name in enumerate(names):
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE)
            pitch = 300 + 60 * number
            tone = (math.sin(2 * math.pi * pitch * at / RATE) for at in range(int(RATE * SECONDS)))
            file.writeframes(b"".join(struct.pack("<h", int(9_000 * value)) for value in tone))
    lines = ["id,audio", *(f"{name},{name}.wav" for name in names)]
    (folder / "items.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    settings = folder / "study.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + sections, encoding="utf-8")
