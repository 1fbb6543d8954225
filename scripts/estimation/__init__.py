"""Numbers one can defend: the accuracy of all answers from the labels of some, and whether one system is better.

`powered` is the arithmetic, on arrays; that of paired differences is in the room `uncertainty`. Around them, from the
files to the page: `joining` finds the row of each label (`keys` says which row is which) and `report` prints estimates,
for `evaluate-qa estimate`; `systems` joins the rows of several systems and `compared` prints them, for `evaluate-qa
compare`; `samples` draws rows to label, `asking` writes them for a person, and `plan` says how many are enough, for
`evaluate-qa sample`; `drop` is the test of `evaluate-qa gate`, `gated` the decision, and `gate_files` what that leaves
for CI.
What these commands take alike is in `arguments`.
"""
