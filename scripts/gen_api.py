#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Registry -> tables: writes pydri/api/{gl_table,glx_table,egl_table,enums,egl_enums,
api_digits,availability,enum_availability}.py and libgl_shim/gl.symbols.

In: gl.xml, glx.xml and egl.xml as the glad2 wheel carries them. Out: checked-in files, the same
for the same registry; `scripts/gen_api.py --check` (and a test) fails if they differ. Nobody types
a prototype by hand. The rows are one long string each, so that importing a table costs a memory
copy, not 3,400 tuples; pydri/api/rows.py parses them when somebody asks.

A row:   name [=alias] returncode param:code param:code ...
Codes:   v void   E enum   M primitive mode   B bitfield   A buffer/attribute bits   b boolean
         c signed char   C unsigned char   s short   S unsigned short   i int   I unsigned int
         l 64 bits signed   L 64 bits unsigned   X XID   f float   d double
         y Display*   V XVisualInfo*   F GLXFBConfig   G GLXContext   D GLXDrawable of any kind
         z zero-terminated text   p opaque pointer   *f pointer to float
         e EGLenum   Y EGLDisplay   N EGLDeviceEXT
         *f4 pointer to 4 constant floats
"""

import argparse
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[0] = ROOT

SCALARS = {
    "void": "v",
    "GLenum": "E",
    "GLbitfield": "B",
    "GLboolean": "b",
    "GLbyte": "c",
    "GLubyte": "C",
    "GLchar": "c",
    "GLcharARB": "c",
    "char": "c",
    "GLshort": "s",
    "GLushort": "S",
    "GLhalfNV": "S",
    "GLint": "i",
    "GLsizei": "i",
    "GLfixed": "i",
    "GLclampx": "i",
    "int": "i",
    "int32_t": "i",
    "Bool": "i",
    "Status": "i",
    "VLNode": "i",
    "GLuint": "I",
    "GLhandleARB": "I",
    "unsigned int": "I",
    "GLXVideoDeviceNV": "I",
    "GLint64": "l",
    "GLint64EXT": "l",
    "int64_t": "l",
    "GLintptr": "l",
    "GLintptrARB": "l",
    "GLsizeiptr": "l",
    "GLsizeiptrARB": "l",
    "GLvdpauSurfaceNV": "l",
    "GLuint64": "L",
    "GLuint64EXT": "L",
    "unsigned long": "X",
    "GLfloat": "f",
    "GLclampf": "f",
    "float": "f",
    "EGLenum": "e",
    "EGLBoolean": "I",
    "EGLint": "i",
    "EGLAttrib": "l",
    "EGLAttribKHR": "l",
    "EGLTime": "L",
    "EGLTimeKHR": "L",
    "EGLuint64KHR": "L",
    "GLdouble": "d",
    "GLclampd": "d",
}
XIDS = (
    "Colormap Font Pixmap Window GLXContextID GLXVideoCaptureDeviceNV GLXVideoSourceSGIX "
    "EGLNativePixmapType EGLNativeWindowType"
).split()
HANDLES = {
    "Display *": "y",
    "XVisualInfo *": "V",
    "GLXContext": "G",
    "const GLXContext": "G",
    "GLXFBConfig": "F",
    "GLXFBConfigSGIX": "F",
    "GLXFBConfig *": "*F",
    "GLXFBConfigSGIX *": "*F",
    "GLXDrawable": "D",
    "GLXPbuffer": "D",
    "GLXPbufferSGIX": "D",
    "GLXPixmap": "D",
    "GLXWindow": "D",
    "EGLDisplay": "Y",
    "EGLDeviceEXT": "N",
}
POINTERS = (
    "GLsync GLeglImageOES GLeglClientBufferEXT GLDEBUGPROC GLDEBUGPROCAMD GLDEBUGPROCARB "
    "GLDEBUGPROCKHR GLVULKANPROCNV __GLXextFuncPtr DMbuffer VLServer VLPath "
    "EGLClientBuffer EGLConfig EGLContext EGLDEBUGPROCKHR EGLImage EGLImageKHR EGLLabelKHR "
    "EGLNativeDisplayType EGLObjectKHR EGLSurface EGLSync EGLSyncKHR "
    "__eglMustCastToProperFunctionPointerType"
).split()
# Extensions of EGL whose functions have a stub. Unlike GL's, EGL's registry is full of functions of
# other window systems, and eglGetProcAddress is how programs ask whether something is there.
EGL_EXTENSIONS = (
    "EGL_ANGLE_sync_control_rate EGL_EXT_device_base EGL_EXT_platform_base "
    "EGL_EXT_swap_buffers_with_damage EGL_KHR_debug EGL_KHR_display_reference "
    "EGL_KHR_fence_sync EGL_KHR_image_base EGL_KHR_reusable_sync "
    "EGL_KHR_swap_buffers_with_damage EGL_KHR_wait_sync EGL_MESA_query_driver "
    "EGL_NV_post_sub_buffer"
).split()
GROUPS = {"PrimitiveType": "M", "AttribMask": "A", "ClearBufferMask": "A"}


def registry(name: str) -> ElementTree.Element:
    """The parsed XML file of the glad2 wheel."""
    import glad

    path = os.path.join(os.path.dirname(glad.__file__), "files", name)
    return ElementTree.parse(path).getroot()


def code_of(node: ElementTree.Element) -> tuple[str, str]:
    """(name, code) of a <proto> or <param>."""
    name = node.findtext("name") or ""
    text = "".join(node.itertext())
    spelled = re.sub(r"\s+", " ", text[: text.rindex(name)]).strip()
    stars = spelled.count("*")
    const = spelled.startswith("const ")
    if spelled in HANDLES:
        return name, HANDLES[spelled]
    base = spelled.replace("const", "").replace("*", "").replace("struct", "").strip()
    if not stars:
        group = GROUPS.get(node.get("group", ""))
        if group:
            return name, group
        if base in XIDS:
            return name, "X"
        return name, "p" if base in POINTERS else SCALARS[base]
    length = node.get("len", "")
    if stars > 1 or base not in SCALARS and base not in XIDS:
        return name, "p"
    inner = "X" if base in XIDS else SCALARS[base]
    if const and inner in "cC" and length in ("", "COMPSIZE(name)") and base != "GLbyte":
        if base in ("GLchar", "GLcharARB", "char") or name.lower().endswith("name"):
            return name, "z"
    count = length if const and length.isdigit() else ""
    return name, f"*{inner}{count}"


def flat(code: str) -> str:
    """The class of a code that decides how it is passed: rows may alias only if these agree."""
    return {"M": "I", "E": "I", "B": "I", "A": "I", "z": "p", "L": "l", "X": "l"}.get(
        code[0] if code[0] != "*" else "z", code[0]
    )


#: what the registry calls aliases, but are commands of their own: in EXT_direct_state_access they
#: make the buffer of a name that has none yet, in OpenGL 4.5 that is an error
OWN = frozenset({"glNamedBufferStorageEXT", "glNamedBufferSubDataEXT"})


def rows_of(root: ElementTree.Element, only: set[str] | None = None) -> dict[str, str]:
    """name -> row text, of all functions or of some."""
    shapes: dict[str, list[tuple[str, str]]] = {}
    alias: dict[str, str] = {}
    for command in root.findall("commands/command"):
        proto = command.find("proto")
        assert proto is not None
        if only is not None and proto.findtext("name") not in only:
            continue
        name, ret = code_of(proto)
        shapes[name] = [("", ret)] + [code_of(p) for p in command.findall("param")]
        other = command.find("alias")
        if other is not None and name not in OWN:
            alias[name] = other.get("name", "")
    rows = {}
    for name, shape in shapes.items():
        target = alias.get(name, "")
        while target in alias and alias[target] != name:
            target = alias[target]
        same = target in shapes and [flat(c) for _, c in shapes[target]] == [
            flat(c) for _, c in shape
        ]
        words = [name] + ([f"={target}"] if same else []) + [shape[0][1]]
        rows[name] = " ".join(words + [f"{n}:{c}" for n, c in shape[1:]])
    return rows


THREAD = "pydri_tls"  # exported for libraries of OpenGL ES (libgl_shim/gles.c)
NEWLINE = "\n"
HEAD = "# SPDX-License-Identifier: MIT\n"


def core_names(root: ElementTree.Element) -> list[str]:
    """Functions that belong to a version, not only to extensions."""
    return sorted({c.get("name", "") for c in root.findall("feature/require/command")})


def extension_names(root: ElementTree.Element, wanted: list[str]) -> list[str]:
    """Functions that some extensions bring."""
    return [
        c.get("name", "")
        for extension in root.findall("extensions/extension")
        if extension.get("name") in wanted
        for c in extension.findall("require/command")
    ]


#: the columns of availability: the registry's name of an API, and the profile
APIS = (("gl", "compatibility"), ("gl", "core"), ("gles1", ""), ("gles2", ""))
#: what an extension says that it is for -> the column
SUPPORTED = {"gl": 0, "glcore": 1, "gles1": 2, "gles2": 3}
#: for what else an extension is: Mesa has these there, too, and programs rely on it
SUPPORTED_TOO = {
    "GL_OES_EGL_image": ("gl", "glcore"),
    "GL_EXT_abgr": ("glcore",), "GL_ATI_texture_mirror_once": ("glcore",),
    "GL_EXT_texture_mirror_clamp": ("glcore",), "GL_EXT_transform_feedback": ("glcore",),
    **{f"GL_{name}": ("gles1",) for name in (
        "ANGLE_texture_compression_dxt3", "ANGLE_texture_compression_dxt5", "EXT_debug_label",
        "EXT_polygon_offset_clamp", "KHR_no_error")},
}  # fmt: skip
#: and whose commands alone are there: what was removed stays away
COMMANDS_TOO = {f"GL_{name}": ("glcore",) for name in (
    "ARB_shader_objects", "EXT_framebuffer_object", "EXT_texture_integer",
    "IBM_multimode_draw_arrays", "NV_copy_image")}  # fmt: skip
#: extensions of which OpenGL ES 1 has what the registry says of OpenGL ES 2 alone
AS_IN_ES2 = ("GL_KHR_debug", "GL_EXT_debug_label")
#: for what an extension is in the registry alone: no driver of OpenGL has ever had these there
NOT_SUPPORTED = {
    f"GL_OES_{name}": "gl"
    for name in ("byte_coordinates", "compressed_paletted_texture", "fixed_point", "query_matrix",
                 "single_precision")
}  # fmt: skip
FIRST_CORE = 31  # OpenGL 3.1 is the first that has not all of the versions before


def _feature_versions(
    root: ElementTree.Element, column: int, kind: str = "command"
) -> dict[str, int]:
    """name of a command or an enum -> the first version (33 is 3.3) of an API that has it, and
    keeps it."""
    api, profile = APIS[column]
    least = FIRST_CORE if profile == "core" else 0
    out: dict[str, int] = {}
    for feature in root.findall(f"feature[@api='{api}']"):  # in the order of their numbers
        number = max(int(feature.get("number", "0").replace(".", "")), least)
        for part in feature:
            if part.get("profile", profile) not in (profile, "common"):
                continue
            for thing in part.findall(kind):
                name = thing.get("name", "")
                if part.tag == "remove":
                    out.pop(name, None)
                else:
                    out.setdefault(name, number)
    return out


def _extension_columns(
    root: ElementTree.Element, kind: str = "command"
) -> dict[str, dict[str, int]]:
    """name -> extension (without GL_) -> bits of the columns in which it brings the command, or
    the enum."""
    out: dict[str, dict[str, int]] = {}
    for extension in root.findall("extensions/extension"):
        supported = (extension.get("supported") or "").split("|")
        supported += SUPPORTED_TOO.get(extension.get("name", ""), ())
        if kind == "command":
            supported += COMMANDS_TOO.get(extension.get("name", ""), ())
        never = NOT_SUPPORTED.get(extension.get("name", ""))
        columns = [SUPPORTED[s] for s in supported if s in SUPPORTED and s != never]
        for part in extension.findall("require"):
            for column in columns:
                api, profile = APIS[column]
                if api == "gles1" and extension.get("name") in AS_IN_ES2:
                    api = "gles2"
                if part.get("api", api) != api or part.get("profile", profile) != profile:
                    continue
                for thing in part.findall(kind):
                    mine = out.setdefault(thing.get("name", ""), {})
                    name = extension.get("name", "").removeprefix("GL_")
                    mine[name] = mine.get(name, 0) | 1 << column
    return out


def availability_texts(root: ElementTree.Element, rows: dict[str, str]) -> tuple[str, str]:
    """The texts of api_digits.py, which each start needs, and of availability.py. A name that is an
    alias of another means the same function, as in Mesa: it is there wherever one of its names is.
    """
    names = sorted(rows)
    base = {name: words[1][1:] if (words := row.split(" "))[1][0] == "=" else name
            for name, row in rows.items()}  # fmt: skip
    versions = [_feature_versions(root, column) for column in range(len(APIS))]
    extensions = _extension_columns(root)
    lines, apis = [], dict.fromkeys(names, 0)
    for name in names:
        own = [v.get(name, 0) for v in versions]
        others = extensions.get(name, {})
        bits = sum(1 << column for column, version in enumerate(own) if version)
        for more in others.values():
            bits |= more
        apis[base[name]] |= bits
        lines.append(" ".join([*map(str, own), *(f"{n}:{b:x}" for n, b in sorted(others.items()))]))
    digits = "".join(f"{apis[base[name]]:x}" for name in names)
    parts = [f'    "{digits[n : n + 90]}"' for n in range(0, len(digits), 90)]
    generated = " by slot. Generated by scripts/gen_api.py from\ngl.xml: do not edit."
    return (
        f'{HEAD}"""Which APIs have each gl* entry point,{generated} pydri/api/apis.py reads it.\n'
        '"""\n\n'
        "#: a hexadecimal digit a slot: the APIs (bits of pydri/api/apis.py) that have it at all\n"
        f"DIGITS = (\n{NEWLINE.join(parts)}\n)\n",
        f'{HEAD}"""Where each gl* entry point is available,{generated} pydri/api/registry.py reads'
        ' it.\n"""\n\n'
        "#: a line a slot: the first versions of the compatibility profile, core, ES 1 and ES 2\n"
        "#: (0: none), then the extensions that bring it, each with the APIs as a digit\n"
        f'LINES = """\\\n{NEWLINE.join(lines)}\n"""\n',
    )


def enum_availability_text(root: ElementTree.Element) -> str:
    """The text of enum_availability.py. Names of one value are one enum: it is there wherever one
    of them is."""
    versions = [_feature_versions(root, column, "enum") for column in range(len(APIS))]
    brought = _extension_columns(root, "enum")
    first: dict[int, list[int]] = {}
    extensions: dict[int, dict[str, int]] = {}
    for group in root.findall("enums"):
        for enum in group.findall("enum"):
            name, value = enum.get("name", ""), int(enum.get("value", "0"), 0)
            own = [version.get(name, 0) for version in versions]
            if group.get("type") == "bitmask" or not (any(own) or name in brought):
                continue
            known = first.setdefault(value, [0] * len(APIS))
            first[value] = [min(filter(None, pair), default=0) for pair in zip(known, own)]
            for extension, bits in brought.get(name, {}).items():
                mine = extensions.setdefault(value, {})
                mine[extension] = mine.get(extension, 0) | bits
    lines = []
    for value in sorted(first):
        others = sorted(extensions.get(value, {}).items())
        words = [f"{value:x}", *map(str, first[value]), *(f"{n}:{bits:x}" for n, bits in others)]
        lines.append(" ".join(words))
    return (
        f'{HEAD}"""Where each GL enum is available, by value. Generated by scripts/gen_api.py from'
        '\ngl.xml: do not edit. pydri/api/registry.py reads it.\n"""\n\n'
        "#: a line a value (hexadecimal): the first versions of the compatibility profile, core,\n"
        "#: ES 1 and ES 2 (0: none), then the extensions that bring it, as in availability.py\n"
        f'LINES = """\\\n{NEWLINE.join(lines)}\n"""\n'
    )


def table_text(what: str, source: str, rows: dict[str, str], core: list[str]) -> str:
    """The text of gl_table.py, glx_table.py or egl_table.py."""
    body = "\n".join(rows[name] for name in sorted(rows))
    return (
        f'{HEAD}"""{what}, sorted: the place is the slot. Generated by scripts/gen_api.py from\n'
        f"{source}: do not edit. The row format is described there; pydri/api/rows.py reads it."
        f'"""\n\n'
        f"from pydri.api.rows import Table\n\n"
        f'TABLE = Table("""\\\n{body}\n""")\n'
        "SLOTS = TABLE.slots\n"
        + (f'CORE = """\\\n{NEWLINE.join(core)}\n""".split()\n' if core else "")
    )


def enum_values(root: ElementTree.Element, prefix: str) -> dict[str, int]:
    """name -> value; where an API dialect gives another value, desktop GL's counts."""
    values: dict[str, int] = {}
    for enum in root.findall("enums/enum"):
        name = enum.get("name", "")
        if name.startswith(prefix) and (name not in values or enum.get("api") in (None, "gl")):
            text = enum.get("value", "")
            if text.startswith('"'):
                continue  # names of extensions
            number = re.search(r"-?\b(0x[0-9A-Fa-f]+|[0-9]+)\b", text)  # EGL_CAST(EGLContext,0)
            assert number is not None
            values[name] = int(number[0], 0)
    return values


def egl_enum_text(values: dict[str, int]) -> str:
    """The text of egl_enums.py."""
    lines = [f"{name} = {value:#x}" for name, value in sorted(values.items())]
    return (
        f'{HEAD}"""EGL_* constants. Generated by scripts/gen_api.py from egl.xml: do not edit.'
        " `name_of`"
        f' names one for\nmessages and traces (the one without a vendor\'s suffix where there are'
        f' several)."""\n\n' + NEWLINE.join(lines) + "\n\n_names: dict[int, str] = {}\n\n\n"
        "def name_of(value: int) -> str:\n"
        '    """The name of an EGLenum or EGLint, or the number."""\n'
        "    if not _names:\n"
        "        for name, number in list(globals().items()):\n"
        '            if name.startswith("EGL_") and number >= 0x3000:\n'
        "                if number not in _names or len(name) < len(_names[number]):\n"
        "                    _names[number] = name\n"
        '    return _names.get(value, f"0x{value:04x}")\n'
    )


def enum_text(values: dict[str, int], modes: list[str], bits: list[str]) -> str:
    """The text of enums.py."""
    lines = [
        f'{HEAD}"""GL_* and GLX_* constants. Generated by scripts/gen_api.py from gl.xml and'
        " glx.xml: do\nnot edit. `name_of(value)` names a GL enum for messages and traces.\n"
        '"""\n',
        "from pydri.api.enum_names import EnumNames\n",
    ]
    lines += [f"{name} = {hex(value)}" for name, value in sorted(values.items())]
    lines += [
        "",
        f'_MODES = "{" ".join(modes)}"',
        f'_BITS = "{" ".join(bits)}"',
        "_names = EnumNames(globals(), _MODES, _BITS)",
        "name_of = _names.name_of",
        "mode_name = _names.mode_name",
        "bits_name = _names.bits_name",
    ]
    return "\n".join(lines) + "\n"


def group_members(root: ElementTree.Element, group: str) -> list[str]:
    """Names of a group, the ones without a vendor's suffix, by value."""
    found = []
    for enum in root.findall("enums/enum"):
        name = enum.get("name", "")
        vendor = re.search(r"_(EXT|ARB|OES|NV|KHR|SGIX|3DFX)$", name)
        if group in enum.get("group", "").split(",") and not vendor:
            found.append((int(enum.get("value", "0"), 0), name))
    return [name for _, name in sorted(set(found))]


def generate() -> dict[str, str]:
    """relative path -> text."""
    from pydri.api import osmesa_table  # which no registry knows

    gl, glx, egl = registry("gl.xml"), registry("glx.xml"), registry("egl.xml")
    gl_rows, glx_rows = rows_of(gl), rows_of(glx)
    egl_core = core_names(egl)
    egl_rows = rows_of(egl, {*egl_core, *extension_names(egl, EGL_EXTENSIONS)})
    values = enum_values(gl, "GL_") | enum_values(glx, "GLX_")
    modes = group_members(gl, "PrimitiveType")
    bits = sorted(set(group_members(gl, "AttribMask") + group_members(gl, "ClearBufferMask")))
    digits, lines = availability_texts(gl, gl_rows)
    exported = [*gl_rows, *glx_rows, *egl_core, *osmesa_table.SLOTS, THREAD]
    return {
        "pydri/api/gl_table.py": table_text("Every gl* entry point", "gl.xml", gl_rows, []),
        "pydri/api/glx_table.py": table_text(
            "Every glX* entry point", "glx.xml", glx_rows, core_names(glx)
        ),
        "pydri/api/egl_table.py": table_text(
            "The egl* entry points", "egl.xml", egl_rows, egl_core
        ),
        "pydri/api/egl_enums.py": egl_enum_text(enum_values(egl, "EGL_")),
        "pydri/api/enums.py": enum_text(values, modes, bits),
        "pydri/api/api_digits.py": digits,
        "pydri/api/availability.py": lines,
        "pydri/api/enum_availability.py": enum_availability_text(gl),
        "libgl_shim/gl.symbols": "\n".join(sorted(exported)) + "\n",
    }


def main() -> int:
    """Write the files, or compare them under --check."""
    parser = argparse.ArgumentParser(
        description="generate the API tables from the Khronos registry"
    )
    parser.add_argument("--check", action="store_true", help="only say what differs")
    check = parser.parse_args().check
    stale = 0
    for path, text in generate().items():
        full = os.path.join(ROOT, path)
        old = open(full, encoding="utf-8").read() if os.path.exists(full) else ""
        if old != text:
            stale += 1
            print(f"{path}: {'differs' if check else f'written, {len(text):,} bytes'}")
            if not check:
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
