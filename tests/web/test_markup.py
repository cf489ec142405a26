import pytest

from steelyard.web.markup import markdown_html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "![x](https://elsewhere.example/pixel.png)",
        '<a href="x" onclick="alert(1)">x</a>',
        "<style>body{display:none}</style>",
    ],
)
def test_markdown_cannot_run_load_or_restyle_anything(text):
    html = str(markdown_html(text))
    for tag in ("<script", "<img", "<style", '<a href="javascript', "<iframe"):
        assert tag not in html
    assert "onclick=" not in html.replace("&quot;", '"') or "&lt;a" in html


def test_markdown_keeps_emphasis_lists_and_tables():
    html = str(markdown_html("**a** *b*\n\n- c\n\n|d|e|\n|-|-|\n|1|2|\n"))
    for tag in ("<strong>a</strong>", "<em>b</em>", "<li>c</li>", "<td>1</td>"):
        assert tag in html
