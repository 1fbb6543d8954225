"""Numbers one can defend: the accuracy of all answers from the labels of some, and how sure it is.

From the files to the page: `columns` reads what is needed of them, `joining` finds the row of each label, `powered` is
the estimate, on arrays, and `report` prints it. The command `evaluate-qa estimate` is their shell.
"""
