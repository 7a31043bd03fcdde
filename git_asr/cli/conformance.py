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
def command(kit: str | None, tool: str | None, listed: bool) -> int:
    """Run the conformance kit: sound and unsound streams and bundles for every check.

    COMMAND is run with the path of each case behind it. It must end with status 0 for a case that is sound and 1 for
    one that is not; if it prints JSON with `findings`, each with the name of a `check`, these names are compared too.
    The kit comes with git-asr; its README says how it is laid out.
    """
    from git_asr.cli import render
    from git_asr.cli.cases import describe, kit_folder, own, read, with_tool
    from git_asr.views.text import neutral, plural

    folder = kit_folder(kit)
    cases = read(folder)
    if listed:
        with render.paged():
            for case in cases:
                print(describe(case))
        return DONE
    failed = 0
    for case in cases:
        wrong = own(folder, case) if tool is None else with_tool(folder, case, tool)
        if wrong is not None:
            failed += 1
            print(f"{case.name}: {neutral(wrong)}")
    print(f"{len(cases) - failed:,} of {plural(len(cases), 'case')} as expected")
    return INCOMPLETE if failed else DONE
