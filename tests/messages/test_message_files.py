"""Every message exists in every language, fits its source, and is used. Numbers are those of Unicode CLDR."""

import ast
import re
import string
from pathlib import Path

import pytest
from babel import Locale
from babel.numbers import format_decimal, format_percent

from steelyard import messages
from steelyard.kinds.known import KINDS, PROTOCOLS
from steelyard.messages.catalogue import OWNER_FOLDER, file_of, language_of, languages, placeholders
from steelyard.messages.words import owner_words, words_of
from steelyard.models.best_worst import BestWorstScaling
from steelyard.models.direct_assessment import DirectAssessment
from steelyard.models.known import MODELS
from steelyard.models.outputs import target_in_words
from steelyard.quality.rater_flags import REASONS
from steelyard.report import words
from steelyard.study.definition.sections.asking import Question
from steelyard.study.definition.sections.joining import JoiningSettings
from steelyard.study.definition.sections.scale import ScaleSettings
from steelyard.web.page_files import Bundles, words_in
from steelyard.web.widgets import widget_of

FOLDER = Path(messages.__file__).parent
SOURCE = FOLDER.parent
ENGLISH = file_of("en")
OWNER = file_of("en", OWNER_FOLDER)
TRANSLATED = languages()[1:]
FOLDERS = (FOLDER, OWNER_FOLDER)  # the words of raters, and those of owners and reports
IN_FOLDERS = pytest.mark.parametrize("folder", FOLDERS, ids=["raters", "owner"])
# Names that are the same in another language, or have no other words than a name.
NAMES = {"system_named", "segment_named", "answers_in_tasks", "column_meaning", "code_is", "interval_for"}
# Punctuation and short words that may be the same in another language.
NEUTRAL = {
    "side_question",
    "side_name",
    "labelled",
    "list_middle",
    "compare_which",
    "comparison_link",
    "item_letter",
    "item_kind",
    "with_measure",
    "value_with_interval",
    "n_from",
    "raters_from",
    "one_apart_from",
    "judgments_by",
    "in_minutes",
    "arm_needs",
    "placed_at",
    "form_limits",
}
ABBREVIATIONS = {"std_dev"}  # end with a period in some languages
COUNTS = (*range(201), 1000, 1_000_000, 1_000_001)
NUMBERS = (0, 7, 999, 1234, 9999, 12345, 123456, 1234567)
# Messages whose key is in the code as data: of headings, problems of the survey, and errors with values.
BY_KEY = re.compile(r'"(\w+)"')
TARGETS = ("new", "these")
# Modules with sentences that raters read.
SPOKEN = (
    *(
        f"web/{name}.py"
        for name in ("access", "app", "endings", "entry_routes", "limits", "media", "page_files")
    ),
    *(
        f"web/{name}.py"
        for name in (
            "crowd_routes",
            "rater_routes",
            "training_routes",
            "cold_start_routes",
            "survey_routes",
            "tasks",
        )
    ),
    *(f"kinds/{name}.py" for name in ("best_worst", "comparison", "ranking", "range", "rating")),
    "study/collecting/check_rules.py",
    "study/training/practice_exercises.py",
    "study/training/training.py",
)
# Sentences of these modules that no rater reads, or only one whose browser does not send what the page does.
SENTENCE = re.compile(r"[A-Z][^\n<]* [^\n<]*[.?!]")
NOT_SPOKEN = re.compile(
    r"owner|key allows|Your key|serve --new|HEAD|^Raters |Sakaguchi|Ratings without|Positions on the scale|lost|"
    r"needs another kind of answer|Steelyard|exported|%s"
)


# Modules whose texts the pages of owners and the reports translate.
OWNER_SENTENCES = (
    "quality/*.py",
    "quality/agreement/*.py",
    "quality/arms/*.py",
    "report/**/*.py",
    "study/results/*.py",
    "web/owner_raters.py",
)


def format_message(code, key, count):
    form = str(Locale.parse(code).plural_form(count))
    return file_of(code, OWNER_FOLDER).messages[key][form].format(count=count)


def texts_of(message):
    return [message] if isinstance(message, str) else list(message.values())


@IN_FOLDERS
@pytest.mark.parametrize("code", TRANSLATED)
def test_a_language_has_every_message_and_no_other(code, folder):
    mine, english = file_of(code, folder), file_of("en", folder)
    assert sorted(set(english.messages) - set(mine.messages)) == []
    assert sorted(set(mine.messages) - set(english.messages)) == []
    assert mine.sentences == english.sentences


@IN_FOLDERS
@pytest.mark.parametrize("code", TRANSLATED)
def test_every_message_is_translated(code, folder):
    mine, english = file_of(code, folder).messages, file_of("en", folder).messages
    same = {key for key, message in english.items() if mine[key] == message and " " in str(message)}
    assert same <= NEUTRAL | NAMES


@IN_FOLDERS
@pytest.mark.parametrize("code", TRANSLATED)
def test_placeholders_are_those_of_the_source(code, folder):
    for key, message in file_of(code, folder).messages.items():
        wanted = placeholders(file_of("en", folder).messages[key])
        if isinstance(message, str):
            assert placeholders(message) == wanted, key
        else:
            # A form for one number, such as "the last example", may leave the number out.
            assert placeholders(message["other"]) == wanted, key
            assert placeholders(message) <= wanted, key


@IN_FOLDERS
@pytest.mark.parametrize("code", languages())
def test_messages_with_a_number_have_the_plural_forms_of_the_language(code, folder):
    forms = set(language_of(code).plurals)
    for key, message in file_of("en", folder).messages.items():
        mine = file_of(code, folder).messages[key]
        assert isinstance(mine, str) == isinstance(message, str), key
        if not isinstance(mine, str):
            assert set(mine) == forms, key


@pytest.mark.parametrize("code", languages())
def test_plural_rules_and_numbers_are_those_of_unicode(code):
    language, locale = language_of(code), Locale.parse(code)
    assert set(language.plurals) == {*locale.plural_form.tags, "other"}
    assert [language.form(count) for count in COUNTS] == [locale.plural_form(count) for count in COUNTS]
    # Babel separates 1.234 also where CLDR, and so the browser, begins at five digits.
    numbers = [each for each in NUMBERS if each < 1000 or each >= language.separated_from]
    assert [language.number(each) for each in numbers] == [
        format_decimal(each, locale=locale) for each in numbers
    ]
    assert language.number(0.5) == format_decimal(0.5, locale=locale)
    assert language.percent(0.93) == format_percent(0.93, locale=locale)
    assert language.direction == locale.character_order.replace("left-to-right", "ltr").replace(
        "right-to-left", "rtl"
    )


@IN_FOLDERS
@pytest.mark.parametrize("code", languages())
def test_texts_have_no_stray_spaces_and_end_as_the_source_does(code, folder):
    marks = {"en": ".?!", "hi": "।.?!", "zh": "。？！.", "ja": "。？！.", "ar": ".؟!"}.get(code, ".?!")
    for key, source in file_of("en", folder).messages.items():
        if key in ABBREVIATIONS:
            continue
        for text in texts_of(file_of(code, folder).messages[key]):
            assert text == text.strip(), key
            assert "  " not in text, key
            ends = texts_of(source)[-1][-1] in ".?!"
            assert (text[-1] in marks) == ends, (key, text)


@IN_FOLDERS
def test_no_file_calls_itself_reviewed_without_a_reviewer(folder):
    for code in TRANSLATED:
        text = (folder / f"{code}.toml").read_text(encoding="utf-8")
        assert language_of(code).reviewed != ("Not reviewed by a native speaker" in text), code


KEYS = {*ENGLISH.messages, *OWNER.messages}


def used_keys():
    """Keys in scripts, templates and Python code."""
    scripts = [*SOURCE.glob("web/static/**/*.js")]
    keys = {key for path in scripts for key in words_in(path.read_text(encoding="utf-8"))}
    templates = [
        *SOURCE.glob("web/templates/*.html"),
        *SOURCE.glob("crowds/templates/*.html"),
        *SOURCE.glob("report/templates/**/*.[hm][td]*"),
    ]
    in_template = re.compile(r'messages\.say\("(\w+)"|messages\.(\w+)')
    for path in templates:
        keys |= {one or other for one, other in in_template.findall(path.read_text(encoding="utf-8"))}
    in_code = re.compile(
        r'(?:words|messages|titles)(?:\([^()]*\))?(?:\.say\(|\[)\s*"(\w+)"|message = "(\w+)"'
    )
    for path in SOURCE.glob("**/*.py"):
        keys |= {one or other for one, other in in_code.findall(path.read_text(encoding="utf-8"))}
    by_key = ("web/app.py", "web/crowd_routes.py", "study/collecting/surveys.py")
    spoken = (
        "study/results/headline.py",
        "study/results/advice.py",
        "report/local_words.py",
        "web/owner_parts.py",
        *(f"report/parts/{name}.py" for name in ("agreement", "arms", "collection", "ranges", "raters")),
        *(f"report/parts/{name}.py" for name in ("scale", "systems")),
    )
    for path in (*(SOURCE / name for name in (*by_key, *spoken)), *templates):
        named = BY_KEY.findall(path.read_text(encoding="utf-8"))
        keys |= {key for key in named if key in KEYS}
    return keys - {"say", "chosen", "language", "translated", "in_language"}


def test_every_key_in_the_code_is_a_message():
    assert sorted(used_keys() - KEYS) == []


def test_every_message_is_used():
    unused = KEYS - used_keys() - {*ENGLISH.sentences, *OWNER.sentences} - {"list_middle", "list_end"}
    assert sorted(unused) == []


def spoken_sentences(names):
    """Sentences of the code, by their text, and the defaults of study.toml that raters read."""
    found = {*ScaleSettings().labels, JoiningSettings().consent_label}
    question = Question("?")
    found |= {question.lower, question.not_lower, question.higher, question.not_higher}
    for name in names:
        tree = ast.parse((SOURCE / name).read_text(encoding="utf-8"))
        docstrings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
        parts = [each for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for each in node.values]
        found |= {
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node not in (*docstrings, *parts)
        }
    return found


def test_sentences_of_the_code_are_messages_and_sentences_are_in_the_code():
    spoken, known = spoken_sentences(SPOKEN), {str(ENGLISH.messages[key]) for key in ENGLISH.sentences}
    errors = (SOURCE / "errors" / "study.py").read_text(encoding="utf-8")
    elsewhere = errors + (SOURCE / "study" / "grounding" / "cold_start.py").read_text(encoding="utf-8")
    assert sorted(each for each in known - spoken if each not in elsewhere) == []
    pages = spoken_sentences([name for name in SPOKEN if not name.startswith("kinds/")])
    sentences = {each for each in pages if SENTENCE.fullmatch(each) and NOT_SPOKEN.search(each) is None}
    assert sorted(sentences - known) == []
    for kind in KINDS.built_in.values():
        for protocol in kind.protocols:
            assert {protocol.practice.question, protocol.practice.instructions} <= known


def test_words_of_a_language_have_no_names_of_methods():
    assert not KEYS & set(dir(words_of("en")))
    assert not KEYS & set(languages())


def test_messages_of_owners_have_other_keys_than_those_of_raters():
    assert not set(ENGLISH.messages) & set(OWNER.messages)


def quantities():
    """Names, units and definitions of the positions of all models with their default settings."""
    made = [model().quantity for model in MODELS.built_in.values()]
    made += [DirectAssessment(standardise="rater").quantity]
    made += [BestWorstScaling(method=method).quantity for method in ("counting", "model")]
    for each in made:
        yield from (each.name, each.measure, each.sentence("item"), each.sentence("system"))


def test_sentences_for_owners_are_in_the_code():
    """Sentences that nobody writes any more would stay in the files unnoticed."""
    paths = [path for name in OWNER_SENTENCES for path in SOURCE.glob(name)]
    texts = spoken_sentences([str(path.relative_to(SOURCE)) for path in paths])
    texts |= {*REASONS, *REASONS.values(), *quantities(), *(target_in_words(each, "new") for each in TARGETS)}
    texts |= {words.adjustment(name) for name in ("holm", "single_step")}
    sentences = set(OWNER.sentences) - used_keys()
    assert (
        sorted(str(OWNER.messages[key]) for key in sentences if str(OWNER.messages[key]) not in texts) == []
    )


@pytest.mark.parametrize("code", languages())
def test_the_words_of_owners_are_in_their_language_with_its_plural_forms(code):
    spoken = owner_words(code)
    assert spoken.language.code == code
    assert spoken.say("n_answers", count=3) == format_message(code, "n_answers", 3)
    assert spoken.translated("Stopped early") == file_of(code, OWNER_FOLDER).messages["stopped_early"]


def test_every_widget_sends_only_its_own_messages():
    sizes = {name: Bundles([widget_of(name)]).page("task").words for name in PROTOCOLS}
    assert "move_up" in sizes["range"]
    assert "move_up" not in sizes["list"]
    assert max(len(words) for words in sizes.values()) < len(ENGLISH.messages) / 2


@IN_FOLDERS
def test_a_brace_is_always_a_placeholder(folder):
    for code in languages():
        for message in file_of(code, folder).messages.values():
            for text in texts_of(message):
                list(string.Formatter().parse(text))
