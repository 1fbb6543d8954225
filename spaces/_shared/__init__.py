"""The frame that all Spaces share.

Each folder imports only from the folders above it:

- `visitors`: limits on what visitors may send.
- `metric`: the data by which an app.py describes its metric.
- `scoring`: scoring an answer or a file.
- `drawing`: HTML, figures and code.
- `page`: tabs, API and server, started by `page.frame.launch`.

A published Space contains the app, the modules of this package that it needs, and the metric's standalone files.
"""

import os
from contextlib import suppress
from importlib import import_module

# Gradio and huggingface_hub read these when they are imported. Nothing is reported to anyone.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_UPDATE_DOWNLOAD_COUNTS"] = "0"
# Gradio looks at matplotlib's backend with every request; it must not open windows.
os.environ["MPLBACKEND"] = "agg"
with suppress(ImportError):
    import_module("matplotlib")  # else the first request would import it; see `page.frame.launch`
