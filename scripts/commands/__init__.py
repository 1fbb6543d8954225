"""The commands of `evaluate-qa`: one file each, named after the command."""
