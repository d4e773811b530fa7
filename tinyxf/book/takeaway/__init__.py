"""What readers take with them: the program, the notebook, the data, the book on paper."""
