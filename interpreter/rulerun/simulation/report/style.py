"""The style of a page: light and dark, on a screen of any width, on paper."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d2430; --faint: #5b6675;
  --line: #d5dae1; --row: #f4f6f9; --main: #2563b8; --mark: #b4460f; --soft: #cfdff5; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181f; --ink: #e4e8ee;
  --faint: #9aa5b4; --line: #343c48; --row: #1c222b; --main: #79aef5; --mark: #f0985c;
  --soft: #29425f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; line-height: 1.2; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
p { margin: .5rem 0; max-width: 46rem; }
.faint, caption { color: var(--faint); }
.warn { border-left: 4px solid var(--mark); padding: .25rem .75rem; background: var(--row); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .25rem 0; font-size: .9rem; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid var(--line); }
td { white-space: nowrap; } td.text { white-space: normal; }
th { font-weight: 600; }
th[scope=row], td.text, th.text { text-align: left; font-weight: inherit; }
tbody tr:hover { background: var(--row); }
td.part { min-width: 9rem; text-align: left; }
td.part span { display: inline-block; height: .7rem; background: var(--main);
  border-radius: 2px; vertical-align: middle; }
.marked { font-weight: 600; color: var(--mark); }
code { font: .88em/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 1rem 0; }
dt { color: var(--faint); } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: .75rem 0; } figcaption { font-weight: 600; }
.many { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1rem; }
.many figure { margin: 0; }
details { margin: .75rem 0; } summary { cursor: pointer; }
details caption { position: absolute; clip-path: inset(50%); }
:focus-visible { outline: 2px solid var(--main); outline-offset: 2px; }
svg { max-width: 100%; height: auto; display: block; }
svg text { fill: var(--ink); font: 13px system-ui, sans-serif; }
svg .note { fill: var(--faint); font-size: 11px; }
svg .bar { fill: var(--main); } svg .axis { stroke: var(--line); }
svg .fair { stroke: var(--faint); stroke-dasharray: 4 3; }
svg .reach { stroke: var(--main); stroke-width: 3; stroke-linecap: round; }
svg .point { fill: var(--main); }
svg .reach.marked { stroke: var(--mark); } svg .point.marked { fill: var(--mark); }
@media print { details { display: block; } body { max-width: none; } }
"""
