// Every page against axe-core's rules for WCAG 2.2 AA and its best practices.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { schemes, unfold, visit } from "./browser.mjs";
import { violations } from "./checks.mjs";
import { build, files, repository, serve } from "./site.mjs";

// What depends on the colours does not depend on the width, and the other way round.
const views = [
  { scheme: "light", width: 1280 },
  { scheme: "dark", width: 1280 },
  { scheme: "light", width: 375 },
];

const folder = build(repository);
const address = await serve(folder);

describe("accessibility", () => {
  for (const path of files(folder, ".html"))
    for (const view of views)
      it(`${path} breaks no rule, ${view.scheme}, ${view.width} px wide`, () =>
        visit(address + path, view, async (page) => {
          await unfold(page);
          assert.deepEqual(await violations(page), []);
        }));
});

// axe-core cannot tell what is behind the letters of a drawing, which is the page.
const contrasts = (page) =>
  page.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const paper = getComputedStyle(document.documentElement).backgroundColor;
    const luminance = (colour, opacity) => {
      for (const [style, alpha] of [[paper, 1], [colour, opacity]]) {
        canvas.globalAlpha = alpha;
        canvas.fillStyle = style;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((byte) => {
        const share = byte / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const contrast = (colour, opacity) => {
      if (colour === "none") return 1;
      const [a, b] = [luminance(colour, Number(opacity)), luminance(paper, 1)];
      return Math.max(a / b, b / a);
    };
    const measure = (selector, ...paints) =>
      [...document.querySelectorAll(selector)].map((one) => {
        const style = getComputedStyle(one);
        const seen = paints.map((paint) => contrast(style[paint], style[`${paint}Opacity`]));
        return { what: one.outerHTML.slice(0, 160), contrast: Math.max(...seen) };
      });
    // A mark is seen by its edge or by its inside, whichever stands out more.
    return { letters: measure("svg text", "fill"), marks: measure("svg g :has(> title)", "fill", "stroke") };
  });

describe("figures", () => {
  for (const path of files(folder, ".html"))
    for (const scheme of schemes)
      it(`${path} has legible letters and discernible marks, ${scheme}`, () =>
        visit(address + path, { scheme }, async (page) => {
          const { letters, marks } = await contrasts(page);
          assert.deepEqual(letters.filter((one) => one.contrast < 4.5), []);
          assert.deepEqual(marks.filter((one) => one.contrast < 3), []);
        }));
});
