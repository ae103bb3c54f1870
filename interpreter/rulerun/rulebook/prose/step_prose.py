"""Blocks in words: what is done in which order, in which case, how often.

Assumes: what `statement_prose` knows.
Does: goes through a block; leaves out what the settings switch off and what `say` only tells;
hands decisions to `choice_prose`. A procedure that is called in one place stands there, others are
named and get a place of their own.
Leaves behind: points of a list, nested as the statements are.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from rulerun.rulebook.book import Item
from rulerun.rulebook.prose.naming import PLAYER, Local, Scope, put
from rulerun.rulebook.prose.statement_prose import StatementProse
from rulerun.rulebook.settled import Settled, nodes
from rulerun.runtime.phrases import SELF, Filling, filled
from rulerun.runtime.wording import words
from rulerun.words.narration import sentence
from rulerun_dsl.source.safe_text import clean
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s
from rulerun_dsl.syntax import statements as stmt

DEEPEST = 4
"""So deep stands what is told where it is called."""


class StepProse(StatementProse):
    """Puts blocks into words."""

    def __init__(self, settled: Settled) -> None:
        """Count from how many places each procedure is called."""
        super().__init__(settled)
        self.places = _calls(settled)
        self.told: set[str] = set()
        """Procedures and actions that were told where they are called."""
        self._depth = 0

    @abstractmethod
    def choice(self, step: d.Choose, scope: dict[str, Local]) -> list[Item]:
        """A decision."""

    @abstractmethod
    def written_options(self, body: d.Block, scope: Scope) -> tuple[Item, ...]:
        """Of steps that a text stands for, the options that have texts of their own."""

    # ------------------------------------------------------------------------------------ blocks

    def block(self, block: d.Block, scope: Scope) -> tuple[Item, ...]:
        """The points of a block."""
        inside = dict(scope)
        found: list[Item] = []
        self._depth += 1
        for step in block:
            found += self.step(step, inside)
            if isinstance(step, d.Line) and any(map(self._stops, step.statements)):
                break
        self._depth -= 1
        return tuple(found)

    def _stops(self, node: stmt.Statement) -> bool:
        """Whether nothing behind a statement is ever done, as the settings are."""
        if isinstance(node, stmt.Guarded):
            return self.settled.decided(node.condition) is True and self._stops(node.statement)
        return isinstance(node, stmt.Stop) and not node.procedure

    def step(self, step: d.BlockItem, scope: dict[str, Local]) -> list[Item]:
        """The points of one step; names that it binds are added to the scope."""
        match step:
            case d.Group(_, body):
                return list(self.block(body, scope))
            case d.Line(_, statements):
                return self._line(statements, scope)
            case d.If():
                return self._if(step, scope)
            case d.Cases(_, cases):
                return self._cases(self.t.it_depends, cases, scope, None)
            case d.Match(_, subject, cases):
                head = put(self.t.it_depends_on, a=self.value(subject, scope))
                return self._cases(head, cases, scope, subject)
            case d.For(_, loops, body):
                return self._loop(loops.items, body, scope)
            case d.Turns(_, binders, until, body):
                head, inside = self.turns(binders, until, scope)
                return self._headed(head, self.block(body, inside))
            case d.Until(_, condition, body):
                head = put(self.t.until, c=self.claim(condition, scope))
                return self._headed(head, self.block(body, scope))
            case d.Times(_, count, body):
                return self._headed(self.repeated(count, scope), self.block(body, scope))
            case d.Together(_, binders, body):
                inside = self.addressed(binders, scope)
                head = put(self.t.together, a=self.everyone(binders, scope))
                return self._headed(head, self.block(body, inside))
            case d.Choose():
                return self.choice(step, scope)
        return []

    def _line(self, statements: Sequence[stmt.Statement], scope: dict[str, Local]) -> list[Item]:
        """The statements of a line; what is set back together is told together."""
        found: list[Item] = []
        resets: list[str] = []
        for one in statements:
            if isinstance(one, stmt.Reset):
                resets.append(self.every_index(one.place, scope))
                continue
            found += self._set_back(resets)
            resets = []
            found += self.statement(one, scope)
        return found + self._set_back(resets)

    def _set_back(self, places: Sequence[str]) -> list[Item]:
        return [Item(sentence(put(self.t.reset, a=self.listed(places))))] if places else []

    def _headed(self, head: str, items: Sequence[Item]) -> list[Item]:
        return [Item(sentence(head + self.t.colon), "", tuple(items))] if items else []

    def repeated(self, count: s.Expression, scope: Scope) -> str:
        """`3 times`."""
        return put(self.t.times_over, n=self.quantity(count, scope))

    def _if(self, step: d.If, scope: dict[str, Local]) -> list[Item]:
        decided = self.settled.decided(step.condition, scope)
        if decided is not None:
            return list(self.block(step.then if decided else step.alternative, scope))
        then = self.block(step.then, scope)
        other = self.block(step.alternative, scope)
        condition = self.claim(step.condition, scope)
        if not then and other:
            condition, then, other = self.claim(step.condition, scope, False), other, ()
        found = self._under(put(self.t.if_so, c=condition), then)
        return [*found, *self._under(self.t.otherwise_so, other)]

    def _under(self, head: str, items: Sequence[Item]) -> list[Item]:
        """Points below a head; a single one behind it."""
        if len(items) == 1 and not items[0].lead:
            said = items[0].text
            return [Item(sentence(f"{head}{self.t.colon} {_small(said)}"), "", items[0].items)]
        return self._headed(head, items)

    def _cases(
        self,
        head: str,
        cases: Sequence[tuple[s.Expression | None, d.Block]],
        scope: Scope,
        subject: s.Expression | None,
    ) -> list[Item]:
        found: list[Item] = []
        for condition, body in cases:
            if condition is None:
                lead = self.t.else_lead
            elif subject is None:
                decided = self.settled.decided(condition, scope)
                if decided is False:
                    continue
                lead = self.claim(condition, scope)
                if decided:
                    return list(self.block(body, scope)) if not found else found
            else:
                lead = self.value(condition, scope)
            items = self.block(body, scope)
            if items:
                found.append(self.case(lead, items))
        return self._headed(head, found)

    def case(self, lead: str, items: Sequence[Item]) -> Item:
        """What happens in one case."""
        if len(items) == 1 and not items[0].lead:
            return Item(items[0].text, sentence(lead).rstrip("."), items[0].items)
        return Item("", sentence(lead).rstrip("."), tuple(items))

    # ------------------------------------------------------------------------------------- loops

    def addressed(self, binders: s.Binders, scope: Scope) -> dict[str, Local]:
        """The scope of a loop over players."""
        inside = dict(scope)
        for each in binders.items:
            if each.name == "you":
                inside["you"] = Local(self.speech.you, PLAYER, SELF)
            else:
                inside = self.bound(inside, each.name, self.sort(each.source, scope))[1]
        return inside

    def everyone(self, binders: s.Binders, scope: Scope) -> str:
        """Who takes part in a loop: `each player`, `each player such that …`."""
        condition = binders.condition
        said = []
        for each in binders.items:
            span = each.span
            left: s.Expression = s.You(span) if each.name == "you" else s.Name(span, each.name)
            subject = s.Membership(span, left, each.source, False)
            filtered = s.Filtered(span, subject, condition, (), None)
            argument = subject if condition is None else filtered
            noun = self._going_over(each.name, each.source, argument, scope)
            said.append(noun)
        return self.listed(said)

    def _going_over(
        self, name: str, source: s.Expression, argument: s.Argument, scope: Scope
    ) -> str:
        """`each player`, `each card in your hand`; of an order, in which."""
        if self.sort(source, scope) == PLAYER and not self.is_whole(source):
            met = "" if name == "you" else self.bound(scope, name, PLAYER)[0]
            met = "" if self.quoted(name) not in met else met
            in_order = put(self.t.in_order, a=self.value(source, scope), n=met)
            if isinstance(argument, s.Filtered) and argument.condition is not None:
                inside = self.inside(argument.subject, scope)
                condition = self.claim(argument.condition, inside)
                return put(self.t.in_order_if, a=self.value(source, scope), c=condition, n=met)
            return in_order
        if isinstance(argument, s.Membership):
            noun = self.members(argument, scope, single=True)
            if name != "you":
                noun = self.met_in(name, source, scope)
        else:
            noun = self.members(argument, scope, single=True)
        return put(self.t.every_one, a=noun)

    def turns(
        self, binders: s.Binders, until: s.Expression | None, scope: Scope
    ) -> tuple[str, dict[str, Local]]:
        """Turns round the table: the head, and the scope of what is done in them."""
        inside = self.addressed(binders, scope)
        ends = "" if until is None else self.claim(until, scope)
        return put(self.t.turns, a=self.everyone(binders, scope), c=ends), inside

    def for_all(self, clauses: Sequence[s.ForClause], scope: Scope) -> tuple[str, dict[str, Local]]:
        """The head of a loop, and the scope inside it."""
        inside = dict(scope)
        heads = []
        for clause in clauses:
            span = clause.span
            left: s.Expression = s.You(span)
            if clause.name != "you":
                left = s.Name(span, clause.name)
            subject = s.Membership(span, left, clause.source, False)
            argument: s.Argument = subject
            if clause.condition is not None or clause.so_long is not None:
                argument = s.Filtered(span, subject, clause.condition, (), clause.so_long)
            heads.append(self._going_over(clause.name, clause.source, argument, inside))
            if clause.name == "you":
                inside["you"] = Local(self.speech.you, PLAYER, SELF)
            else:
                inside = self.bound(inside, clause.name, self.sort(clause.source, inside))[1]
        return put(self.t.for_each, a=self.listed(heads)), inside

    def _loop(
        self, clauses: Sequence[s.ForClause], body: d.Block, scope: dict[str, Local]
    ) -> list[Item]:
        head, inside = self.for_all(clauses, scope)
        return self._under(head, self.block(body, inside))

    def _repeated(self, node: stmt.Repeated, scope: dict[str, Local]) -> list[Item]:
        """`S for x in A`: where x stands once and anything will do, it is told there."""
        (clause, *more) = node.clauses
        plain = not more and clause.condition is None and clause.so_long is None
        once = plain and clause.name != "you" and self.uses(clause.name, node.statement) == 1
        if once:
            sort = self.sort(clause.source, scope)
            span = clause.span
            subject = s.Membership(span, s.Name(span, clause.name), clause.source, False)
            noun = put(self.t.every_one, a=self.members(subject, scope, single=True))
            return self.statement(node.statement, {**scope, clause.name: Local(noun, sort)})
        head, inside = self.for_all(node.clauses, scope)
        return self._under(head, self.statement(node.statement, inside))

    # -------------------------------------------------------------------------------- statements

    def statement(self, node: stmt.Statement, scope: dict[str, Local]) -> list[Item]:
        """The points of one statement."""
        match node:
            case stmt.Guarded(_, inner, condition):
                decided = self.settled.decided(condition, scope)
                if decided is not None:
                    return self.statement(inner, scope) if decided else []
                head = put(self.t.if_so, c=self.claim(condition, scope))
                return self._under(head, self.statement(inner, scope))
            case stmt.Repeated():
                return self._repeated(node, scope)
            case stmt.Do(_, call, player):
                return self._do(call, player, scope)
            case stmt.Pass():
                return []
        said = self.clause(node, scope)
        return [Item(sentence(said))] if said else []

    # ------------------------------------------------------------------------------------- calls

    def _do(
        self, call: s.Call | s.RuleCall, player: s.Expression | None, scope: dict[str, Local]
    ) -> list[Item]:
        if isinstance(call, s.RuleCall):
            what = self.slot(call.base, call.name, scope)
            said = put(self.t.do_rule, a=self.value(call.base, scope), b=what)
            return [Item(sentence(self._by(player, said, scope)))]
        if call.name == "original":
            return [Item(sentence(self.t.as_before))]
        name = call.name
        own = self.rule_words(name, call.arguments, scope)
        decl = self.settled.procedures.get(name)
        if decl is None:
            said = own or self.value(call, scope)
            return [Item(sentence(self._by(player, said, scope)))]
        about = self.labels.about(f"rule {name}")
        title = self.rule_title(name)
        plain = not call.arguments and player is None
        alone = plain and self.places.get(name, 0) == 1 and name not in self.told
        if plain and about and alone:
            self.told.add(name)
            self.place_all(decl.body)
            return [Item(sentence(about), title, self.written_options(decl.body, scope))]
        if alone and self._depth < DEEPEST and not self.settled.is_replaced(name):
            self.told.add(name)
            items = self.block(decl.body, {})
            return [Item("", title, items)] if items else []
        return [Item(sentence(self._by(player, self.called_elsewhere(call, scope), scope)))]

    def untold(self, body: d.Block) -> list[d.BlockItem | stmt.Statement]:
        """Steps that a text stands for, with those of procedures there that have no text."""
        found = list(self.settled.steps(body))
        done: set[str] = set()
        for step in found:
            for name in self._done_by(step):
                if name not in done and not self.labels.about(f"rule {name}"):
                    done.add(name)
                    found += self.settled.steps(self.settled.procedures[name].body)
        return found

    def _done_by(self, step: d.BlockItem | stmt.Statement) -> list[str]:
        """The procedures that a step calls by itself, not in what stands inside it."""
        if not isinstance(step, stmt.Statement) or isinstance(step, stmt.Guarded | stmt.Repeated):
            return []
        names = [each.name for each in nodes(step) if isinstance(each, s.Call)]
        return [each for each in names if each in self.settled.procedures]

    def place_all(self, body: d.Block) -> None:
        """Of steps that a text stands for, know the zones, variables and procedures with texts."""
        places = self.settled.zones.keys() | self.settled.variables.keys()
        for step in self.untold(body):
            for name in self._done_by(step):
                if self.labels.about(f"rule {name}"):
                    self.called.setdefault(name)
            named = {each.text for each in nodes(step) if isinstance(each, s.Name)}
            self.placed |= named & places

    def _by(self, player: s.Expression | None, said: str, scope: Scope) -> str:
        if player is None or isinstance(player, s.You):
            return said
        return put(self.t.done_by, a=self.value(player, scope), b=said)

    def rule_title(self, name: str) -> str:
        """The title of a procedure: its words, with what they leave open, else its name."""
        own = filled(self.labels.rule_name(name), lambda _: Filling("…"))
        title = clean(own or words(name))
        return title[:1].upper() + title[1:]


def _small(said: str) -> str:
    """A sentence as the end of another."""
    return said[:1].lower() + said[1:] if not said[1:2].isupper() else said


def _played(settled: Settled, phases: Sequence[d.PhaseDecl]) -> Iterator[d.PhaseDecl]:
    """The phases that the settings leave, and those inside them."""
    for each in phases:
        never = each.condition is not None and settled.decided(each.condition) is False
        if settled.is_on(each.at.when) and not never:
            yield each
            yield from _played(settled, each.phases)


def _calls(settled: Settled) -> dict[str, int]:
    """From how many places each procedure is called, in what is on."""
    outline = settled.outline
    roots: list[object] = [outline.setup, *(each.body for each in _played(settled, outline.phases))]
    roots += [each.body for each in outline.procedures if settled.is_on(each.at.when)]
    roots += [each.line for each in outline.actions if settled.is_on(each.at.when)]
    roots += [each.body for each in outline.hooks if settled.is_on(each.when)]
    found: dict[str, int] = {}
    for root in roots:
        for each in nodes(root):
            if isinstance(each, s.Call) and each.name in settled.procedures:
                found[each.name] = found.get(each.name, 0) + 1
    for kind in outline.kinds:
        for row in kind.rows:
            for _, node in row.values:
                for name in settled.procedures:
                    if name in node.span.text:
                        found[name] = found.get(name, 0) + 2
    return found
