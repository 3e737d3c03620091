"""What follows a decision: counting it, logging it. Nothing here decides."""
