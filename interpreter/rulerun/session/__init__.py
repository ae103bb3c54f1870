"""A live play: people and agents decide, luck is drawn, records are kept and replayed."""
