"""The pages: routes that translate between payloads and the study, templates and widgets.

`app` is the server of one study, `service` of several, `workers` its processes. Routes are named after those who call
them (`rater_routes`, `owner_routes` and `owner_*`, `entry_routes`, `crowd_routes`), and `api/` is for programs.
`access`, `guard` and `sockets` protect them. `answer_payloads` is what pages send; `tasks` makes what they receive, of
the types in `schema`; `widgets` and `page_files` have the scripts and stylesheets of each page. `worker` and `desk`
compute the owner's page in separate processes, `refitting` and `hooks/` have processes of their own.
"""
