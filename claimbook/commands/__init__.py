"""What the commands of python -m claimbook do."""
