"""What a viewer may see, hear and know: the only place that hides.

`observe` makes an `observation` through the `view_index` of a game; `recall` keeps what they
were told; `resample` deals what they cannot see; `undo` says whether a decision showed something.
"""
