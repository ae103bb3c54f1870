"""What many games come to: sums of whole numbers, intervals, covered rules, one plain result."""
