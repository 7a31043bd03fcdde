"""``git asr redact``: what a policy would take out."""

from __future__ import annotations

import click

from git_asr.errors import DONE, UsageError


@click.command("redact")
@click.option(
    "--try", "tried", metavar="TEXT|FILE|-", help="Redact a text, a file, or what comes in on stdin."
)
@click.option(
    "--policy", "name", default="default", metavar="NAME|FILE", help="default, strict, or a TOML file."
)
@click.option("--unredacted", is_flag=True, help="As for data that nothing redacted when it was stored.")
@click.option("--report", is_flag=True, help="Print rules and places instead of the text.")
@click.option("--json", "machine", is_flag=True, help="Print text, rules and places as JSON.")
def command(*, tried: str | None, name: str, unredacted: bool, report: bool, machine: bool) -> int:
    """Show what a redaction policy does, without writing anything.

    What `git asr export --shareable --policy NAME` would put in the place of a text is printed. JSON, and JSON Lines,
    are redacted as the values that they are, and printed as such. --report lists what was found: the rule, the line
    and the column where it stood, or the way to it in a JSON value; never the value.

    docs/redaction.md says what policies are, what they find, and what they cannot promise.
    """
    if tried is None:
        raise UsageError("say what to redact", hint="git asr redact --try TEXT|FILE|-")
    from git_asr.cli import redacted
    from git_asr.sharing.policies import policy

    outcome = redacted.attempt(policy(name), redacted.text_of(tried), was_redacted=not unredacted)
    if machine:
        import json

        click.echo(json.dumps(outcome.as_json(), indent=2))
    elif report:
        for line in outcome.lines():
            click.echo(line)
    else:
        redacted.write(outcome.text)
    return DONE
