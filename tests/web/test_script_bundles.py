import json
import shutil
import subprocess

import pytest

from steelyard.web.script_bundles import UnsupportedModule, join_modules

MODULES = {
    "/static/a.js": """
import "./c.js";
import { b as other, default as Pair } from "./deep/b.js";
/**
 * A comment that mentions import("./nowhere.js").
 */
globalThis.result.push(["a", other(), new Pair().name]);
const loaded = await_later("/static/deep/b.js");
function await_later(address) { return import(address); }
loaded.then((module) => globalThis.result.push(Object.keys(module).sort()));
""",
    "/static/c.js": 'globalThis.result.push("c");\n',
    "/static/deep/b.js": """
export { d } from "../d.js";
export const b = () => "b";
export default class Two { name = "two"; }
// A line.
export async function late() {}
""",
    "/static/d.js": "export function d() {}\n",
}


def test_a_bundle_runs_modules_in_the_order_of_their_imports_and_imports_its_own_modules_without_a_request(
    tmp_path,
):
    if shutil.which("node") is None:
        pytest.skip("Node is not installed.")
    script = tmp_path / "bundle.mjs"
    bundle = join_modules(["/static/a.js"], MODULES.__getitem__)
    script.write_text(
        f"globalThis.result = [];\n{bundle}\nsetTimeout(() => console.log(JSON.stringify(result)));"
    )
    printed = subprocess.run(["node", str(script)], capture_output=True, text=True, check=True).stdout
    assert json.loads(printed) == ["c", ["a", "b", "two"], ["b", "d", "default", "late"]]


def test_a_bundle_has_no_comments():
    assert "nowhere" not in join_modules(["/static/a.js"], MODULES.__getitem__)


@pytest.mark.parametrize("line", ['import * as all from "./d.js";', "export default 3;", "export let later;"])
def test_a_form_of_import_or_export_that_bundles_do_not_support_is_an_error(line):
    texts = {**MODULES, "/static/a.js": f"{line}\n"}
    with pytest.raises(UnsupportedModule, match="do not support"):
        join_modules(["/static/a.js"], texts.__getitem__)


def test_modules_that_import_each_other_are_an_error():
    texts = {"/static/a.js": 'import "./b.js";\n', "/static/b.js": 'import "./a.js";\n'}
    with pytest.raises(UnsupportedModule, match="imports itself"):
        join_modules(["/static/a.js"], texts.__getitem__)
