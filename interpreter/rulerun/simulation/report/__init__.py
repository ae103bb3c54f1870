"""A result as text, as a table, and as a page for a browser."""
