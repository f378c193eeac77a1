# SPDX-License-Identifier: MIT
"""VTK 9 in a window, OpenGL 3.2 core: nested surfaces seen through one another by depth peeling,
many glyphs, a volume by ray casting, and text. Frames hang on their number alone."""

import vtk


def surfaces() -> vtk.vtkActor:
    shape = vtk.vtkQuadric()
    shape.SetCoefficients(0.5, 1, 0.2, 0, 0.1, 0, 0, 0.2, 0, 0)
    samples = vtk.vtkSampleFunction()
    samples.SetSampleDimensions(40, 40, 40)
    samples.SetImplicitFunction(shape)
    contours = vtk.vtkContourFilter()
    contours.SetInputConnection(samples.GetOutputPort())
    contours.GenerateValues(5, 0.0, 1.2)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(contours.GetOutputPort())
    mapper.SetScalarRange(0, 1.2)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetOpacity(0.6)
    return actor


def glyphs() -> vtk.vtkActor:
    plane, cone = vtk.vtkPlaneSource(), vtk.vtkConeSource()
    plane.SetResolution(40, 40)
    plane.SetOrigin(-3, -2, -2)
    plane.SetPoint1(3, -2, -2)
    plane.SetPoint2(-3, -2, 2)
    cone.SetRadius(0.04)
    cone.SetHeight(0.15)
    mapper = vtk.vtkGlyph3DMapper()
    mapper.SetInputConnection(plane.GetOutputPort())
    mapper.SetSourceConnection(cone.GetOutputPort())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(0.3, 0.9, 0.5)
    return actor


def volume() -> vtk.vtkVolume:
    source = vtk.vtkRTAnalyticSource()
    source.SetWholeExtent(-12, 12, -12, 12, -12, 12)
    mapper = vtk.vtkGPUVolumeRayCastMapper()
    mapper.SetInputConnection(source.GetOutputPort())
    colors, opacities = vtk.vtkColorTransferFunction(), vtk.vtkPiecewiseFunction()
    points = ((37, (0, 0, 1), 0.0), (150, (0, 1, 0), 0.02), (276, (1, 0, 0), 0.5))
    for value, rgb, opacity in points:
        colors.AddRGBPoint(value, *rgb)
        opacities.AddPoint(value, opacity)
    shown = vtk.vtkVolume()
    shown.SetMapper(mapper)
    shown.GetProperty().SetColor(colors)
    shown.GetProperty().SetScalarOpacity(opacities)
    shown.SetScale(0.06)
    shown.SetPosition(0, 2, 0)
    return shown


def main() -> None:
    renderer, window = vtk.vtkRenderer(), vtk.vtkXOpenGLRenderWindow()
    window.SetSize(800, 600)
    window.AddRenderer(renderer)
    text = vtk.vtkTextActor()
    text.SetInput("VTK")
    for actor in (surfaces(), glyphs(), volume(), text):
        renderer.AddViewProp(actor)
    renderer.SetBackground(0.1, 0.2, 0.4)
    renderer.SetUseDepthPeeling(True)
    renderer.SetMaximumNumberOfPeels(8)
    renderer.ResetCamera()
    while True:
        renderer.GetActiveCamera().Azimuth(1)
        window.Render()


if __name__ == "__main__":
    main()
