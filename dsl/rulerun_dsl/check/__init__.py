"""The checker: from an outline, with options and players fixed, to typed trees.

* `world` answers what each declared name is, on demand;
* `expressions` gives every expression its type, `library` knows the built-in words;
* `statements` does the same for what rules do, and leaves trees (`tree`);
* `flow` and `information` look at the whole: recursion, unread names, secrets.

`lower` makes a `model.Game` of what is left here.
"""
