// On paper: everything that is read, nothing that is clicked.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { visit } from "./browser.mjs";
import { build, repository, serve } from "./site.mjs";

const address = await serve(build(repository));

// A4 less the margins that the sheet asks for, at 96 px per inch.
const paper = { width: Math.floor(((210 - 40) / 25.4) * 96), height: Math.floor(((297 - 44) / 25.4) * 96) };

const shown = (page, selector) =>
  page.locator(selector).evaluateAll((all) => all.filter((one) => one.checkVisibility()).length);

describe("on paper", () => {
  for (const path of ["swebench/index.html", "lsat7/index.html", "ficha/index.html"]) {
    it(`${path} is a document of several pages`, () =>
      visit(address + path, { scheme: "dark" }, async (page) => {
        const document = (await page.pdf({ preferCSSPageSize: true, tagged: true })).toString("latin1");
        assert.match(document, /^%PDF-/);
        assert.ok(document.match(/\/Type\s*\/Page\b(?!s)/g).length > 1);
        assert.match(document, /\/StructTreeRoot/);
      }));

    it(`${path} keeps its titles, tables and figures inside the margins, and loses its controls`, () =>
      visit(address + path, { ...paper, scheme: "dark" }, async (page) => {
        const everywhere = "h1, h2, h3, caption, figcaption, .nota, .texto table, .lienzo";
        const onScreen = await shown(page, everywhere);
        await page.emulateMedia({ media: "print" });
        // The list of values stays on screen, and so does its heading.
        assert.equal(await shown(page, everywhere), onScreen - (await page.locator(".valores h2").count()));
        assert.equal(await shown(page, "button, nav, .acciones, input"), 0);
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll("main *")]
            .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
            .map((one) => one.outerHTML.slice(0, 120)),
        );
        assert.deepEqual(wide, []);
        const background = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
        assert.equal(background, "rgb(255, 255, 255)");
      }));
  }
});
