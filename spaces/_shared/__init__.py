"""The frame that all Spaces share.

The folders, each of which uses only those above it:

- `visitors`: what visitors may ask for and send.
- `metric`: what a metric is to a Space; an app.py states it with the names of `metric`.
- `scoring`: from what was entered to the metric's result.
- `drawing`: HTML, figures and lines of Python.
- `page`: tabs, API and server, started by `page.launch`.

A published Space holds the app, the part of this package that it needs, and the metric's standalone files, which
`evaluate.load` reads. Its README.md is the metric's card with Gradio's version added to the front matter; its
requirements.txt names what the metric and the app need, in the versions of `constraints.txt`.
"""

import os
from contextlib import suppress

# Read when gradio and huggingface_hub are imported, hence set here: nothing is reported to anyone.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
# Gradio looks with every request how matplotlib draws: here never into a window.
os.environ["MPLBACKEND"] = "agg"
with suppress(ImportError):
    import matplotlib  # noqa: F401 - where it is installed the first request would import it; see `page.frame.launch`
