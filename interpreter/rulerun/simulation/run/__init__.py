"""Many games, played: cut into pieces, spread over processes, kept in a folder."""
