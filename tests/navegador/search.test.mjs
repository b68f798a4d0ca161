// Finding things, and asking a number where it comes from, with the keyboard.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { violations } from "./checks.mjs";
import { visit } from "./browser.mjs";
import { build, repository, serve } from "./site.mjs";

const address = await serve(build(repository));
const chapter = `${address}swebench/index.html`;

const search = async (page, words) => {
  const box = page.getByRole("searchbox", { name: "Buscar" });
  await box.fill(words);
  await page.locator(".buscar li").first().waitFor();
  return box;
};

describe("search", () => {
  for (const words of ["informacion", "INFORMACIÓN"])
    it(`finds «información» as ${words} and marks it`, () =>
      visit(chapter, {}, async (page) => {
        await search(page, words);
        const marked = await page.locator(".buscar mark").allTextContents();
        assert.ok(marked.length > 0);
        assert.ok(marked.every((text) => /^información$/i.test(text)), `${marked}`);
        assert.match(await page.locator(".buscar [role=status]").textContent(), /^\d+ resultados$/);
      }));

  it("is operated with the arrows and leads to the place", () =>
    visit(`${address}index.html`, {}, async (page) => {
      const box = await search(page, "items correlacion negativa");
      await box.press("ArrowDown");
      const href = await page.evaluate(() => document.activeElement.getAttribute("href"));
      assert.match(href, /#/);
      await page.keyboard.press("Enter");
      await page.waitForURL(/swebench|lsat7|ficha/);
      const { hash } = new URL(page.url());
      assert.ok(await page.evaluate((id) => !!document.getElementById(id), decodeURIComponent(hash.slice(1))));
    }));

  it("says that it found nothing, and closes with Escape", () =>
    visit(chapter, {}, async (page) => {
      const box = await search(page, "<b>zyx & [");
      assert.equal(await page.locator(".buscar [role=status]").textContent(), "Sin resultados");
      await box.press("Escape");
      assert.equal(await page.locator(".buscar ol").isVisible(), false);
    }));

  it("opens an accessible list", () =>
    visit(chapter, {}, async (page) => {
      await search(page, "rasch");
      assert.deepEqual(await violations(page), []);
    }));

  it("is not offered without script", () =>
    visit(chapter, { scripts: false }, async (page) => assert.equal(await page.locator(".buscar").isVisible(), false)));
});

describe("a number", () => {
  for (const width of [375, 1440])
    it(`tells where it comes from at ${width} px`, () =>
      visit(chapter, { width }, async (page) => {
        await page.locator(".valor[tabindex='0']").focus();
        await page.keyboard.press("ArrowRight");
        const place = await page.evaluate(() => [...document.querySelectorAll(".texto .valor")].indexOf(document.activeElement));
        assert.equal(place, 1);
        await page.keyboard.press("Enter");
        const balloon = page.locator(".globo:popover-open");
        assert.match(await balloon.innerText(), /::[\s\S]*examinados × \d+ reactivos, SHA-256/);
        const { x, y, width: wide, height } = await balloon.boundingBox();
        const view = page.viewportSize();
        assert.ok(x >= 0 && y >= 0 && x + wide <= view.width && y + height <= view.height, "inside the window");
        await page.keyboard.press("Escape");
        assert.equal(await balloon.count(), 0);
      }));
});
