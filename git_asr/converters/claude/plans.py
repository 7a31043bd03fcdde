"""Todo lists, task lists and plans to approve (reference sections 2.7 and 2.13)."""

from __future__ import annotations

from typing import Any

from git_asr.converters.claude.line import Line
from git_asr.converters.claude.slots import LINE_PLAN, PLAN
from git_asr.converters.claude.state import Call, Outcome, State
from git_asr.converters.fields import number_or_text, part, text

MAX_TASKS = 200
"""Tasks of a list that are followed: each change writes the whole list, so a long one would grow with its square."""
MAX_TASK_LENGTH = 300
"""Characters of a task that is followed."""

_APPROVE = "ExitPlanMode"
TOOLS: frozenset[str] = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", _APPROVE})


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
    before, cut = dict(state.tasks), state.tasks_cut
    _update(state, call, outcome.output)
    if (before, cut) != (state.tasks, state.tasks_cut):
        fields = {"items": list(map(dict, state.tasks.values())), "callId": call.id}
        capture = {"state": "truncated"} if state.tasks_cut else None
        line.put(PLAN, "plan", fields, block=index, capture=capture)


def _update(state: State, call: Call, output: dict[str, Any]) -> None:
    """Take over what a task tool did."""
    listed = output.get("tasks")
    if call.name == "TaskCreate":
        task = part(output, "task")
        _keep(state, number_or_text(task, "id"), text(task, "subject"), "pending")
    elif call.name == "TaskUpdate":
        _change(state, call.arguments, output)
    elif call.name == "TaskList" and isinstance(listed, list):
        state.tasks, state.tasks_cut = {}, False
        for one in listed:
            _keep(state, number_or_text(one, "id"), text(one, "subject"), text(one, "status"))


def _keep(state: State, number: str | None, subject: str | None, status: str | None) -> None:
    """Note a task as it is now."""
    if number is None or subject is None:
        return
    short = len(subject) + len(status or "") <= MAX_TASK_LENGTH
    if short and (number in state.tasks or len(state.tasks) < MAX_TASKS):
        state.tasks[number] = _item(subject, status)
    else:
        state.tasks.pop(number, None)
        state.tasks_cut = True


def _change(state: State, wanted: dict[str, Any], output: dict[str, Any]) -> None:
    number = number_or_text(wanted, "taskId") or ""
    status = text(part(output, "statusChange"), "to") or text(wanted, "status")
    task = state.tasks.get(number)
    if output.get("success") is not True or task is None:
        return
    if status == "deleted":
        del state.tasks[number]
    else:
        _keep(state, number, text(wanted, "subject") or task["text"], status or task.get("status"))


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
    plan = line.value.get("planContent")
    if isinstance(plan, str) and plan:
        line.after(LINE_PLAN, "plan", {"items": [{"text": plan}]})
        return {"planContent"}
    todos = line.value.get("todos")
    if not todos or not (found := items(todos)):
        return set()
    if state.changed("todos", todos):
        line.after(LINE_PLAN, "plan", {"items": found}, meta={"todos": todos})  # they have an active form too
    return {"todos"}


def _item(said: str, status: str | None) -> dict[str, str]:
    return {"text": said} if status is None else {"text": said, "status": status}
