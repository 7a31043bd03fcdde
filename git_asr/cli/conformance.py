"""``git asr conformance``: does a validator find what it must."""

from __future__ import annotations

import click

from git_asr.errors import DONE, INCOMPLETE


@click.command("conformance")
@click.option("--kit", metavar="DIR", help="Take the cases from this folder.")
@click.option(
    "--tool", metavar="COMMAND", help="Run another validator over the cases, and not git-asr's own."
)
@click.option("--list", "listed", is_flag=True, help="List the cases, with what must be found in each.")
@click.option("--json", "machine", is_flag=True, help="Print how the cases went, or the list, as JSON.")
def command(kit: str | None, tool: str | None, listed: bool, machine: bool) -> int:
    """Run the conformance kit: sound and unsound streams and bundles for every check.

    COMMAND is run with the path of each case behind it. It must end with status 0 for a case that is sound and 1 for
    one that is not; if it prints JSON with `findings`, each with the name of a `check`, these names are compared too.
    The kit comes with git-asr; its README says how it is laid out.
    """
    from git_asr.cli import conformed
    from git_asr.cli.cases import kit_folder, own, read, with_tool

    folder = kit_folder(kit)
    cases = read(folder)
    if listed:
        conformed.print_cases(cases, machine=machine)
        return DONE
    told = ((case, own(folder, case) if tool is None else with_tool(folder, case, tool)) for case in cases)
    return INCOMPLETE if conformed.print_outcome(told, machine=machine) else DONE
