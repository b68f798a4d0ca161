// Pages made of data that no one would choose stay valid, whole and readable.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { unfold, visit } from "./browser.mjs";
import { cut, invalid, overflow, overlaps, violations } from "./checks.mjs";
import { build, files, scratch, serve } from "./site.mjs";

const names = [
  "<script>document.title = 'otra'</script>",
  "a & b &amp; c",
  `comillas "dobles" y 'simples'`,
  "مرحبا بالعالم",
  "x".repeat(200),
  "barras | y << valor >> {{ 7 * 7 }}",
];
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
const csv = (head, rows) => [head, ...rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");
const numbers = (count) => Array.from({ length: count }, (_, at) => at);

const chapter = {
  "book.toml": '[book]\ntitle = "Libro <raro> & \\"difícil\\""\n\n[preprocessor.escritura.reglas]\nsin-procedencia = "permitir"\n',
  "content/SUMMARY.md": "# Capítulos\n\n- [Raro](raro/index.md)\n",
  // Nobody answers like anyone else, and every item is answered both ways.
  "content/raro/datos/respuestas.csv": csv(
    ["id", ...names],
    numbers(60).map((at) => [`${names[at % names.length]} ${at}`, ...names.map((_, item) => `${((at + 1) >> item) & 1}`)]),
  ),
  "content/raro/datos/filas.csv": csv(
    ["nombre", "n"],
    numbers(5000).map((at) => [`${at % 2 ? "Ñandú" : "canción"} ${names[at % 4]} ${at}`, `${(at * 7919) % 5000}`]),
  ),
  "content/raro/datos/nube.csv": csv(
    ["a", "b"],
    numbers(100_000).map((at) => [`${(at * 7919) % 99_991}`, `${(at * at) % 99_989}`]),
  ),
  "content/raro/tablas.yaml": `
reactivos:
  titulo: Nombres <raros> & "difíciles"
  marco: reactivos
  columnas:
    - {titulo: Reactivo, valor: reactivo, codigo: true}
    - {titulo: Otra vez, valor: reactivo}
    - {titulo: p, valor: p, decimales: 2}
filas:
  titulo: Cinco mil filas
  marco: filas
  columnas:
    - {titulo: Nombre, valor: nombre}
    - {titulo: n, valor: n}
`,
  "content/raro/figuras.yaml": Object.entries({ uno: "n == 0", ninguno: "n < 0", iguales: "n >= 0" })
    .map(([name, filter]) => `
${name}:
  titulo: Figura <${name}> & "compañía"
  descripcion: Puntos de la figura ${name}.
  x: {titulo: "${name === "iguales" ? "Siempre <lo> & mismo" : "n"}"}
  y: {titulo: n}
  capas:
    - {tipo: puntos, marco: filas, filtro: "${filter}", x: ${name === "iguales" ? "n - n" : "n"}, y: ${name === "iguales" ? "n - n" : "n"}, etiqueta: nombre}
`)
    .concat(`
nube:
  titulo: Cien mil puntos
  descripcion: Una nube de cien mil puntos.
  x: {titulo: a}
  y: {titulo: b}
  capas:
    - {tipo: puntos, marco: nube, x: a, y: b}
`)
    .join(""),
  "content/raro/index.md": `---
titulo: Con << valor "datos.n_reactivos" >> reactivos <raros> & «difíciles»
descripcion: Un capítulo con << valor "datos.n_examinados" >> examinados.
fecha: 2026-01-02
datos:
  respuestas: respuestas.csv
  marcos: {filas: filas.csv, nube: nube.csv}
---

La << ref "tabla:reactivos" >>, la << ref "tabla:filas" >>, la << ref "figura:uno" >>, la
<< ref "figura:ninguno" >>, la << ref "figura:iguales" >> y la << ref "figura:nube" >>.

<< tabla "reactivos" >>

<< figura "uno" >>

<< figura "ninguno" >>

<< figura "iguales" >>

<< figura "nube" >>

<< tabla "filas" >>
`,
};

const book = scratch();
for (const [path, text] of Object.entries(chapter)) {
  mkdirSync(dirname(join(book, path)), { recursive: true });
  writeFileSync(join(book, path), text);
}
const folder = build(book);
const address = await serve(folder);
const page = `${address}raro/index.html`;

describe("awkward data", () => {
  it("leave the files valid", () => assert.deepEqual(invalid(folder), []));

  for (const path of files(folder, ".html"))
    for (const screen of [{ width: 320, height: 640 }, { width: 1280 }, { width: 1600, text: 2 }])
      it(`leave ${path} inside a window of ${screen.width} px, with nothing over anything`, () =>
        visit(address + path, screen, async (page) => {
          await unfold(page);
          assert.equal(await overflow(page), 0);
          assert.deepEqual(await overlaps(page), []);
          assert.deepEqual(await cut(page), []);
        }));

  it("leave the page accessible", () =>
    visit(page, {}, async (page) => {
      // What is said of twenty rows is said of five thousand, and much sooner.
      await page.evaluate(() => document.querySelectorAll("tbody tr:nth-child(n + 20)").forEach((row) => row.remove()));
      await page.evaluate(() => document.querySelectorAll(".esc-puntos :nth-child(n + 20)").forEach((mark) => mark.remove()));
      assert.deepEqual(await violations(page), []);
    }));

  it("are shown as they are written, and never run", () =>
    visit(page, {}, async (page) => {
      assert.deepEqual(await page.locator("#tabla-reactivos tbody td:nth-child(2)").allTextContents(), names);
      assert.equal(await page.locator("h1").innerText(), "Con 6 reactivos <raros> & «difíciles»");
      assert.match(await page.title(), /^Con 6 reactivos <raros> & «difíciles» · /);
    }));

  it("sort and filter five thousand rows before the reader notices", () =>
    visit(page, {}, async (page) => {
      const table = page.locator("#tabla-filas");
      const rows = table.locator("tbody tr:not([hidden])");
      const elapsed = (act) =>
        page.evaluate(async (act) => {
          const start = performance.now();
          const table = document.querySelector("#tabla-filas");
          if (act === "sort") table.querySelector("th:nth-child(2) button").click();
          else {
            const box = table.querySelector("input");
            box.value = act;
            box.dispatchEvent(new Event("input", { bubbles: true }));
          }
          table.getBoundingClientRect();
          return performance.now() - start;
        }, act);
      const times = [await elapsed("sort")];
      assert.equal(await rows.first().locator("td").textContent(), "0");
      // Without its accent it is found all the same.
      times.push(await elapsed("cancion"));
      assert.equal(await rows.count(), 2500);
      // A second is where a reader loses the thread; this leaves room for a busy machine.
      assert.ok(Math.max(...times) < 1000, `${times} ms`);
    }));

  it("thin out a hundred thousand points, and say so", () =>
    visit(page, {}, async (page) => {
      const figure = page.locator("#figura-nube");
      const marks = await figure.locator(".esc-ancha .esc-capa").first().locator("circle, rect, path").count();
      assert.ok(marks > 0 && marks <= 10_000, `${marks} marks`);
      assert.match(await figure.locator(".nota").innerText(), /100.?000/);
    }));

  it("say that there is nothing to draw", () =>
    visit(page, {}, async (page) => assert.match(await page.locator("#figura-ninguno .esc-vacio").first().textContent(), /\w/)));
});
