"""Charts, and the report of a scale.

`parts/` has one record and one function per part, which reports and the owner's page share. `source` is what parts are
made from, `contents` puts them together, and `page`, `markdown`, `json_document` and `pdf` write the report in each
format. `preference/` is what `prefer` reports, `plots/` has charts of fits, and `charts`, `pictures`, `label_lines` and
`svg_labels` draw those of reports.
"""
