"""The files in deploy/ and the commands of docs/how-to/server.md fit each other and the command line."""

import re
import shlex
from fnmatch import fnmatch
from itertools import pairwise
from pathlib import Path, PurePosixPath

import pytest
import typer
import yaml

from steelyard.cli.main import app
from steelyard.web.guard import LARGER_BODIES
from tests.commands import finish
from tests.pages import blocks_of
from tests.postgres import server_url
from tests.serving import serving

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
PAGE = ROOT / "docs" / "how-to" / "server.md"
DATABASE = "postgresql://steelyard@database/steelyard"
VALUES = {"DOMAIN": "rate.example.org", "STUDY": "meals", "POSTGRES_PASSWORD": "secret"}
SECRETS = (
    "deploy/.env",
    "deploy/studies/meals/study.db",
    "deploy/studies/meals/database.toml",
    "deploy/studies/meals/study.toml",
    "deploy/studies/meals.tar.gz",
    ".git/config",
    ".env",
    ".venv/bin/python",
    "demo-study/study.db",
)


def read(name):
    return (DEPLOY / name).read_text(encoding="utf-8")


def compose():
    """compose.yaml with the values of .env."""
    text = re.sub(r"\$\{(\w+):\?\}", lambda match: VALUES[match[1]], read("compose.yaml"))
    assert "$" not in text
    return yaml.safe_load(text)


def of_service():
    return shlex.split(compose()["services"]["steelyard"]["command"])


def of_container():
    """The default command of the image."""
    lines = read("Containerfile").splitlines()
    (command,) = [line.removeprefix("CMD ") for line in lines if line.startswith("CMD ")]
    return yaml.safe_load(command)


def of_units():
    """The commands of the systemd units; that of the backup runs in a shell."""
    found = []
    for name in ("steelyard.service", "steelyard-backup.service"):
        text = read(name).replace("\\\n", " ").replace("%%", "%")
        (line,) = re.findall(r"^ExecStart=(.+)$", text, re.MULTILINE)
        parts = shlex.split(line)
        inner = re.sub(r"\$\([^)]*\)", "DATE", parts[-1])  # one word for a shell
        program, *arguments = shlex.split(inner) if parts[:2] == ["/bin/sh", "-c"] else parts
        assert program == "/opt/steelyard/bin/steelyard"
        found.append(arguments)
    return found


def lines_of_page():
    blocks = [block for block in blocks_of(PAGE.read_text("utf-8")) if block.language == "text"]
    return [line for block in blocks for line in block.text.splitlines()]


def commands_of_page():
    """The commands of steelyard in the page, and those that it runs in a container."""
    begun = ("steelyard ", "docker compose run --rm steelyard ")
    found = [(line, each) for line in lines_of_page() for each in begun if line.startswith(each)]
    return [shlex.split(line.removeprefix(each)) for line, each in found]


def in_container():
    return [
        shlex.split(line)[5:]
        for line in lines_of_page()
        if line.startswith("docker compose run --rm steelyard ")
    ]


def options(arguments):
    """Each option of a command with its values."""
    pairs = pairwise(arguments)
    found = {}
    for name, value in pairs:
        if name.startswith("--"):
            found.setdefault(name, []).append(value)
    return found


@pytest.mark.parametrize(
    "arguments", [of_service(), of_container(), *of_units(), *commands_of_page()], ids=" ".join
)
def test_the_command_line_accepts_every_command(arguments):
    name, *rest = arguments
    group = typer.main.get_command(app)
    context = group.context_class(group, info_name="steelyard")
    command = group.get_command(context, name)
    assert command is not None
    command.make_context(name, list(rest), parent=context)


def test_the_files_that_are_named_exist():
    service = compose()["services"]["steelyard"]
    context = DEPLOY / service["build"]["context"]
    assert (context / service["build"]["dockerfile"]).samefile(DEPLOY / "Containerfile")
    for copied in sources():
        assert (context / copied).exists(), copied
    for name in re.findall(r"`deploy/([\w.-]+\.[\w.-]+)`", PAGE.read_text("utf-8")):
        assert (DEPLOY / name).exists() or name == ".env", name
    mounted = [each.split(":")[0] for each in compose()["services"]["proxy"]["volumes"]]
    assert [name for name in mounted if name.startswith("./") and not (DEPLOY / name).exists()] == []


def sources():
    """What the image copies from the folder of the source code."""
    copied = re.findall(r"^COPY (.+) \S+$", read("Containerfile"), re.MULTILINE)
    return [name for names in copied for name in names.split()]


def is_sent(path):
    """Whether a builder receives a file, by the rules of .dockerignore: the last line that fits decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.removeprefix("!").removeprefix("**/")
        if not line or line.startswith("#"):
            continue
        parents = [path, *(str(each) for each in PurePosixPath(path).parents)]
        names = PurePosixPath(path).parts if "**/" in line else parents
        if any("/" not in str(each).replace(pattern, "") and fnmatch(each, pattern) for each in names):
            sent = line.startswith("!")
    return sent


@pytest.mark.parametrize("path", SECRETS)
def test_secrets_stay_outside_the_image(path):
    assert not is_sent(path)


def test_the_image_receives_what_it_copies_and_nothing_else():
    assert "." not in sources()
    assert all(is_sent(name) for name in sources())
    assert is_sent("src/steelyard/version.py")
    assert not is_sent("src/steelyard/__pycache__/version.cpython-312.pyc")
    files = [path.name for path in ROOT.iterdir() if is_sent(path.name)]
    assert sorted(files) == sorted(sources())


def test_the_page_names_the_service_the_database_and_the_user_of_the_files():
    page, services = PAGE.read_text("utf-8"), compose()["services"]
    assert set(services) == {"database", "steelyard", "proxy"}
    assert "ports" not in services["database"]
    assert options(of_service())["--database"] == [DATABASE]
    assert services["steelyard"]["environment"]["STEELYARD_DATABASE"] == DATABASE
    (number,) = re.findall(r"--uid (\d+)", read("Containerfile"))
    assert f"chown -R {number}:{number} studies" in page
    assert services["steelyard"]["volumes"] == ["./studies:/studies"]
    written = dict(line.split("=", 1) for line in lines_of_page() if re.match(r"[A-Z_]+=", line))
    assert set(written) == set(VALUES)
    assert written["STUDY"] == VALUES["STUDY"]


def test_a_study_made_as_the_page_says_is_served_with_the_command_of_the_container(tmp_path, monkeypatch):
    """The commands of the page, with a folder and a database of this machine in place of those of the containers."""
    new, move, backup = (
        [part.replace("/studies", str(tmp_path)).replace(DATABASE, server_url()) for part in command]
        for command in in_container()
    )
    serve = of_service()
    assert (new[0], move[0], backup[0], serve[0]) == ("new", "move", "backup", "serve")
    monkeypatch.setenv("STEELYARD_DATABASE", server_url())  # as compose.yaml does
    (tmp_path / "items.csv").write_text("id,text\na,Tea\nb,Soup\n")
    made = finish(*new)
    assert made.returncode == 0, made.stderr
    folder = Path(serve[1].replace("/studies", str(tmp_path)))
    given = ("--workers", *options(serve)["--workers"], "--database", server_url())
    early = finish("serve", str(folder), "--port", "0", *given)
    assert early.returncode == 2
    assert "steelyard move" in early.stderr
    moved = finish(*move)
    assert moved.returncode == 0, moved.stderr
    with serving(folder, "", options=given) as served:
        assert served.process.poll() is None
        saved = finish(*backup)
        assert saved.returncode == 0, saved.stderr
    assert (tmp_path / "meals.tar.gz").exists()


def test_proxies_let_the_largest_requests_through():
    (caddy,) = re.findall(r"max_size (\d+)MB", read("Caddyfile"))
    (nginx,) = re.findall(r"client_max_body_size (\d+)m;", read("nginx.conf"))
    assert int(caddy) * 1_000_000 >= max(LARGER_BODIES.values())
    assert int(nginx) * 1024**2 >= max(LARGER_BODIES.values())


def test_proxies_overwrite_the_headers_about_the_client():
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in read("nginx.conf")
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in read("nginx.conf")
    assert "--trust-proxy" in options(of_service())
    assert options(of_units()[0])["--trust-proxy"] == ["127.0.0.1"]
