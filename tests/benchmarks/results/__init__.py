"""What the scripts that are run by hand measured, as JSON: `psirag.evaluation.measured(name)` reads it."""
