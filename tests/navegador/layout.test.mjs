// Nothing is lost, covered or out of reach on any screen, at any size of letters, or
// on paper.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unfold, visit } from "./browser.mjs";
import { cut, overflow, overlaps } from "./checks.mjs";
import { build, files, repository, serve } from "./site.mjs";

const folder = build(repository);
const address = await serve(folder);
const pages = files(folder, ".html");

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
          assert.equal(await overflow(page), 0);
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

  it("is a thumbnail without words where its panels alone are asked for", async () => {
    const words = (page) =>
      page.evaluate(() => [...document.querySelectorAll("text")].filter((one) => one.getClientRects().length).length);
    const source = (page) => page.evaluate(() => document.querySelector(".miniatura").src);
    const thumbnail = await visit(address, { width: 1280 }, source);
    assert.equal(await visit(thumbnail, { width: 320 }, words), 0);
    assert.ok((await visit(thumbnail.split("#")[0], { width: 320 }, words)) > 0);
  });
});
