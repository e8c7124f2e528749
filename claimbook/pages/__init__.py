"""A page of a book, its figures, and how it is executed."""
