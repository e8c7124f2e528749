"""One settings sheet per paper: what its pages run, and where each setting comes from."""
