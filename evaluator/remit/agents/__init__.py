"""What agents send and what they understand: one module for each agent's protocol, pure."""
