"""What a viewer may see, hear and know: where the state is hidden.

Only the state: an event bears its audience from the moment it is told (`reference.events`), and a
refusal is made harmless where it is made (`reference.refusing`). Both are only passed on here.

`observe` makes an `observation` through the `view_index` of a game; `recall` keeps what they
were told; `resample` deals what they cannot see; `undo` says whether a decision showed something.
"""
