"""Speed against the floor: what could not be avoided, measured in the same run."""
