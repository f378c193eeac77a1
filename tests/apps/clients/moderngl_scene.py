# SPDX-License-Identifier: MIT
"""moderngl with glfw, OpenGL 3.3 core: instanced cubes with an array of textures in a framebuffer
of four samples, their normals by a geometry shader, particles moved by transform feedback, and a
pass that draws what came of it. Frames hang on their number alone."""

import math

import glfw
import moderngl
import numpy as np

SIZE = 800, 600
PARTICLES = 2000
BOX = """#version 330
in vec3 p; in vec3 n; in vec3 off; out vec3 vn; out vec3 uv; out vec3 way;
uniform mat4 mvp; uniform float t;
void main() {
    float a = t + off.x;
    mat3 r = mat3(cos(a), 0, sin(a), 0, 1, 0, -sin(a), 0, cos(a));
    vn = r * n; uv = vec3(p.xy + 0.5, mod(off.x + off.y, 4.0));
    way = (mvp * vec4(vn * 0.6, 0.0)).xyz;
    gl_Position = mvp * vec4(r * p + off * 3.0, 1.0);
}"""
LIT = """#version 330
in vec3 vn; in vec3 uv; out vec4 o; uniform sampler2DArray tex;
void main() {
    float l = max(dot(normalize(vn), normalize(vec3(1, 2, 3))), 0.0) * 0.8 + 0.2;
    o = vec4(texture(tex, uv).rgb * l, 1.0);
}"""
NORMALS = """#version 330
layout(triangles) in; layout(line_strip, max_vertices = 2) out;
in vec3 way[];
void main() {
    vec4 middle = (gl_in[0].gl_Position + gl_in[1].gl_Position + gl_in[2].gl_Position) / 3.0;
    gl_Position = middle; EmitVertex();
    gl_Position = middle + vec4(way[0], 0.0); EmitVertex();
    EndPrimitive();
}"""
PLAIN = "#version 330\nout vec4 o; void main() { o = vec4(1.0, 0.9, 0.3, 1.0); }"
MOVE = """#version 330
in vec2 at; in vec2 speed; out vec2 new_at; out vec2 new_speed;
void main() {
    new_at = at + speed * 0.01;
    new_speed = mix(speed, -speed, vec2(greaterThan(abs(new_at), vec2(1.0))));
}"""
DOTS = "#version 330\nin vec2 at; void main() { gl_PointSize = 2.0; gl_Position = vec4(at, 0, 1); }"
WHOLE = """#version 330
out vec2 uv;
void main() {
    uv = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    gl_Position = vec4(uv * 2.0 - 1.0, 0, 1);
}"""
SHADED = """#version 330
in vec2 uv; out vec4 o; uniform sampler2D tex;
void main() { vec2 d = uv - 0.5; o = texture(tex, uv) * (1.0 - dot(d, d)); }"""


def box() -> np.ndarray:
    rows = []
    for axis in range(3):
        for side in (-1, 1):
            n = np.zeros(3)
            n[axis] = side
            u = np.roll(n, 1)
            v = np.cross(n, u)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, -1), (1, 1), (-1, 1)):
                rows.append([*(n * 0.5 + (a * u + b * v) * 0.5), *n])
    return np.array(rows, "f4")


def camera(t: float) -> np.ndarray:
    s, far, near = 1 / math.tan(0.45), 60.0, 1.0
    ratio = SIZE[0] / SIZE[1]
    project = np.array([[s / ratio, 0, 0, 0], [0, s, 0, 0], [0, 0, (far + near) / (near - far), -1],
                        [0, 0, 2 * far * near / (near - far), 0]])
    move, turn = np.eye(4), np.eye(4)
    move[3, 2] = -22
    turn[0, 0] = turn[2, 2] = math.cos(t)
    turn[0, 2], turn[2, 0] = math.sin(t), -math.sin(t)
    return (turn @ move @ project).astype("f4")


def main() -> None:
    glfw.init()
    for hint, value in ((glfw.CONTEXT_VERSION_MAJOR, 3), (glfw.CONTEXT_VERSION_MINOR, 3),
                        (glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE),
                        (glfw.OPENGL_FORWARD_COMPAT, True)):
        glfw.window_hint(hint, value)
    window = glfw.create_window(*SIZE, "moderngl", None, None)
    glfw.make_context_current(window)
    glfw.swap_interval(0)
    c = moderngl.create_context()
    cubes = c.buffer(box().tobytes())
    places = np.array([(x - 2, y - 2, z - 2) for x in range(5) for y in range(5) for z in range(5)])
    offsets = c.buffer(places.astype("f4").tobytes())
    lit = c.program(vertex_shader=BOX, fragment_shader=LIT)
    normals = c.program(vertex_shader=BOX, geometry_shader=NORMALS, fragment_shader=PLAIN)
    boxes = c.vertex_array(lit, [(cubes, "3f 3f", "p", "n"), (offsets, "3f/i", "off")])
    spikes = c.vertex_array(normals, [(cubes, "3f 3f", "p", "n"), (offsets, "3f/i", "off")])
    y, x = np.mgrid[0:64, 0:64]
    images = [np.stack([x * 4, y * 4, ((x // w + y // w) % 2) * 255], -1) for w in (4, 8, 16, 32)]
    array = c.texture_array((64, 64, 4), 3, np.stack(images).astype("u1").tobytes())
    array.build_mipmaps()
    rng = np.random.default_rng(7)
    at, speed = rng.uniform(-1, 1, (PARTICLES, 2)), rng.normal(0, 1, (PARTICLES, 2))
    start = np.concatenate([at, speed], 1)
    state = [c.buffer(start.astype("f4").tobytes()), c.buffer(reserve=PARTICLES * 16)]
    move = c.program(vertex_shader=MOVE, varyings=("new_at", "new_speed"))
    dots = c.program(vertex_shader=DOTS, fragment_shader=PLAIN)
    movers = [c.vertex_array(move, [(one, "2f 2f", "at", "speed")]) for one in state]
    drawers = [c.vertex_array(dots, [(one, "2f 2x4", "at")]) for one in state]
    result = c.texture(SIZE, 4)
    resolved = c.framebuffer([result])
    several = c.framebuffer([c.renderbuffer(SIZE, 4, samples=4)],
                            c.depth_renderbuffer(SIZE, samples=4))
    last = c.vertex_array(c.program(vertex_shader=WHOLE, fragment_shader=SHADED), [])
    frame = 0
    while not glfw.window_should_close(window):
        t = frame * 0.02
        several.use()
        c.clear(0.1, 0.1, 0.2)
        c.enable(moderngl.DEPTH_TEST | moderngl.CULL_FACE | moderngl.PROGRAM_POINT_SIZE)
        array.use(0)
        for program in (lit, normals):
            program["mvp"].write(camera(t * 0.3).tobytes())
            program["t"].value = t
        boxes.render(instances=len(places))
        spikes.render(instances=len(places))
        movers[frame % 2].transform(state[1 - frame % 2], moderngl.POINTS, PARTICLES)
        drawers[1 - frame % 2].render(moderngl.POINTS)
        c.copy_framebuffer(resolved, several)
        c.screen.use()
        c.disable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)
        result.use(0)
        last.render(vertices=3)
        glfw.swap_buffers(window)
        glfw.poll_events()
        frame += 1


if __name__ == "__main__":
    main()
