// What can be said against a page, whatever its content.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { files } from "./site.mjs";

const { resolve } = createRequire(import.meta.url);
const axe = readFileSync(resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe-core has against a page, as it is on the screen. */
export const violations = async (page) => {
  await page.evaluate(axe);
  return page.evaluate(async (tags) => {
    const { violations } = await window.axe.run(document, { runOnly: tags });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}\n  ${node.html.slice(0, 200)}\n  ${node.failureSummary}`),
    );
  }, rules);
};

/** What the Nu checker has against the HTML and SVG of a site. */
export const invalid = (folder) => {
  const checker = resolve("vnu-jar/build/dist/vnu.jar");
  const paths = files(folder, ".html", ".svg").map((path) => join(folder, path));
  // Without Java this throws: the test fails, it is not skipped.
  const said = execFileSync("java", ["-jar", checker, "--also-check-svg", "--exit-zero-always", "--stdout", "--format", "json", ...paths]);
  return JSON.parse(said).messages.map(({ url, lastLine, message }) => `${url.replace(`file:${folder}/`, "")}:${lastLine}: ${message}`);
};

/** How many pixels the page is wider than the window. */
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Pairs of texts that are drawn over each other, in figures and outside of them. */
export const overlaps = (page) =>
  page.evaluate(() => {
    // The box of a line is taller than its letters: they are in the middle six tenths
    // (capitals and x-height; what rises or hangs further touches at most its kind).
    const core = ({ left, top, width, height }) => ({ left, right: left + width, top: top + 0.2 * height, bottom: top + 0.8 * height });
    const clip = (box, one) => {
      for (let up = one; up; up = up.parentElement) {
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(up).overflowX)) {
          const edge = up.getBoundingClientRect();
          box.left = Math.max(box.left, edge.left);
          box.right = Math.min(box.right, edge.right);
          box.top = Math.max(box.top, edge.top);
          box.bottom = Math.min(box.bottom, edge.bottom);
        }
      }
      return box;
    };
    const boxes = [];
    const add = (text, one, rects) => {
      for (const rect of rects) {
        const box = clip(core(rect), one);
        if (box.right - box.left > 1 && box.bottom - box.top > 1) boxes.push({ text, one, ...box });
      }
    };
    const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const one = node.parentElement;
      const text = node.data.trim();
      // Notes for a screen reader are out of sight, and superscripts stand above a line.
      if (!text || !one.checkVisibility({ visibilityProperty: true })) continue;
      if (one.closest("head, .oculto, .saltar, sup, svg")) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      add(text, one, range.getClientRects());
    }
    for (const one of document.querySelectorAll("svg text"))
      if (one.checkVisibility()) add(one.textContent, one, [one.getBoundingClientRect()]);
    boxes.sort((a, b) => a.top - b.top);
    const found = [];
    boxes.forEach((a, at) => {
      for (const b of boxes.slice(at + 1)) {
        if (b.top >= a.bottom) break;
        const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const height = Math.min(a.bottom, b.bottom) - b.top;
        // Browsers place letters on fractions of a pixel.
        if (width > 0.5 && height > 0.5) found.push(`«${a.text.slice(0, 60)}» and «${b.text.slice(0, 60)}» by ${width.toFixed(1)} × ${height.toFixed(1)}`);
      }
    });
    return found;
  });

/** Elements whose text does not fit and cannot be scrolled to. */
export const cut = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter((one) => one.checkVisibility() && !one.closest(".oculto, .saltar, svg"))
      .filter((one) => ["hidden", "clip"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth)
      .map((one) => one.outerHTML.slice(0, 120)),
  );
