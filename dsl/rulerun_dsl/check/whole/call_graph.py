"""Who calls whom: the graph of procedures, what it reaches, where it runs in circles."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from rulerun_dsl.check.stmt.rule_checker import RuleChecker


def calls(rules: RuleChecker) -> dict[str, set[str]]:
    """Who calls whom."""
    graph: dict[str, set[str]] = {name: set() for name in rules.routines}
    for edge in rules.edges:
        graph[edge.caller].add(edge.callee)
    return graph


def calls_of_all_modules(rules: RuleChecker) -> dict[str, set[str]]:
    """Who may call whom, whatever modules are on: a procedure calls all that may stand for it.

    So a module does not change the order in which the effects of others run.
    """
    graph = calls(rules)
    for name, bodies in rules.world.bodies.items():
        if name in graph:
            graph[name].update(each for each in bodies if each in graph)
    return graph


def reaches(graph: dict[str, set[str]], start: str, without: str | None = None) -> set[str]:
    """What can be reached from a routine (itself only if it lies on a cycle)."""
    return reached(graph, (start,), without)


def reached(
    graph: dict[str, set[str]], starts: Iterable[str], without: str | None = None
) -> set[str]:
    """What can be reached from any of several routines."""
    found: set[str] = set()
    stack = [*starts]
    while stack:
        for each in graph[stack.pop()]:
            if each not in found and each != without:
                found.add(each)
                stack.append(each)
    return found


def callers(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The graph the other way round: who is called by whom."""
    found: dict[str, set[str]] = {name: set() for name in graph}
    for name, callees in graph.items():
        for each in callees:
            found[each].add(name)
    return found


def on_cycles(graph: dict[str, set[str]]) -> frozenset[str]:
    """The routines on a cycle of calls: Tarjan's components of several, or one calling itself."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    inside: set[str] = set()
    found: set[str] = set()
    for root in graph:
        if root in number:
            continue
        path = [(root, iter(sorted(graph[root])))]
        number[root] = low[root] = len(number)
        open_.append(root)
        inside.add(root)
        while path:
            name, callees = path[-1]
            for each in callees:
                if each not in number:
                    number[each] = low[each] = len(number)
                    open_.append(each)
                    inside.add(each)
                    path.append((each, iter(sorted(graph[each]))))
                    break
                if each in inside:
                    low[name] = min(low[name], number[each])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[name])
                if low[name] == number[name]:
                    members = [open_.pop()]
                    while members[-1] != name:
                        members.append(open_.pop())
                    inside.difference_update(members)
                    if members[1:] or name in graph[name]:
                        found.update(members)
    return frozenset(found)


def cycle_from(graph: dict[str, set[str]], start: str) -> list[str] | None:
    """A shortest cycle through a routine."""
    previous: dict[str, str] = {}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for each in sorted(graph[here]):
            if each == start:
                chain = [here]
                while chain[-1] != start:
                    chain.append(previous[chain[-1]])
                return chain[::-1]
            if each not in previous:
                previous[each] = here
                queue.append(each)
    return None
