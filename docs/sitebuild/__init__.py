"""Tools that build the documentation: generated reference pages, and formulas as MathML."""
