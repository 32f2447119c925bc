/** How a page of evidence looks: on a screen of any width, light or dark, and on paper. */
export const evidenceStyle = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6470;--line:#d5dae0;--back:#fff;--raised:#f6f7f9;--good:#116b34;--bad:#a8201a;--wait:#855100}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ed;--soft:#9aa5b1;--line:#343c45;--back:#14181d;--raised:#1c2229;--good:#5cc283;--bad:#ff8f87;--wait:#e5b45a}}
*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--back);max-width:64rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.35rem;margin:0 0 .25rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:2rem 0 .5rem}
h3{font-size:.95rem;margin:0 0 .5rem;overflow-wrap:anywhere}
p{margin:.35rem 0}
code,pre{font-family:ui-monospace,monospace;font-size:.85em;overflow-wrap:anywhere}
a{color:inherit;text-underline-offset:.15em}
.soft{color:var(--soft)}
.good{color:var(--good)}.bad{color:var(--bad)}.wait{color:var(--wait)}
.state{font-weight:600;white-space:nowrap}
.box{border:1px solid var(--line);background:var(--raised);border-radius:.5rem;padding:.9rem 1rem;margin:.75rem 0}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.15rem 1rem;margin:.25rem 0}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;min-width:38rem;font-size:.88rem}
th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:500}
time{white-space:nowrap;font-variant-numeric:tabular-nums}
td:last-child{overflow-wrap:anywhere}
details{margin:.5rem 0 0}summary{cursor:pointer;color:var(--soft)}
pre{white-space:pre-wrap;margin:.5rem 0 0}
@media(max-width:36rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}}
@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--back:#fff;--raised:#fff;--good:#000;--bad:#000;--wait:#000}body{max-width:none;padding:0;font-size:10pt}.box,tr{break-inside:avoid}h2{break-after:avoid}.wide{overflow:visible}table{min-width:0}details:not([open]){display:none}}
`
