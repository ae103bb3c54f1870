"""A rulebook made from a rules file, for players.

`contents` makes a `book.Book` of a game, for one setting and in one language; `prose` puts
statements and conditions into words, `settled` says what the settings decide, and `render` writes
the book as text, Markdown or a page. No rule depends on any of it.
"""
