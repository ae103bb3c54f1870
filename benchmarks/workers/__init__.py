"""What plays on the peers' side: one program for each, run by the peer's own Python or Node.

Nothing here imports rulerun or anything but `lines`: a peer's environment holds the peer alone.
"""
