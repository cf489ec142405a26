"""The runner of code blocks notices what a page gets wrong."""

import pytest

from tests.pages import BlockFailed, blocks_of, run_page

RIGHT = """
```{code-block} text
:caption: ratings.csv

rater,item,score
ann,tea,20
```

```console
$ steelyard check ratings.csv --range 0 100
1 rating judgment
...
$ cat ratings.csv | head -n 1
rater,item,score
```

```python
>>> import steelyard
>>> len(steelyard.read("ratings.csv", range=(0, 100)))
1
```

```text
this is not run
```
"""


def run(text, folder):
    page = folder / "page.md"
    page.write_text(text, "utf-8")
    run_page(page, folder)


def test_blocks_run_in_order_in_one_folder(tmp_path):
    run(RIGHT, tmp_path)
    assert (tmp_path / "ratings.csv").read_text() == "rater,item,score\nann,tea,20\n"
    assert [block.language for block in blocks_of(RIGHT)] == ["text", "console", "python", "text"]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("```python\n>>> 1 + 1\n3\n```", "Expected"),
        ("```console\n$ steelyard check missing.csv\n```", "exit code 2"),
        ("```console\n$ steelyard --version\nsteelyard 7\n```", "The page shows"),
        ("```console\n$ false | true\n```", "exit code 1"),
        ("```python\n>>> 1\n1\n", "has no end"),
    ],
)
def test_a_wrong_block_is_reported(tmp_path, block, message):
    with pytest.raises(BlockFailed, match=message):
        run(block, tmp_path)


def test_a_block_of_python_without_prompts_is_executed(tmp_path):
    with pytest.raises(ZeroDivisionError):
        run("```python\n1 / 0\n```", tmp_path)
