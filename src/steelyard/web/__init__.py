"""The pages: routes that translate between payloads and the study, templates and widgets."""
