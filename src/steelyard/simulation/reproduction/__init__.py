"""Published studies, repeated: every number of a paper beside ours, with a verdict. One module or more per paper."""
