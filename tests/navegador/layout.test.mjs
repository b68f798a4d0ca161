// Nothing is lost, covered or out of reach on any screen, at any size of letters, or
// on paper.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unfold, visit } from "./browser.mjs";
import { build, files, repository, serve } from "./site.mjs";

const folder = build(repository);
const address = await serve(folder);
const pages = files(folder, ".html");

const widths = (page) =>
  page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);

/** Pairs of texts that are drawn over each other, in figures and outside of them. */
const overlaps = (page) =>
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
const cut = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("body *")]
      .filter((one) => one.checkVisibility() && !one.closest(".oculto, .saltar, svg"))
      .filter((one) => ["hidden", "clip"].includes(getComputedStyle(one).overflowX) && one.scrollWidth > one.clientWidth)
      .map((one) => one.outerHTML.slice(0, 120)),
  );

const screens = [
  { width: 320, height: 640 },
  { width: 768 },
  { width: 1280, text: 2 },
  { width: 1600, height: 1000 },
];

describe("the page", () => {
  for (const path of pages)
    for (const screen of screens)
      it(`fits: ${path} at ${screen.width} px${screen.text ? " with letters twice as large" : ""}`, () =>
        visit(address + path, screen, async (page) => {
          await unfold(page);
          const [asked, given] = await widths(page);
          assert.ok(asked <= given, `${asked} px in ${given}`);
          assert.deepEqual(await overlaps(page), []);
          assert.deepEqual(await cut(page), []);
        }));

  // Wide enough for both to be seen with the same layout.
  it("has letters twice as large when the reader asks for them", async () => {
    const size = (page) => page.evaluate(() => parseFloat(getComputedStyle(document.querySelector("main p")).fontSize));
    const plain = await visit(address, { width: 1600 }, size);
    assert.equal(await visit(address, { width: 1600, text: 2 }, size), 2 * plain);
  });
});

describe("a figure by itself", () => {
  for (const path of files(folder, ".svg").filter((path) => path.includes("figura-")))
    for (const width of [320, 1600])
      it(`has no label over another: ${path} at ${width} px`, () =>
        visit(address + path, { width }, async (page) => assert.deepEqual(await overlaps(page), [])));
});
