"""The parts of a report, one module each: a frozen record of numbers and words, and a function that makes it.

Every function takes a `ReportSource` and returns None if its part does not apply. The HTML page, Markdown, JSON, PDF
and the owner's page all show these records.
"""
