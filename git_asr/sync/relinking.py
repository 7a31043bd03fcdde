"""Carries decisions about checkpoints that no store holds any more into the bundles that keep their links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from git_asr.asr.links import checkpoint_of, is_decision, pairs, unite
from git_asr.companion import store
from git_asr.companion.merge import StreamState, with_links
from git_asr.sync.conversion import Conversion


def relink(conversion: Conversion, checkpoints: Iterable[str]) -> None:
    """Write the sessions that keep links of those of some checkpoints that no store holds."""
    gone = {one for one in checkpoints if not conversion.state.folders(one)}
    for key in store.keys(conversion.objects, conversion.tip.tree) if gone else ():
        found = None if key in conversion.results.trees else conversion.stored(conversion.tip.tree, key)
        if found is None or found.state.forgotten is not None:
            continue
        streams = {name: _relinked(conversion, one, gone) for name, one in found.state.streams.items()}
        if streams == found.state.streams:
            continue
        fresh = store.assemble(conversion.writer, replace(found.state, streams=streams), found.pool)
        if any(pairs(one.links) for one in streams.values()) or conversion.is_exchanged(key):
            conversion.put(key, fresh, found)
        else:
            conversion.remove(key)


def _relinked(conversion: Conversion, stream: StreamState, gone: set[str]) -> StreamState:
    """A stream of an earlier sync with the decisions as they are now."""
    old = [one for one in stream.links if is_decision(one) and checkpoint_of(one) in gone]
    if not old:
        return stream
    return with_links(
        stream, unite((one for one in stream.links if one not in old), conversion.redecided(old))
    )
