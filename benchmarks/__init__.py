"""How fast rulerun is, beside its peers. Not part of the wheel; `README.md` says how to run it.

`run` compares playouts, `latency` measures whole processes, `growth` how cost grows with a game.
"""
