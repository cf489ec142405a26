"""The protocol of a results file, in a study with several protocols."""

from __future__ import annotations

from steelyard.errors import BadSetting, UnknownName
from steelyard.study.definition.study import Study


def study_of_file(study: Study, protocol: str) -> Study:
    """Return the study as it is for the protocol of a file; raise BadSetting if several are possible.

    Parameters
    ----------
    study
        The study.
    protocol
        Name of a protocol; empty if none was named.

    Returns
    -------
    Study
        The study itself if it has only one protocol.
    """
    protocols = study.definition.asking.protocols
    if protocol and protocol not in protocols:
        raise UnknownName("protocol", protocol, protocols)
    if study.ways and not protocol:
        names = ", ".join(protocols)
        raise BadSetting(
            "--protocol", f"name the protocol of the file, because the study has several: {names}."
        )
    return study.in_way(protocol)
