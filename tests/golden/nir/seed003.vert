varying vec4 m1[4];
varying vec4 m2[4];
attribute vec4 a1[4];
uniform int index;

void main()
{
	gl_Position = a1[0];

	m1[0] = a1[0];
	m1[1] = a1[1];
	m1[2] = a1[2];
	m1[3] = a1[0];
	m2[0] = a1[index];
	m2[1] = a1[index];
	m2[2] = a1[index];
	m2[3] = a1[index];
}
