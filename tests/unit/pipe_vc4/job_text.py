# SPDX-License-Identifier: MIT
"""Writes jobs of our own as text, with shaders from assembly: fixtures of CI."""

import struct
from collections.abc import Sequence

from pipe_vc4.qpu.text import assemble

END = ["nop ; thrend", "nop", "nop ; sbdone"]
TRIANGLES, STRIP = 4, 5


def code(lines: Sequence[str]) -> bytes:
    """A shader's bytes."""
    return b"".join(assemble(line).to_bytes(8, "little") for line in lines)


def vertex_shader(varyings: int, coordinate: bool) -> list[str]:
    """Clip coordinates of attribute 0 to the screen, then `varyings` words as they come."""
    copies = ["mov vpm, r0", "mov vpm, r1", "mov vpm, r2", "mov vpm, r3"] if coordinate else []
    return [
        f"ldi vpm_rd_setup, {(4 + varyings & 15) << 20 | 0x1A00:#x}",
        "ldi vpm_wr_setup, 0x1a00",
        "mov r0, vpm", "mov r1, vpm", "mov r2, vpm", "mov r3, vpm", *copies,
        "mov sfu_recip, r3", "nop ; fmul r0, r0, unif", "nop ; fmul r1, r1, unif",
        "nop ; fmul r0, r0, r4", "nop ; fmul r1, r1, r4",
        "ftoi ra0.16a, r0", "ftoi ra0.16b, r1", "nop ; fmul r2, r2, r4", "mov vpm, ra0",
        "nop ; fmul r2, r2, unif", "fadd vpm, r2, unif", "mov vpm, r4",
        *["mov vpm, vpm"] * (0 if coordinate else varyings), *END[:2], "nop"]


class JobText:
    """A job of one picture while it is made; of four samples a pixel both surfaces have all."""

    def __init__(self, width: int = 64, height: int = 64, clear: int = 0xFF204060,
                 samples: int = 1) -> None:
        self.size, self.samples = (width, height), samples
        self.clear, self.clear_z, self.clear_s = clear, 0xFFFFFF, 0
        self.buffers: list[tuple[int, str, int, bytes]] = []
        self.bin, self.records, self.uniforms, self.record_lines = b"", b"", b"", []
        side = 64 if samples == 1 else 32
        self.tiles = -(-width // side), -(-height // side)
        pixels = self.tiles[0] * self.tiles[1] * 4096 * 4
        self.color, self.zs = self.buffer(b"", pixels, handle=1), self.buffer(b"", pixels, handle=2)
        self.reads = False
        self.packet(112, bytes(12) + bytes([*self.tiles, samples > 1]))
        self.packet(6, b"")
        self.packet(7, b"")
        self.packet(56, b"\x12")
        self.window(0, 0, width, height)

    def buffer(self, data: bytes, size: int = 0, handle: int = 0) -> int:
        """The number of a new buffer."""
        handle = handle or 10 + len(self.buffers)
        self.buffers.append((handle, "data", size or len(data), data))
        return len(self.buffers) - 1

    def packet(self, number: int, data: bytes) -> None:
        """A packet of the binning list."""
        self.bin += bytes([number]) + data

    def window(self, x: int, y: int, width: int, height: int) -> None:
        """The viewport, and the clip window with it."""
        self.scale = width * 8.0, height * 8.0
        self.packet(102, struct.pack("<4H", x, y, width, height))
        self.packet(103, struct.pack("<2h", x * 16 + width * 8, y * 16 + height * 8))
        self.packet(105, struct.pack("<2f", *self.scale))
        self.packet(106, struct.pack("<2f", 0.5, 0.5))

    def config(self, bits: int) -> None:
        """The configuration bits."""
        self.packet(96, bits.to_bytes(3, "little"))

    def draw(self, fragment: Sequence[str], vertices: Sequence[Sequence[float]], *,
             mode: int = TRIANGLES, values: Sequence[int] = (), handles: Sequence[int] = (),
             threads: int = 1, flat: int = 0) -> None:
        """A draw of vertices: x, y, z, w, then the varyings."""
        count = len(vertices[0]) - 4
        number = len(self.record_lines)
        data = self.buffer(b"".join(struct.pack(f"<{4 + count}f", *v) for v in vertices))
        shaders = [self.buffer(code(lines)) for lines in (
            fragment, vertex_shader(count, False), vertex_shader(count, True))]
        size = 16 + 4 * count
        self.records += struct.pack("<4I", *shaders, data)
        self.records += struct.pack("<HBB", 4 | (threads == 1), 0, count) + bytes(8)
        self.records += (struct.pack("<HBB", 0, 1, size) + bytes(8)) * 2
        self.records += struct.pack("<I4B", 0, size - 1, size, 0, 0)
        viewport = struct.pack("<4f", *self.scale, 0.5, 0.5)
        self.uniforms += struct.pack(f"<{len(handles) + len(values)}I", *handles, *values)
        self.uniforms += viewport * 2
        self.record_lines.append(
            f"record {number} uniforms fragment bo{shaders[0]} {len(handles)} {len(values)}"
            f" vertex bo{shaders[1]} 0 4 coordinate bo{shaders[2]} 0 4")
        self.packet(97, struct.pack("<I", flat))
        self.packet(64, bytes([1, 0, 0, 0]))
        self.packet(33, struct.pack("<BII", mode, len(vertices), 0))

    def text(self) -> str:
        """The job."""
        width, height = self.size
        lines = [f"width {width} height {height} tiles 0 0 {self.tiles[0] - 1} "
                 f"{self.tiles[1] - 1} flags 1 records {len(self.record_lines)}"]
        color = self.color if self.reads else -1
        zs = self.zs if self.reads else -1
        if self.samples > 1:
            lines += [f"color_read {color} 0 0000 0001", "color_write -1 0 0001 0000",
                      f"zs_read {zs} 0 0000 0001", "zs_write -1 0 0000 0000",
                      f"msaa_color_write {self.color} 0 0000 0000",
                      f"msaa_zs_write {self.zs} 0 0000 0000"]
        else:
            lines += [f"color_read {color} 0 0011 0000", f"color_write {self.color} 0 0044 0000",
                      f"zs_read {zs} 0 0012 0000", f"zs_write {self.zs} 0 0012 0000",
                      "msaa_color_write -1 0 0000 0000", "msaa_zs_write -1 0 0000 0000"]
        lines += [f"clear {self.clear:08x} {self.clear:08x} z {self.clear_z:08x} "
                  f"s {self.clear_s:02x}"]
        flushed = self.bin + bytes([4])
        for name, data in (("bin_cl", flushed), ("shader_rec", self.records),
                           ("uniforms", self.uniforms)):
            lines += [f"{name} bytes {len(data)}", *_words(data)]
        for i, (handle, kind, size, data) in enumerate(self.buffers):
            lines += [f"bo{i} handle {handle} size {size} kind {kind} bytes {len(data)}",
                      *_words(data)]
        return "\n".join([*lines, *self.record_lines]) + "\n"


def _words(data: bytes) -> list[str]:
    whole = len(data) // 4 * 4
    words = [f"{word:08x}" for word in struct.unpack(f"<{whole // 4}I", data[:whole])]
    if data[whole:]:
        words.append(f"tail {data[whole:].hex()}")
    return [" ".join(words[i:i + 16]) for i in range(0, len(words), 16)]
