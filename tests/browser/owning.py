"""What the owner of a study sees, without a browser: charts take longer to draw than most tests."""

import csv
import urllib.request
from http.cookiejar import CookieJar

from steelyard import read


def owners_page(served, path):
    """The bytes of one of the owner's pages or files."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
    opener.open(served.owner).close()
    with opener.open(f"{served.address}{path}") as answer:
        return answer.read()


def judgments_of(served, kind="rating"):
    """What the owner downloads."""
    file = served.folder / "downloaded.csv"
    file.write_bytes(owners_page(served, "/owner/download/judgments.csv"))
    return read(file, kind)


def scale_of(served):
    """The items of the scale that the owner downloads, most first."""
    lines = owners_page(served, "/owner/download/scale.csv").decode("utf-8").splitlines()
    return [row["item"] for row in csv.DictReader(lines)]
