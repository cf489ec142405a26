"""One sheet with a page in every language, for docs/images/languages.webp.

    python -m tests.browser.language_sheet [FILE]

It needs fonts for all alphabets, such as the Debian packages fonts-noto-core and fonts-noto-cjk.
"""

import sys
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from steelyard.messages.catalogue import language_of, languages
from tests.browser.conftest import chromium_of
from tests.browser.contact_sheet import PATIENCE, pictures_of, save_sheet
from tests.browser.scenes import Scene, StudyOf, lower_bound, rated
from tests.commands import fork

FILE = Path(__file__).parents[2] / "docs" / "images" / "languages.webp"
MEALS = {
    "en": (
        "How filling is this?",
        "Green tea",
        "Vegetable salad",
        "Lentil soup with bread",
        "Rice with chicken",
        "Pasta",
    ),
    "ar": ("ما مدى إشباع هذا؟", "شاي أخضر", "سلطة خضار", "شوربة عدس مع خبز", "أرز بالدجاج", "معكرونة"),
    "de": (
        "Wie sättigend ist das?",
        "Grüner Tee",
        "Gemüsesalat",
        "Linsensuppe mit Brot",
        "Reis mit Huhn",
        "Nudeln",
    ),
    "es": (
        "¿Cuánto llena esto?",
        "Té verde",
        "Ensalada",
        "Sopa de lentejas con pan",
        "Arroz con pollo",
        "Pasta",
    ),
    "fr": (
        "Est-ce rassasiant ?",
        "Thé vert",
        "Salade",
        "Soupe de lentilles et pain",
        "Riz au poulet",
        "Pâtes",
    ),
    "hi": ("इससे पेट कितना भरता है?", "हरी चाय", "सब्ज़ियों का सलाद", "दाल का सूप और रोटी", "चिकन चावल", "पास्ता"),
    "ja": (
        "どのくらい満腹になりますか。",
        "緑茶",
        "野菜サラダ",
        "レンズ豆のスープとパン",
        "鶏肉とご飯",
        "パスタ",
    ),
    "pt": (
        "Quanto isto sacia?",
        "Chá verde",
        "Salada",
        "Sopa de lentilha com pão",
        "Arroz com frango",
        "Massa",
    ),
    "zh": ("这个有多饱腹？", "绿茶", "蔬菜沙拉", "扁豆汤配面包", "鸡肉米饭", "意大利面"),
}
LABELS = ("Not at all", "Extremely")  # the defaults, which follow the language


def scenes_of(code: str) -> tuple[Scene, ...]:
    """A list and a range in one language."""
    question, *meals = MEALS.get(code, MEALS["en"])
    items = tuple((f"meal{at}", meal) for at, meal in enumerate(meals))
    plain = {
        "items": items,
        "extra": f'language = "{code}"\n',
        "question": question,
        "labels": LABELS,
        "more": "",
        "comparatives": "",
    }
    anchors = (("meal0", 2, 6), ("meal2", 40, 50), ("meal4", 88, 95))
    name = language_of(code).name
    return (
        Scene(f"{name}, list", StudyOf("list", **plain), rated),
        Scene(f"{name}, range", StudyOf("range", anchors=anchors, **plain), lower_bound),
    )


def main() -> None:
    """Make the sheet."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    expect.set_options(timeout=PATIENCE)
    scenes = [scene for code in languages() for scene in scenes_of(code)]
    with sync_playwright() as playwright, chromium_of(playwright) as browser:
        pictures = list(pictures_of(browser, scenes, [("phone", "light")], start=fork))
        save_sheet(browser, pictures, "phone", path)


if __name__ == "__main__":
    main()
