"""Analyses over the whole of the rules, once each part is checked.

`flow` follows calls and finds what is never reached, `unread` what nobody reads;
`information_flow`, `secret_reads`, `telling`, `untold`, `ways` and `opening` find what gives a
secret away; `parts` shows that the parts of a `together` are independent; `automata` that nothing
asks an automa.
"""
