"""What an app.py starts: head, tabs, API and server."""

from .frame import launch

__all__ = ["launch"]
