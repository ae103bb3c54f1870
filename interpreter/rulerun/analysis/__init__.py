"""Questions about the model that need no state.

`reads` takes expressions apart, `effort` bounds the work they may be, `holding` finds which names
hold a component.
"""
