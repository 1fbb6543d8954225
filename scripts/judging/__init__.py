"""Judge metrics by answers that people have judged; the command `evaluate-qa agreement` is its shell.

From the data to the page: `data_sets` reads `judged` answers; `metric_runs`, `baselines` and `experiments` score them
(`row_scores`); `figures` of `judgements`, with the intervals of `bootstrap`, say how far the scores agree with people;
`tables` gathers them by group; `run` holds it all together; `report` prints and `drawing` draws it.
"""
