"""Raters and the owner of a study at its pages, with answers that depend on a seed and on what the pages show."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from unittest import mock
from urllib.parse import parse_qsl, urlsplit

import numpy as np
from starlette.testclient import TestClient

START = 1_750_000_000.0  # seconds since 1970, of every clock here
PAUSE = 7.5  # seconds between two acts of people
ASSIGNMENT = "the assignment"
MARK = re.compile(r"(/media/\d+/)[0-9a-f]+")


class Clock:
    """A clock that goes on when people act, in place of the machine's."""

    def __init__(self, now=START):
        self.now = now

    def __call__(self):
        return self.now

    def tick(self):
        self.now += PAUSE

    @contextmanager
    def in_use(self):
        """The clock of everything that runs in this process; what would end at an unknown time ends at once."""
        with mock.patch("time.time", self), mock.patch.object(ThreadPoolExecutor, "submit", _submit):
            yield self


SUBMIT = ThreadPoolExecutor.submit


def _submit(executor, *job, **settings):
    """Submit a job, and wait for it where it is a refit: which tasks come next would depend on the machine."""
    future = SUBMIT(executor, *job, **settings)
    if executor._thread_name_prefix == "refit":
        wait([future])
    return future


class Owner:
    """The owner at their page."""

    def __init__(self, app, clock, key):
        self.client = TestClient(app, follow_redirects=False)
        self.clock = clock
        assert self.client.get(f"/owner/enter?key={key}").status_code == 303
        self.csrf = _csrf(self.client.get("/owner"))

    def act(self, path, **form):
        """Press a button of the owner's page."""
        self.clock.tick()
        reply = self.client.post(f"/owner{path}", data={"csrf": self.csrf, **form})
        assert reply.status_code == 303, reply.text

    def download(self, what, form):
        """One of the owner's files."""
        reply = self.client.get(f"/owner/download/{what}.{form}?identities=1")
        assert reply.status_code == 200, reply.text
        return reply.content


class Person:
    """One rater at a browser, with what was asked of the server and what it replied."""

    def __init__(self, app, clock, seed=0):
        self.client = TestClient(app, follow_redirects=False)
        self.clock = clock
        self.rng = np.random.default_rng(seed)
        self.transcript = []
        self.csrf = ""
        self.last = None  # the assignment that was answered last

    # Ways in

    def join(self, name):
        """Join by the open link, and go on to the first task."""
        self.csrf = _csrf(self._get("/join"))
        self._post("/join", data={"csrf": self.csrf, "name": name})
        return self.enter()

    def open(self, address):
        """Come by an own link or from another site, and go on to where one was."""
        reply = self._get(address)
        ids = dict(parse_qsl(urlsplit(address).query))
        if reply.status_code == 200 and not ids:  # a personal link answers with the task page
            self.csrf = _csrf(reply)
            return self
        if reply.status_code == 200:  # the page of people from Prolific asks to continue
            self._post("/p", data={**ids, "csrf": _csrf(reply)})
        return self.enter()

    def enter(self):
        """Go through all pages before the next task: agreement, survey, training, examples."""
        for _ in range(50):
            reply = self._get("/task")
            if reply.status_code == 200:
                self.csrf = _csrf(reply)
                return self
            page = reply.headers["location"]
            if page in ("/no-tasks", "/thanks"):
                return self
            if page == "/instructions":  # a page that the version before did not have
                self.transcript.pop()
                self.read_instructions()
                continue
            self.csrf = _csrf(self._get(page))
            {
                "/welcome": self.agree,
                "/survey": self.survey,
                "/training": self.train,
                "/cold-start": self.place_examples,
            }[page]()
        raise AssertionError("the pages lead nowhere")

    def agree(self):
        """Agree to take part."""
        self._post("/welcome", data={"csrf": self.csrf, "agree": "1"})

    def read_instructions(self):
        """Read the instructions after the training of the interface."""
        csrf = _csrf(self.client.get("/instructions"))
        assert self.client.post("/instructions", data={"csrf": csrf}).status_code == 303

    def decline(self):
        """Say no, perhaps after having answered."""
        reply = self.client.post("/welcome", data={"csrf": self.csrf, "decline": "1"})
        assert reply.status_code == 200, reply.text

    def survey(self):
        """Fill the survey in: an age, a choice, a text."""
        form = {"q-age": str(20 + int(self.rng.integers(40))), "q-group": "students", "q-note": "=SUM(A1)"}
        self._post("/survey", data={"csrf": self.csrf, **form})

    def train(self):
        """Solve every exercise, the first one wrongly at first."""
        state = self._json("GET", "/api/training")
        while state["state"] == "training":
            right = solved(state["task"])
            tries = [right] if state["at"] else [_wrong(right, state["task"]), right]
            steps = (1, 2) if state["task"]["protocol"] in ("range", "best_worst") else (None,)
            for answers in tries:
                for step in steps:
                    self._json(
                        "POST", "/api/training", {"task": state["at"], "step": step, "answers": answers}
                    )
            state = self._json("GET", "/api/training")

    def place_examples(self):
        """Draw examples, drop one, draw another and place all."""
        state = self._json("GET", "/api/cold-start")
        if state["state"] == "draw":
            state = self._json("POST", "/api/cold-start/draw", {"keep": []})
            kept = [each["index"] for each in state["items"]][1:]
            state = self._json("POST", "/api/cold-start/draw", {"keep": kept})
            state = self._json(
                "POST", "/api/cold-start/agree", {"keep": [e["index"] for e in state["items"]]}
            )
        places = [{"index": e["index"], "position": self._score(e, state["scale"])} for e in state["items"]]
        self._json("POST", "/api/cold-start/place", {"positions": places})

    # Tasks

    def task(self):
        """The state that the task page loads."""
        return self._json("GET", "/api/task")

    def work(self, tasks):
        """Answer so many tasks, or as many as there are."""
        state = self.task()
        for _ in range(tasks):
            if state["state"] != "task":
                break
            state = self.answer(state["task"])
        return state

    def answer(self, task, cells=None, comment=""):
        """Answer a task; the state that the page gets in reply."""
        self.clock.tick()
        self.last = task["assignment"]
        body = {
            "assignment": task["assignment"],
            "answers": self.cells(task) if cells is None else cells,
            "comment": comment,
            "milliseconds": 2000 + int(self.rng.integers(9000)),
            "interactions": [[120, 0, 0, "step", 1], [480, 0, 0, "step", 2.5]],
            "shown": {"width": 1280, "height": 800, "touch": False},
        }
        return self._json("POST", "/api/answers", body)

    def undo(self):
        """Take the last answer back."""
        self.clock.tick()
        return self._json("POST", "/api/undo", {"assignment": self.last})

    def cells(self, task):
        """An answer to a task, as its page would send it."""
        asked = range(len(task["questions"]))
        if task["cannot_judge"] and self.rng.random() < 0.06:
            first = 1 if task["protocol"].startswith("comparison") else 0
            every = [(item, question) for question in asked for item in range(first, len(task["items"]))]
            return [{"item": item, "question": question, "cannot_judge": True} for item, question in every]
        return [cell for question in asked for cell in self._under(task, question)]

    def _under(self, task, question):
        """The cells of one question."""
        about = {"question": question}
        strengths = [number_of(item) + self.rng.normal(0.0, 12.0) for item in task["items"]]
        order = sorted(range(len(strengths)), key=lambda at: -strengths[at])
        scale = task["questions"][question]["scale"]
        match task["protocol"]:
            case "rating" | "list":
                scores = [self._score(item, scale) for item in task["items"]]
                return [{**about, "item": at, "score": score} for at, score in enumerate(scores)]
            case "range":
                return [{**about, "item": 0, **self._bounds(task["items"][0], scale)}]
            case "ranking":
                return [{**about, "item": at, "rank": 1 + order.index(at)} for at in range(len(order))]
            case "best_worst":
                words = {order[0]: "best", order[-1]: "worst"}
                return [{**about, "item": at, "choice": words.get(at, "none")} for at in range(len(order))]
            case _:
                others = range(1, len(strengths))
                return [
                    {**about, "item": at, **_verdict(task, strengths[0] - strengths[at])} for at in others
                ]

    def _score(self, item, scale):
        """A score near the number that the item shows, on the scale, or one of its levels."""
        share = min(max((number_of(item) + self.rng.normal(0.0, 10.0)) / 100.0, 0.0), 1.0)
        score = scale["low"] + share * (scale["high"] - scale["low"])
        if scale["levels"]:
            return min((level["value"] for level in scale["levels"]), key=lambda value: abs(value - score))
        return round(score, 1)

    def _bounds(self, item, scale):
        """A part of the scale around the item's number; at an end where it reaches one, or past it if that may be."""
        middle = self._score(item, scale)
        low, high = middle - self.rng.uniform(2.0, 14.0), middle + self.rng.uniform(2.0, 14.0)
        if scale["beyond"]:
            outside = low < scale["low"] or high > scale["high"]
            return {"low": round(low, 2), "high": round(high, 2), **({"outside": True} if outside else {})}
        cell = {"low": round(max(low, scale["low"]), 2), "high": round(min(high, scale["high"]), 2)}
        kept = {"kept_low": low <= scale["low"], "kept_high": high >= scale["high"]}
        return {**cell, **{name: True for name, value in kept.items() if value}}

    # Requests

    def _get(self, path):
        reply = self.client.get(path)
        self._note("GET", path, reply, reply.headers.get("location"))
        return reply

    def _post(self, path, data):
        reply = self.client.post(path, data=data)
        assert reply.status_code == 303, reply.text
        self._note("POST", path, reply, reply.headers.get("location"))

    def _json(self, method, path, body=None):
        reply = self.client.request(method, path, json=body, headers={"X-CSRF-Token": self.csrf})
        content = reply.json()
        assert reply.status_code == 200, content
        self._note(method, path, reply, content)
        return content

    def _note(self, method, path, reply, content):
        entry = {
            "method": method,
            "path": path.partition("?")[0],
            "status": reply.status_code,
            "reply": content,
        }
        self.transcript.append(_without_tokens(entry))


def number_of(item):
    """The number that an item shows: its truth, from 0 to 100."""
    return float(re.search(r"\d+", item.get("text") or item.get("html") or item["alt"]).group())


def solved(task):
    """The right answer to an exercise about numbers or dots."""
    numbers = [number_of(item) for item in task["items"]]
    order = sorted(numbers, reverse=True)
    cells = [{"item": at, "question": 0} for at in range(len(numbers))]
    match task["protocol"]:
        case "rating" | "list":
            return [{**cell, "score": number} for cell, number in zip(cells, numbers, strict=True)]
        case "range":
            return [{**cells[0], "low": numbers[0] - 2.0, "high": numbers[0] + 2.0}]
        case "ranking":
            return [{**c, "rank": 1 + order.index(n)} for c, n in zip(cells, numbers, strict=True)]
        case "best_worst":
            words = {order[0]: "best", order[-1]: "worst"}
            return [{**c, "choice": words.get(n, "none")} for c, n in zip(cells, numbers, strict=True)]
        case _:
            return [
                {**cell, "outcome": "left" if numbers[0] > number else "right"}
                for cell, number in zip(cells[1:], numbers[1:], strict=True)
            ]


def _wrong(cells, task):
    """An answer to an exercise that is not right."""
    if task["protocol"] in ("rating", "list"):
        return [{**cell, "score": 0.0} for cell in cells]
    if task["protocol"] == "range":
        return [{**cell, "low": 80.0, "high": 90.0} for cell in cells]
    swaps = {
        "ranking": lambda cell: {**cell, "rank": len(cells) + 1 - cell["rank"]},
        "best_worst": lambda cell: {
            **cell,
            "choice": {"best": "worst", "worst": "best", "none": "none"}[cell["choice"]],
        },
    }
    swap = swaps.get(task["protocol"], lambda cell: {**cell, "outcome": "tie"})
    return [swap(cell) for cell in cells]


def _verdict(task, gap):
    """Which of two has more, as far as the page lets one say so."""
    if task["ties"] and abs(gap) < 6.0:
        return {"outcome": "tie", **({"both_bad": True} if task["both_bad"] and gap > 0 else {})}
    strength = {"strength": min(1 + int(abs(gap) // 25), 3)} if task["strength"] else {}
    return {"outcome": "left" if gap > 0 else "right", **strength}


def _csrf(page):
    assert page.status_code == 200, (page.status_code, page.headers.get("location"), page.text[:300])
    return re.search(r'name="csrf" content="([^"]+)"', page.text).group(1)


def _without_tokens(content):
    """The same without what is drawn anew for each rater and assignment."""
    if isinstance(content, dict):
        hidden = {name: ASSIGNMENT for name in ("assignment", "last") if content.get(name)}
        return {name: _without_tokens(value) for name, value in content.items()} | hidden
    if isinstance(content, list):
        return [_without_tokens(each) for each in content]
    return MARK.sub(r"\1mark", content) if isinstance(content, str) else content
