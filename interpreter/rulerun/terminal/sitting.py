"""People at one screen, playing.

Assumes a session with at least one person, a screen, and what saves the record.
Does: tells each person what happened since they last looked (`hearing`), shows the game as they
may see it (`layout`), asks, and takes what the answer means (`meant`) to the session. Between
two people at one screen stands a hand-over if the game hides anything from anybody: the screen is
emptied, and only an empty line at the question that names a person shows what is theirs. Leaving
and the end of the game empty the screen as well.
Leaves behind an exit code: 0 the game is over or was left, 1 the rules failed, 2 the input ended.

Every line that is shown to a person comes from what the session gives to that person.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from rulerun.runtime.executor import IllegalInput, RuleError
from rulerun.session.session import Session
from rulerun.session.taking_back import CannotUndo
from rulerun.terminal.commands import Commands
from rulerun.terminal.ending import told_error
from rulerun.terminal.explaining import Book, Explainer
from rulerun.terminal.formatting import wrap
from rulerun.terminal.hearing import Hearing
from rulerun.terminal.layout import Layout
from rulerun.terminal.looking import Looking
from rulerun.terminal.meant import Answering
from rulerun.terminal.menu import MOST_ROWS, Menu
from rulerun.terminal.save import Keeper, free_path
from rulerun.terminal.screen import Screen
from rulerun.views.observation import Standing, name_of
from rulerun.views.undo import hides
from rulerun.words.labels import Labels
from rulerun.words.narration import sentence
from rulerun_dsl.model import SPECTATOR
from rulerun_dsl.source.regular_files import why
from rulerun_dsl.source.safe_text import clean

FINE, FAILED, ENDED = 0, 1, 2


class Sitting:
    """One game at one screen."""

    def __init__(
        self,
        session: Session,
        screen: Screen,
        keeper: Keeper,
        complain: Callable[[str], None],
        names: Labels | None = None,
        book: Book | None = None,
    ) -> None:
        """`complain` takes what is no part of the game: on standard error, usually.

        `names`: what things are called, in the language of the people. `book` gives the rules of
        the game in lines of some width.
        """
        self.session = session
        self.screen = screen
        self.keeper = keeper
        self.complain = complain
        self.game = session.game
        self.names = names or Labels(self.game)
        self.speech = self.names.speech
        self.commands = Commands(self.speech)
        self._hides = hides(self.game)
        self.layout = Layout(self.names, screen.width, screen.paint, screen.height)
        self.looking = Looking(session, screen, self.layout)
        self.explainer = Explainer(session, self.names, screen.width, screen.paint, book)
        # An automaton sits at no screen.
        self.people = [player for player in range(self.game.people) if player not in session.seats]
        self.hearing = Hearing(session, self.names, screen.width, screen.paint)
        self.answering = Answering(session, self.commands, self.explainer.reasons)
        self._last: int | None = None
        """Who sat here last."""
        self._looks: int | None = None
        """Who may see what stands on the screen; None: everybody."""
        self._warned = False
        self._answers: list[str] = []
        """What was typed beside an answer, for the questions that follow."""
        self._question: list[str] = []
        """What is asked, as lines."""
        self._command = ""
        """What was typed in the middle of a long text, to be obeyed behind it."""

    def play(self) -> int:
        """Play to the end, or until somebody leaves."""
        try:
            with self.screen.while_thinking(self.hearing.who_thinks):
                self.session.advance(people_first=True)
            while True:
                if self.session.fault is not None:
                    return self.failed()
                if self.session.over or self.session.truncated:
                    self.finish()
                    return FINE
                player = self._whose()
                done, code = self._hand_over(player)
                if not done:
                    code = self._turn(player)
                if code is not None:
                    return code
        finally:
            self._put_away()

    # ----------------------------------------------------------------------------------- turns

    def _whose(self) -> int:
        """The player who sits there goes on, if they are asked."""
        asked = self.session.asked
        return self._last if self._last in asked and self._last is not None else asked[0]

    def _turn(self, player: int) -> int | None:
        """Show, ask, and take an answer that counts; an exit code if that was the last."""
        self._last = player
        observation = self.session.observation(player)
        menu = Menu(self.names, observation.actions, self.layout.glyphs)
        asked = observation.question
        said = self.speech.what_do_you_do if asked is None else self.hearing.question(player, asked)
        self._question = question = wrap(said, self.screen.width)
        if self._only(player, menu):
            return None
        self.news(player)
        fewest = menu.fewest(self.screen.width)
        around = len(question) + 1
        table = self.looking.due(player, fewest + around)
        rows = self.screen.height - len(table) - around - 1
        asked_for = self._menu_lines(menu, max(fewest, min(MOST_ROWS, rows)))
        asked_for += self.looking.hint(table)
        self._read_whole([*table, "", *question, *asked_for], table, asks=True)
        prompt = f"{self.names.player(self.game.players[player])}> "
        texts = [entry.text for entry in menu.shown]
        while True:
            answer: str | None
            if self._command or self._answers:
                answer = self._command or self._answers.pop(0)
                self._command = ""
                self.screen.say(f"{prompt}{answer.removeprefix(':')}")
            else:
                if self.screen.live:
                    self.session.get_ready()
                answer = self.screen.ask(prompt, [*texts, *self.commands.words])
            if answer is None:
                return self.input_ended(player)
            done, code = self._answer(player, answer, menu)
            if done:
                self.answering.skipped = None
                return code
            self._answers.clear()

    def _only(self, player: int, menu: Menu) -> bool:
        """Take the only answer there is, and say so unless the rules are silent about it.

        Whether there was one. Where others at this screen must not know, it is asked for.
        """
        if len(menu.entries) != 1 or self._apart:
            return False
        if not self._others_decide():
            return True
        only = menu.entries[0]
        self.news(player)
        key = f"choices {self.names.key_of_choice(only.action.text)}"
        if self.names.story.get(key) != "":
            said = self.speech.only_one.format(answer=only.text)
            self.screen.say(self.screen.paint.faint(said))
        taken = self._take(player, only.action.id)
        if taken:
            # An answer to this question that was typed ahead is none to the next.
            self.answering.skipped = only
            self.screen.forget_typed()
            if self._answers and only.is_called(self._answers[0]):
                self._answers.pop(0)
        return taken

    def _others_decide(self, *, left: bool = False) -> bool:
        """Have bots decide that are asked beside people; whether the play goes on from there.

        Nobody waits for them to see a question: they think when it is answered, before the answer
        counts, and know nothing of it. `left`: it is not, and only a record wants more.
        """
        if self.session.agents_wait and not (left and self.keeper.path is None):
            with self.screen.while_thinking(self.hearing.who_thinks):
                self.session.advance()
        return self.session.fault is None and not self.session.truncated

    def _answer(self, player: int, answer: str, menu: Menu) -> tuple[bool, int | None]:
        """Whether the turn is over with this answer, and the exit code if the play is, too."""
        if not answer:
            self.screen.say(self.speech.type_something)
            return False, None
        meant = self.answering.meant(player, answer, menu)
        left = meant.command is not None and meant.command[0] == "quit"
        if meant.hangs_on_others and not self._others_decide(left=left):
            return True, None
        if meant.command is not None:
            return self._obey(player, *meant.command, menu)
        if meant.action is None:
            self._refuse(meant.refused)
            return False, None
        if meant.later:
            self._answers = list(meant.later)
        return self._take(player, meant.action), None

    def _take(self, player: int, action: int) -> bool:
        before = self.session.decisions
        try:
            with self.screen.while_thinking(self.hearing.who_thinks):
                self.session.submit(player, action, people_first=True)
        except IllegalInput as illegal:
            self._refuse(illegal.refusal.message)
            return False
        except RuleError as error:
            self.complain(told_error(error))
            self._refuse(self.speech.fails_there)
            return False
        self._warned = False  # that this was not saved either
        if self.session.decisions - before > 1 or self.session.agents_wait:
            # Others have decided, or will before this player does.
            self.looking.forget()
        return True

    def _refuse(self, text: str) -> None:
        for line in wrap(text, self.screen.width):
            self.screen.say(self.screen.paint.wrong(line))

    def _menu_lines(self, menu: Menu, rows: int | None) -> list[str]:
        return menu.lines(self.screen.width, self.screen.paint, rows)

    # -------------------------------------------------------------------------------- commands

    def _obey(self, player: int, word: str, rest: str, menu: Menu) -> tuple[bool, int | None]:
        match word:
            case "?":
                explained = (
                    self.explainer.one(player, rest, menu)
                    if rest
                    else ["", *self._question, *self.explainer.all(player, menu)]
                )
                self._read(explained)
            case "undo":
                return self._undo(player, rest), None
            case "log":
                self._read(self.hearing.story(player, None if rest else self.screen.page))
            case "look":
                answers = self._menu_lines(menu, MOST_ROWS)
                table = self.looking.table(player, whole=True)
                self._read([*table, "", *self._question, *answers])
            case "list":
                self._read(["", *self._question, *self._menu_lines(menu, None)])
            case "advice":
                # Imported when asked for: most games are played without.
                from rulerun.terminal.told_advice import searched_for

                texts = {entry.action.id: entry.text for entry in menu.entries}
                with self.screen.while_thinking(lambda: self.speech.you_think):
                    lines = searched_for(self.session, player, texts, self.names, self.screen.width)
                self.screen.lines(lines)
            case "cards":
                self._read(self.explainer.components(rest))
            case "rules":
                self._rules(rest)
            case "save":
                self.save(rest)
            case "quit":
                return self._quit()
            case _:
                self.screen.lines(self.commands.help(self.screen.width))
        return False, None

    def _rules(self, wanted: str) -> None:
        """The rules of the game, or what they say about a word if one is given."""
        if found := self.explainer.rules(wanted):
            self._read(found)
        else:
            self._refuse(sentence(self.speech.not_in_rules.format(name=clean(wanted))))

    def _read(self, lines: Sequence[str], *, pace: bool = False) -> None:
        """Show what is long. A command that is typed in the middle of it is obeyed next."""
        self._typed(self.screen.read(lines, self.speech.next_page, pace=pace))

    def _read_whole(self, lines: Sequence[str], table: Sequence[str], *, asks: bool) -> None:
        """Show a table with what stands below it, on a screen of its own if there is no room.

        Answers that were typed ahead need no table. `asks`: a question stands below; what is typed
        once that is read answers it.
        """
        if not self._answers and not self.screen.fits(len(lines)) and not self.screen.fresh:
            more = self.speech.next_table if table else self.speech.next_question
            self._typed(self.screen.ask(more, afresh=True) or "")
        read = len(table) + 2 if asks else len(lines)
        typed = self.screen.read(lines[:read], self.speech.next_page, pace=False)
        if typed:
            # Whoever leaves the table is asked all the same.
            self._typed(typed)
            self.screen.lines(lines[len(table) :])
        elif answer := self.screen.read(lines[read:], self.speech.next_answers, pace=False):
            self._answers = [answer]

    def _typed(self, typed: str) -> None:
        """Keep a command that was typed in the middle of what is read."""
        if self.commands.parse(typed)[0]:
            # It is a command there, whatever an action is called.
            self._command = typed if typed[0] == "?" else f":{typed.lstrip(':/')}"

    def after(self, answer: str) -> None:
        """Obey a command that is typed when the game is over."""
        word, rest = self.commands.parse(answer)
        viewer = self._at_the_end
        match word:
            case "log":
                self._read(self.hearing.story(viewer, None if rest else self.screen.page))
            case "look":
                self.show(viewer, whole=True)
            case "cards":
                self._read(self.explainer.components(rest))
            case "rules":
                self._rules(rest)
            case "save":
                self.save(rest)
                self.keeper.close()
            case _:
                self._refuse(self.speech.game_over)
        command, self._command = self._command, ""
        if command:
            self.after(command)

    def _undo(self, player: int, whose: str) -> bool:
        """Take a decision back; whether that was possible. Whose it was is asked next."""
        if whose:
            begins = whose.casefold()
            named = [p for p in self.people if name_of(self.game, p).casefold().startswith(begins)]
            if len(named) != 1:
                self._refuse(self.speech.undo_nobody.format(name=clean(whose)))
                return False
            player = named[0]
        try:
            with self.screen.while_thinking(self.hearing.who_thinks):
                self.session.undo(player)
        except CannotUndo as refused:
            self._refuse(f"{self.speech.undo_not[refused.code]}{self._hint(player, refused)}")
            return False
        # A decision that was none is taken back with the one before.
        while not self._apart and len(self.session.observation(player).actions) == 1:
            if self.session.why_no_undo(player) is not None:
                break
            self.session.undo(player)
        self._answers.clear()
        self.looking.forget()
        self._last = player
        return True

    def _hint(self, player: int, refused: CannotUndo) -> str:
        """Who else at this screen may take back the last decision."""
        if refused.code != "decision" or self._hides:
            return ""
        for other in self.people:
            if other != player and self.session.why_no_undo(other) is None:
                return self.speech.undo_other.format(player=name_of(self.game, other))
        return ""

    def save(self, name: str) -> None:
        """Keep the game in a file."""
        path = Path(name).expanduser() if name else self.keeper.path or free_path(self.game.name)
        try:
            self.keeper.save(path)
        except OSError as failure:
            there = isinstance(failure, FileExistsError)
            reason = self.speech.saved_already if there else why(failure)
            self._refuse(self.speech.saved_not.format(file=clean(str(path)), why=reason))
            return
        self.screen.lines(self.keeper.told(self.speech))

    def _quit(self) -> tuple[bool, int | None]:
        unsaved = self.keeper.path is None and self.session.people_decided
        if unsaved and self.screen.live and not self._warned:
            self._warned = True
            self.screen.say(self.speech.not_saved)
            return False, None
        self._put_away()
        if self.keeper.path is not None:
            self.screen.lines(self.keeper.told(self.speech))
        return True, FINE

    # --------------------------------------------------------------------------------- showing

    def show(self, viewer: int, *, whole: bool = False) -> None:
        """The table, as `viewer` sees it, and who won if that is so."""
        won = self.hearing.result(viewer)
        table = self.looking.table(viewer, len(won) + 1, whole=whole)
        self._read_whole([*table, *([""] if won else []), *won], table, asks=False)

    def news(self, viewer: int, *, apart: bool = True) -> None:
        """What `viewer` was told since they last looked. `apart`: behind an empty line."""
        lines = self.hearing.news(viewer)
        self.looking.hear(len(lines))
        if lines and apart:
            lines.insert(0, "")
        self._read(lines, pace=True)

    # ------------------------------------------------------------------------------- hand-over

    @property
    def _apart(self) -> bool:
        """Whether people at this screen must not see each other's part of it."""
        return len(self.people) > 1 and self._hides

    def _put_away(self) -> None:
        """Leave nothing on the screen that is not for everybody."""
        if self._looks is not None:
            self._looks = None
            if self.screen.live:
                self.screen.clear()

    def _hand_over(self, player: int) -> tuple[bool, int | None]:
        """See to it that only `player` looks.

        Whether something else was done instead of their turn, and the exit code if the play is over
        with it.
        """
        if not self._apart or player == self._looks:
            return False, None
        name, before = self.names.player(name_of(self.game, player)), self._last
        self._put_away()
        if not self.screen.live:
            self._looks = player
            self.screen.say("", f"---------- {name} ----------")
            return False, None
        self.screen.say("", self.speech.look_away.format(player=name), "")
        if before is not None:
            # Whether that is possible now may be a secret of theirs: it is said when it is asked.
            other = self.names.player(name_of(self.game, before))
            self.screen.say(self.speech.undo_before.format(player=other), "")
        while True:
            answer = self.screen.ask(self.speech.press_enter.format(player=name), afresh=True)
            if answer is None:
                return True, self.input_ended(player)
            if not answer:
                self.screen.clear()
                self._looks = player
                return False, None
            word, rest = self.commands.parse(answer.strip() or "-")
            if not self._others_decide(left=word == "quit"):
                return True, None
            if word == "undo" and before is not None:
                if self._undo(before, ""):
                    return True, None
            elif word == "save":
                self.save(rest)
            elif word == "quit":
                left, code = self._quit()
                if left:
                    return True, code
            else:
                self.screen.say(self.speech.enter_alone.format(player=name))

    # ---------------------------------------------------------------------------------- ending

    def finish(self) -> None:
        """The game is over: the last news, the table, and who won."""
        self._put_away()
        viewer = self._at_the_end
        if len(self.people) > 1 and self._last is not None:
            # What everybody may see of the last input; what came before was told to each.
            self.hearing.has_heard_the_most(viewer)
        self.news(viewer)
        self.show(viewer)
        if self.keeper.path is not None:
            self.screen.say("", self.speech.recorded.format(file=clean(str(self.keeper.path))))

    @property
    def _at_the_end(self) -> int:
        """Who looks when the game is over: the one person who played, or whoever looks on."""
        return self.people[0] if len(self.people) == 1 else SPECTATOR

    @property
    def standings(self) -> tuple[Standing, ...]:
        """How the game ended; nothing as long as it has not."""
        return self.session.observation(SPECTATOR).result or ()

    def failed(self) -> int:
        """The rules, or an agent, stopped the play."""
        self._put_away()
        fault = self.session.fault
        other = f"the play cannot go on: {clean(str(fault))}"
        text = told_error(fault) if isinstance(fault, RuleError) else other
        self.complain("\n".join([text, *self.keeper.told(self.speech)]))
        return FAILED

    def input_ended(self, player: int) -> int | None:
        """The input ended before the game; None: what others decide has ended the play."""
        if not self._others_decide(left=True):
            return None
        self._put_away()
        name = self.names.player(name_of(self.game, player))
        text = f"the input ended before the game: it is for {name} to decide"
        self.complain("\n".join([text, *self.keeper.told(self.speech)]))
        return ENDED
