// What a page costs its reader: bytes, time and jumps.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { visit } from "./browser.mjs";
import { build, files, repository, serve } from "./site.mjs";

const folder = build(repository);
const address = await serve(folder);
const flagship = "swebench/index.html";

/** Everything that a reader without history receives to see the page to its end. */
const weight = async (path) => {
  let bytes = 0;
  const before = async (_, protocol) => {
    await protocol.send("Network.enable");
    protocol.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  };
  await visit(address + path, { before }, async (page) => {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await page.waitForLoadState("networkidle");
  });
  return bytes;
};

/** Largest Contentful Paint in milliseconds, and Cumulative Layout Shift. */
const paint = (path, rate) => {
  const before = async (page, protocol) => {
    await protocol.send("Emulation.setCPUThrottlingRate", { rate });
    await page.addInitScript(() => {
      window.measured = { largest: 0, shift: 0 };
      const observe = (type, use) =>
        new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true });
      observe("largest-contentful-paint", (entry) => (window.measured.largest = entry.startTime));
      observe("layout-shift", (entry) => (window.measured.shift += entry.value));
    });
  };
  return visit(address + path, { before }, async (page) => {
    await page.waitForLoadState("networkidle");
    // The observers are told after the frame in which it happens.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    return page.evaluate(() => window.measured);
  });
};

describe("the page", () => {
  it("weighs less than 600 kB, fonts included, in the longest chapter", async (test) => {
    const bytes = await weight(flagship);
    test.diagnostic(`${(bytes / 1000).toFixed(1)} kB`);
    assert.ok(bytes < 600_000, `${bytes} bytes`);
  });

  it("has a style sheet under 20 kB and a script under 15 kB", async () => {
    for (const [path, most] of [["estaticos/escritura.css", 20_000], ["estaticos/escritura.js", 15_000]]) {
      const { byteLength } = await (await fetch(address + path)).arrayBuffer();
      assert.ok(byteLength > 0 && byteLength < most, `${path}: ${byteLength} bytes`);
    }
  });

  it("shows its largest part within a second on a machine four times slower", async (test) => {
    // What else this machine does can only add time: the best of three is the page's.
    const times = [];
    for (let at = 0; at < 3; at++) times.push((await paint(flagship, 4)).largest);
    const best = Math.min(...times);
    test.diagnostic(`${best.toFixed(0)} ms`);
    assert.ok(best > 0 && best < 1000, `${times} ms`);
  });

  for (const path of files(folder, ".html"))
    it(`does not move while it loads: ${path}`, async () => {
      const { shift } = await paint(path, 4);
      // Less than a thousandth of a window: what fractions of a pixel add up to.
      assert.ok(shift < 0.001, `${shift}`);
    });
});
