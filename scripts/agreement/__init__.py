"""How well metrics agree with people: what `evaluate-qa agreement` runs.

From the data to the page: `data_sets` reads labeled answers into a `benchmark`; `metric_runs`, `baselines` and
`experiments` score them (`row_scores`); `figures` of a `comparison` measure how far the scores agree with people, and
`bootstrap` adds intervals; `tables` gathers them by group, and `board` and `means` set data sets side by side; `run`
connects these steps; `report` prints and `drawing` draws the result.
"""
