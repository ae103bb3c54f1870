"""A book as text for a terminal, as Markdown, as one page for a browser or for paper."""
