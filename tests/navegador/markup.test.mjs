// What the files say: valid, with every link leading somewhere, with and without scripts.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { unfold, visit } from "./browser.mjs";
import { invalid } from "./checks.mjs";
import { build, buildFor, files, repository, serve } from "./site.mjs";

const folder = build(repository);
const address = await serve(folder);
const pages = files(folder, ".html");

/** What is left of a page when no script runs. */
const read = (path) =>
  visit(address + path, { scripts: false }, async (page) => {
    await unfold(page);
    return page.evaluate(() => {
      const all = (selector) => [...document.querySelectorAll(selector)];
      return {
        ids: all("[id]").map((one) => one.id),
        links: all("[href], [src]").map((one) => one.href || one.src),
        // A figure comes twice, of which one is seen.
        unseen: all("main :is(h1, h2, h3, p, li, th, td, figcaption, .esc-ancha text)")
          .filter((one) => one.textContent.trim() && !one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
          .map((one) => one.outerHTML.slice(0, 120)),
        buttons: all("button").filter((one) => one.checkVisibility()).length,
      };
    });
  });
const plain = new Map();
for (const path of pages) plain.set(path, await read(path));

describe("the files", () => {
  it("are valid HTML and SVG", () => {
    assert.deepEqual(invalid(folder), []);
  });

  it("are well-formed XML where they say so", () =>
    visit(address, {}, async (page) => {
      for (const path of files(folder, ".svg", ".xml")) {
        const error = await page.evaluate((text) => {
          const parsed = new DOMParser().parseFromString(text, "application/xml");
          return parsed.querySelector("parsererror")?.textContent ?? null;
        }, readFileSync(join(folder, path), "utf8"));
        assert.equal(error, null, path);
      }
    }));
});

describe("without scripts", () => {
  for (const [path, { ids, unseen, buttons }] of plain)
    it(`${path} is whole, and offers nothing that needs them`, () => {
      assert.deepEqual(unseen, []);
      assert.equal(buttons, 0);
      assert.deepEqual(ids.filter((id, at) => ids.indexOf(id) !== at), [], "ids that are repeated");
    });

  it("every link of the site leads to a file that is there, and to a place that is in it", async () => {
    const pathOf = (url) => decodeURIComponent(url.pathname.slice(1)).replace(/(^|\/)$/, "$1index.html");
    const links = new Map([...plain].flatMap(([path, page]) => page.links.map((link) => [link, path])));
    for (const [link, path] of links) {
      const url = new URL(link);
      if (url.origin !== new URL(address).origin) continue;
      const answer = await fetch(url);
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${link}`);
      const place = decodeURIComponent(url.hash.slice(1));
      // A drawing is no page: its text tells.
      const has = (place) => plain.get(pathOf(url))?.ids.includes(place) ?? text.includes(` id="${place}"`);
      if (place) assert.ok(has(place), `${path}: ${link}`);
    }
  });
});

describe("an address that leads nowhere", () => {
  for (const prefix of ["/", "/escritura/"])
    it(`shows a page that finds its files and leads back, for a site at ${prefix}`, async () => {
      const site = await serve(prefix === "/" ? folder : buildFor(prefix), prefix);
      // `visit` fails when the page misses its style or its script.
      await visit(`${site}no/existe/nada.html`, { missing: true }, async (page) => {
        assert.equal(await page.locator("h1").innerText(), "Página no encontrada");
        const family = await page.locator("h1").evaluate((one) => getComputedStyle(one).fontFamily);
        assert.match(family, /Source Serif/);
        await page.locator("main li a").first().click();
        await page.waitForURL(`${site}swebench/index.html`);
      });
    });
});

describe("the feed and the map of a published site", () => {
  const base = "https://ejemplo.org/escritura/";
  const published = buildFor(base);
  const parse = (path, use) =>
    visit(address, {}, async (page) => {
      const parsed = await page.evaluateHandle(
        (text) => new DOMParser().parseFromString(text, "application/xml"),
        readFileSync(join(published, path), "utf8"),
      );
      return parsed.evaluate(use);
    });
  const isThere = (url) => {
    assert.ok(url.startsWith(base), url);
    const path = url.slice(base.length);
    assert.ok(existsSync(join(published, path === "" || path.endsWith("/") ? `${path}index.html` : path)), url);
  };

  it("has in its feed what RFC 4287 requires, with whole addresses of files that are there", async () => {
    const feed = await parse("atom.xml", (xml) => {
      const read = (one) => ({
        ids: [...one.querySelectorAll(":scope > id")].map((id) => id.textContent),
        titles: [...one.querySelectorAll(":scope > title")].map((title) => title.textContent),
        updated: [...one.querySelectorAll(":scope > updated")].map((updated) => updated.textContent),
        authors: [...one.querySelectorAll(":scope > author > name")].map((name) => name.textContent),
        links: [...one.querySelectorAll(":scope > link")].map((link) => [link.getAttribute("rel") ?? "alternate", link.getAttribute("href")]),
      });
      const root = xml.documentElement;
      return {
        name: `${root.namespaceURI} ${root.localName}`,
        ...read(root),
        entries: [...root.querySelectorAll("entry")].map((entry) => ({ ...read(entry), summary: entry.querySelector("summary")?.textContent })),
      };
    });
    assert.equal(feed.name, "http://www.w3.org/2005/Atom feed");
    assert.deepEqual(feed.links.map(([rel]) => rel).toSorted(), ["alternate", "self"]);
    assert.equal(feed.entries.length, pages.filter((path) => path.includes("/")).length);
    for (const one of [feed, ...feed.entries]) {
      assert.equal(one.ids.length, 1);
      assert.ok(URL.canParse(one.ids[0]), one.ids[0]);
      assert.equal(one.titles.filter(Boolean).length, 1);
      assert.equal(one.updated.length, 1);
      assert.match(one.updated[0], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/);
      assert.ok(one.authors.length >= 1 && one.authors.every(Boolean));
      assert.equal(one.links.filter(([rel]) => rel === "alternate").length, 1);
      one.links.forEach(([, href]) => isThere(href));
    }
    assert.ok(feed.entries.every((entry) => entry.summary));
    assert.equal(new Set(feed.entries.map((entry) => entry.ids[0])).size, feed.entries.length);
  });

  it("lists every page in its map, and only what is there", async () => {
    const listed = await parse("sitemap.xml", (xml) => [...xml.querySelectorAll("loc")].map((loc) => loc.textContent));
    listed.forEach(isThere);
    assert.equal(new Set(listed).size, pages.length - 1);
  });

  it("gives each page its own address", async () => {
    const site = await serve(published, "/escritura/");
    for (const path of pages.filter((path) => path !== "404.html"))
      await visit(site + path, {}, async (page) => {
        isThere(await page.locator("link[rel=canonical]").getAttribute("href"));
        assert.equal(
          await page.locator("link[rel=canonical]").getAttribute("href"),
          await page.locator("meta[property='og:url']").getAttribute("content"),
        );
      });
  });
});
