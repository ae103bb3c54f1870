"""What the rules file says about screens and print: `view:` hints, and what stands on a card."""
