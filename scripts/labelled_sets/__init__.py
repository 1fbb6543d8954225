"""Answers that people have called correct or not, read from the files of data sets as their authors publish them.

One file a data set, and what they share in `answers` (the rows) and `release` (where the files are). `sets` has them by
name. Whoever compares metrics with people and whoever trains on people's verdicts read the same rows here.
"""
