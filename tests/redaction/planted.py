"""Secrets of many kinds, made up, and records with places for one in every kind of field."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

# Written in pieces, so that no tool that looks for secrets in this repository finds one.
_HEX = "0f3a9c51e7b24d680f3a9c51e7b24d68"
_MIXED = "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7cD9e"
SECRETS: dict[str, str] = {
    "aws-key": "AKIA" + "Q3EGT4WZLN7RUXYB",
    "aws-session-key": "ASIA" + "Q3EGT4WZLN7RUXYB",
    "github-token": "ghp" + "_" + _MIXED[:36],
    "github-fine": "github" + "_pat_" + _MIXED + "_" + _MIXED[:20],
    "gitlab-token": "glpat" + "-" + _MIXED[:20],
    "slack-token": "xoxb" + "-123456789012-1234567890123-" + _MIXED[:24],
    "slack-app": "xapp" + "-1-A0123456789-1234567890123-" + _HEX,
    "slack-webhook": "https://hooks.slack" + ".com/services/T0AB12CD3/B0AB12CD3/" + _MIXED[:24],
    "stripe-key": "sk" + "_live_" + _MIXED[:24],
    "google-key": "AIza" + _MIXED[:35],
    "google-oauth": "GOCSPX" + "-" + _MIXED[:28],
    "anthropic-key": "sk-ant" + "-api03-" + _MIXED + "-" + _MIXED + "AA",
    "openai-key": "sk-proj" + "-" + _MIXED + "T3Blbk" + "FJ" + _MIXED[:20],
    "openrouter-key": "sk-or" + "-v1-" + _HEX * 2,
    "huggingface-token": "hf" + "_" + "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh",
    "npm-token": "npm" + "_" + _MIXED[:36],
    "pypi-token": "pypi-AgEI" + "cHlwaS5vcmc" + _MIXED * 2,
    "sendgrid-key": "SG" + "." + _MIXED[:22] + "." + (_MIXED * 2)[:43],
    "twilio-key": "SK" + _HEX,
    "mailchimp-key": _HEX + "-us" + "12",
    "discord-token": "MTk4NjIyNDgzNDcxOTI1MjQ4" + ".Cl2FMQ." + _MIXED[:27],
    "telegram-token": "123456789" + ":AA" + _MIXED[:33],
    "databricks-token": "dapi" + _HEX,
    "digitalocean-token": "dop" + "_v1_" + _HEX * 2,
    "vault-token": "hvs" + "." + _MIXED,
    "shopify-token": "shpat" + "_" + _HEX,
    "atlassian-token": "ATATT3" + _MIXED + _MIXED + "=" + _HEX[:8],
    "square-token": "sq0csp" + "-" + (_MIXED * 2)[:43],
    "linear-token": "lin" + "_api_" + _MIXED,
    "doppler-token": "dp" + ".pt." + _MIXED + "abc",
    "grafana-token": "glsa" + "_" + _MIXED[:32] + "_" + _HEX[:8],
    "age-key": "AGE-SECRET" + "-KEY-1" + "Q" * 29 + "Z9" * 14 + "P",
    "azure-secret": "abc" + "8Q~" + _MIXED[:34],
    "azure-storage": "AccountKey" + "=" + (_MIXED * 3)[:86] + "==",
    "jwt": "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + _MIXED,
    "private-key": "-----BEGIN "
    + "RSA PRIVATE KEY-----\n"
    + (_MIXED + "\n") * 4
    + "-----END "
    + "RSA PRIVATE KEY-----",
    "url-password": "https://deploy:" + "Tr0ub4dor9x" + "@git.acme-corp.io/x.git",
    "database-url": "postgres://app:" + "pw-9f8e7d6c" + "@db.acme-corp.io:5432/app",
    "email": "maria.lopez" + "@acme-corp.io",
    "home": "/home/" + "mlopez77" + "/work/app",
    "home-mac": "/Users/" + "mlopez77" + "/work/app",
    "home-windows": "C:\\Users\\" + "mlopez77" + "\\work\\app",
    "host": "build-7" + ".acme" + ".internal",
    "card": "4012 8888 " + "8888 1881",
}

CORES: dict[str, str] = {
    "slack-webhook": _MIXED[:24],
    "url-password": "Tr0ub4dor9x",
    "database-url": "pw-9f8e7d6c",
    "home": "mlopez77",
    "home-mac": "mlopez77",
    "home-windows": "mlopez77",
    "azure-storage": (_MIXED * 3)[:86],
    "private-key": _MIXED,
    "jwt": _MIXED,
}
"""The part that must be gone, where the rest may stay."""

WITH_CONTEXT: dict[str, tuple[str, str]] = {
    "password": ("DB_PASSWORD=", "korrekt-Pferd9"),
    "json-password": ('{"password": "', 'z7!qwLpx"}'),
    "api-key": ("X-Api-Key: ", "a81bc81b-dead-4e5d-abff-90865d1e13b1"),
    "bearer": ("Authorization: Bearer ", _MIXED),
    "basic": ("Authorization: Basic ", base64.b64encode(b"maria:tops3cret!").decode()),
    "cookie": ("Cookie: sid=", "s%3A" + _MIXED),
    "curl-user": ("curl -u maria:", "tops3cret!x https://x"),
    "argument": ("deploy --token ", "q1w2e3r4t5y6"),
    "netrc": ("machine x login maria password ", "tops3cret9"),
    "npmrc": ("//registry.npmjs.org/:_authToken=", _HEX),
}


def core(name: str) -> str:
    """What of a secret must not survive."""
    return CORES.get(name, SECRETS[name])


def spellings(secret: str) -> dict[str, str]:
    """The same secret as texts may hold it."""
    coded = base64.b64encode(f"the key is {secret} here".encode()).decode()
    return {
        "plain": f"see {secret} there",
        "json": json.dumps({"a": [{"b": f"see {secret} there"}]}),
        "json in json": json.dumps(json.dumps({"a": f"see {secret} there"})),
        "escapes": f"see {''.join(f'{chr(92)}u{ord(one):04x}' for one in secret)} there",
        "one escape": f"see {chr(92)}u{ord(secret[0]):04x}{secret[1:]} there",
        "percent": f"see {quote(secret, safe='')} there",
        "percent all": "see " + "".join(f"%{ord(one):02X}" for one in secret) + " there",
        "base64": f"see {coded} there",
        "base64 url": f"see {coded.replace('+', '-').replace('/', '_').rstrip('=')} there",
        "base64 twice": f"see {base64.b64encode(coded.encode()).decode()} there",
        "hex": f"see {f'the key is {secret} here'.encode().hex()} there",
    }


FIELDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "message text": lambda s: {
        "type": "message",
        "role": "user",
        "author": "human",
        "content": [{"type": "text", "text": s}],
    },
    "message json": lambda s: {
        "type": "message",
        "role": "user",
        "author": "human",
        "content": [{"type": "json", "value": {"x": [s]}}],
    },
    "from": lambda s: {"type": "message", "role": "user", "author": "human", "from": s, "content": []},
    "reasoning": lambda s: {"type": "reasoning", "content": [{"type": "text", "text": s}]},
    "arguments": lambda s: {"type": "tool_call", "callId": "c", "name": "Bash", "arguments": {"command": s}},
    "arguments text": lambda s: {
        "type": "tool_call",
        "callId": "c",
        "name": "Bash",
        "arguments": json.dumps({"command": s}),
    },
    "argument key": lambda s: {"type": "tool_call", "callId": "c", "name": "Bash", "arguments": {s: 1}},
    "tool name": lambda s: {"type": "tool_call", "callId": "c", "name": s, "arguments": {}},
    "result": lambda s: {
        "type": "tool_result",
        "callId": "c",
        "status": "ok",
        "content": [{"type": "text", "text": s}],
    },
    "output": lambda s: {
        "type": "tool_result",
        "callId": "c",
        "status": "ok",
        "content": [],
        "output": {"stdout": s, "n": [1, s]},
    },
    "inference": lambda s: {
        "type": "inference",
        "inferenceId": "i",
        "provider": s,
        "model": s,
        "usage": {"x": s},
    },
    "summary": lambda s: {"type": "usage_summary", "scope": s, "usage": {}},
    "question": lambda s: {"type": "input_request", "requestId": "q", "questions": [{"question": s}]},
    "answer": lambda s: {"type": "input_response", "requestId": "q", "answers": [s]},
    "subagent": lambda s: {"type": "subagent", "agentType": s, "state": "started"},
    "plan": lambda s: {"type": "plan", "items": [{"text": s, "status": "x"}]},
    "state": lambda s: {"type": "state", "state": "idle", "reason": s},
    "tombstone": lambda s: {"type": "tombstone", "target": "r0", "reason": s},
    "context": lambda s: {"type": "git-asr/context", "cwd": s, "branch": s},
    "hook": lambda s: {"type": "git-asr/hook", "event": "x", "stdout": s, "command": s},
    "title": lambda s: {"type": "git-asr/title", "title": s},
    "meta": lambda s: {"type": "state", "state": "idle", "_meta": {"com.example/x": {"y": s}}},
    "meta key": lambda s: {"type": "state", "state": "idle", "_meta": {s: {s: 1}}},
    "vendor record": lambda s: {"type": "com.example/thing", "value": {"deep": [[{"x": s}]]}},
    "unknown field": lambda s: {"type": "state", "state": "idle", "extra": {"x": s}},
    "field name": lambda s: {"type": "state", "state": "idle", s: 1},
    "type": lambda s: {"type": s},
    "native": lambda s: {"type": "state", "state": "idle", "native": {"value": s}},
    "capture": lambda s: {"type": "state", "state": "idle", "capture": {"state": "truncated", "reason": s}},
    "blob": lambda s: {
        "type": "tool_result",
        "callId": "c",
        "status": "ok",
        "content": [],
        "output": "x " * 40_000 + s,
    },
    "blob part": lambda s: {
        "type": "message",
        "role": "user",
        "author": "human",
        "content": [{"type": "text", "text": s + " x" * 40_000}],
    },
    "blob json": lambda s: {
        "type": "tool_call",
        "callId": "c",
        "name": "Bash",
        "arguments": {"x": ["y " * 40_000, s]},
    },
    "blob over 64 KiB": lambda s: {
        "type": "tool_result",
        "callId": "c",
        "status": "ok",
        "content": [],
        "output": " " * (65_536 - 5) + s,
    },
    "file part": lambda s: {
        "type": "message",
        "role": "user",
        "author": "human",
        "content": [{"type": "file", "data": s.encode(), "mediaType": "text/plain", "path": "a"}],
    },
    "file json": lambda s: {
        "type": "message",
        "role": "user",
        "author": "human",
        "content": [
            {
                "type": "file",
                "data": json.dumps({"x": s}).encode(),
                "mediaType": "application/json",
                "path": "a",
            }
        ],
    },
    "file path": lambda s: {
        "type": "message",
        "role": "user",
        "author": "human",
        "content": [{"type": "file", "data": b"x", "mediaType": "text/plain", "path": s}],
    },
    "binary": lambda s: {
        "type": "message",
        "role": "user",
        "author": "human",
        "content": [{"type": "image", "data": b"\x89PNG\x00" + s.encode(), "mediaType": "image/png"}],
    },
    "record id": lambda s: {"type": "state", "state": "idle", "id": s},
    "call id": lambda s: {"type": "tool_call", "callId": s, "name": "x", "arguments": {}},
    "message id": lambda s: {
        "type": "message",
        "messageId": s,
        "role": "user",
        "author": "human",
        "content": [],
    },
    "predecessors": lambda s: {"type": "state", "state": "idle", "predecessors": [s]},
    "supersedes": lambda s: {"type": "state", "state": "idle", "supersedes": s},
    "copied from": lambda s: {
        "type": "state",
        "state": "idle",
        "copiedFrom": {"session": {"harness": "x", "id": s}, "stream": s, "id": s, "evidence": s},
    },
    "replaces": lambda s: {
        "type": "compaction",
        "summary": s,
        "replaces": {"through": s, "except": [s], "calls": [s]},
    },
    "rewind": lambda s: {"type": "rewind", "to": s},
    "target": lambda s: {"type": "tombstone", "target": s, "reason": "x"},
    "checkpoint": lambda s: {
        "type": "io.entire/checkpoint",
        "sessionIds": ["s"],
        "agent": s,
        "model": s,
        "content": [{"type": "file", "path": s, "data": s.encode(), "mediaType": "text/plain"}],
        "_meta": {"io.entire/checkpoint": {"files_touched": [s], "x": s}, "io.entire/session": {"y": s}},
    },
    "vcs": lambda s: {
        "type": "vcs",
        "action": "commit",
        "commit": "a" * 40,
        "objectFormat": "sha1",
        "evidence": "reported",
        "_meta": {"io.entire/checkpoint": {"id": "c0", "session_id": s}},
    },
}
"""A record with a text in one kind of field; what every record has is added."""
