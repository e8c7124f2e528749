"""What the commands of python -m icllib do."""
