"""The notebooks, as files of the wheel: `python -m psirag notebooks DIR` copies them."""
