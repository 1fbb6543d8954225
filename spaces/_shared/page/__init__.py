"""The page of a Space: tabs, API and server."""
