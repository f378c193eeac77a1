# SPDX-License-Identifier: MIT
"""Binds a driver's extensions: each that is needed must be there, in at least the version that we
speak.

Stage: loader, after the driver's file was found.  In: what `__driDriverGetExtensions_NAME()`
returned.  Out: `BoundDriver`, or a `LoaderError` that names file, extension and version.  Answers
to loader_bind_extensions in Mesa's src/loader/loader.c and to the list of matches in
driswCreateScreenDriver (src/glx/drisw_glx.c).
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from pydri.loader.extensions import (
    DRI_COPY_SUB_BUFFER,
    DRI_CORE,
    DRI_MESA,
    DRI_SWRAST,
    PIPE_INTERFACE_VERSION,
    DriCopySubBuffer,
    DriCore,
    DriExtension,
    DriMesa,
    DriSwrast,
)


class LoaderError(RuntimeError):
    """A driver cannot be used; the text is what the user reads after `libGL error: `."""


class Match(NamedTuple):
    """One extension that the loader asks for."""

    name: str
    version: int
    field: str
    kind: type[DriExtension]
    optional: bool = False


MATCHES = (
    Match(DRI_CORE, 1, "core", DriCore),
    Match(DRI_SWRAST, 4, "swrast", DriSwrast),
    Match(DRI_COPY_SUB_BUFFER, 1, "copy_sub_buffer", DriCopySubBuffer, optional=True),
    Match(DRI_MESA, 1, "mesa", DriMesa),
)


class BoundDriver(NamedTuple):
    """A driver with its extensions in place."""

    name: str
    file: str
    core: DriCore
    swrast: DriSwrast
    mesa: DriMesa
    copy_sub_buffer: DriCopySubBuffer | None


def bind_extensions(name: str, file: str, offered: Iterable[Any] | None) -> BoundDriver:
    """Bind what a driver offers; raise LoaderError with every complaint at once."""
    if offered is None:
        raise LoaderError(f"driver {name} exports no extensions ({file})")
    found: dict[str, Any] = {}
    for extension in offered:
        extension_name = getattr(extension, "name", None)
        if not isinstance(extension_name, str) or not isinstance(
            getattr(extension, "version", None), int
        ):
            raise LoaderError(
                f"driver {name} offers {extension!r}, which has no name and version ({file})"
            )
        found.setdefault(extension_name, extension)
    complaints = []
    fields: dict[str, Any] = {match.field: None for match in MATCHES}
    for match in MATCHES:
        extension = found.get(match.name)
        if extension is None:
            if not match.optional:
                complaints.append(
                    f"did not find extension {match.name} version {match.version} in {file}"
                )
        elif extension.version < match.version:
            if not match.optional:
                complaints.append(
                    f"extension {match.name} of {file} has version {extension.version},"
                    f" version {match.version} is needed"
                )
        elif not isinstance(extension, match.kind):
            complaints.append(
                f"extension {match.name} of {file} is a {type(extension).__name__},"
                f" not a pydri.loader.extensions.{match.kind.__name__}"
            )
        else:
            fields[match.field] = extension
    if complaints:
        raise LoaderError("; ".join(complaints))
    spoken = fields["mesa"].interface_version()
    if spoken != PIPE_INTERFACE_VERSION:
        raise LoaderError(
            f"driver {name} ({file}) is written for version {spoken} of the pipe interface,"
            f" this loader speaks version {PIPE_INTERFACE_VERSION}"
        )
    return BoundDriver(name, file, **fields)
