# SPDX-License-Identifier: MIT
"""What GL says of itself follows from what the driver can do."""

from typing import Any

import pytest

from pydri.api.apis import COMPAT, CORE, ES2
from pydri.loader.drivers.null_dri import NullScreen
from pydri.main.context import GLContext
from pydri.main.extensions import ALL, BOTH, EXTENSIONS, Extension
from pydri.main.version import GLVersion, context_version, extensions, offered
from pydri.main.versions import VERSIONS
from pydri.pipe.caps import EVERYTHING, Caps


class Screen(NullScreen):
    """A driver with given capabilities."""

    def __init__(self, caps: Caps, formats: bool = True) -> None:
        super().__init__(None)
        self.caps, self.formats = caps, formats

    def get_caps(self) -> Caps:
        return self.caps

    def is_format_supported(self, *args: Any) -> bool:
        return self.formats and super().is_format_supported(*args)


def test_each_feature_hides_its_extensions() -> None:
    everything = extensions(screen=Screen(EVERYTHING))
    assert everything == [row.name for row in EXTENSIONS if row.api & COMPAT]
    for need in {need for row in EXTENSIONS for need in row.needs}:
        without = set(extensions(screen=Screen(EVERYTHING._replace(**{need: False}))))
        gone = {row.name for row in EXTENSIONS if need in row.needs}
        assert gone and without == set(everything) - gone


def test_formats_hide_extensions() -> None:
    gone = {row.name for row in EXTENSIONS if row.formats}
    assert gone
    assert not gone & set(extensions(screen=Screen(EVERYTHING, formats=False)))


def test_api_and_version() -> None:
    core = set(extensions(version=GLVersion(CORE, 9, 9)))
    assert "GL_ARB_sync" in core and "GL_EXT_fog_coord" not in core
    young = Extension("GL_TEST", 2000, BOTH, since=(3, 0))
    assert young.comes_with(COMPAT, (3, 0)) and not young.comes_with(COMPAT, (2, 1))
    new = young._replace(api=ALL, since_es=(3, 0))
    assert new.comes_with(ES2, (3, 0)) and not new.comes_with(ES2, (2, 0))
    assert not young.comes_with(ES2, (3, 2))
    assert "GL_ARB_sync" in extensions(version=GLVersion(COMPAT, 1, 1))


@pytest.mark.parametrize(("lacking", "best", "core"), [
    ("occlusion_query", (1, 4), None), ("clip_halfz", (3, 3), (3, 3)),
    ("geometry_shader", (3, 1), (3, 1)),
])
def test_versions_end_where_a_feature_is_missing(
    lacking: str, best: tuple[int, int], core: tuple[int, int] | None
) -> None:
    screen = Screen(EVERYTHING._replace(**{lacking: False}))
    assert offered(screen, COMPAT) == context_version(COMPAT, screen).number == best
    assert offered(screen, CORE) == core


def test_versions_name_extensions() -> None:
    rows = {row.name for row in EXTENSIONS}
    assert all(name in rows for row in VERSIONS for name in row.extensions)


def test_limits_are_the_drivers() -> None:
    caps = EVERYTHING._replace(
        max_viewport_size=4096, max_texture_2d_size=2048, max_line_width=7.0, subpixel_bits=4
    )
    ctx = GLContext(screen=Screen(caps))
    limits = ctx.n.limits
    assert tuple(limits.viewport) == (4096, 4096) and limits.texture_2d == 2048
    assert tuple(limits.line_width) == (1.0, 7.0) and limits.subpixel_bits == 4
    assert ctx.n.val.point_size_max == caps.max_point_size
    ctx.destroy()
