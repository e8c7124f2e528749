"""Scripts for pre-trained language models, which the book describes and has no records of."""
