"""Compute JSON inputs with ppi_py and statsmodels: `in_other_programs.py INPUTS OUTPUTS`. Not a test itself."""

import json
import sys
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from statsmodels.api import OLS


def ppi(labels, scores, others, alpha, **options):
    """Return the prediction-powered mean with its interval, from the program of the method's authors."""
    given = [np.array(values) for values in (labels, scores, others)]
    options = {name: np.array(value) if isinstance(value, list) else value for name, value in options.items()}
    low, high = ppi_mean_ci(*given, alpha=alpha, **options)
    return [*map(float, (ppi_mean_pointestimate(*given, **options)[0], low[0], high[0]))]


def clustered(values, clusters):
    """Return a mean with its interval and deviation, robust to clusters, without a correction for few clusters."""
    kind = {"cov_type": "cluster", "cov_kwds": {"groups": np.array(clusters), "use_correction": False}}
    fitted = OLS(np.array(values), np.ones(len(values))).fit(**kind, use_t=False)
    return [*map(float, (fitted.params[0], *fitted.conf_int()[0], fitted.bse[0]))]


FUNCTIONS = {one.__name__: one for one in (ppi, clustered)}

if __name__ == "__main__":
    inputs = json.loads(Path(sys.argv[1]).read_text())
    found = {name: FUNCTIONS[function](**given) for name, (function, given) in inputs.items()}
    Path(sys.argv[2]).write_text(json.dumps(found))
