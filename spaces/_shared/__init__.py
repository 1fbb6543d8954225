"""The frame that all Spaces share: the package `space` beside each app.py.

Where things lie. In the checkout `spaces/<metric>/` holds app.py, README.md, requirements.txt and `space`, a link to
this folder. A published Space holds the same four, with a copy of this folder, beside the files of `metrics/<metric>/`:
smile.py, scoring.py and so on stand next to app.py, so that `evaluate.load` takes the Space's own folder. The rule that
keeps both apart: an app has app.py and the folder `space/`, and nothing else that ends in .py; a metric has neither.

The rooms, of which each takes from those before it:

- `visitors`: what visitors may ask for and send.
- `metric`: what a metric is to a Space; an app.py states it with what `space.metric` names.
- `scoring`: from what was entered to what the metric makes of it. What is computed as the commands do is a link to
  their files: `uncertainty`.
- `drawing`: HTML, figures and Python lines.
- `page`: tabs, API and server, started by `space.page.launch`.

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
    import matplotlib  # noqa: F401 - where it is installed the first request would import it; see `page.frame.launch`
