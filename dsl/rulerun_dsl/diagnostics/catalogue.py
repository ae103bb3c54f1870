"""Every code that a diagnostic may bear, in one table.

Assumes nothing. Leaves behind `CATALOGUE`, which maps a code to its slug, its severity and a
title. The first two digits of a code name the pass that finds it; the passes below stand in the
order in which they run. A code is never given a second meaning, and a dropped one is not used
again: people write codes into ignore comments and into their notes.

To add a diagnostic: a row here, under its pass, and its page in `docs/reference/diagnostics/`.
"""

from __future__ import annotations

from enum import StrEnum

from rulerun_dsl.source.frozen import frozen


class Severity(StrEnum):
    """How bad it is: an error stops the game from loading, the others do not."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@frozen
class Entry:
    """What is the same for all diagnostics of one code."""

    slug: str
    severity: Severity
    title: str


def error(slug: str, title: str) -> Entry:
    """Return the row of an error."""
    return Entry(slug, Severity.ERROR, title)


def warning(slug: str, title: str) -> Entry:
    """Return the row of a warning."""
    return Entry(slug, Severity.WARNING, title)


def info(slug: str, title: str) -> Entry:
    """Return the row of a piece of information."""
    return Entry(slug, Severity.INFO, title)


# 01: the file, its characters and its YAML
YAML = {
    "RR0101": error("yaml-syntax", "YAML cannot read the file"),
    "RR0102": error("tab-indentation", "A tab is used for indentation"),
    "RR0103": error("duplicate-key", "A key is written twice in one mapping"),
    "RR0104": error("yaml-tag", "An exclamation mark starts a YAML tag"),
    "RR0105": error("complex-key", "A key is not a plain line of text"),
    "RR0106": error("merge-key", "A merge key is used"),
    "RR0107": error("alias-expansion", "Aliases multiply the file beyond reason"),
    "RR0108": error("alias-cycle", "An alias stands inside what it names"),
    "RR0109": error("unknown-alias", "An asterisk starts a YAML alias that names nothing"),
    "RR0110": error("unused-anchor", "An ampersand starts a YAML anchor that nobody uses"),
    "RR0111": error("reserved-start", "A value starts with a character that YAML reserves"),
    "RR0112": error("several-documents", "The file holds more than one document"),
    "RR0113": error("empty-file", "The file holds nothing"),
    "RR0114": error("not-a-mapping", "The file is not a list of keys and values"),
    "RR0115": error("deep-nesting", "The file is nested too deeply"),
    "RR0116": error("not-finite", "A number is infinite or not a number"),
    "RR0117": warning("comment-cuts-value", "A number sign cuts a value short"),
    "RR0118": error("text-after-value", "Text follows a quoted or bracketed value"),
    "RR0119": error("colon-in-value", "A colon stands in an unquoted value"),
    "RR0120": error("block-sign", "A value starts with `>` or `|`"),
    "RR0121": error("split-by-comma", "A comma splits an expression in braces or brackets"),
    "RR0122": error("key-without-value", "A key in braces has no value"),
    "RR0123": error("missing-space", "There is no space after a colon"),
    "RR0124": warning("dash-in-value", "A line that looks like a list item continues a value"),
    "RR0125": warning("odd-spelling", "A number or truth value is spelt in a way tools differ on"),
    "RR0126": error("open-bracket", "A bracket or brace is never closed"),
    "RR0127": error("unclosed-quote", "A quote is never closed"),
    "RR0128": error("indentation", "A line stands too deep or not deep enough"),
    "RR0129": error("empty-key", "A value has no key"),
    "RR0130": error("bad-escape", "A backslash in double quotes means nothing"),
    "RR0131": error("list-on-key-line", "A list starts on the line of its key"),
    "RR0132": error("missing-colon", "A line of a mapping has no colon"),
    "RR0133": error("bracket-in-item", "A bracket stands inside an item in braces or brackets"),
    "RR0134": error("stray-sign", "A comma, bracket or dash stands where a value should"),
    "RR0140": error("missing-file", "There is no such file"),
    "RR0141": error("not-a-file", "The path is a folder"),
    "RR0142": error("unreadable-file", "The file cannot be read"),
    "RR0143": error("large-file", "The file is too large"),
    "RR0144": error("not-utf-8", "The file is not text in UTF-8"),
    "RR0145": error("control-character", "The file holds a character that nobody can see"),
    "RR0146": error("odd-line-break", "The file holds a line break that editors do not count"),
    "RR0147": error("special-file", "The path leads to a pipe or a device"),
    "RR0148": error("outside-folder", "A module file lies outside the folder of the rules file"),
    "RR0149": error("not-checked", "A part of the file was not checked"),
    "RR0150": error("more-findings", "There are more findings than are shown"),
}

# 02: the shape of the document
SHAPE = {
    "RR0201": error("unknown-key", "A key has no meaning where it stands"),
    "RR0202": error("missing-key", "A key that must be there is not"),
    "RR0203": error("empty-value", "A key or item has no value"),
    "RR0204": error("one-value-wanted", "A list or mapping stands where one value belongs"),
    "RR0205": error("mapping-wanted", "Something else stands where keys with values belong"),
    "RR0206": error("list-wanted", "Something else stands where a list belongs"),
    "RR0207": error("wrong-kind-of-value", "A number, text or truth value stands for another"),
    "RR0208": error("not-a-choice", "A value is none of those that may stand there"),
    "RR0209": error("two-statements", "A statement begins with two keys at once"),
    "RR0210": error("unknown-statement", "A statement begins with no key that begins one"),
    "RR0211": error("rival-keys", "Two keys exclude each other"),
    "RR0212": error("bad-name", "A name is not one plain word"),
    "RR0213": error("nothing-in-it", "A list or mapping that must hold something is empty"),
    "RR0214": error("too-small", "A number is too small"),
    "RR0215": error("too-large", "A number is too large"),
    "RR0216": error("phrase-too-long", "A text is longer than there is room for"),
    "RR0217": error("listed-twice", "A list holds the same twice"),
}

# 03: the syntax of expressions and statements
SYNTAX = {
    "RR0301": error("empty-text", "A rule has no words"),
    "RR0302": error("text-too-long", "A rule is longer than a rule may be"),
    "RR0303": error("nested-too-deeply", "An expression is nested too deeply"),
    "RR0304": error("unknown-character", "A character has no meaning in a rule"),
    "RR0305": error("missing-value", "A value is missing"),
    "RR0306": error("unexpected-text", "Something else was expected here"),
    "RR0307": error("missing-bracket", "A bracket is never closed"),
    "RR0308": error("stray-bracket", "A closing bracket was never opened"),
    "RR0309": error("reserved-name", "A word of the language is used as a name"),
    "RR0310": error("if-after-else", "A trailing `if` follows `x if c else y`"),
    "RR0311": error("not-settable", "What stands left of `=` cannot be set"),
    "RR0312": error("not-a-statement", "A value stands where something should happen"),
    "RR0313": error("foreign-operator", "An operator of another language is used"),
    "RR0314": error("equals-in-condition", "A single `=` compares nothing"),
    "RR0315": error("chained-comparison", "Two comparisons are chained"),
    "RR0316": error("quoted-text", "A rule contains quotes"),
    "RR0317": error("odd-number", "A number is not written in plain digits"),
    "RR0318": error("braces-or-brackets", "A list is written in braces or brackets"),
    "RR0319": error("foreign-statement", "A statement of another language is used"),
    "RR0320": error("block-on-one-line", "A block is written on one line"),
    "RR0321": error("if-without-else", "A value has an `if` without an `else`"),
    "RR0322": error("two-suffixes", "A statement has two suffixes"),
    "RR0323": error("unknown-verb", "No statement begins with this word"),
    "RR0324": error("open-angle", "A `<` in a sentence is never closed"),
    "RR0325": error("missing-name", "A name is missing"),
    "RR0326": error("missing-statement", "A statement is missing"),
    "RR0327": error("comma-between-keys", "Keys of comparison are joined by a comma"),
    "RR0328": error("comma-between-clauses", "Loops inside one another are joined by a comma"),
    "RR0329": error("long-number", "A number has too many digits"),
    "RR0331": error("rulebook-phrase", "A rule is written as a rulebook would say it"),
}

# 04: names
NAMES = {
    "RR0401": error("bad-players", "The number of players is not one"),
    "RR0402": error("unknown-name", "A name is declared nowhere"),
    "RR0403": error("declared-twice", "A name is declared twice"),
    "RR0404": error("taken-name", "A name is taken: by the language, or by what it would hide"),
    "RR0405": error("whose", "Nothing says whose it is: no `you` is bound"),
    "RR0406": error("wrong-indexes", "A family has other indexes than those written"),
    "RR0407": error("unknown-type", "A type is missing or unknown"),
    "RR0408": error("ambiguous-name", "A name may be a member of several types"),
    "RR0409": error("wrong-use", "A name is used as what it is not"),
    "RR0410": error("no-such-attribute", "A value has no such attribute"),
    "RR0411": error("no-start", "Nothing says where components start"),
    "RR0412": error("unknown-option", "An option, variant or value of an option is unknown"),
    "RR0413": error("wrong-number-of-players", "The game is not for so many players"),
    "RR0414": error("citation-pattern", "The pattern of citations is none"),
}

# 05: types
TYPES = {
    "RR0501": error("wrong-type", "A value is of another type than is wanted"),
    "RR0502": error("wrong-arguments", "A call has other arguments than are wanted"),
    "RR0503": error("out-of-range", "A number lies outside what is allowed"),
    "RR0504": error("not-constant", "A value must be known before play begins"),
    "RR0505": error("is-wants-a-name", "`is` is used for something other than a name"),
    "RR0506": error("no-order", "First or last is asked of what has no order"),
    "RR0507": error("give-it-a-type", "The range of a local or parameter is not known"),
    "RR0508": error("too-large-number", "A number may need more than 32 bits"),
    "RR0509": error("not-several", "One value stands where several are ranged over"),
    "RR0510": error("not-a-zone", "Something else stands where a zone is wanted"),
    "RR0511": error("alike-compared", "Components that are alike are compared"),
    "RR0512": error("table-gap", "A table says nothing, or twice, of a value"),
    "RR0513": error("case-missing", "A value has no case"),
    "RR0514": error("bad-row", "A row does not fit its columns"),
    "RR0515": error("name-wants-is", "A name is compared with `==`"),
    "RR0516": error("too-many-members", "A family, a column or rows have too many members"),
    "RR0517": error("too-many-outcomes", "A piece of luck has too many outcomes"),
    "RR0518": error("no-value", "A line of a function is neither a name nor its value"),
}

# 06: who may know what
INFORMATION = {
    "RR0601": error("who-sees", "Nothing says who sees a zone or variable"),
    "RR0602": error("secret-visibility", "Who sees something depends on a secret"),
    "RR0603": warning("secret-options", "What is legal depends on what the chooser cannot see"),
    "RR0604": warning("secret-question", "Whether or whom the game asks depends on a secret"),
    "RR0605": error("shared-write", "A `together` changes what is not its player's own"),
    "RR0606": error("read-of-others", "A `together` reads what another's part may change"),
    "RR0607": error("not-in-together", "A statement cannot stand inside a `together`"),
    "RR0608": warning("secret-said", "A sentence for everybody tells a secret"),
    "RR0609": warning("secret-told", "What is told depends on a secret"),
    "RR0610": warning("untold-choice", "What follows tells a choice that is told to nobody"),
}

# 07: the game as a whole
WHOLE_GAME = {
    "RR0701": error("circle", "Declarations or calls go round in a circle"),
    "RR0702": error("unread", "A declaration is read by nothing"),
    "RR0703": error("unreachable", "A part of the rules can never be reached"),
    "RR0704": error("gives-sometimes", "A procedure gives a value on some paths only"),
    "RR0705": error("nothing-to-stop", "`stop` or `give` stands where nothing runs that it leaves"),
    "RR0706": error("too-many-actions", "A game has too many distinct actions"),
    "RR0707": error("two-signatures", "In one choice an option name has two lists of parameters"),
    "RR0708": error("no-way-out", "A repeated question has no way out"),
    "RR0746": error("too-many-subsets", "There are more subsets than rules may go through"),
    "RR0747": error("set-of-sets", "A set is to be a member of a set, or an option"),
    "RR0740": error("not-to-suppose", "A procedure does what no question can suppose"),
    "RR0741": error("remembered-secret", "A history remembers what not everybody sees"),
    "RR0744": error("set-of-alike", "A set is to be made of components that cannot be told apart"),
    "RR0710": error("refused-settings", "The rules refuse these options together"),
    "RR0711": error("idle-queue", "A queued procedure is on no circle of calls"),
    "RR0712": error("not-allowed-here", "A variable is changed where it may not be"),
    "RR0713": error("not-alive", "A variable is used where its procedure need not be running"),
    "RR0714": error("map-gap", "A map leaves out a site"),
    "RR0715": error("wide-glyph", "A glyph is none, or too wide"),
    "RR0716": error("asks-an-automa", "An automa may be asked for a decision"),
    "RR0717": error("long-chain", "Declarations lead too deep into one another"),
    "RR0718": error("large-rules", "Rules or their state are too large"),
    "RR0720": warning("refill-order", "A pile refills without saying whether it is shuffled"),
    "RR0721": error("idle-reshuffle", "`reshuffle` stands where nothing is shuffled"),
    "RR0722": warning("ignore-comment", "A comment that ignores a finding is not written as one"),
    "RR0723": warning("idle-ignore", "A comment ignores a finding that there is not"),
    "RR0724": warning("decided-comparison", "A comparison never holds, or always does"),
    "RR0725": warning("moving-set", "A loop changes what makes its set a set"),
    "RR0726": warning("tie-by-seat", "Points or the game hang on who sits first"),
    "RR0728": warning("name-in-braces", "A sentence has a name in braces"),
    "RR0752": error("text-not-fixed", "A text names what it cannot tell"),
    "RR0753": error("no-such-sentence", "A translation has a sentence that no rule says"),
    "RR0754": error("wrong-texts", "A file of texts is of another game or language"),
    "RR0755": error("wrong-icon", "A picture is none, or of nothing"),
    "RR0750": error("row-has-no-this", "A rule that needs its component is called on a row"),
    "RR0727": info("row-left-out", "One row leaves out what every other row says"),
}

# 08: lint
LINT = {
    "RR0801": info("unproved", "A value may be none where it must not be"),
    "RR0802": warning("module-alone", "A module was checked without the rules it belongs to"),
    "RR0803": error("broken-law", "A law that holds of every game does not hold of this one"),
}

# 09: run time: rule errors and illegal actions
RUN_TIME = {
    "RR0901": error("none-in-play", "A value that must be there is none"),
    "RR0902": error("empty-in-play", "A rule wants one of what is empty"),
    "RR0903": error("full-in-play", "A rule moves into a zone that is full"),
    "RR0904": error("range-in-play", "A value leaves the range that is declared"),
    "RR0905": error("division-in-play", "A rule divides by zero"),
    "RR0906": error("index-in-play", "An index lies outside its type"),
    "RR0907": error("overflow-in-play", "A number needs more than 32 bits"),
    "RR0908": error("moved-away", "A named component has left the place it was named in"),
    "RR0909": error("not-alike", "A rule takes one of several that differ, without saying which"),
    "RR0910": error("no-option", "A question has no answer"),
    "RR0911": error("no-outcome", "A chance has no outcome"),
    "RR0912": error("no-turn", "Nobody may take a turn"),
    "RR0913": error("too-many-steps", "The rules run on without a question"),
    "RR0914": error("queue-full", "More calls wait than the queue holds"),
    "RR0915": error("stopped-queue", "A procedure is stopped while calls wait"),
    "RR0916": error("not-running", "A procedure that is to stop does not run"),
    "RR0917": error("no-action", "A choice is no action of the game"),
    "RR0918": error("luck-without-end", "Luck falls on and on, and nobody is asked"),
}

# 10: records and scenarios
RECORDS: dict[str, Entry] = {
    "RR1001": error("record-unreadable", "The record cannot be read"),
    "RR1002": warning("record-torn", "The last line of the record is cut off"),
    "RR1003": error("record-line", "A line is none that a record holds"),
    "RR1004": error("record-version", "The record is in another format or language"),
    "RR1005": error("record-numbers", "The lines of the record are not numbered in order"),
    "RR1006": error("record-other-rules", "The record was played under other rules"),
    "RR1007": error("record-diverges", "The record asks for what the rules do not offer"),
    "RR1008": error("record-result", "The play does not end as the record says"),
    "RR1010": error("record-edited", "A line of the record was changed after it was written"),
    "RR1011": error("record-other-game", "The record is of another game"),
    "RR1020": error("scenario-shape", "A scenario is not written as one"),
    "RR1021": error("scenario-ruleset", "The rules of the scenarios cannot be loaded"),
    "RR1022": error("scenario-given", "What a scenario starts from cannot be"),
    "RR1023": error("scenario-name", "A scenario names what the game does not have"),
    "RR1024": error("scenario-input", "An input of a scenario is not taken as it says"),
    "RR1025": error("scenario-expectation", "A scenario expects something else"),
}

CATALOGUE: dict[str, Entry] = {
    **YAML,
    **SHAPE,
    **SYNTAX,
    **NAMES,
    **TYPES,
    **INFORMATION,
    **WHOLE_GAME,
    **LINT,
    **RUN_TIME,
    **RECORDS,
}
