"""Values are what dataclasses are, but that nothing keeps one from changing what is frozen."""

from __future__ import annotations

import ast
import copy
import dataclasses
import pickle
import subprocess
import sys
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest

import git_asr
from git_asr.values import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A value."""

    x: float
    y: float = 0.0
    name: str = field(default="", compare=False)
    secret: str = field(default="", repr=False)

    @property
    def sum(self) -> float:
        return self.x + self.y


@dataclass(slots=True)
class Basket:
    items: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Single:
    x: float


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Single):
    y: int


@dataclass(frozen=True, slots=True, order=True)
class Version:
    major: int
    minor: int


@dataclass(frozen=True, slots=True)
class Own:
    x: int

    def __repr__(self) -> str:
        return "own"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 7


@pytest.mark.parametrize("cls", [Point, Basket, Single, Nothing, Named, Version])
def test_a_value_has_what_the_library_gives(cls: Any) -> None:
    members = {"__init__", "__eq__", "__hash__", "__repr__", "__match_args__", "__slots__"}
    assert dataclasses.is_dataclass(cls)
    assert members <= vars(cls).keys()
    assert (vars(cls)["__hash__"] is None) == (cls is Basket)
    plain = type(
        cls.__name__,
        (),
        {
            "__annotations__": {one.name: one.type for one in dataclasses.fields(cls)},
            "__qualname__": cls.__qualname__,
        },
    )
    made = dataclasses.dataclass(frozen=cls is not Basket, slots=True)(plain)
    values = list(range(len(dataclasses.fields(cls))))
    given = dict(zip((one.name for one in dataclasses.fields(cls)), values, strict=True))
    hidden = [one.name for one in dataclasses.fields(cls) if not one.repr]
    shown = repr(made(**given))
    for name in hidden:
        shown = shown.replace(f", {name}={given[name]}", "")
    assert repr(cls(**given)) == shown
    assert dataclasses.asdict(cls(**given)) == given


def test_values_are_compared_by_what_counts() -> None:
    assert Point(1, 2, "a") == Point(1, 2, "b")
    assert hash(Point(1, 2, "a")) == hash(Point(1, 2, "b"))
    assert Point(1, 2) != Point(1, 3)
    assert Point(1, 2, secret="a") != Point(1, 2, secret="b")
    assert Single(1) != Named(x=1, y=1)
    assert Single(1) != (1,)
    assert Nothing() == Nothing()
    assert len({Nothing(), Nothing(), Single(1), Single(1.0)}) == 2
    nan = float("nan")
    assert Single(nan) == Single(nan)
    assert Version(1, 2) < Version(1, 3)


def test_what_may_change_has_no_hash() -> None:
    assert Basket(["a"]) == Basket(["a"])
    with pytest.raises(TypeError):
        hash(Basket())


def test_what_a_class_says_itself_stays() -> None:
    assert repr(Own(1)) == "own"
    assert Own(1) == Own(2)
    assert hash(Own(1)) == 7


@pytest.mark.parametrize("value", [Point(1, 2, "a", "b"), Basket(["a"]), Named(x=1, y=2), Version(1, 2)])
def test_values_are_copied_sent_and_replaced(value: Any) -> None:
    for other in (
        copy.copy(value),
        copy.deepcopy(value),
        pickle.loads(pickle.dumps(value)),  # noqa: S301  (our own)
        dataclasses.replace(value),
    ):
        assert other == value
        assert repr(other) == repr(value)
    assert not hasattr(value, "__dict__")


def test_values_are_matched() -> None:
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)
        case _:
            pytest.fail("no match")
    assert Point(1, 2).sum == 3


def test_modules_that_are_not_compiled_define_values_this_way() -> None:
    """As all do but the converters, and those beside them that can be compiled (docs/decisions/0011)."""
    root = Path(git_asr.__file__).parent
    allowed = {root / "values.py", root / "asr" / "draft.py"}
    found = [
        file.relative_to(root).as_posix()
        for file in sorted(root.rglob("*.py"))
        if file not in allowed and "converters" not in file.parts and _takes_the_library_s(file)
    ]
    assert [one for one in found if not _is_compiled(one)] == []


def _takes_the_library_s(file: Path) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "dataclasses"
        and any(one.name == "dataclass" for one in node.names)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    )


def _is_compiled(name: str) -> bool:
    import tomllib

    project = tomllib.loads((Path(git_asr.__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]["include"]
    return any(Path("git_asr", name).match(one) for one in included)


def test_it_costs_less_than_the_library_takes() -> None:
    """Counted in what is compiled, not in time: for each class one function instead of six."""
    script = (
        "import sys, dataclasses, builtins\n"
        "from git_asr.values import dataclass\n"
        "count = 0\n"
        "plain = builtins.exec\n"
        "def counted(*args):\n"
        "    global count\n"
        "    count += 1\n"
        "    return plain(*args)\n"
        "builtins.exec = counted\n"
        "def make():\n"
        "    class One:\n"
        "        'doc'\n"
        "        x: int\n"
        "    return One\n"
        "dataclass(frozen=True, slots=True)(make())\n"
        "print(count)\n"
        "dataclasses.dataclass(frozen=True, slots=True)(make())\n"
        "print(count)\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    mine, both = map(int, ran.stdout.split())
    assert mine == 1
    assert both - mine >= 5
