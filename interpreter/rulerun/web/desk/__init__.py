"""The designer's desk: one ruleset in an editor, its table beside it, in one browser page.

Assumes a rules file on this machine, and its owner at the browser.
Does: checks texts as they are typed, saves them, runs scenarios, lets the table go on under the new
rules, has bots play. What may take long happens in processes that can be stopped.
Leaves behind the files, as their owner has written them. Nothing else is read or written.
"""
