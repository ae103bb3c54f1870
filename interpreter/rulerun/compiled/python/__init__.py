"""The python executor: a program as Python source (`source`), run behind the protocol."""
