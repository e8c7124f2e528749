"""What has a closed form."""
