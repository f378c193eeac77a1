# SPDX-License-Identifier: MIT
"""Plans that come from the cache: they are those that were kept, on the present images."""

from __future__ import annotations

import ctypes
import os

import pytest

from pipe_llvm import plan_records
from pipe_llvm.context import LlvmContext
from pipe_llvm.native import LpPlan
from pipe_llvm.setup import any_image as setup_any
from pydri.api import enums as gl
from pydri.jit import Module
from pydri.jit.cache import object_cache
from pydri.util.codec import Damaged
from tests.unit.pipe_llvm.test_tiers import FRAGMENT, VERTEX, picture
from tests.unit.st.test_glsl import Shaded
from tests.unit.util.test_codec import damaged

FUNCTIONS = ("vs", "setup", "fs", "points")


def content(context: LlvmContext, pipeline: int) -> tuple[bytes, set[str]]:
    """A plan without addresses and counters, and the fields that are addresses of its images."""
    copy = ctypes.create_string_buffer(ctypes.string_at(pipeline, LpPlan.size))
    plan = LpPlan.view(ctypes.addressof(copy))
    images = [*context._plans[pipeline].images, setup_any.any_image()]
    known = {at for image in images for at in image.symbols.values()}
    fields = {name for name in FUNCTIONS if getattr(plan, name) in known}
    assert all(name in fields or not getattr(plan, name) for name in FUNCTIONS)
    for name in FUNCTIONS:
        setattr(plan, name, 0)
    plan.uses.left = plan.uses.since = 0
    return copy.raw, fields


def test_a_plan_is_what_was_kept() -> None:
    """Also one that was found, and is kept under a further name."""
    g = Shaded()
    g.program(VERTEX, FRAGMENT)
    picture(g)
    names = [os.urandom(16), os.urandom(16)]
    pipeline = int(next(reversed(g.st.plans.pipelines.values())))
    g.pipe.keep_pipeline(names[0], pipeline)
    wanted = content(g.pipe, pipeline)
    assert wanted[1] >= {"vs", "setup", "fs"}
    for n, name in enumerate(names):
        context = LlvmContext(g.pipe.screen)
        found = context.known_pipeline(name, lambda: pytest.fail("its state is not asked for"))
        assert found and content(context, found) == wanted
        assert context.known_pipeline(name, lambda: pytest.fail("nor the second time")) == found
        context.keep_pipeline(names[-1 - n], found)
        context.destroy()
    g.st.destroy()
    g.pipe.destroy()


def test_a_plan_with_a_shared_kernel_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the same kernel again, is told the same of its state, and may get its own later, with
    which it begins from then on."""
    monkeypatch.setattr("pipe_llvm.fragment.variants.SHARED_FROM", 0)
    monkeypatch.setattr(Module, "is_cached", lambda self: False)
    g = Shaded()
    g.program(VERTEX, FRAGMENT)
    g.Enable(gl.GL_BLEND)
    g.BlendFunc(gl.GL_DST_COLOR, gl.GL_ONE_MINUS_SRC_COLOR)
    picture(g)
    pipeline, name = int(next(reversed(g.st.plans.pipelines.values()))), os.urandom(16)
    own = g.pipe._plans[pipeline].own
    assert own and pipeline in g.pipe._fragments._shared
    g.pipe.keep_pipeline(name, pipeline)
    context = LlvmContext(g.pipe.screen)
    found = context.known_pipeline(name, lambda: pytest.fail("its state is not asked for"))
    assert found and content(context, found) == content(g.pipe, pipeline)
    later = context._fragments.own(found)
    assert later is not None and later.key == own
    owned, fields = context._plans[found], {"fs": "lp_fs"}
    image = object_cache().share(next(i.key for i in owned.images if "lp_fs" in i.symbols))
    assert image is not None
    context._exchange(found, owned, later, fields, image)
    record = plan_records.find(name)
    assert record is not None and not record.own
    assert record.images[-1] == (later.name, own, fields, False)
    context.destroy()
    g.st.destroy()
    g.pipe.destroy()


IMAGES = (("lp_fs", b"key", {"fs": "lp_fs"}, False), ("lp_setup", b"", {"setup": "set up"}, True))
RECORD = plan_records.PlanRecord(b"state", bytes(LpPlan.size), IMAGES, b"key of its own")
SHORT = RECORD._replace(plan=b"of another LpPlan")
STRANGE = RECORD._replace(images=(("lp_fs", b"key", {"no field": "lp_fs"}, False),))


def test_a_record_is_read_as_it_was_written() -> None:
    data = plan_records.pack(RECORD)
    assert plan_records.unpack(data) == RECORD
    for bad in damaged(data, 2000):
        try:
            found = plan_records.unpack(bad)
        except Damaged:
            continue
        assert [type(part) for part in found] == [bytes, bytes, tuple, bytes]
        assert len(found.plan) == LpPlan.size


def test_a_record_of_functions_that_are_not_there_is_a_miss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of another version's image, or made up: the plan is made as if there were none."""
    monkeypatch.setenv("PYDRI_TIERS", "first")  # better images would keep records of their own
    g = Shaded()
    g.program(VERTEX, FRAGMENT)
    picture(g)
    pipeline = int(next(reversed(g.st.plans.pipelines.values())))
    name = os.urandom(16)
    g.pipe.keep_pipeline(name, pipeline)
    record = plan_records.find(name)
    assert record is not None
    wrong = tuple(
        (module, key, dict.fromkeys(fields, "nowhere"), stand_in)
        for module, key, fields, stand_in in record.images
    )
    plan_records.keep(name, record._replace(images=wrong))
    context = LlvmContext(g.pipe.screen)
    assert context.known_pipeline(name, lambda: pytest.fail("its state is not asked for")) == 0
    for thing in (context, g.st, g.pipe):
        thing.destroy()


@pytest.mark.parametrize("damage", [
    b"", b"nothing of ours", b"\x80\x05)\x85.", bytes(8), plan_records.pack(SHORT),
    plan_records.pack(STRANGE),
])  # fmt: skip
def test_a_record_that_is_none_is_a_miss(damage: bytes) -> None:
    name = os.urandom(16)
    object_cache().put(plan_records._key(name), damage)
    assert plan_records.find(name) is None


def test_a_plan_from_the_cache_gets_better_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its modules are made of the state, which it asks for then."""
    monkeypatch.setenv("PYDRI_TIERS", "first")
    g = Shaded()
    text = FRAGMENT.replace("0.1, 0.2", f"0.1, 0.{int.from_bytes(os.urandom(3), 'big')}")
    g.program(VERTEX, text)
    before = picture(g)
    g.st.destroy()
    g.pipe.destroy()
    monkeypatch.delenv("PYDRI_TIERS")
    made = []
    improved = "pipe_llvm.context.improve"
    monkeypatch.setattr(improved, lambda module, done: made.append((module, done)))
    g = Shaded()
    g.program(VERTEX, text)
    assert all(picture(g) == before for _ in range(4))
    assert {module.name for module, _ in made} >= {"lp_vs", "lp_fs"}
    for module, done in made:
        done(module.compile())
    assert picture(g) == before
    g.st.destroy()
    g.pipe.destroy()
