"""Templates of pages."""

from pathlib import Path

import jinja2


def templates(folder: Path) -> jinja2.Environment:
    """Return the templates of a folder. They escape every value and reject names that they were not given."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
