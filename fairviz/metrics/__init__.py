"""Metrics, by family: kernels of arrays, and a catalogue that describes each once.

``catalogue`` says what every measure rewards, ``spec`` parses measure strings against it,
``standard`` reaches ir-measures for the usual effectiveness measures.
"""
