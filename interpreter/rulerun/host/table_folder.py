"""How a folder is known in which `rulerun serve` keeps tables: by the file that holds them.

Leaves behind its name, for who writes it and for who must not take the copies of rules beside it
for rules that somebody works on.
"""

TABLES = "tables.sqlite"
