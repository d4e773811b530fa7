"""What a placeholder may say: its values, functions and expressions."""
