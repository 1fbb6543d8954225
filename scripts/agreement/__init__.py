"""How far metrics agree with people; the command `evaluate-qa agreement` is its shell.

From the data to the page: `data_sets` reads `labelled` answers; `metric_runs`, `baselines` and `experiments` score them
(`row_scores`); `figures` of a `comparison` say how far the scores agree with people, and `bootstrap` how sure that is;
`tables` gathers them by group, and `board` and `means` set data sets side by side; `run` holds it all together;
`report` prints and `drawing` draws it.
"""
