"""The reference executor: what it does is what the rules mean.

`executor` walks the code; `machine` makes a step of each instruction and `evaluate` a closure of
each expression, with a module for each area of the language, which knows the evaluator as a
`Compiler`. `events` tells what happens,
`knowledge` keeps what players know, `visibility` and `secrecy` say who may see what, `refusing`
why an action is no legal one, `canonical` keeps equal positions equal,
`metering` counts the work.
"""
