"""The frame that all Spaces share: the package `space` beside each app.py.

Where things lie. In the checkout `spaces/<metric>/` holds app.py, README.md, requirements.txt and `space`, a link to
this folder. A published Space holds the same four, with a copy of this folder, beside the files of `metrics/<metric>/`:
smile.py, scoring.py and so on stand next to app.py, so that `evaluate.load` takes the Space's own folder. The rule that
keeps both apart: an app has app.py and the folder `space/`, and nothing else that ends in .py; a metric has neither.
What a page computes as the commands do is a link from here to their files: `uncertainty`.

Two files exist on both sides. README.md of a published Space is the metric's card, whose front matter the Hub reads,
with Gradio's version added. requirements.txt names all that both files name, in the versions of `constraints.txt`, the
one place that states Gradio's.
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
    import matplotlib  # noqa: F401 - where it is installed the first request would import it; see `frame.launch`
