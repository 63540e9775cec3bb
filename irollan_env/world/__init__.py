"""What happens in a valley: its state, the six primitives, and what a resident perceives. No Gymnasium here."""
