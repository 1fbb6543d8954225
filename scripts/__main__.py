"""Run the command with `python -m evaluate_qa`."""

from .cli import app

if __name__ == "__main__":
    app()
