"""The page of a Space: tabs, API and server."""

from .frame import launch

__all__ = ["launch"]
