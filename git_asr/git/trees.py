"""Trees as a whole: what differs between two, all files below one, and a new one with some paths changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Protocol

from git_asr.errors import AsrError
from git_asr.git.base import TREE, Objects, TreeEntry
from git_asr.values import dataclass

MAX_DEPTH = 64
MAX_ENTRIES = 1_000_000

Edit = tuple[int, str] | None
"""Mode and object ID of what shall stand at a path; None for nothing."""


class TreeWriter(Protocol):
    """What ``edit_tree`` needs of ``writing.ObjectWriter``."""

    def tree(self, entries: Iterable[TreeEntry]) -> str:
        """Add a tree and give its ID."""
        ...

    def written(self, tree: str) -> tuple[TreeEntry, ...] | None:
        """Give the entries of a tree that was added and that nobody else may be able to read yet."""
        ...


def changed_trees(
    objects: Objects,
    old: str | None,
    new: str | None,
    depth: int,
    wanted: Callable[[str], bool] = lambda _: True,
) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the folders at exactly one depth that differ between two trees: path, old and new tree ID.

    ``depth``: 1 for the entries of the root. None stands for no tree, or for an entry that is no folder on that side.
    By path; only trees that differ are read, and none whose path is not ``wanted``.

    Raises:
        ObjectAbsent: a tree that is needed is not here.
        AsrError: one that is needed is damaged, or ``old`` or ``new`` is no tree.
    """
    return _changed(objects, old, new, depth, wanted=wanted, prefix="")


def walk_files(
    objects: Objects, tree: str, *, max_depth: int = MAX_DEPTH, max_entries: int = MAX_ENTRIES
) -> Iterator[tuple[str, TreeEntry]]:
    """Yield all that is below a tree and no tree itself (files, links, submodules), with its path, in Git's order.

    Raises:
        ObjectAbsent: a tree is not here.
        AsrError: a tree is damaged, or folders are nested deeper, or files and folders are more, than allowed: a few
            small trees that name each other many times over can stand for any number.
    """
    count = 0
    levels: list[tuple[str, Iterator[TreeEntry]]] = [("", iter(objects.entries(tree)))]
    while levels:
        prefix, entries = levels[-1]
        entry = next(entries, None)
        if entry is None:
            levels.pop()
            continue
        count += 1
        if count > max_entries:
            raise AsrError(f"tree {tree} holds more than {max_entries} files and folders")
        if not entry.is_tree:
            yield prefix + entry.name, entry
        elif len(levels) >= max_depth:
            raise AsrError(f"tree {tree} holds folders nested more than {max_depth} deep")
        else:
            levels.append((f"{prefix}{entry.name}/", iter(objects.entries(entry.oid))))


def edit_tree(
    objects: Objects, writer: TreeWriter, root: str | None, changes: Mapping[str, Edit]
) -> str | None:
    """Give the ID of a tree with some paths set or removed. Only trees on the way to them are read and written.

    A file in the way of a folder that gets something goes, and so does a folder in the way of a file. Removing a
    folder removes all in it; a change below a path applies after the change of that path, whatever their order (so
    ``{"a": None, "a/b": …}`` replaces a folder). Removing what is not there changes nothing. A folder that becomes
    empty goes.

    Args:
        objects: reads the trees that are in the repository.
        writer: takes the new trees, and knows those that it took before.
        root: the tree to begin with; None for an empty one.
        changes: by path with slashes.

    Returns:
        ``root`` itself if nothing changes, None if nothing is left.

    Raises:
        ObjectAbsent: a tree on the way is not here.
        AsrError: a path is none that a tree can hold (empty, absolute, with ``.``, ``..`` or ``.git`` in it, nested
            deeper than ``MAX_DEPTH``), or is set below one that is set to a file.
    """
    if not changes:
        return root
    top = _Node()
    for path, edit in changes.items():
        node = top
        for name in _names(path):
            node = node.below.setdefault(name, _Node())
        node.edit, node.edited = edit, True
    return _edit(objects, writer, root, top)


def _changed(
    objects: Objects,
    old: str | None,
    new: str | None,
    depth: int,
    *,
    wanted: Callable[[str], bool],
    prefix: str,
) -> Iterator[tuple[str, str | None, str | None]]:
    if old == new:
        return
    before, after = _folders(objects, old), _folders(objects, new)
    for name in sorted(before.keys() | after.keys()):
        left, right, path = before.get(name), after.get(name), prefix + name
        if left == right or not wanted(path):
            continue
        if depth == 1:
            yield path, left, right
        else:
            yield from _changed(objects, left, right, depth - 1, wanted=wanted, prefix=f"{path}/")


def _folders(objects: Objects, tree: str | None) -> dict[str, str]:
    entries = () if tree is None else objects.entries(tree)
    return {entry.name: entry.oid for entry in entries if entry.is_tree}


@dataclass(slots=True)
class _Node:
    """What changes at one path (``edit`` counts if ``edited``) and below it."""

    edit: Edit = None
    edited: bool = False
    below: dict[str, _Node] = field(default_factory=dict)

    @property
    def adds(self) -> bool:
        return self.edit is not None or any(node.adds for node in self.below.values())


def _names(path: str) -> list[str]:
    names = path.split("/")
    if len(names) > MAX_DEPTH or any(
        name in ("", ".", "..") or name.lower() == ".git" or "\0" in name for name in names
    ):
        raise AsrError(f"no path that a tree can hold: {path!r}")
    return names


def _edit(objects: Objects, writer: TreeWriter, root: str | None, node: _Node) -> str | None:
    old = _entries(objects, writer, root)
    entries = {entry.name: entry for entry in old}
    for name, change in node.below.items():
        entry = _entry(objects, writer, name, entries.get(name), change)
        if entry is None:
            entries.pop(name, None)
        else:
            entries[name] = entry
    if entries == {entry.name: entry for entry in old}:
        return root
    return writer.tree(entries.values()) if entries else None


def _entry(
    objects: Objects, writer: TreeWriter, name: str, entry: TreeEntry | None, change: _Node
) -> TreeEntry | None:
    """What stands at one name after its change and those below it."""
    if change.edited:
        entry = None if change.edit is None else TreeEntry(name, *change.edit)
        if entry is not None and not entry.is_tree and any(node.adds for node in change.below.values()):
            raise AsrError(f"{name!r} is set to a file, and something is set below it")
    if not change.below:
        return entry
    folder = entry.oid if entry is not None and entry.is_tree else None
    tree = _edit(objects, writer, folder, change)
    if tree == folder:
        return entry
    return None if tree is None else TreeEntry(name, TREE, tree)


def _entries(objects: Objects, writer: TreeWriter, tree: str | None) -> tuple[TreeEntry, ...]:
    if tree is None:
        return ()
    written = writer.written(tree)
    return objects.entries(tree) if written is None else written
