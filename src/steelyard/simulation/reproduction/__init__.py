"""Published studies, repeated: every number of a paper beside ours, with a verdict. One module or more per paper.

A reproduction is a list of `claims`: what the paper reports, what is computed here, and checks from which the verdict
follows. `figures` has the content of its figures, and `steelyard.report.reproduction` draws the page.
"""
