"""Elements of an HTML page: all text escaped, nothing fetched."""

from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --ground: #ffffff;
  --card: #f6f8fa; --mark: #0b5cad; --good: #1a7f37; --bad: #b42318; --limit: #b42318;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #7a6a00; --c5: #56606b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa5b1; --rule: #3a424c;
  --ground: #0f141a; --card: #171d25; --mark: #6cb6ff; --good: #57ab5a; --bad: #ff7b72; --limit: #ff7b72;
  --c0: #56b4e9; --c1: #ff9a4d; --c2: #3ec79d; --c3: #e39ac6; --c4: #e6d34a; --c5: #aab4bf; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1100px; padding: 24px; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif; }
h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; } h2 { font-size: 19px; margin: 36px 0 10px; }
h3 { font-size: 15px; margin: 18px 0 6px; } p, ul { margin: 6px 0; } .soft { color: var(--soft); }
.sheet { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; padding: 16px 22px; }
.sheet h3 { color: var(--soft); font-weight: 600; } .answer { font-size: 18px; font-weight: 600; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; width: 100%; }
th, td { border-bottom: 1px solid var(--rule); padding: 5px 7px; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
pre { background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: 10px;
  font-size: 12px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(440px, 1fr)); gap: 16px; }
svg { width: 100%; height: auto; background: var(--card); border: 1px solid var(--rule); border-radius: 6px; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
svg .title { font-size: 13px; font-weight: 600; fill: var(--ink); }
svg .grid { stroke: var(--rule); stroke-width: 1; }
svg .limit { stroke: var(--limit); stroke-dasharray: 6 3; }
svg .bar { fill: var(--c0); }
svg .bar.invalid { fill: none; stroke: var(--c0); stroke-width: 1.5; stroke-dasharray: 4 3; }
 svg .dot { fill: var(--ink); } svg .line { fill: none; stroke-width: 1.8; }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c1); stroke-dasharray: 7 3; }
.s2 { stroke: var(--c2); stroke-dasharray: 2 3; } .s3 { stroke: var(--c3); stroke-dasharray: 10 3 2 3; }
.s4 { stroke: var(--c4); stroke-dasharray: 4 2; } .s5 { stroke: var(--c5); stroke-dasharray: 1 4; }
@media print { body { max-width: none; padding: 0; } .sheet { break-after: page; }
  h2 { break-after: avoid; } }
"""


def page(title: str, sections: Iterable[str]) -> str:
    """Return a whole page without outside references, with a policy that forbids them."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(sections)
        + "\n</body></html>\n"
    )


def element(name: str, text: str, kind: str = "") -> str:
    """Return an element with escaped text; `kind` is its class."""
    return raw(name, escape(text), kind)


def raw(name: str, content: str, kind: str = "") -> str:
    """Return an element around content that is HTML already."""
    mark = f' class="{escape(kind, quote=True)}"' if kind else ""
    return f"<{name}{mark}>{content}</{name}>"


def bullets(texts: Iterable[str]) -> str:
    """Return a list of escaped texts; empty without any."""
    items = "".join(element("li", text) for text in texts)
    return raw("ul", items) if items else ""


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose cells are HTML `td` elements already and whose header is text."""
    # A column's name may break after its underscores, so that all columns fit a page.
    head = raw("tr", "".join(raw("th", escape(name).replace("_", "_<wbr>")) for name in header))
    body = "".join(raw("tr", "".join(cells)) for cells in rows)
    return raw("div", raw("table", f"<thead>{head}</thead><tbody>{body}</tbody>"), "scroll")
