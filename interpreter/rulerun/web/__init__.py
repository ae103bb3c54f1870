"""Tables in a browser: `rulerun serve`.

Assumes rules files without errors, and the extra `web` (starlette, uvicorn).
Does: keeps tables in a database, seats people by links and bots by level, and shows each viewer a
scene: what `observe` gives for that seat, as plain data that the page draws.
Leaves behind a server; nothing that a client sends can change more than its own seat's decision.

`scene` is the only way from a session to a client, and it asks for observations and what was told,
never for a state. So what one seat is sent holds no secret of another.
"""
