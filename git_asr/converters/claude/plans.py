"""Todo lists, task lists and plans to approve (reference sections 2.7 and 2.13)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.claude.line import Line
from git_asr.converters.claude.slots import LINE_PLAN, PLAN
from git_asr.converters.claude.state import Call, Outcome, State
from git_asr.converters.fields import number_or_text, part, text

_APPROVE = "ExitPlanMode"
TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", _APPROVE})


def called(line: Line, index: int, call: Call) -> None:
    """A todo list is as the call writes it; a plan is put to the user by the call."""
    found: list[dict[str, str]] | None = None
    if call.name == "TodoWrite":
        found = items(call.arguments.get("todos"))
    plan = call.arguments.get("plan")
    if call.name == _APPROVE and isinstance(plan, str):
        found = [{"text": plan}]
    if found is not None:
        draft = line.put(PLAN, "plan", {"items": found, "callId": call.id}, block=index)
        call.record = line.identify(draft)


def returned(line: Line, state: State, index: int, call: Call, outcome: Outcome) -> None:
    """Tasks change with the result; a plan that the user edited replaces the one that was proposed."""
    if not isinstance(outcome.output, dict) or outcome.status != "ok":
        return
    if call.name == _APPROVE:
        plan = outcome.output.get("plan")
        if isinstance(plan, str) and plan != call.arguments.get("plan"):
            fields = {"items": [{"text": plan}], "callId": call.id}
            draft = line.put(PLAN, "plan", fields, block=index, supersedes=call.record)
            call.record = line.identify(draft)
        return
    if _update(state.tasks, call, outcome.output):
        line.put(
            PLAN, "plan", {"items": list(map(dict, state.tasks.values())), "callId": call.id}, block=index
        )


def _update(tasks: dict[str, dict[str, str]], call: Call, output: dict[str, Any]) -> bool:
    """Take over what a task tool did; whether the list is another now."""
    if call.name == "TaskCreate":
        task = part(output, "task")
        number, subject = number_or_text(task, "id"), text(task, "subject")
        if number is None or subject is None:
            return False
        tasks[number] = {"text": subject, "status": "pending"}
        return True
    if call.name == "TaskUpdate":
        return _change(tasks, call.arguments, output)
    listed = output.get("tasks") if call.name == "TaskList" else None
    if not isinstance(listed, list):
        return False
    before = {number: dict(task) for number, task in tasks.items()}
    tasks.clear()
    for one in listed:
        number, subject = number_or_text(one, "id"), text(one, "subject")
        if number is not None and subject is not None:
            tasks[number] = _item(subject, text(one, "status"))
    return tasks != before


def _change(tasks: dict[str, dict[str, str]], wanted: dict[str, Any], output: dict[str, Any]) -> bool:
    number = number_or_text(wanted, "taskId") or ""
    status = text(part(output, "statusChange"), "to") or text(wanted, "status")
    if output.get("success") is not True or number not in tasks:
        return False
    if status == "deleted":
        del tasks[number]
        return True
    task = tasks[number]
    new = _item(text(wanted, "subject") or task["text"], status or task.get("status"))
    tasks[number] = new
    return new != task


def items(listed: Any) -> list[dict[str, str]] | None:
    """The items of a list as the agent writes it: ``content`` or ``subject``, and ``status``."""
    if not isinstance(listed, list):
        return None
    found = []
    for one in listed:
        said = text(one, "content") or text(one, "subject")
        if said is not None:
            found.append(_item(said, text(one, "status")))
    return found


def carried(line: Line, state: State) -> set[str]:
    """The list and the plan that a prompt carries, when they are new; the keys that a record holds."""
    taken: set[str] = set()
    plan = line.value.get("planContent")
    if isinstance(plan, str) and plan:
        line.after(LINE_PLAN, "plan", {"items": [{"text": plan}]})
        taken.add("planContent")
    todos = line.value.get("todos")
    if taken or not (found := items(todos)):
        return taken
    if state.changed("todos", todos):
        line.after(LINE_PLAN, "plan", {"items": found}, meta={"todos": todos})  # they have an active form too
    return {"todos"}


def _item(said: str, status: str | None) -> dict[str, str]:
    return {"text": said} if status is None else {"text": said, "status": status}
