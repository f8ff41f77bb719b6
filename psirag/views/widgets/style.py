"""How the panels look: one small stylesheet, in JupyterLab's own colours where there are any."""

from __future__ import annotations

STYLE = """<style>
.psirag, .psirag-live { --ink: var(--jp-ui-font-color1, #22303C); --soft: var(--jp-ui-font-color2, #5B6874);
  --line: var(--jp-border-color2, #D9DFE4); --page: var(--jp-layout-color1, #fff);
  --fill: var(--jp-layout-color2, #F3F5F7); }
.psirag-live button.psirag-wide { text-align: left; width: 100%; margin: 1px 0; overflow: hidden;
  text-overflow: ellipsis; background: none; border: 1px solid var(--line); border-radius: 4px; }
.psirag-live button.psirag-wide:hover, .psirag-live button.psirag-wide:focus-visible { background: var(--fill) }
.psirag { color: var(--ink); font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
.psirag-card { border: 1px solid var(--line); border-left: 4px solid var(--line); border-radius: 6px; padding: 8px 12px;
  margin: 0 0 8px; background: var(--page); }
.psirag-card.answer, .psirag-card.answered { border-left-color: #009E73 }
.psirag-card.retrieve, .psirag-card.live { border-left-color: #0072B2 }
.psirag-card.unparsed, .psirag-card.stopped, .psirag-card.budget_exhausted { border-left-color: #E69F00 }
.psirag-card.failed { border-left-color: #D55E00 }
.psirag h4 { margin: 0 0 4px; font-size: 14px; font-weight: 600; display: flex; gap: 8px; align-items: baseline;
  flex-wrap: wrap; }
.psirag h4 small, .psirag .told { color: var(--soft); font-weight: 400; font-size: 12px }
.psirag p { margin: 3px 0 }
.psirag .chip { border: 1px solid var(--line); background: var(--fill); border-radius: 9px; padding: 0 7px;
  font-size: 12px; white-space: nowrap; margin-right: 3px; }
.psirag .asked .chip { font-size: 13px; white-space: normal; box-decoration-break: clone }
.psirag .thought { color: var(--soft); font-style: italic }
.psirag .said { white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace; margin: 4px 0; max-height: 16em;
  overflow: auto; background: var(--fill); color: var(--ink); border-radius: 4px; padding: 6px 8px; }
.psirag .said.last { display: flex; flex-direction: column-reverse; margin: -4px 0 8px }
.psirag .big { font-size: 20px; font-weight: 600; margin: 2px 0 }
.psirag ol { margin: 4px 0 6px; padding-left: 24px }
.psirag li { margin: 2px 0 }
.psirag summary { cursor: pointer }
.psirag summary:focus-visible, .psirag a:focus-visible { outline: 2px solid #0072B2; outline-offset: 1px }
.psirag mark { background: #F0E442; color: #000; padding: 0 2px }
.psirag .evidence { background: #FFF3C4; color: #22303C; border-radius: 3px; padding: 1px 2px }
.psirag .pale { color: var(--soft) }
.psirag a.export { margin-right: 12px; text-decoration: underline; color: #0072B2 }
.psirag img { max-width: 100%; height: auto }
.psirag .sure { display: inline-block; width: 60px; height: 7px; background: var(--line); border-radius: 4px;
  overflow: hidden; vertical-align: middle; }
.psirag .sure i { display: block; height: 100%; background: #0072B2 }
</style>"""

# While a panel is live, its static form, which comes right after it, is not needed.
HIDE_STATIC = """<style>
.jp-OutputArea-child:has(.psirag-live) ~ .jp-OutputArea-child:has(.psirag-static) { display: none }
</style>"""
