"""Answers by keyboard alone, for each protocol."""


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def tab_to(page, selector):
    """Press Tab until an element for the selector has the focus."""
    page.keyboard.press("Tab")
    while not page.evaluate("selector => document.activeElement.matches(selector)", selector):
        page.keyboard.press("Tab")


def rate_by_keys(page):
    for _ in range(page.locator("steelyard-slider").count()):
        tab_to(page, "steelyard-slider:not([data-placed])")
        press(page, "ArrowRight", "PageUp")


def rate_one_by_keys(page):
    press(page, "ArrowRight", "ArrowRight")


def compare_with_reference_by_keys(page):
    for _ in range(page.locator(".line").count()):
        press(page, "ArrowDown", "ArrowRight")


def choose_extremes_by_keys(page):
    press(page, "1", "Shift+2")


def rank_by_keys(page):
    tab_to(page, ".handle")
    press(page, *["1"] * page.locator(".rank-card").count())


def give_range_by_keys(page):
    press(page, "ArrowRight", "PageUp", "Enter")
    page.wait_for_function("() => document.querySelector('steelyard-range').dataset.step === '2'")
    press(page, "End")


# How to answer, and the key that sends the answer.
BY_KEYS = {
    "rating": (rate_one_by_keys, "Enter"),
    "list": (rate_by_keys, "Enter"),
    "comparison": (lambda page: None, "ArrowLeft"),
    "comparison_list": (compare_with_reference_by_keys, "Enter"),
    "ranking": (rank_by_keys, "Enter"),
    "best_worst": (choose_extremes_by_keys, "Enter"),
    "range": (give_range_by_keys, "Enter"),
}
