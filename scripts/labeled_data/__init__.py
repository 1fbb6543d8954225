"""Labeled answers: the data sets that researchers published, the files in this package, and users' own files.

- `rows`: one labeled answer, and which answers of a data set to read.
- `files`: users' own files, and the three files with labeled answers in this package.
- `sets`: EfficientQA, SemEval-2013 and SAF by name; `efficientqa` and `student_answers` read their releases.

`agreement` and `fit` read the same rows here.
"""
