// A lit ball without its dark side: see docs/shader-forms.md.
varying vec3 normal;
uniform vec3 toward[2];

void main()
{
    float light = 0.0;
    for (int n = 0; n < 2; n++)
        light += max(dot(normalize(normal), toward[n]), 0.0);
    if (light < 0.125)
        discard;
    gl_FragColor = clamp(light, 0.0, 1.0) * gl_Color;
}
