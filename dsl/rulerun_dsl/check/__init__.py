"""The checker: from an outline, with options and players fixed, to typed trees.

* `env` answers what each declared name is, on demand;
* `expr` gives every expression its type, and knows the words of the library;
* `stmt` does the same for what rules do, and leaves trees;
* `whole` looks at the whole: recursion, unread names, secrets;
* `display` checks what is said to screens;
* `checker` asks all of them, in order.

`codegen` makes a `model.Game` of what is left here.
"""
