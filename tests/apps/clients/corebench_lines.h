/* SPDX-License-Identifier: MIT */
/* The lines of corebench and their shaders. */

#define LIT \
    "vec3 lit(vec3 p, vec3 n) { vec3 sum = vec3(0.05); for (int i = 0; i < count; i++) {"          \
    " vec3 d = lights[i].xyz - p; float a = max(dot(n, normalize(d)), 0.0);"                       \
    " sum += colors[i].rgb * a / (0.1 + dot(d, d)); } return sum; }\n"
#define PLAIN IN_SURFACE "void main() { color = vec4(n * 0.5 + 0.5, 1.0); }"
#define PARTICLE \
    "layout(location = 0) in vec4 before; layout(location = 1) in vec4 pace;"                      \
    " out vec4 place, speed; void main() { vec4 pull = vec4(0.0);"                                 \
    " for (int i = 0; i < 4; i++) { vec3 d = lights[i].xyz - before.xyz;"                          \
    " pull.xyz += d / (0.1 + dot(d, d)); } speed = pace * 0.99 + pull * 0.001;"                    \
    " place = before + speed * 0.01; }"

#define SCREEN(name, fragment, number) \
    {name, "Mpix/s", t_screen, ACROSS, NULL, IN_ACROSS fragment, NULL, number}
#define MESH(name, vertex, geometry, fragment, number) \
    {name, "Mtri/s", t_mesh, vertex, geometry, fragment, NULL, number}
#define PASSES(name, vertex, geometry, fragment, last, number) \
    {name, "frame/s", t_passes, vertex, geometry, fragment, last, number}

static const Line LINES[] = {
    /* Geometry shaders: sprites of points, a wire over triangles by distances, layers, normals. */
    {"geometry_sprites", "Mpoint/s", t_points,
     INPUTS "out vec3 n; void main() { n = normal; gl_Position = view * vec4(position, 1.0); }",
     "layout(points) in; layout(triangle_strip, max_vertices = 4) out; in vec3 n[]; out vec2 at;"
     " out vec3 tint; void main() { for (int i = 0; i < 4; i++) { at = vec2(i & 1, i >> 1);"
     " tint = n[0]; gl_Position = gl_in[0].gl_Position + vec4(at * 0.02 - 0.01, 0.0, 0.0);"
     " EmitVertex(); } EndPrimitive(); }",
     IN_ACROSS "in vec3 tint; void main() { vec2 d = at * 2.0 - 1.0; if (dot(d, d) > 1.0) discard;"
     " color = vec4(abs(tint), 1.0); }", NULL, 0},
    MESH("geometry_wire", SURFACE,
         "layout(triangles) in; layout(triangle_strip, max_vertices = 3) out; in vec3 n[];"
         " out vec3 tint, edge; void main() { for (int i = 0; i < 3; i++) { tint = n[i];"
         " edge = vec3(i == 0, i == 1, i == 2); gl_Position = gl_in[i].gl_Position; EmitVertex(); }"
         " }",
         "in vec3 tint, edge; out vec4 color; void main() { vec3 w = edge / fwidth(edge);"
         " color = vec4(mix(vec3(0.0), abs(tint), clamp(min(w.x, min(w.y, w.z)), 0.0, 1.0)), 1.0);"
         " }", 0),
    MESH("geometry_normals", SURFACE,
         "layout(triangles) in; layout(line_strip, max_vertices = 6) out; in vec3 n[]; out vec3 tint;"
         " void main() { for (int i = 0; i < 3; i++) { tint = n[i];"
         " gl_Position = gl_in[i].gl_Position; EmitVertex();"
         " gl_Position += vec4(n[i] * 0.02, 0.0); EmitVertex(); EndPrimitive(); } }",
         "in vec3 tint; out vec4 color; void main() { color = vec4(tint, 1.0); }", 0),
    PASSES("geometry_layers", SURFACE,
           "layout(triangles) in; layout(triangle_strip, max_vertices = 18) out; in vec3 n[];"
           " out vec3 tint; void main() { for (int f = 0; f < 6; f++) { gl_Layer = f;"
           " for (int i = 0; i < 3; i++) { tint = n[i] * (0.4 + 0.1 * float(f));"
           " gl_Position = gl_in[i].gl_Position; EmitVertex(); } EndPrimitive(); } }",
           "in vec3 tint; out vec4 color; void main() { color = vec4(tint, 1.0); }",
           "uniform sampler2DArray layers;" IN_ACROSS
           "void main() { color = texture(layers, vec3(at, at.x * 6.0)); }", FACES),
    /* Transform feedback, with and without a geometry shader. */
    {"feedback", "Mvert/s", t_captures, PARTICLE, NULL,
     "out vec4 color; void main() { color = vec4(1.0); }", NULL, CAPTURED},
    {"feedback_geometry", "Mvert/s", t_captures,
     "layout(location = 0) in vec4 before; layout(location = 1) in vec4 pace; out vec4 old, way;"
     " void main() { old = before; way = pace; }",
     "layout(points) in; layout(points, max_vertices = 1) out; in vec4 old[], way[];"
     " out vec4 place, speed; void main() { speed = way[0] * 0.99; place = old[0] + speed * 0.01;"
     " EmitVertex(); }",
     "out vec4 color; void main() { color = vec4(1.0); }", NULL, CAPTURED / 4},
    /* Blocks of uniforms, instances, conditional rendering, what is written anew each frame. */
    {"block_ranges", "kdraw/s", t_ranges,
     "layout(location = 0) in vec3 position; layout(std140) uniform Row { vec4 place, tint; };"
     " void main() { gl_Position = vec4(position * place.w + place.xyz, 1.0); }", NULL,
     "layout(std140) uniform Row { vec4 place, tint; }; out vec4 color;"
     " void main() { color = tint; }", NULL, 0},
    {"instances", "Minst/s", t_instances,
     "layout(location = 0) in vec3 position; layout(location = 3) in vec4 place; flat out vec4 tint;"
     " void main() { tint = place.zxyz; gl_Position = vec4(position * place.w + place.xyz, 1.0); }",
     NULL, "flat in vec4 tint; out vec4 color; void main() { color = tint; }", NULL, 0},
    {"instances_by_number", "Minst/s", t_instances,
     "layout(location = 0) in vec3 position; uniform samplerBuffer table; flat out vec4 tint;"
     " void main() { vec4 place = texelFetch(table, gl_InstanceID); tint = place.zxyz;"
     " gl_Position = vec4(position * place.w + place.xyz, 1.0); }",
     NULL, "flat in vec4 tint; out vec4 color; void main() { color = tint; }", NULL, 1},
    {"occlusion", "kbox/s", t_occlusion,
     "layout(location = 0) in vec3 position; uniform int which; void main() {"
     " vec3 at = vec3(which % 20, which / 20 % 20, which % 13) / vec3(10.0, 10.0, 13.0) - 1.0;"
     " gl_Position = vec4(position * 0.08 + at, 1.0); }", NULL,
     "uniform int which; out vec4 color; void main() { color = vec4(float(which) / 400.0); }",
     NULL, 0},
    {"stream", "Mquad/s", t_stream,
     "layout(location = 0) in vec4 place; layout(location = 1) in vec4 tint; out vec2 at;"
     " out vec4 c; void main() { at = place.zw; c = tint;"
     " gl_Position = vec4(place.xy, 0.0, 1.0); }", NULL,
     "uniform sampler2D image;" IN_ACROSS "in vec4 c; void main() { color = c * texture(image, at);"
     " }", NULL, 0},
    /* Light, textures, loops in one pass. */
    MESH("forward_lights", SURFACE, NULL,
         LIT IN_SURFACE "void main() { color = vec4(lit(p, normalize(n)), 1.0); }", 0),
    MESH("clip_distances",
         INPUTS "out vec3 n; out float gl_ClipDistance[1]; void main() { n = normal;"
         " gl_ClipDistance[0] = position.x + 0.3; gl_Position = vec4(position, 1.0); }", NULL,
         "in vec3 n; out vec4 color; void main() { color = vec4(n, 1.0); }", GL_CLIP_DISTANCE0),
    MESH("flat_first", INPUTS "flat out vec3 n; void main() { n = normal;"
         " gl_Position = vec4(position, 1.0); }", NULL,
         "flat in vec3 n; out vec4 color; void main() { color = vec4(n, 1.0); }", 0),
    SCREEN("array_texture", "uniform sampler2DArray layers; void main() {"
           " vec4 w = texture(layers, vec3(at, 3.0)); color = texture(layers, vec3(at * 7.0, 0.0))"
           " * w.r + texture(layers, vec3(at * 9.0, 1.0)) * w.g"
           " + texture(layers, vec3(at * 5.0, 2.0)) * w.b; }", 0),
    SCREEN("srgb_texture", "uniform sampler2D image; void main() {"
           " color = texture(image, at * 3.0) * texture(image, at.yx); }", 0),
    SCREEN("cube_reflect", "uniform samplerCube cube; void main() {"
           " vec3 n = normalize(vec3(at * 2.0 - 1.0, 0.6)); vec3 r = reflect(vec3(0.0, 0.0, -1.0),"
           " n); color = textureLod(cube, r, 2.0) * 0.5 + texture(cube, n) * 0.5; }", 0),
    SCREEN("volume", "uniform sampler3D volume; void main() { vec3 p = vec3(at, 0.0);"
           " vec4 sum = vec4(0.0); for (int i = 0; i < 64; i++) { p.z += 1.0 / 64.0;"
           " float d = texture(volume, p).r; vec4 c = vec4(d, d * d, 1.0 - d, 1.0) * d * 0.1;"
           " sum += c * (1.0 - sum.a); if (sum.a > 0.95) break; } color = sum; }", 0),
    SCREEN("hash_noise", "uint hash(uvec2 v) { uint h = v.x * 1664525u ^ v.y * 1013904223u;"
           " h ^= h >> 16; h *= 2246822519u; h ^= h >> 13; return h; } void main() {"
           " uvec2 v = uvec2(gl_FragCoord.xy); float sum = 0.0; for (uint i = 0u; i < 4u; i++)"
           " sum += float(hash((v >> i) + i) & 0xffffu) / 65535.0 / float(1u << i);"
           " color = vec4(sum * 0.5); }", 0),
    SCREEN("dual_source", "layout(location = 0, index = 1) out vec4 factor; void main() {"
           " color = vec4(at, 0.3, 1.0); factor = vec4(0.5, at.y, 0.9, 1.0); }", GL_SRC1_COLOR),
    SCREEN("table_lookup", "uniform samplerBuffer table; void main() {"
           " int i = int(gl_FragCoord.x) + 8 * int(gl_FragCoord.y);"
           " color = texelFetch(table, i & 4095) + texelFetch(table, (i * 7) & 4095); }", 0),
    SCREEN("pbr", "uniform samplerCube cube; void main() { vec3 n = normalize(vec3(at - 0.5, 0.7));"
           " vec3 v = vec3(0.0, 0.0, 1.0), sum = vec3(0.0); float rough = at.x * 0.8 + 0.1,"
           " a = rough * rough; for (int i = 0; i < 4; i++) {"
           " vec3 l = normalize(lights[i].xyz + v), h = normalize(l + v);"
           " float nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 1e-3), nh = max(dot(n, h), 0.0);"
           " float q = nh * nh * (a * a - 1.0) + 1.0, d = a * a / (3.14159 * q * q);"
           " float k = (rough + 1.0) * (rough + 1.0) / 8.0;"
           " float g = nl / (nl * (1.0 - k) + k) * nv / (nv * (1.0 - k) + k);"
           " vec3 f = vec3(0.04) + 0.96 * pow(1.0 - max(dot(h, v), 0.0), 5.0);"
           " sum += (d * g * f / (4.0 * nl * nv + 1e-3) + 0.3) * colors[i].rgb * nl * 4.0; }"
           " vec3 back = textureLod(cube, reflect(-v, n), rough * 6.0).rgb;"
           " color = vec4(pow(sum + back * 0.3, vec3(1.0 / 2.2)), 1.0); }", 0),
    /* Two passes. */
    PASSES("deferred", SURFACE, NULL,
           "uniform sampler2DArray layers;" IN_SURFACE "layout(location = 1) out vec4 o1;"
           " layout(location = 2) out vec4 o2; void main() {"
           " color = texture(layers, vec3(uv * 4.0, 0.0)); o1 = vec4(normalize(n), 0.5);"
           " o2 = vec4(p, 1.0); }",
           "uniform sampler2D image, first, second;" LIT IN_ACROSS "void main() {"
           " vec4 o = texture(second, at); if (o.w == 0.0) discard;"
           " color = texture(image, at) * vec4(lit(o.xyz, texture(first, at).xyz), 1.0); }",
           DEFERRED),
    PASSES("integers", ACROSS, NULL,
           "in vec2 at; out uvec4 o; void main() { uvec2 v = uvec2(gl_FragCoord.xy);"
           " o = uvec4(v, v.x * v.y, v.x ^ v.y); }",
           "uniform usampler2D first;" IN_ACROSS "void main() { ivec2 v = ivec2(gl_FragCoord.xy);"
           " uvec4 sum = uvec4(0u); for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++)"
           " sum += texelFetch(first, clamp(v + ivec2(x, y), ivec2(0), ivec2(511)), 0);"
           " color = vec4(sum & 255u) / 255.0; }", INTEGERS),
    PASSES("bloom", SURFACE, NULL,
           IN_SURFACE "void main() { color = vec4(pow(abs(n) * 2.0, vec3(3.0)), 1.0); }",
           "uniform sampler2D first;" IN_ACROSS "void main() { vec3 sum = vec3(0.0);"
           " for (int i = -6; i <= 6; i++) sum += max(texture(first, at + vec2(i, 0) / 512.0).rgb"
           " - 1.0, 0.0) * exp(-float(i * i) * 0.1); vec3 c = texture(first, at).rgb + sum * 0.3;"
           " color = vec4(pow(c / (1.0 + c), vec3(1.0 / 2.2)), 1.0); }", HDR),
    PASSES("samples_fetch", SURFACE, NULL, PLAIN,
           "uniform sampler2DMS many;" IN_ACROSS "void main() { vec4 sum = vec4(0.0);"
           " for (int i = 0; i < 4; i++) sum += texelFetch(many, ivec2(gl_FragCoord.xy), i);"
           " color = sum / 4.0; }", SAMPLES),
    PASSES("samples_blit", SURFACE, NULL, PLAIN, NULL, SAMPLES_BLIT),
    PASSES("shadow_map", SURFACE, NULL, "void main() { }",
           "uniform sampler2DShadow depth;" IN_ACROSS "void main() { float sum = 0.0;"
           " for (int y = -1; y <= 1; y++) for (int x = -1; x <= 1; x++)"
           " sum += texture(depth, vec3(at + vec2(x, y) / 512.0, 0.51)); color = vec4(sum / 9.0); }",
           SHADOW),
    PASSES("srgb_target", SURFACE, NULL, PLAIN,
           "uniform sampler2D first;" IN_ACROSS "void main() { color = texture(first, at); }", SRGB),
};
