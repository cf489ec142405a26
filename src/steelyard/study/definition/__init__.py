"""The definition of a study: study.toml as frozen records, the items and the folder.

`definition` has the records, `study_file` reads them, `consistency` checks them across sections, `spellings` allows
keys at the top of the file, `arms` and `mixing` merge a definition for each arm and protocol, `items` and
`anchors_file` read the files beside it, and `create` makes a new study.
"""
