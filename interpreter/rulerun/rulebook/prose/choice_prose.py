"""Decisions in words: the question, what may be chosen and when, what it costs and brings.

Assumes: what `step_prose` knows.
Does: tells who chooses and from what; of a menu, each option with its conditions, its hint and what
is written about it, else what it does.
Leaves behind: points of a list. A value in a question is told where it is a name; a sentence with
another one is left out, since it speaks of one moment of play.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulerun.rulebook.book import Item
from rulerun.rulebook.prose.naming import PLAYER, Local, Scope, Sense, put
from rulerun.rulebook.prose.step_prose import DEEPEST, StepProse
from rulerun.runtime.phrases import OTHER, SELF, SEVERAL, Filling, filled, one_line
from rulerun.runtime.wording import words
from rulerun.words.narration import sentence
from rulerun_dsl.source.safe_text import clean
from rulerun_dsl.syntax import declarations as d
from rulerun_dsl.syntax import expressions as s

_OPEN = "\ufffc"
"""A value that is known in play alone."""

_SENTENCE_ENDS = re.compile(r"(?<=[.?!:;…]) +")


class Prose(StepProse):
    """Puts the rules of a game into words."""

    def choice(self, step: d.Choose, scope: dict[str, Local]) -> list[Item]:
        """A decision."""
        who = Filling(self.you(scope), scope["you"].form if "you" in scope else SELF)
        inside = scope
        if step.by is not None:
            who = self.filling(step.by, scope)
            if who.text != self.speech.you:
                inside = {**scope, "you": Local(who.text, PLAYER)}
        asked = self.template(step.ask, scope) if step.ask is not None else ""
        below: list[Item] = []
        if step.binders is not None:
            what = self._binders(step.binders, scope)
            said = put(self.t.choose, who=who, what=what)
        else:
            said = put(self.t.choose_one, who=who)
            for line in step.menu:
                below += self.option(line, inside)
            below += self._actions(step.actions, inside)
        notes = []
        narrowing = [each for each in step.narrowing if self.settled.decided(each, scope) is None]
        conditions = [self._preferred(each, step, scope) for each in narrowing]
        if conditions:
            notes.append(put(self.t.if_possible, c=self.t.then_by.join(conditions)))
        if step.hint is not None:
            notes.append(self.template(step.hint, scope))
        notes += self._how_often(step, scope)
        if step.also:
            notes.append(put(self.t.also, a=self._named(step.also, scope)))
        if isinstance(step.visible, s.All):
            notes.append(self.t.seen_by_all)
        if step.decline:
            notes.append(put(self.t.or_nothing, a=self.title_of(step.decline, small=True)))
        notes = [each for each in notes if each]
        said = sentence(said + (self.t.colon if below else ""))
        told = [*map(sentence, notes), said] if below else [said, *map(sentence, notes)]
        text = " ".join([asked, *told] if asked else told)
        if step.nothing:
            items = self.block(step.nothing, scope)
            below += self._under(self.t.nothing_possible, items)
        return [Item(text, "", tuple(below))]

    def template(self, template: s.Template, scope: Scope) -> str:
        """A question or hint, in the language of the book."""
        whole = ""
        values: dict[str, Filling] = {}
        for part in template.parts:
            if isinstance(part, str):
                whole += part.replace("<", "<<")
                continue
            place = one_line(part.span.text)
            whole += f"<{part.span.text}>"
            values[place] = self._open(part, scope)
        told = _SENTENCE_ENDS.split(self.labels.story_of(one_line(whole), values))
        return " ".join(each for each in told if _OPEN not in each)

    def _open(self, part: s.Expression, scope: Scope) -> Filling:
        """A value in a sentence of the rules: a name where it is one, else `_OPEN`."""
        known = self.settled.value(part, scope)
        if known is not None:
            text = self.settled.text(*known)
            number = int(text) if text.lstrip("-").isdigit() else None
            return self.labels.filling(number) if number is not None else Filling(text)
        match part:
            case s.You():
                return self.filling(part, scope)
            case s.Name(_, text) if text in scope and scope[text].phrase:
                local = scope[text]
                is_thing = local.sort.what in ("component", "site")
                return Filling(self.noun(local.sort) if is_thing else local.phrase, local.form)
            case s.Name() | s.Index() | s.Attribute() | s.IfElse() | s.ComponentsOf():
                if self.sort(part, scope) == PLAYER:
                    return Filling(self.value(part, scope), OTHER)
        return Filling(_OPEN, SEVERAL if self.sort(part, scope).what == "player" else OTHER)

    def _binders(self, binders: s.Binders, scope: dict[str, Local]) -> str:
        """What is chosen: `a card from your hand`, `1 to 3 cards from your larder`."""
        said = []
        inside = dict(scope)
        for each in binders.items:
            sort = self.sort(each.source, scope)
            whole = self.is_whole(each.source)
            if each.low is not None and each.high is not None:
                low, high = self.value(each.low, inside), self.value(each.high, inside)
                inside = self.with_local(inside, each.name, sort)
                many = put(self.t.range, a=low, b=high) if low != high else low
                noun = f"{many} {self.noun(sort, 1 if many == '1' else 2)}"
                noun = put(self.t.met_by_name, noun=noun, name=self.quoted(each.name))
            else:
                met, inside = self.bound(inside, each.name, sort)
                noun = self.a(met)
            place = "" if whole else self.value(each.source, scope)
            said.append(put(self.t.noun_in, a=noun, b=place) if place else noun)
        scope.update(inside)
        text = self.listed(said)
        if binders.condition is not None:
            decided = self.settled.decided(binders.condition, scope)
            if decided is None:
                text += " " + put(self.t.such_that, c=self._wanted(binders.condition, scope))
        return text

    def _wanted(self, condition: s.Expression, scope: Scope) -> str:
        """What must be so: as `?` says it, words for it are enough, and need no explanation."""

        def is_enough(name: str) -> bool:
            return bool(self.labels.rule_name(name)) and not self.labels.about(f"rule {name}")

        with self.forgetting(is_enough):
            return self.claim(condition, scope)

    def _is_named(self, condition: s.Expression, scope: Scope) -> bool:
        """Whether a condition is told by names of what is needed, as `?` tells it."""
        match condition:
            case s.Logic(_, _, operands):
                open_ = [each for each in operands if self.settled.decided(each, scope) is None]
                return all(self._is_named(each, scope) for each in open_)
            case s.Name(_, name) | s.Call(name=name):
                return name not in scope and bool(self.labels.rule_name(name))
            case s.RuleCall(_, base, name):
                return self.labels.has_words(f"column {self.sort(base, scope).name} {name}")
        return False

    def _preferred(self, node: s.Expression, step: d.Choose, scope: Scope) -> str:
        inside = dict(scope)
        for line in step.menu:
            for each in line.signature.parameters:
                inside.setdefault(each.name, Local(self.quoted(each.name), self._of(each, scope)))
        return self.claim(node, inside)

    def _how_often(self, step: d.Choose, scope: Scope) -> list[str]:
        found = []
        if step.times == "any":
            found.append(self.t.any_times)
        elif step.times == "each once":
            found.append(self.t.each_once)
        elif step.times is not None and not isinstance(step.times, str):
            found.append(put(self.t.so_often, n=self.filling(step.times, scope)))
        if step.done:
            found.append(put(self.t.until_done, a=self.title_of(step.done, small=True)))
        return found

    def _named(self, names: Sequence[s.Name | s.Call], scope: Scope) -> str:
        said = []
        for each in names:
            name = each.text if isinstance(each, s.Name) else each.name
            self.called.setdefault(name)
            group = self._group(name)
            if group:
                said += [self.title_of(one.at.name, small=True) for one in group]
                continue
            label = self.quoted(self.title_of(name, small=True))
            if isinstance(each, s.Call):
                given = self.listed([self.value(one, scope) for one in each.arguments])
                label = put(self.t.at_index, a=label, b=given)
            said.append(label)
        return self.listed(said, either=True)

    # ----------------------------------------------------------------------------------- options

    def title_of(self, name: str, small: bool = False) -> str:
        """What an action is called: `to …, space …`, for its values are known in play alone."""
        title = filled(self.labels.named("action", name), lambda _: Filling("…")).rstrip(" :")
        return title if small else title[:1].upper() + title[1:]

    def written_options(self, body: d.Block, scope: Scope) -> tuple[Item, ...]:
        """Of steps that a text stands for, the options that have texts of their own."""
        found: list[Item] = []
        for step in self.untold(body):
            if not isinstance(step, d.Choose):
                continue
            for line in step.menu:
                if self.labels.about(f"action {line.signature.name}"):
                    found += self.option(line, scope)
            for each in step.actions:
                if isinstance(each, s.Name):
                    found += self._actions([each], scope, written=True)
                elif self.labels.about(f"action {each.name}"):
                    line = self.settled.actions[each.name].line
                    found += self.option(line, scope, given=len(each.arguments))
        return tuple(dict.fromkeys(found))

    def _group(self, name: str) -> list[d.ActionDecl]:
        """The actions of a group that may be taken in this game."""
        every = (each for each in self.settled.outline.actions if name in each.groups)
        return [each for each in every if self.settled.is_on(each.at.when)]

    def option(self, line: d.MenuLine, scope: Scope, given: int = 0) -> list[Item]:
        """An option of a menu, or an action, some of whose parameters are given."""
        inside = dict(scope)
        if any(self.settled.decided(each, inside) is False for each in line.around):
            return []
        name = line.signature.name
        about = self.labels.about(f"action {name}")
        parameters = []
        for each in line.signature.parameters:
            sort = self._of(each, scope)
            met, inside = self.bound(inside, each.name, sort)
            if about and sort.what not in ("number", ""):
                # Its name is for the steps, which are not told.
                met = self.noun(sort)
            noun = self.a(met) if sort.what not in ("number", "") else met
            if each.source is not None and not self.is_whole(each.source):
                noun = put(self.t.noun_in, a=noun, b=self.value(each.source, inside))
            elif sort.what == "number" and isinstance(each.type, s.RangeType):
                known = put(
                    self.t.range,
                    a=self.value(each.type.low, scope),
                    b=self.value(each.type.high, scope),
                )
                noun = put(self.t.noun_of, a=met, b=known)
            parameters.append(noun)
        conditions = [*line.around, *line.conditions]
        if any(self.settled.decided(each, inside) is False for each in conditions):
            return []
        kept = [each for each in conditions if self.settled.decided(each, inside) is None]
        lead = self.title_of(name)
        notes = []
        if parameters[given:] and "…" not in lead:
            notes.append(self.listed(parameters[given:]))
        if kept:
            named = [each for each in kept if self._is_named(each, inside)]
            others = [each for each in kept if each not in named]
            for pattern, those in ((self.t.needs, named), (self.t.only_if, others)):
                said = self.listed([self._wanted(each, inside) for each in those])
                notes += [put(pattern, c=said)] if those else []
        if line.hint is not None:
            notes.append(self.template(line.hint, inside))
        if about:
            self.place_all(line.body)
            said = " ".join(map(sentence, filter(None, [*notes, about])))
            return [Item(said, lead, self.written_options(line.body, inside))]
        items = self.block(line.body, inside)
        text = " ".join(map(sentence, filter(None, notes)))
        if len(items) == 1 and not items[0].lead:
            text = " ".join(filter(None, [text, items[0].text]))
            items = items[0].items
        if not text and not items:
            text = sentence(self.t.nothing_happens)
        return [Item(text, lead, items)]

    def _of(self, parameter: s.Parameter, scope: Scope) -> Sense:
        if parameter.type is not None:
            return self.sort_written(parameter.type)
        return self.sort(parameter.source, scope)

    def _actions(
        self, actions: Sequence[s.Name | s.Call], scope: Scope, written: bool = False
    ) -> list[Item]:
        """What a list of actions and groups offers; `written`: of those with texts."""
        found: list[Item] = []
        for each in actions:
            name = each.text if isinstance(each, s.Name) else each.name
            decl = self.settled.actions.get(name)
            if isinstance(each, s.Call):
                self.called.setdefault(name)
                given = self.listed([self.value(one, scope) for one in each.arguments])
                label = put(self.t.at_index, a=self.title_of(name), b=given)
                about = self.labels.about(f"action {name}")
                found.append(Item(sentence(about or self.t.see_there), label))
                continue
            for one in [decl] if decl is not None else self._group(name):
                about = self.labels.about(f"action {one.at.name}")
                if not self.settled.is_on(one.at.when) or (written and not about):
                    continue
                label = self.title_of(one.at.name)
                if self._depth < DEEPEST and one.at.name not in self.told:
                    self.told.add(one.at.name)
                    found += self.option(one.line, scope)
                else:
                    self.called.setdefault(one.at.name)
                    found.append(Item(sentence(about or self.t.see_there), label))
        return found

    # -------------------------------------------------------------------------- definitions

    def definition(self, decl: d.FunctionDecl) -> Item | None:
        """What a function means, as a point of the list of terms."""
        scope: dict[str, Local] = {}
        met = []
        for each in decl.signature.parameters:
            said, scope = self.bound(scope, each.name, self._of(each, scope))
            met.append(said)
        lead = self.labels.rule_name(decl.at.name) and self.rule_words(
            decl.at.name,
            [s.Name(each.span, each.name) for each in decl.signature.parameters],
            scope,
        )
        name = clean(words(decl.at.name))
        lead = lead or put(self.t.term_title, name=name, a=self.listed(met))
        about = self.labels.about(f"rule {decl.at.name}")
        lead = lead[:1].upper() + lead[1:]
        if about:
            return Item(sentence(about), lead)
        notes = []
        for let in decl.lets:
            notes.append(sentence(self.clause(let, scope)))
        truth = self.sort_of_function(decl.at.name).what == "truth"
        if decl.value is not None:
            if truth:
                notes.append(sentence(put(self.t.means, a=self.claim(decl.value, scope))))
            else:
                notes.append(sentence(self.value(decl.value, scope)))
            return Item(" ".join(notes), lead)
        cases: list[tuple[list[str], str]] = []
        for condition, value in decl.cases:
            if condition is None:
                when = self.t.else_lead
            elif decl.subject is not None:
                when = self.value(condition, scope)
            else:
                decided = self.settled.decided(condition, scope)
                if decided is False:
                    continue
                when = self.claim(condition, scope) if decided is None else self.t.else_lead
            said = self.value(value, scope)
            if truth and self.settled.value(value, scope) is None:
                if not isinstance(value, s.Truth):
                    said = put(self.t.means, a=self.claim(value, scope))
            if when == self.t.else_lead and not cases and decl.subject is None:
                return Item(" ".join([*notes, sentence(said)]), lead)
            same = cases and cases[-1][1] == said
            if when == self.t.else_lead:
                if same:
                    cases.pop()
                cases.append(([when], said))
                break
            if same:
                cases[-1][0].append(when)
            else:
                cases.append(([when], said))
        if decl.subject is not None:
            notes.append(sentence(put(self.t.it_depends_on, a=self.value(decl.subject, scope))))
        items = (
            Item(sentence(said), sentence(self.listed(whens, either=True)).rstrip("."))
            for whens, said in cases
        )
        return Item(" ".join(notes), lead, tuple(items))
