import inspect
import re

from steelyard import errors

CLASSES = {
    name: each
    for name, each in vars(errors).items()
    if inspect.isclass(each) and issubclass(each, errors.SteelyardError)
}


def drawn_tree():
    """Each class in the docstring of errors with the one it hangs under."""
    tree, above = {}, []
    for line in errors.__doc__.splitlines():
        found = re.match(r"^([│├└─ ]*)((?:[A-Z]\w+)(?:  ?[A-Z]\w+)*)", line)
        if found and not line.startswith("Everything"):
            depth = len(found[1]) // 4
            for name in found[2].split():
                tree[name] = above[depth - 1] if depth else None
            above = [*above[:depth], found[2].split()[0]]
    return tree


def test_the_drawn_tree_names_every_class_under_its_base():
    bases = {name: each.__base__.__name__ for name, each in CLASSES.items() if name != "SteelyardError"}
    drawn = drawn_tree()
    assert drawn.pop("SteelyardError") is None
    assert drawn == bases
