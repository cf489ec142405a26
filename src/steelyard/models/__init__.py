"""Models, which turn judgments into a `Fit`: one file or folder each, which do not import each other.

`model` has the interface and `Capabilities`; `known` finds models by name and has the default model of each kind. The
other modules are shared: `online/` (updates by one comparison at a time), `worths` and `linking` (log-worths),
`holding` (update by refitting), `means`, `outputs` (system and segment of items), `samples` (remarks on few raters or
segments), `system_means`, `refitting` and `units` (scales of systems), `clusters` and `streamed_clusters` (clustered
errors).
"""
