"""study.toml and the items of the kept studies."""

from __future__ import annotations

import csv
import io

QUESTION = '[[questions]]\ntext = "How filling is it?"\n'

ITEMS = '[items]\nfile = "items.csv"\n'
TRAINING = '[training]\ninstructions = "Think of *dinner*."\n'

EVERY_KEY = """
title = "Every key"
by = "A lab"
protocol = "list"
list_size = 4
group_size = 10
ties = true
both_bad = false
strength = false
model = "easl"
selection = "easl"
aim = "positions"
top_k = 3
explore = 0.2
least_worth = 0.0
update = "round"
unit = "item"
redundancy = 12
sequence_length = 0
tasks_per_rater = 6
seed = 11
condition = "arm-a"
cannot_judge = true
comment = true
allow_undo = true
instructions = "Read **all** of it."
consent = "We keep your answers."
consent_label = "I agree."
declined_answers = "count"
kept = "Nothing but answers."
completion_code = "CODE"
open_link = true
prolific = true
language = "ar"
direction = "rtl"
lease_minutes = 45.0

[items]
file = "items.csv"
id = "id"
markdown = "markdown"
show = ["source"]
features = ["machine"]

[scale]
low = -3
high = 3
step = 0.5
labels = ["Bad", "Neutral", "Good"]
levels = 0
show_value = true
zoom = false
beyond = false

[stop]
budget = 400

[selection_settings]
gamma = 0.2

[[questions]]
id = "taste"
text = "How good does it taste?"
hint = "Imagine it warm."
most = "Best on top"
"""

TWO_QUESTIONS = f"""
title = "Two questions"
protocol = "list"
list_size = 3
model = "direct_assessment"
redundancy = 9
seed = 5
comment = true

{ITEMS}
[model_settings]
standardise = "rater"

[[questions]]
id = "filling"
text = "How filling is it?"

[[questions]]
id = "healthy"
text = "How healthy is it?"
scale = {{ low = 1, high = 7, levels = 7, labels = ["Not at all", "Very"] }}
"""

SYSTEMS = f"""
title = "Systems"
protocol = "list"
list_size = 3
model = "steelyard"
unit = "system"
redundancy = 6
seed = 8

{ITEMS}system = "system"
segment = "segment"
show = ["source"]
features = ["machine"]

{QUESTION}"""

SYSTEM_PAIRS = f"""
title = "Systems in pairs"
protocol = "comparison"
model = "bradley_terry"
unit = "system"
seed = 8
redundancy = 12
ties = true

{ITEMS}
[model_settings]
ties = "davidson"

[[questions]]
text = "Which is more filling?"
"""

SEQUENCES = f"""
title = "Sequences with probes"
protocol = "rating"
model = "direct_assessment"
selection = "sequences"
sequence_length = 6
redundancy = 4
seed = 3

{ITEMS}
[probes]
every = 3

{QUESTION}"""

INFORMED = f"""
title = "By information"
protocol = "list"
list_size = 3
model = "steelyard"
selection = "information"
aim = "top_k"
top_k = 4
explore = 0.3
redundancy = 12
seed = 21

{ITEMS}features = ["machine"]

[stop]
reliability = 0.99

{QUESTION}"""

TRAINED = f"""
title = "Training and survey"
protocol = "rating"
model = "direct_assessment"
redundancy = 9
seed = 9
consent = "You may stop at any time."
completion_code = "DONE-42"

{ITEMS}
[scale]
levels = 5
labels = ["None", "Little", "Some", "Much", "All"]

[[survey]]
id = "age"
text = "How old are you?"
kind = "number"

[[survey]]
id = "group"
text = "Which group are you in?"
kind = "choice"
choices = ["students", "teachers"]

[[survey]]
id = "note"
text = "Anything else?"
required = false

{TRAINING}
[[training.tasks]]
text = "A dish that is 100 of 100"
answer = 100
tolerance = 10
feedback_low = "There is more of it."

[[training.tasks]]
item = "dish-00"
answer = 3

{QUESTION}"""

GROUNDED = f"""
title = "Anchors of a file"
protocol = "rating"
model = "direct_assessment"
redundancy = 4
seed = 6

{ITEMS}
[anchors]
file = "anchors.csv"
show = ["examples", "own"]
most = 4
distance = 0.1

[rounds]
number = 2

{QUESTION}"""

COLD_RANGE = f"""
title = "Ranges"
protocol = "range"
seed = 4
redundancy = 4

{ITEMS}
[scale]
labels = ["Light", "Heavy"]
beyond = true

[rounds]
number = 2
reannotate = 2

[cold_start]
size = 4
by = "raters"
least = 2

{TRAINING}
[[questions]]
text = "How filling could it be?"
lower = "definitely lighter"
"""

# As small as a study.toml can be: no section but the two that are needed, and no model.
FLAT_COMPARISON = f"""
title = "Old and flat"
protocol = "comparison"
redundancy = 16
seed = 2

{ITEMS}
[[questions]]
text = "Which is more filling?"
"""

FLAT_RATING = f"""
title = "Old and flat"
redundancy = 8
seed = 2

{ITEMS}
{QUESTION}"""

SYSTEM_COLUMNS = (
    ("text", lambda number, at: f"Output {number}"),
    ("system", lambda number, at: f"system-{at % 3}"),
    ("segment", lambda number, at: f"s{at // 3}"),
    ("source", lambda number, at: f"Source of segment {at // 3}"),
    ("machine", lambda number, at: number / 10),
)
MARKDOWN_COLUMNS = (
    ("text", lambda number, at: ""),
    ("markdown", lambda number, at: f"**Dish** {number} <script>"),
    ("source", lambda number, at: f"kitchen {at % 2}"),
    ("machine", lambda number, at: number**2),
)
MACHINE = (("machine", lambda number, at: number + (at % 3)),)


def numbered_items(count, columns=(), first=3):
    """Items whose texts say where they are on the scale; further columns by name, each a function of the number."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    names = [name for name, _ in columns]
    writer.writerow(["id", *(["text"] if "text" not in names else []), *names])
    step = 94 // max(count - 1, 1)
    for at in range(count):
        number = first + step * at
        shown = [] if "text" in names else [f"Dish {number}, with “sauce” & <b>bread</b>"]
        writer.writerow([f"dish-{at:02d}", *shown, *(make(number, at) for _, make in columns)])
    return text.getvalue()
