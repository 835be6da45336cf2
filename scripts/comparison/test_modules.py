# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads tables and programs of the command-line tests without what those tests need to run."""

import ast
import contextlib
import pathlib
import sys
import types


class Anything:
    """Stands for whatever a test module takes from a package when it is read."""

    def __call__(self, *arguments, **_):
        # As a decorator it changes nothing.
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self

    def __getattr__(self, name):
        return Anything()


class Stand(types.ModuleType):
    """A module of which every name is there."""

    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name):
        return pathlib.Path("build") if name == "BUILD" else Anything()


def parametrize(names, values, **_):
    """As pytest's; leaves names and values at the function."""
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)

    def mark(function):
        tables = getattr(function, "tables", [])
        function.tables = tables + [(names, list(values))]
        return function

    return mark


@contextlib.contextmanager
def stands():
    """While this lasts, the packages that tests need are stands."""
    pytest = Stand("pytest")
    pytest.mark = types.SimpleNamespace(parametrize=parametrize, skipif=lambda *_, **__: lambda f: f)
    pytest.fixture = Anything()
    pytest.param = lambda *values, **_: values
    given = {"pytest": pytest, "numpy": Stand("numpy"), "conftest": Stand("conftest"),
             "random_programs": Stand("random_programs")}
    before = {name: sys.modules.get(name) for name in given}
    sys.modules.update(given)
    try:
        yield
    finally:
        for name, module in before.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module


class TestModule:
    """The globals of a test module as attributes."""

    def __init__(self, path):
        scope = {"__name__": path.stem, "__file__": str(path)}
        with stands():
            exec(compile(path.read_text(), str(path), "exec"), scope)  # a file of our own tests
        self.__dict__.update(scope)

    def cases(self, *names):
        """The values of these parameters, of all tests that have them; of one name the value alone."""
        for function in [value for value in vars(self).values() if callable(value)]:
            for known, rows in getattr(function, "tables", []):
                if set(names) <= set(known):
                    at = [known.index(name) for name in names]
                    for row in rows:
                        row = [row] if len(known) == 1 else row
                        yield row[at[0]] if len(at) == 1 else [row[i] for i in at]


def load(path):
    return TestModule(path)


def programs(path):
    """Programs that are texts in a Python file, in order, parts of f-strings left out."""
    tree = ast.parse(path.read_text())
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
             for part in node.values}
    return [node.value for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and
            "func.func" in node.value and "\n" in node.value and id(node) not in parts]
