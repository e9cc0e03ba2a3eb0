"use strict";
(() => {
  const root = document.documentElement;

  // Theme: as the system, light, dark, kept where the browser allows it.
  const button = document.getElementById("theme");
  const names = { "": "as the system", light: "light", dark: "dark" };
  const keep = { get() { try { return localStorage.getItem("heddle-theme") || ""; } catch { return ""; } },
                 set(v) { try { localStorage.setItem("heddle-theme", v); } catch { /* a file without storage */ } } };
  const show = theme => {
    if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
    button.textContent = "Theme: " + names[theme];
  };
  const known = t => Object.hasOwn(names, t) ? t : "";
  show(known(keep.get()));
  button.addEventListener("click", () => {
    const order = Object.keys(names);
    const next = order[(order.indexOf(root.dataset.theme || "") + 1) % order.length];
    keep.set(next);
    show(next);
  });

  // Tables sort by a column: numbers by their full value, the most first; a
  // third time restores the order that they came in.
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((th, column) => {
      const b = document.createElement("button");
      b.type = "button";
      b.append(...th.childNodes);
      th.append(b);
      th.setAttribute("aria-sort", "none");
      b.addEventListener("click", () => {
        const numeric = th.classList.contains("n");
        const steps = numeric ? ["descending", "ascending", "none"] : ["ascending", "descending", "none"];
        const next = steps[(steps.indexOf(th.getAttribute("aria-sort")) + 1) % 3];
        for (const h of heads) h.setAttribute("aria-sort", "none");
        th.setAttribute("aria-sort", next);
        if (next === "none") { body.replaceChildren(...original); return; }
        const sign = next === "ascending" ? 1 : -1;
        const key = row => {
          const cell = row.cells[column];
          if (!cell) return null;
          if (!numeric) return cell.textContent;
          const v = cell.dataset.v;
          return v === undefined || v === "" ? null : Number(v);
        };
        const rows = original.filter(r => !r.classList.contains("context")).map(r => [key(r), r]);
        rows.sort(([a], [b]) => {
          if (a === null || b === null) return (a === null) - (b === null);
          return sign * (numeric ? a - b : a.localeCompare(b));
        });
        body.replaceChildren(...rows.map(([, r]) => r));
      });
    });
  }

  const data = document.getElementById("charts");
  if (!data || !window.Plot) return;
  const runs = JSON.parse(data.textContent);
  const accent = "var(--accent)";
  const style = { background: "transparent", color: "var(--ink)", fontFamily: "inherit", fontSize: "12px" };

  // A time axis in a unit that fits.
  const unit = seconds => seconds >= 1 ? ["s", 1] : seconds >= 1e-3 ? ["ms", 1e3] : ["µs", 1e6];
  const short = d3.format("~s");

  function stacks() {
    const rows = runs.flatMap((r, i) => r.stalls.map(s => ({ run: `${i + 1}. ${r.name}`, ...s })));
    if (!rows.length) return null;
    const colors = new Map(rows.map(r => [r.name, r.color]));
    return Plot.plot({
      style, width: 1100, marginLeft: Math.min(420, 40 + 7 * d3.max(rows, r => r.run.length)), height: 60 + 34 * new Set(rows.map(r => r.run)).size,
      x: { label: "share of the threads' time", percent: true }, y: { label: null },
      color: { type: "categorical", domain: [...colors.keys()], range: [...colors.values()], legend: true },
      marks: [Plot.barX(rows, { x: "value", y: "run", fill: "name", tip: true, channels: { reason: "name" } }), Plot.ruleX([0])],
      ariaLabel: "Stall stacks of all runs",
    });
  }

  function roofline(r) {
    const points = r.launches.filter(l => l.point).map((l, i) => ({ ...l.point, program: l.program, launch: i + 1, seconds: l.seconds }));
    const all = r.whole ? [...points, { ...r.whole, program: "whole run" }] : points;
    const { instructions_per_second: most, dram_bytes_per_second: dram } = r.peak;
    if (!all.length || !(most > 0) || !(dram > 0)) return null;
    const ridge = most / dram;
    const x0 = Math.min(d3.min(all, p => p.intensity), ridge) / 3, x1 = Math.max(d3.max(all, p => p.intensity), ridge) * 3;
    const roof = [x0, ridge, x1].map(x => ({ x, y: Math.min(most, x * dram) }));
    return Plot.plot({
      style, width: 560, height: 340, marginLeft: 55, marginTop: 28, grid: true,
      x: { type: "log", label: "instructions a byte of DRAM →", tickFormat: short, domain: [x0, x1] },
      y: { type: "log", label: "↑ instructions a second", tickFormat: short },
      color: { type: "categorical", legend: points.length > 0, domain: [...new Set(points.map(p => p.program))], scheme: "Tableau10" },
      marks: [
        Plot.line(roof, { x: "x", y: "y", strokeWidth: 2.5, stroke: "currentColor" }),
        Plot.text([roof[2]], { x: "x", y: "y", dy: -10, textAnchor: "end", text: () => `${short(most)} instructions/s, ${short(dram)}B/s` }),
        Plot.dot(points, { x: "intensity", y: "rate", fill: "program", r: 4, fillOpacity: .75, tip: true, channels: { launch: "launch", seconds: "seconds" } }),
        r.whole ? Plot.dot([r.whole], { x: "intensity", y: "rate", symbol: "star", r: 9, fill: "var(--bad)", stroke: "var(--card)", title: () => "whole run" }) : null,
      ],
      ariaLabel: "Roofline of the run",
    });
  }

  // series draws small multiples over the simulated time.
  function series(r) {
    const box = document.createElement("div");
    box.className = "small";
    const panel = (title, plot) => {
      const part = document.createElement("div");
      const h = document.createElement("h3");
      h.textContent = title;
      plot.setAttribute("aria-label", title);
      part.append(h, plot);
      box.append(part);
    };
    const [name, scale] = unit(r.seconds || 0);
    const timed = r.seconds !== null;
    const x = timed ? { label: name, domain: [0, r.seconds * scale] } : { label: "launch" };
    const base = { style, width: 400, height: 150, marginLeft: 52, x };
    const notes = new Set(r.launches.flatMap(l => Object.keys(l.notes || {})));
    for (const n of notes) {
      const points = r.launches.map((l, i) => ({ t: timed ? (l.start + l.seconds) * scale : i + 1, v: (l.notes || {})[n] })).filter(p => p.v !== undefined);
      panel(n + " after each launch", Plot.plot({ ...base, y: { label: null, grid: true, tickFormat: short },
        marks: [Plot.ruleY([0]), Plot.line(points, { x: "t", y: "v", stroke: accent, curve: "step-before" }), Plot.dot(points, { x: "t", y: "v", fill: accent, r: 2.5, tip: true })] }));
    }
    const s = r.series;
    if (!s || s.end_seconds.length < 2) return box.children.length ? box : null;
    const spans = s.end_seconds.map((end, i) => ({ x1: (i ? s.end_seconds[i - 1] : 0) * scale, x2: end * scale }));
    const area = (title, values, options = {}, color = accent) => {
      const points = spans.flatMap((p, i) => values[i] === null ? [] : [{ ...p, v: values[i] }]);
      if (points.length) panel(title, Plot.plot({ ...base, y: { label: null, grid: true, zero: true, ...options },
        marks: [Plot.rectY(points, { x1: "x1", x2: "x2", y: "v", fill: color, fillOpacity: .75, inset: -.2, tip: true }), Plot.ruleY([0])] }));
    };
    area("instructions a cycle, whole machine", s.instructions_per_cycle);
    area("places for warps or threads occupied", s.occupancy, { percent: true, domain: [0, 100] });
    area("DRAM, bytes a second", s.dram_bytes_per_second, { tickFormat: short }, "#e8833a");
    if (s.lanes.some(v => v > 1)) area("lanes that execute an instruction", s.lanes, {}, "#8b62c9");
    area("branches that diverge or are mispredicted", s.divergence, { percent: true }, "#8b62c9");
    const hits = s.hit_rates.flatMap(({ name: level, items: v }) => spans.flatMap((p, i) => v[i] === null ? [] : [{ t: p.x2, v: v[i], level }]));
    if (hits.length) panel("hits in caches", Plot.plot({ ...base, y: { label: null, grid: true, percent: true, domain: [0, 100] }, color: { type: "categorical", legend: true, scheme: "Tableau10" },
      marks: [Plot.line(hits, { x: "t", y: "v", stroke: "level", tip: true }), Plot.ruleY([0])] }));
    const stalls = s.stalls.flatMap(({ name: reason, items: v }) => spans.flatMap((p, i) => v[i] === null || v[i] <= 0 ? [] : [{ ...p, v: v[i], reason }]));
    const used = new Set(stalls.map(p => p.reason));
    const colors = r.colors.filter(c => used.has(c.name));
    if (stalls.length) panel("where the threads' time went", Plot.plot({ ...base, y: { label: null, percent: true, domain: [0, 100] },
      color: { type: "categorical", domain: colors.map(c => c.name), range: colors.map(c => c.color) },
      marks: [Plot.rectY(stalls, Plot.stackY({ x1: "x1", x2: "x2", y: "v", fill: "reason", inset: -.2, order: colors.map(c => c.name), tip: true })), Plot.ruleY([0])] }));
    return box;
  }

  const draw = { stacks, roofline: i => roofline(runs[i]), series: i => series(runs[i]) };
  for (const figure of document.querySelectorAll("figure.chart")) {
    const plot = draw[figure.dataset.chart](Number(figure.dataset.run || 0));
    if (plot) figure.append(plot);
    else {
      const none = document.createElement("p");
      none.className = "hint";
      none.textContent = "Nothing to draw.";
      figure.append(none);
    }
  }
  root.dataset.ready = "yes";
})();
