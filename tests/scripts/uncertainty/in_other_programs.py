"""Reads numbers as JSON, `in_other_programs.py ASKED FOUND`, and writes what ppi_py and statsmodels make of them.

No test itself.
"""

import json
import sys
from pathlib import Path

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from statsmodels.api import OLS, WLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint


def powered(labels, scores, others, alpha, **options):
    """The prediction-powered mean with its interval, by the program of the method's authors."""
    given = [np.array(values) for values in (labels, scores, others)]
    options = {name: np.array(value) if isinstance(value, list) else value for name, value in options.items()}
    low, high = ppi_mean_ci(*given, alpha=alpha, **options)
    return [*map(float, (ppi_mean_pointestimate(*given, **options)[0], low[0], high[0]))]


def clustered(values, clusters):
    """A mean with its interval and deviation, robust to clusters, without a correction for few of them."""
    kind = {"cov_type": "cluster", "cov_kwds": {"groups": np.array(clusters), "use_correction": False}}
    fitted = OLS(np.array(values), np.ones(len(values))).fit(**kind, use_t=False)
    return [*map(float, (fitted.params[0], *fitted.conf_int()[0], fitted.bse[0]))]


def weighted(values, weights):
    """A weighted mean with its interval, robust to unequal variances."""
    fitted = WLS(np.array(values), np.ones(len(values)), weights=np.array(weights)).fit(cov_type="HC0", use_t=False)
    return [*map(float, (fitted.params[0], *fitted.conf_int()[0]))]


def changed(wins, losses):
    """McNemar's exact p-value."""
    return float(mcnemar([[0, wins], [losses, 0]], exact=True).pvalue)


def corrected(p_values):
    """P-values after Holm's correction."""
    return multipletests(p_values, method="holm")[1].tolist()


def share(right, count, alpha):
    """Wilson's interval."""
    return [*map(float, proportion_confint(right, count, alpha, method="wilson"))]


FUNCTIONS = {one.__name__: one for one in (powered, clustered, weighted, changed, corrected, share)}

if __name__ == "__main__":
    asked = json.loads(Path(sys.argv[1]).read_text())
    found = {name: FUNCTIONS[function](**given) for name, (function, given) in asked.items()}
    Path(sys.argv[2]).write_text(json.dumps(found))
