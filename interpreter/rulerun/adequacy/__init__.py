"""How much of the rules the scenarios of a ruleset hold: what they reach, and what they notice.

`reaching` runs scenarios while it counts which rules ran. `changes` names what can be changed in a
ruleset, one at a time; `noticing` runs the scenarios that touch a change; `verdicts` remembers what
came of it.
"""
