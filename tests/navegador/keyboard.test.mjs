// What a reader without a pointer can reach, see and do.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unfold, visit } from "./browser.mjs";
import { build, files, repository, serve } from "./site.mjs";

const folder = build(repository);
const address = await serve(folder);
const pages = files(folder, ".html");
const withTables = "lsat7/index.html";

/** Numbers everything that can be operated, so that the walk can say where it has been. */
const number = (page) =>
  page.evaluate(() => {
    const operable = "a[href], button, summary, input, select, textarea, [tabindex='0']";
    const all = [...document.querySelectorAll(operable)].filter((one) => one.checkVisibility());
    all.forEach((one, at) => (one.dataset.paso = at));
    return all.map((one) => one.outerHTML.slice(0, 120));
  });

/** The element with the focus: its number, where its first line is, how the focus shows. */
const focused = (page) =>
  page.evaluate(() => {
    const one = document.activeElement;
    if (!one || one === document.body) return null;
    const style = getComputedStyle(one);
    const { left, top, width, height } = one.getClientRects()[0];
    const front = document.elementFromPoint(left + width / 2, top + Math.min(height, innerHeight) / 2);
    return {
      step: Number(one.dataset.paso),
      area: one.closest("nav, header, main, footer, body").className,
      left,
      top: top + scrollY,
      height,
      ring: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
      ringColour: style.outlineColor,
      covered: !front || !(one.contains(front) || front.contains(one)),
      html: one.outerHTML.slice(0, 120),
    };
  });

const walk = async (page, most) => {
  const stops = [];
  for (let at = 0; at <= most; at++) {
    await page.keyboard.press("Tab");
    const stop = await focused(page);
    if (!stop) break;
    stops.push(stop);
  }
  return stops;
};

describe("the Tab key", () => {
  for (const path of pages) {
    it(`reaches everything on ${path} once, shows where it is and hides it behind nothing`, () =>
      visit(address + path, {}, async (page) => {
        await unfold(page);
        const operable = await number(page);
        const stops = await walk(page, operable.length);
        const reached = stops.map((stop) => stop.step);
        assert.deepEqual(operable.filter((_, at) => !reached.includes(at)), [], "never reached");
        assert.equal(new Set(reached).size, stops.length, "a stop is repeated");
        assert.deepEqual(stops.filter((stop) => stop.ring < 2).map((stop) => stop.html), [], "no ring");
        assert.deepEqual(stops.filter((stop) => stop.covered).map((stop) => stop.html), [], "covered");
      }));

    it(`goes down ${path} in the order in which it is seen`, () =>
      visit(address + path, {}, async (page) => {
        const operable = await number(page);
        const stops = await walk(page, operable.length);
        for (const [at, next] of stops.slice(1).entries()) {
          const last = stops[at];
          // Each area has its own order; inside it, down, and to the right in a line.
          if (last.area !== next.area) continue;
          const sameLine = Math.abs(next.top - last.top) < Math.max(last.height, next.height);
          const follows = sameLine ? next.left >= last.left || next.top > last.top : next.top > last.top;
          assert.ok(follows, `${last.html}\nis followed by\n${next.html}`);
        }
      }));
  }

  it("skips to the text first, with a link that shows when it has the focus", () =>
    visit(address + withTables, {}, async (page) => {
      await page.keyboard.press("Tab");
      const link = page.locator(".saltar");
      assert.ok(await link.evaluate((one) => one === document.activeElement));
      assert.ok((await link.boundingBox()).width > 50);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      assert.ok(await page.evaluate(() => document.activeElement.closest("main")));
    }));
});

describe("the keyboard", () => {
  it("changes the theme, which lasts", () =>
    visit(address + withTables, {}, async (page) => {
      const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      const light = await paper();
      await page.locator(".tema").focus();
      await page.keyboard.press("Enter");
      const dark = await paper();
      assert.notEqual(dark, light);
      await page.reload();
      assert.equal(await paper(), dark);
      await page.locator(".tema").focus();
      await page.keyboard.press("Space");
      assert.equal(await paper(), light);
    }));

  it("sorts a table up, down and back, and the header says so", () =>
    visit(address + withTables, {}, async (page) => {
      const head = page.locator(".tabla thead th").nth(1);
      const column = () =>
        page.locator(".tabla tbody tr > :nth-child(2)").evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.valor)));
      const original = await column();
      const up = original.toSorted((a, b) => a - b);
      await head.locator("button").focus();
      for (const [said, order] of [["ascending", up], ["descending", up.toReversed()], [null, original]]) {
        await page.keyboard.press("Enter");
        assert.equal(await head.getAttribute("aria-sort"), said);
        assert.deepEqual(await column(), order);
      }
    }));

  it("unfolds what is folded", () =>
    visit(address + withTables, {}, async (page) => {
      const summary = page.locator(".codigo summary").first();
      await summary.focus();
      await page.keyboard.press("Enter");
      assert.ok(await page.locator(".codigo pre").first().isVisible());
      await page.keyboard.press("Space");
      assert.ok(!(await page.locator(".codigo pre").first().isVisible()));
    }));

  it("copies a table as Markdown, and says so", () =>
    visit(address + withTables, { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      const button = page.locator(".tabla .acciones button").first();
      const before = await button.textContent();
      await button.focus();
      await page.keyboard.press("Enter");
      await page.waitForFunction(([one, text]) => one.textContent !== text, [await button.elementHandle(), before]);
      const lines = (await page.evaluate(() => navigator.clipboard.readText())).trim().split("\n");
      const rows = await page.locator(".tabla").first().locator("tbody tr").count();
      assert.match(lines[0], /^Tabla 1 /);
      assert.match(lines[3], /^\| ---( \| --:)+ \|$/);
      assert.equal(lines.length, 4 + rows);
      assert.equal(new Set(lines.slice(2).map((line) => line.split(" | ").length)).size, 1);
    }));

  for (const path of pages)
    it(`goes through the data of every figure of ${path}, in sight and in words`, () =>
      visit(address + path, {}, async (page) => {
        // A figure of lines only has no data to stop at, and says nothing of arrows.
        for (const canvas of await page.locator(".lienzo:has(svg g title)").all()) {
          assert.match(await canvas.getAttribute("aria-description"), /flechas/);
          await canvas.focus();
          const said = [];
          for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft"]) {
            await page.keyboard.press(key);
            said.push(await page.locator("body > p[role=status]").textContent());
            const balloon = await page.locator(".globo:popover-open").boundingBox();
            const { width, height } = page.viewportSize();
            assert.ok(balloon.x >= 0 && balloon.x + balloon.width <= width, "outside the window");
            assert.ok(balloon.y >= 0 && balloon.y + balloon.height <= height, "outside the window");
          }
          assert.notEqual(said[0], said[1]);
          assert.deepEqual([said[2], said[3]], [said[0], said[0]]);
          await page.keyboard.press("Escape");
          assert.equal(await page.locator(".globo:popover-open").count(), 0);
        }
      }));
});
