// Every page against axe-core's rules for WCAG 2.2 AA and its best practices.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { schemes, unfold, visit } from "./browser.mjs";
import { build, files, repository, serve } from "./site.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

const violations = (page) =>
  page.evaluate(async (tags) => {
    const { violations } = await window.axe.run(document, { runOnly: tags });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map((node) => `${id}: ${help}\n  ${node.html.slice(0, 200)}\n  ${node.failureSummary}`),
    );
  }, rules);

const folder = build(repository);
const address = await serve(folder);

describe("accessibility", () => {
  for (const path of files(folder, ".html"))
    for (const scheme of schemes)
      for (const width of [375, 1280])
        it(`${path} breaks no rule, ${scheme}, ${width} px wide`, () =>
          visit(address + path, { scheme, width }, async (page) => {
            await unfold(page);
            await page.evaluate(axe);
            assert.deepEqual(await violations(page), []);
          }));
});
