"""From checked rules to a `model.Game`: layout, actions, flat code.

`generate` makes the game, `assemble` the code of its procedures, `action_types` numbers every
possible decision, `ownership` says whose components a zone can hold; `fingerprint` names the rules.
"""
