"""The papers of this book: a folder for each."""
